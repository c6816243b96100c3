package llm

import "time"

// Part is one piece of an answer: [TextDelta], [ThinkingDelta], [ToolCallStart], [ToolCall], [Image], [Opaque],
// [Retry] or [End].
type Part interface{ part() }

// TextDelta is the next piece of visible text; never empty.
type TextDelta struct{ Text string }

// ThinkingDelta is the next piece of visible reasoning; never empty.
type ThinkingDelta struct{ Text string }

// ToolCallStart says that the model began to write a call. The [ToolCall] follows when its arguments are whole.
type ToolCallStart struct {
	ID   string
	Name string
}

// Retry says that the request failed unseen and is asked again after Wait. It is given out before the wait begins.
type Retry struct {
	// Attempt counts from 1. Max is the most there will be, 0 where nobody counts.
	Attempt, Max int
	Wait         time.Duration
	// Reason is the failure's message; Status its HTTP status, 0 where there was none.
	Reason string
	Status int
}

// End closes every answer.
type End struct {
	Reason StopReason
	Usage  Usage
	// Fault says what went wrong. It is set where Reason is [Failed] or [Canceled], and may be where it is [Filtered].
	Fault *Fault
	// Said says whether a complete answer says anything.
	Said Said
	// Room says whether the answer had the room that it needed.
	Room Room
	// Opaque repeats every Opaque part of the answer, in order.
	Opaque []Opaque
	// ResponseModel is the model that answered, in the server's words; "" where it did not say.
	ResponseModel string
}

// Said is what there is in an answer that a person or an agent can do something with.
type Said string

// What an answer says.
const (
	// Something is a text, a call or a picture; also every answer that failed.
	Something Said = ""
	// Thoughts is an answer that was thought about, and not given.
	Thoughts Said = "thoughts"
	// Nothing is an answer without a word, or of white space.
	Nothing Said = "nothing"
)

// Room is whether the model's window had room for the prompt and the answer.
type Room string

// What is known of the room.
const (
	// Enough: nothing is known to the contrary.
	Enough Room = ""
	// Full: the answer ends because the window was full. A prompt that is made smaller leaves room for the rest.
	Full Room = "full"
	// Truncated: the server left out a part of the prompt without a word.
	Truncated Room = "truncated"
)

// StopReason says why an answer ended.
type StopReason string

// The reasons an answer ends for.
const (
	// Stop is a complete answer.
	Stop StopReason = "stop"
	// ToolCalls is a complete answer that has at least one call.
	ToolCalls StopReason = "tool_calls"
	// Length is an answer cut at a token limit.
	Length StopReason = "length"
	// Filtered is an answer that was refused, by the model or by a filter in front of it.
	Filtered StopReason = "content_filter"
	// Canceled is an answer whose context was cancelled.
	Canceled StopReason = "canceled"
	// Failed is an answer that broke; End.Fault says how.
	Failed StopReason = "error"
)

// Usage counts the tokens of one answer. Zero means none, or that the server did not say.
type Usage struct {
	// Input is the whole prompt; CachedRead and CachedWrite are parts of it.
	Input int `json:"input"`
	// Output is everything the model wrote; Reasoning is a part of it.
	Output      int `json:"output"`
	CachedRead  int `json:"cached_read"`
	CachedWrite int `json:"cached_write"`
	Reasoning   int `json:"reasoning"`
}

func (TextDelta) part()     {}
func (ThinkingDelta) part() {}
func (ToolCallStart) part() {}
func (ToolCall) part()      {}
func (Image) part()         {}
func (Opaque) part()        {}
func (Retry) part()         {}
func (End) part()           {}
