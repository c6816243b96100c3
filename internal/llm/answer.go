package llm

import (
	"context"
	"encoding/json"
	"io"
)

// Answer writes one answer's parts and keeps the laws of a stream while doing so: no empty delta, one End, nothing
// after the caller has left. A wire fills it from its own events, and need not look whether anybody still listens.
type Answer struct {
	// End is what is known of the end so far: usage, model, and the server's reason, "" for the usual one.
	End End

	options Options
	model   string
	id      func(string) string
	yield   func(Part) bool
	left    bool
	at      Place
	body    io.ReadCloser
}

// Left reports whether the caller has left: what is given out from then on goes nowhere.
func (a *Answer) Left() bool { return a.left }

// Text gives out visible text.
func (a *Answer) Text(text string) {
	if text != "" {
		a.at.Text += len(text)
		a.give(TextDelta{text})
	}
}

// Thinking gives out visible reasoning.
func (a *Answer) Thinking(text string) {
	if text != "" {
		a.give(ThinkingDelta{text})
	}
}

// Start gives out that a call began, and returns the id it has from now on: the server's where that is free.
func (a *Answer) Start(id, name string) (own string) {
	own = a.id(id)
	a.give(ToolCallStart{ID: own, Name: name})
	return own
}

// Call gives out a finished call, which began with Start.
func (a *Answer) Call(id, name, arguments string) {
	a.at.Calls++
	a.give(NewCall(id, name, arguments))
}

// Image gives out a picture.
func (a *Answer) Image(i Image) { a.give(i) }

// Opaque gives out a block that belongs at the current place.
func (a *Answer) Opaque(block json.RawMessage) { a.OpaqueAt(a.at, block) }

// OpaqueAt gives out a block that belongs at an earlier place.
func (a *Answer) OpaqueAt(at Place, block json.RawMessage) {
	o := Seal(a.options.Provider, a.model, at, block)
	a.End.Opaque = append(a.End.Opaque, o)
	a.give(o)
}

// Place is where the answer stands.
func (a *Answer) Place() Place { return a.at }

func (a *Answer) give(p Part) {
	if !a.left && !a.yield(p) {
		a.left = true
	}
}

func (a *Answer) close() {
	if a.body != nil {
		a.body.Close()
		a.body = nil
	}
}

// end is the last part of a complete answer, or of one that failed with err.
func (a *Answer) end(ctx context.Context, err error) End {
	end := a.End
	switch {
	case err != nil:
		failed := Ended(ctx, err)
		end.Reason, end.Fault = failed.Reason, failed.Fault
	case end.Reason == "" || end.Reason == Stop:
		end.Reason = Stop
		if a.at.Calls > 0 {
			end.Reason = ToolCalls
		}
	}
	if end.Fault != nil {
		clean := *end.Fault
		clean.Message = a.options.scrub(clean.Message)
		end.Fault = &clean
	}
	return end
}
