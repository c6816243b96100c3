package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/internal/event"
)

// Why says why everything is closed.
type Why struct {
	Reason  event.Reason // of the turn and the run: aborted, error, recovered, …
	Message string       // for response.interrupted
	Who     string       // who asked for it
	Keep    bool         // leave the run open and close its turn only
	After   bool         // the effects of granted calls are known to have stopped
}

// Closing returns the events that close all that is open in s, in order, from
// any state; nothing where nothing is open. They have no seq and no time. Calls
// that were granted are lost unless w.After, all others aborted; the partial
// text stays.
func Closing(s *State, w Why) []event.Event {
	c := &closing{s: s.Clone(), w: w}
	c.close()
	return c.out
}

type closing struct {
	s   *State
	w   Why
	out []event.Event
}

// add applies as it goes, so that each event is made from the state it will meet.
func (c *closing) add(body event.Body) { c.take(c.s.Now(body)) }

// take keeps an event, without a time.
func (c *closing) take(e event.Event) {
	c.out = append(c.out, e)
	e.Time = c.s.Time
	c.s.Apply(e)
}

func (c *closing) close() {
	c.children()
	for _, a := range slices.Clone(c.s.Asks) {
		outcome, method := event.OutcomeAborted, event.MethodAbort
		if c.w.Reason == event.ReasonRecovered {
			outcome, method = event.OutcomeRecovered, event.MethodRecovery
		}
		c.add(event.AskClosed{Ask: a.Ask, Outcome: outcome, Method: method, Who: c.w.Who})
	}
	recovered := c.response()
	recovered = c.calls(recovered)
	if c.w.Reason == event.ReasonRecovered && c.s.Turn != nil {
		recovered.Text = recovered.words()
		c.add(recovered.TurnRecovered)
	}
	if c.s.Step != nil {
		c.add(event.StepEnded{Number: c.s.Step.Number})
	}
	c.turn()
	if c.s.Run != nil && !c.w.Keep {
		c.add(event.RunEnded{Reason: c.w.Reason, Usage: c.s.Run.Usage, DurationMS: max(0, c.s.Time.Sub(c.s.Run.Started).Milliseconds())})
	}
}

func (c *closing) children() {
	for _, child := range c.s.Agents() {
		w := c.w
		w.Keep = false
		events := Closing(child, w)
		reason := event.ReasonAborted
		if c.w.Reason == event.ReasonError {
			reason = event.ReasonError
		}
		events = append(events, event.Event{Session: child.Session, Body: event.SessionClosed{Reason: reason}})
		for _, e := range events {
			c.take(e)
		}
	}
}

type recovery struct{ event.TurnRecovered }

func (r recovery) words() string {
	parts := []string{"The daemon stopped in the middle of this turn."}
	if r.Interrupted {
		parts = append(parts, "The answer was cut.")
	}
	if n := len(r.Aborted); n > 0 {
		parts = append(parts, fmt.Sprintf("%d call(s) never ran: %s.", n, join(r.Aborted)))
	}
	if n := len(r.Lost); n > 0 {
		parts = append(parts, fmt.Sprintf("%d call(s) may have run, nobody knows how far: %s.", n, join(r.Lost)))
	}
	return strings.Join(parts, " ")
}

func join(ids []event.CallID) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return strings.Join(out, ", ")
}

func (c *closing) response() recovery {
	var rec recovery
	if c.s.Step == nil || c.s.Step.Response == nil || c.s.Step.Response.Phase != Open {
		if c.s.Step != nil && c.s.Step.Response != nil && c.s.Step.Response.Phase == Ended && !c.s.Step.Response.Counted {
			u := c.s.Usage
			u.Step, u.Run, u.Session = c.s.Step.Response.Usage, u.Run.Plus(c.s.Step.Response.Usage), u.Session.Plus(c.s.Step.Response.Usage)
			c.add(u)
		}
		return rec
	}
	r := c.s.Step.Response
	if b := r.Block; b != nil {
		c.add(event.BlockEnded{Block: b.ID, Role: b.Role, Text: b.Text.String()})
	}
	c.add(event.ResponseInterrupted{Reason: c.interruption(), Message: c.w.Message})
	rec.Interrupted = true
	return rec
}

func (c *closing) interruption() event.Interruption {
	switch c.w.Reason {
	case event.ReasonError:
		return event.InterruptedByProvider
	case event.ReasonSteered:
		return event.InterruptedBySteer
	case event.ReasonRecovered:
		return event.InterruptedByRecovery
	}
	return event.InterruptedByAbort
}

// calls ends every call that has none, those of a person outside a run too.
func (c *closing) calls(rec recovery) recovery {
	var open []*Call
	if c.s.Step != nil {
		open = append(open, c.s.Step.Calls...)
	}
	open = append(open, c.s.Loose...)
	for _, call := range open {
		if call.Ended != nil {
			continue
		}
		end := event.CallEnded{Call: call.ID, Name: call.Name, Status: event.StatusAborted, Result: "The call was stopped before it ran."}
		switch {
		case call.Decided != nil && call.Decided.Granted && !c.w.After:
			end.Status = event.StatusLost
			end.Result = "The program was stopped while this call ran; nobody knows how far it came. Check before you repeat it."
			rec.Lost = append(rec.Lost, call.ID)
		case call.Decided != nil && call.Decided.Granted:
			end.Result = "The call was stopped."
		case call.Decided != nil:
			end.Status, end.Result = event.StatusDenied, "Permission was refused."
		default:
			rec.Aborted = append(rec.Aborted, call.ID)
		}
		if out := call.Output.String(); out != "" {
			end.Result = out + "\n" + end.Result
		}
		c.addCall(call, end)
	}
	return rec
}

// addCall ends a call outside a run without the envelope of the open step.
func (c *closing) addCall(call *Call, end event.CallEnded) {
	if !slices.ContainsFunc(c.s.Loose, func(l *Call) bool { return l.ID == call.ID }) {
		c.add(end)
		return
	}
	c.take(event.Event{Session: c.s.Session, Body: end})
}

func (c *closing) turn() {
	t := c.s.Turn
	if t == nil {
		return
	}
	end := event.TurnEnded{Number: t.Number, Reason: c.w.Reason}
	if t.Answered() {
		end.Entry, end.Parent = c.s.NextEntry(), t.Parent()
	}
	c.add(end)
}

// Parent returns the entry that an answer's entry follows: what a person said in
// the turn, or what the turn goes on from.
func (t *Turn) Parent() event.EntryID { return cmp.Or(t.Entry, t.From) }

// Answered reports whether the turn holds anything that an answer's entry would.
func (t *Turn) Answered() bool {
	return slices.ContainsFunc(t.Parts, func(p Part) bool { return len(p.Blocks)+len(p.Calls)+len(p.Said) > 0 })
}
