// Package retry asks a model again when an answer failed before anything of it was seen.
//
// A retryable fault (429, 5xx, 529, a dropped connection) is tried again after 1, 2, 4 and 8 seconds, each shorter or
// longer by up to a fifth, or after the wait that the server asked for. A wait over a minute is not waited for: the
// fault is passed on and says how long it is. A server that cannot be reached at all is given up within ten seconds of
// the first try. Each retry is announced by an llm.Retry part before its wait; a cancelled context ends the wait at
// once.
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

const (
	// longest is the longest wait a server may ask for.
	longest = time.Minute
	// patience is how long an unreachable server is tried.
	patience = 10 * time.Second
	// standard is the most retries.
	standard = 4
)

// Options change how often and when. The zero value is the standard.
type Options struct {
	// Max is the most retries of one request; 0 is four, a negative number none.
	Max   int
	Clock llm.Clock
	// Rand returns a number in [0,1) for the jitter; nil is a random one.
	Rand func() float64
}

type model struct {
	next    llm.Model
	options Options
}

// Wrap is the model with retries.
func Wrap(m llm.Model, o Options) llm.Model {
	if o.Max == 0 {
		o.Max = standard
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return &model{m, o}
}

func (m *model) Stream(ctx context.Context, r llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		start := m.options.Clock.Time()
		for attempt := 1; ; attempt++ {
			began := m.options.Clock.Time()
			end, over := m.try(ctx, r, yield)
			if over {
				return
			}
			now := m.options.Clock.Time()
			wait, again := m.wait(end.Fault, attempt, now.Sub(start), now.Sub(began))
			if !again {
				yield(end)
				return
			}
			announced := llm.Retry{
				Attempt: attempt, Max: m.options.Max, Wait: wait, Reason: end.Fault.Message, Status: end.Fault.Status,
			}
			if !yield(announced) {
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

// wait is how long to wait before the given retry, and whether there is one. The first request was made some time ago,
// and the last took some time to fail, as the next one may.
func (m *model) wait(f *llm.Fault, attempt int, ago, took time.Duration) (time.Duration, bool) {
	if attempt > m.options.Max {
		return 0, false
	}
	wait := f.Retry
	if wait == 0 {
		backoff := time.Second << min(attempt-1, 5)
		wait = time.Duration(float64(backoff) * (0.8 + 0.4*m.options.Rand()))
	}
	if wait > longest || f.Unreachable && ago+wait+took > patience {
		return 0, false
	}
	return wait, true
}
