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
//   - A stream that is silent for [Silence] is cut, also before its first byte; an answer that is longer than [Longest] ends
//     with [CodeLimit] and what there was, and takes less than twice that in memory. Both can be set in [Options].
//
// # What an agent does with an End
//
// Every value below is set by this package, from the status, then the code, then the words of a table (overflow.go,
// refuse.go), then the counts; no caller looks at words.
//
//	Fault.Overflow             make room, and ask again. Limit is the window as the server says it, Requested what
//	                           the request came to, Reserved what of that was kept for the answer: where Requested
//	                           less Reserved fits, a smaller Request.MaxOutput is enough. Never set for a rate.
//	Fault.Pictures             leave these out from now on, by their SHA256, with a word; ask again
//	Fault.Retryable            the retry child asks again as long as nothing was given out. Where it has given up, or
//	                           half an answer was given out, it is the agent's: go on, or end the run as an outage
//	Fault.Unreachable          the address is wrong or its server is off
//	Fault.Code: CodeLimit      retryable: a rate. Not retryable: the account is empty, or the request is larger than
//	                           all there is in a minute (Requested over Limit), or the answer was too long
//	End.Room: Full, Truncated  make room before the next request: an answer was cut for want of room, or a part of the
//	                           prompt was not read. Request.Window must be set for it
//	End.Said: Nothing,         nudge once, then tell
//	          Thoughts
//	Retry                      is shown as a countdown, with Reason
//
// Pictures are scaled to what the wire takes and the model ([ImageLimits]) when a request is written; the caller's messages
// stay as they are. What a model takes of efforts is data ([Thinker]): no name of a model is looked at.
//
// A child is a [Provider]: a value that says all about itself, its [Wire] included, which is pure functions. All that
// touches the network is here, once: the request is sent, its failure put into words, and the events of the answer are
// read and bounded, whatever the wire; a key that is refused before anything was said is asked for anew, once ([Keys]). The
// package does not choose a provider, count tokens, retry (see the retry child), or keep a history: every request carries
// the whole conversation.
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
	// Window is the size of the model's window in tokens; 0: not known. It tells an answer that was cut for want of room.
	Window int
	// Reasoning is the effort to think with; "" asks for nothing and is the server's default. Thinker is how this model
	// is asked for it.
	Reasoning Effort
	Thinker   Thinker
	// Images are the model's limits for pictures, where they are lower than its wire's.
	Images ImageLimits
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
