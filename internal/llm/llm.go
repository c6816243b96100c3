// Package llm is the contract between the engine and a language model.
//
// A [Model] takes one whole [Request] and answers with a stream of [Part] values. The laws of that stream, which
// the suite in llmtest holds every child to:
//
//   - The last part is an [End], there is exactly one, and it comes also when the model fails: a failure is a value
//     (End.Fault), never a Go error and never a panic.
//   - The concatenated [TextDelta] values are the answer's text, the concatenated [ThinkingDelta] values its thinking.
//   - Each [ToolCallStart] is followed by the [ToolCall] with the same id, unless the stream failed. Call ids are
//     unique in the answer and differ from every call id of the request.
//   - [ToolCall].Arguments is always one valid JSON object; what a model wrote instead is in [ToolCall].Malformed.
//   - A cancelled context closes the connection to the server at once, and the stream ends with [Canceled].
//   - A caller may stop ranging at any part; nothing is left running and no connection is left open.
//   - No key or header value that was given to a constructor occurs in any [Fault].
//
// A child is a [Provider]: a value that says all about itself, its [Wire] included, which is pure functions. All that
// touches the network is here, once: the request is sent, its failure put into words, and the events of the answer are
// read and bounded, whatever the wire. The package does not choose a provider, count tokens, retry (see the retry
// child), or keep a history: every request carries the whole conversation.
package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
)

// Model is a language model behind one server and one wire format. A Model is safe for concurrent use; each call of
// Stream is one request, sent when the sequence is first ranged over. Range over a sequence once.
type Model interface {
	Stream(ctx context.Context, r Request) iter.Seq[Part]
}

// Request is one question to a model. It is complete in itself: nothing of an earlier request is remembered.
type Request struct {
	// Model is the name that the server knows, without a provider's prefix.
	Model string
	// System is the system prompt; empty means none.
	System string
	// Messages is the conversation, oldest first. It should end with a user or tool message: several servers refuse
	// to go on from an assistant message.
	Messages []Message
	// Tools are the tools the model may call, in a stable order: servers cache by prefix.
	Tools []ToolSpec
	// MaxOutput limits the answer in tokens, thinking included; 0 leaves it to the server, or to the wire where the
	// server insists on a number.
	MaxOutput int
	// Reasoning is the effort to think with; "" asks for nothing and is the server's default.
	Reasoning Effort
	// Session is a stable hint under which a server may keep its prompt cache. It is not a secret and not an address.
	Session string
	// Answered is the number of answers of this conversation that Messages no longer shows because they were
	// compacted. Only the script model reads it.
	Answered int
	// Attempt is the number of times this same request was already tried. The retry middleware sets it; only the
	// script model reads it.
	Attempt int
	// OnSent, where set, is called with the size of the body in bytes each time this request is about to be written
	// to a connection. It must not block.
	OnSent func(size int64)
}

// Effort is how much a model thinks before it answers.
type Effort string

// The efforts that every wire knows how to ask for.
const (
	Low    Effort = "low"
	Medium Effort = "medium"
	High   Effort = "high"
)

// ToolSpec is a tool as a model sees it.
type ToolSpec struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the arguments, an object schema; empty means no arguments.
	Schema json.RawMessage
}

// Object is the schema, or that of no arguments where it is no object.
func (t ToolSpec) Object() json.RawMessage {
	if raw := bytes.TrimSpace(t.Schema); len(raw) > 0 && raw[0] == '{' && json.Valid(raw) {
		return raw
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
}

// Role says who a message is from.
type Role string

// The roles of a message. Tool messages hold [ToolResult] values only.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one turn of the conversation.
type Message struct {
	Role  Role
	Parts []Content
}
