// Package retry asks a model again when an answer failed before anything of it was seen.
//
// A retryable fault (429, 5xx, 529, 408 and 409, a dropped connection, a stream that is silent) is asked again after 1, 2, 4
// … 120 seconds, each shorter by up to a quarter, or after the wait that the server asked for, whatever its length. For how
// long is the caller's [Policy], a value: without end, for a time, or so many times. A wait that would go beyond the policy
// is not begun. A host that refuses connections or has no address is given up within ten seconds of the first refusal in a
// row. Other faults (400, 401, 403, 404, an overflow) are never asked again; that a refused key is asked for anew is package
// llm's.
//
// Each retry is announced by an llm.Retry part before its wait: its number, the reason in words, and when it will be. A cancelled context ends the wait at once. When the policy is at its end the last failure is
// the answer's.
//
// Once text, thinking, a call or a picture was given out the package never asks again: what to do with half an answer
// is the agent's to decide.
package retry

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"parley/internal/llm"
)

// Options are a policy and its effects.
type Options struct {
	Policy Policy
	Clock  llm.Clock
	// Rand returns a number in [0,1) for the jitter; nil is a random one.
	Rand func() float64
}

type model struct {
	next    llm.Model
	options Options
}

// Wrap is the model with retries.
func Wrap(m llm.Model, o Options) llm.Model {
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return &model{m, o}
}

func (m *model) Stream(ctx context.Context, r llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		var failed, gone time.Time // since when
		for retries := 0; ; retries++ {
			began := m.options.Clock.Time()
			end, over := m.try(ctx, r, yield)
			if over {
				return
			}
			now := m.options.Clock.Time()
			if failed.IsZero() {
				failed = now
			}
			switch {
			case !end.Fault.Unreachable:
				gone = time.Time{}
			case gone.IsZero():
				gone = now
			}
			wait, again := m.options.Policy.wait(try{
				fault: end.Fault, retries: retries, since: now.Sub(failed), gone: now.Sub(gone), took: now.Sub(began), random: m.options.Rand(),
			})
			if !again {
				yield(end)
				return
			}
			if !yield(m.announce(end.Fault, retries+1, wait)) {
				return
			}
			if err := m.options.Clock.Wait(ctx, wait); err != nil {
				yield(llm.Ended(ctx, err))
				return
			}
			r.Attempt++
		}
	}
}

// announce says of a retry what there is to say.
func (m *model) announce(f *llm.Fault, attempt int, wait time.Duration) llm.Retry {
	return llm.Retry{Attempt: attempt, Max: max(0, m.options.Policy.Attempts), Wait: wait, Reason: f.Message, Status: f.Status}
}

// try makes one request. It is over when its end or some part of it was given out, or when the caller has left;
// otherwise end is the failure. Opaque data is held back until it is known that the answer stands.
func (m *model) try(ctx context.Context, r llm.Request, yield func(llm.Part) bool) (end llm.End, over bool) {
	var held []llm.Part
	seen := false
	for p := range m.next.Stream(ctx, r) {
		last, ended := p.(llm.End)
		if ended && !seen && last.Fault != nil && last.Fault.Retryable {
			return last, false
		}
		if _, opaque := p.(llm.Opaque); opaque && !seen {
			held = append(held, p)
			continue
		}
		seen = true
		for _, h := range held {
			if !yield(h) {
				return llm.End{}, true
			}
		}
		held = nil
		if !yield(p) {
			return llm.End{}, true
		}
	}
	return llm.End{}, true
}
