package event

import "encoding/json"

// A Role says what a block of a response holds.
type Role string

// The roles of a block.
const (
	RoleText     Role = "text"
	RoleThinking Role = "thinking"
	RoleImage    Role = "image"
)

// A Stop says why a model ended its answer.
type Stop string

// The stops of a model.
const (
	StopDone     Stop = "stop"
	StopCalls    Stop = "tool_calls"
	StopLength   Stop = "length"
	StopFiltered Stop = "content_filter"
)

// An Interruption says what cut a response.
type Interruption string

// The interruptions of a response.
const (
	InterruptedByAbort    Interruption = "aborted"
	InterruptedBySteer    Interruption = "steered"
	InterruptedByProvider Interruption = "provider"
	InterruptedByRecovery Interruption = "recovered"
)

// Opaque is provider data that must go back unread to the provider and model
// that made it: signatures, encrypted reasoning. It is never shown.
type Opaque struct {
	Provider string          `json:"provider"`
	Model    string          `json:"model"`
	Block    BlockID         `json:"block,omitempty" doc:"the block it belongs to"`
	Call     CallID          `json:"call,omitempty" doc:"the call it belongs to"`
	Data     json.RawMessage `json:"data"`
}

// ResponseStarted says that the model began to answer.
type ResponseStarted struct {
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

// BlockStarted opens a block; no other may be open.
type BlockStarted struct {
	Block BlockID `json:"block"`
	Role  Role    `json:"role" doc:"text, thinking or image"`
}

// BlockDelta adds text to the open block. Its kind is block.grew. It is not
// durable by itself: block.ended repeats the whole text.
type BlockDelta struct {
	Block  BlockID `json:"block"`
	Offset int     `json:"offset" doc:"bytes of the block before this text"`
	Text   string  `json:"text"`
}

// BlockEnded closes a block with its whole text.
type BlockEnded struct {
	Block      BlockID `json:"block"`
	Role       Role    `json:"role"`
	Text       string  `json:"text"`
	Path       string  `json:"path,omitempty" doc:"image: where it was saved"`
	MediaType  string  `json:"media_type,omitempty" doc:"image"`
	DurationMS int64   `json:"duration_ms,omitempty"`
}

// CallAnnounced says that the model began a tool call; its arguments come with
// call.started.
type CallAnnounced struct {
	Call CallID `json:"call"`
	Name string `json:"name" doc:"name of the tool"`
}

// ResponseEnded is the snapshot of a completed response: exactly one for each,
// never one for a response that was cut.
type ResponseEnded struct {
	Blocks []BlockID `json:"blocks"`
	Calls  []CallID  `json:"calls"`
	Stop   Stop      `json:"stop" doc:"stop, tool_calls, length, content_filter"`
	Usage  Usage     `json:"usage"`
	Model  string    `json:"model,omitempty" doc:"the name that the server gave"`
	Opaque []Opaque  `json:"opaque,omitempty" doc:"never shown"`
	// Written are the calls that the model wrote in another way than call.started has them.
	Written []WrittenCall `json:"written,omitempty" doc:"calls that the model wrote in another way than call.started has them"`
}

// WrittenCall is a call as the model wrote it, before its name and arguments were given their one reading.
type WrittenCall struct {
	Call      CallID `json:"call"`
	Name      string `json:"name"`
	Arguments string `json:"arguments" doc:"may be no JSON"`
}

// ResponseInterrupted closes a response that was cut; what its blocks hold
// stays.
type ResponseInterrupted struct {
	Reason  Interruption `json:"reason" doc:"aborted, steered, provider or recovered"`
	Message string       `json:"message,omitempty"`
}

func (ResponseStarted) kind() string     { return "response.started" }
func (BlockStarted) kind() string        { return "block.started" }
func (BlockDelta) kind() string          { return "block.grew" }
func (BlockEnded) kind() string          { return "block.ended" }
func (CallAnnounced) kind() string       { return "call.announced" }
func (ResponseEnded) kind() string       { return "response.ended" }
func (ResponseInterrupted) kind() string { return "response.interrupted" }
