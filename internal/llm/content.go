package llm

import (
	"bytes"
	"encoding/json"
)

// Content is a piece of a message: [Text], [Thinking], [Image], [ToolCall], [ToolResult] or [Opaque].
type Content interface{ content() }

// Text is visible text of a user or of the assistant.
type Text struct{ Text string }

// Thinking is the assistant's visible reasoning. A wire gives it back only where the server asks for that.
type Thinking struct{ Text string }

// Image is a picture, going in with a user's message or a tool's result, or coming out of the model.
type Image struct {
	// MediaType is an IANA type, such as image/png.
	MediaType string
	// Data holds the file's bytes, not encoded.
	Data []byte
}

// ToolCall is one finished call the model asks for.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is always a valid JSON object, without white space between its tokens.
	Arguments json.RawMessage
	// Malformed is what the model wrote where that was not a JSON object; Arguments is then {}. Such a call must be
	// answered with an error result, not run.
	Malformed string
}

// ToolResult answers the call with the same id.
type ToolResult struct {
	CallID string
	// Name is the called tool's; some servers match by it.
	Name  string
	Text  string
	Error bool
	// Images are shown to models that take them; a wire without images in results sends them as a user's message.
	Images []Image
}

// Opaque is data of a provider that means nothing here (a signature, encrypted reasoning) and must be given back to
// the same provider and model with the answer it came from. It places itself: where among a message's parts it
// stands does not matter, nor does a copy.
type Opaque struct {
	Provider string
	Model    string
	Data     json.RawMessage
}

func (Text) content()       {}
func (Thinking) content()   {}
func (Image) content()      {}
func (ToolCall) content()   {}
func (ToolResult) content() {}
func (Opaque) content()     {}

// NewCall makes a call of the arguments as a model wrote them. No arguments at all is an empty object; anything that
// is not one JSON object is kept in Malformed.
func NewCall(id, name, arguments string) ToolCall {
	c := ToolCall{ID: id, Name: name, Arguments: json.RawMessage("{}")}
	raw := bytes.TrimSpace([]byte(arguments))
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case raw[0] == '{' && json.Valid(raw):
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			c.Arguments = compact.Bytes()
		}
	default:
		c.Malformed = arguments
	}
	return c
}
