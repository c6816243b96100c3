package llm

import (
	"context"
	"encoding/json"
	"io"
	"iter"
)

// Answer writes one answer's parts and keeps the laws of a stream while doing so: no empty delta, one End, nothing
// after the caller has left. A wire fills it from its own events. Each method that gives a part out returns false when
// the caller has left and the wire should return.
type Answer struct {
	// End is what is known of the end so far: usage, model, and the server's reason, "" for the usual one.
	End End

	options Options
	model   string
	id      func(string) string
	yield   func(Part) bool
	gone    bool
	at      Place
	body    io.ReadCloser
}

// Stream is a request's answer as run writes it. When run returns nil the answer is complete; with an error it failed
// there. The context that run gets ends with the iteration; secrets of the options are taken out of the fault.
func Stream(ctx context.Context, o Options, r Request, run func(context.Context, *Answer) error) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		a := &Answer{options: o, model: r.Model, id: CallIDs(r), yield: yield}
		err := run(inner, a)
		if a.gone {
			cancel()
			a.close()
			return
		}
		end := a.End
		if err != nil {
			cancelled := Ended(ctx, err)
			end.Reason, end.Fault = cancelled.Reason, cancelled.Fault
			a.close()
		} else if end.Reason == "" || end.Reason == Stop {
			end.Reason = Stop
			if a.at.Calls > 0 {
				end.Reason = ToolCalls
			}
		}
		if end.Fault != nil {
			clean := *end.Fault
			clean.Message = o.scrub(clean.Message)
			end.Fault = &clean
		}
		yield(end)
		if a.body != nil {
			Drain(a.body)
		}
	}
}

// Body hands over the response's body, which is closed with the answer.
func (a *Answer) Body(body io.ReadCloser) { a.body = body }

func (a *Answer) close() {
	if a.body != nil {
		a.body.Close()
		a.body = nil
	}
}

// Text gives out visible text.
func (a *Answer) Text(text string) bool {
	if text == "" {
		return !a.gone
	}
	a.at.Text += len(text)
	return a.give(TextDelta{text})
}

// Thinking gives out visible reasoning.
func (a *Answer) Thinking(text string) bool {
	if text == "" {
		return !a.gone
	}
	return a.give(ThinkingDelta{text})
}

// Start gives out that a call began, and returns the id it has from now on: the server's where that is free.
func (a *Answer) Start(id, name string) (own string, ok bool) {
	own = a.id(id)
	return own, a.give(ToolCallStart{ID: own, Name: name})
}

// Call gives out a finished call, which began with Start.
func (a *Answer) Call(id, name, arguments string) bool {
	a.at.Calls++
	return a.give(NewCall(id, name, arguments))
}

// Image gives out a picture.
func (a *Answer) Image(i Image) bool { return a.give(i) }

// Opaque gives out a block that belongs at the current place.
func (a *Answer) Opaque(block json.RawMessage) bool { return a.OpaqueAt(a.at, block) }

// OpaqueAt gives out a block that belongs at an earlier place.
func (a *Answer) OpaqueAt(at Place, block json.RawMessage) bool {
	o := Seal(a.options.Provider, a.model, at, block)
	a.End.Opaque = append(a.End.Opaque, o)
	return a.give(o)
}

// Place is where the answer stands.
func (a *Answer) Place() Place { return a.at }

func (a *Answer) give(p Part) bool {
	if !a.gone && !a.yield(p) {
		a.gone = true
	}
	return !a.gone
}
