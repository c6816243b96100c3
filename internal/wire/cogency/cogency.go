// Package cogency speaks the event stream of the terminal rendering protocol:
// JSON lines such as {"type":"think","content":"…"}, one event each.
//
// [Dialect] writes it. A session has two forms of it: whole units (the default,
// as that program's own), where a thought or a reply is one event when it is
// complete, and pieces as they come, for a peer with the capability "token". A
// client sends nothing; what it sends all the same is answered with an error
// event.
//
// [Reader] reads it, of any program, and yields display commands: the
// stream has no sessions, steps or responses, and a call may follow another
// before the first has its result, so it is shown as it comes rather than made
// into a log that it never was. [Render] is the whole of parley render.
//
// Where the protocol's document contradicts itself or the program that it
// describes:
//
//   - A metric may come before or after end; the last one before the next event
//     that is neither counts. Of its numbers total is shown, step only where
//     there is no total.
//   - A result is read in the document's form (payload with outcome, content and
//     error), as plain content, and as the JSON array of a whole batch, whose
//     items belong to the open calls in order. It is written in the document's
//     form, one for each call.
//   - Calls that overlap are written as pairs of call and result when each ends,
//     because readers pair them by position.
//   - end is written only where the run was not stopped; error and interrupt
//     stand for it otherwise. The type cancelled is read as interrupt; execute,
//     intent and unknown types end an open reply and show nothing.
//   - Every event written has a timestamp, in seconds, as that program's have.
//
// What it has no word for is not written: sub-agents, asks and permission,
// plans, budgets, notes, retries, queues, settings.
package cogency

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// A Seconds is a time in seconds. It is written as the old program did, with a
// fraction in any case.
type Seconds float64

// MarshalJSON gives a number with a fraction.
func (s Seconds) MarshalJSON() ([]byte, error) {
	b := strconv.AppendFloat(nil, float64(s), 'f', -1, 64)
	if !bytes.ContainsRune(b, '.') {
		b = append(b, ".0"...)
	}
	return b, nil
}

func seconds(t time.Time) Seconds { return Seconds(float64(t.UnixMicro()) / 1e6) }

// An Event is one line of the stream as it is written. A member that its type
// does not have is absent.
type Event struct {
	Type      string   `json:"type" jsonschema:"user, think, call, result, respond, end, metric, error or interrupt"`
	Content   *string  `json:"content,omitempty" jsonschema:"user, think, respond, error: the text; call: a JSON object with name and args"`
	Payload   *Payload `json:"payload,omitempty" jsonschema:"result and error"`
	Step      *Count   `json:"step,omitempty" jsonschema:"metric: of the last model request"`
	Total     *Count   `json:"total,omitempty" jsonschema:"metric: of the run"`
	Timestamp Seconds  `json:"timestamp" jsonschema:"seconds since 1970"`
}

// A Payload is what a result or an error carries.
type Payload struct {
	Outcome *string         `json:"outcome,omitempty" jsonschema:"result: what came of the call, in a few words"`
	Content *string         `json:"content,omitempty" jsonschema:"result: all of it"`
	Error   json.RawMessage `json:"error,omitempty" jsonschema:"result: true where the call failed; error: the message"`
}

// A Count is what a request or a run cost.
type Count struct {
	Input    int      `json:"input" jsonschema:"tokens"`
	Output   int      `json:"output" jsonschema:"tokens"`
	Duration *Seconds `json:"duration,omitempty" jsonschema:"seconds"`
}

// Call is the content of a call event.
type Call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}
