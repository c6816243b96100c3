package journaltest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/internal/event"
	"parley/internal/transcript"
)

// A Feed makes legal events at random: runs with turns, steps, blocks that grow,
// calls that run side by side. The same seed makes the same log.
type Feed struct {
	ID    event.SessionID
	r     *rand.Rand
	Words int // about how many deltas there are in a block
}

// NewFeed returns a feed of a session.
func NewFeed(id event.SessionID, seed uint64) *Feed {
	return &Feed{ID: id, r: rand.New(rand.NewPCG(seed, 11)), Words: 6}
}

func (f *Feed) one(n int) bool { return f.r.IntN(n) == 0 }

// at puts bodies where s is.
func (f *Feed) at(s *transcript.State, bodies ...event.Body) []event.Event {
	s = s.Clone()
	out := make([]event.Event, 0, len(bodies))
	for _, b := range bodies {
		e := s.Now(b)
		if e.Session = f.ID; event.KindOf(b) == "run.started" {
			e.Cause = "c1/7"
		}
		s.Apply(e)
		out = append(out, e)
	}
	return out
}

// Next returns one or a few events that are legal after s.
func (f *Feed) Next(s *transcript.State) []event.Event {
	switch {
	case s.Session == "":
		return f.at(s, event.SessionOpened{Origin: event.OriginNew, Workspace: "/home/ann/shop"})
	case s.Run == nil && f.one(3):
		return f.at(s, f.aside(s))
	case s.Run == nil:
		in := s.NextInput()
		return f.at(s,
			event.InputQueued{Input: in, Lane: event.LanePrompt, Text: f.text(5), Run: s.NextRun(), Number: s.Counts.Runs + 1},
			event.RunStarted{Number: s.Counts.Runs + 1},
			event.TurnStarted{Number: 1, Inputs: []event.InputID{in}, Lane: event.LanePrompt},
			event.UserSaid{Entry: s.NextEntry(), Parent: s.Leaf, Text: f.text(5), Origin: event.LanePrompt},
			event.StepStarted{Number: 1})
	case f.one(40):
		return f.at(s, f.aside(s))
	case s.Step != nil:
		return f.step(s)
	case s.Turn != nil && s.Turn.Steps < 4 && !f.one(3):
		_, n := s.NextStep()
		return f.at(s, event.StepStarted{Number: n})
	case s.Turn != nil:
		end := event.TurnEnded{Number: s.Turn.Number, Reason: event.ReasonDone}
		if s.Turn.Answered() {
			end.Entry, end.Parent = s.NextEntry(), s.Turn.Entry
		}
		return f.at(s, end, event.RunEnded{Reason: event.ReasonDone})
	}
	return f.at(s, event.RunEnded{Reason: event.ReasonDone})
}

func (f *Feed) aside(s *transcript.State) event.Body {
	if s.Step != nil || f.one(2) {
		return event.NoteAdded{Level: event.LevelInfo, Text: f.text(3)}
	}
	return event.SessionTitled{Title: f.text(3)}
}

func (f *Feed) text(words int) string {
	list := []string{"the ", "file ", "says ", "“hi” ", "\n", "<b> ", "naïve ", "x"}
	var b strings.Builder
	for range 1 + f.r.IntN(words) {
		b.WriteString(list[f.r.IntN(len(list))])
	}
	return b.String()
}

func (f *Feed) step(s *transcript.State) []event.Event {
	r := s.Step.Response
	switch {
	case r == nil:
		return f.at(s, event.ResponseStarted{Provider: "script", Model: "m1"})
	case r.Phase == transcript.Open:
		return f.response(s, r)
	case r.Phase == transcript.Ended && !r.Counted:
		return f.at(s, event.UsageChanged{Step: r.Usage, Run: r.Usage, Session: r.Usage})
	}
	var open []*transcript.Call
	for _, c := range s.Step.Calls {
		if c.Ended == nil {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return f.at(s, event.StepEnded{Number: s.Step.Number})
	}
	return f.call(s, open[f.r.IntN(len(open))])
}

func (f *Feed) response(s *transcript.State, r *transcript.Response) []event.Event {
	if b := r.Block; b != nil {
		if f.one(f.Words) {
			return f.at(s, event.BlockEnded{Block: b.ID, Role: b.Role, Text: b.Text.String() + f.rest()})
		}
		return f.at(s, event.BlockDelta{Block: b.ID, Offset: b.Text.Len(), Text: f.text(3)})
	}
	switch f.r.IntN(6) {
	case 0:
		return f.at(s, event.CallAnnounced{Call: event.CallID(fmt.Sprintf("%s.c%d", s.Step.ID, len(r.Announced)+1)), Name: "bash"})
	case 1:
		blocks, calls := []event.BlockID{}, []event.CallID{}
		for _, b := range r.Blocks {
			blocks = append(blocks, b.ID)
		}
		for _, c := range r.Announced {
			calls = append(calls, c.Call)
		}
		return f.at(s, event.ResponseEnded{Blocks: blocks, Calls: calls, Stop: event.StopDone, Usage: event.Usage{Input: 7, Output: 5}})
	case 2:
		if f.one(4) {
			return f.at(s, event.ResponseInterrupted{Reason: event.InterruptedByProvider})
		}
	}
	role := event.RoleText
	if f.one(3) {
		role = event.RoleThinking
	}
	return f.at(s, event.BlockStarted{Block: event.BlockID(fmt.Sprintf("%s.b%d", s.Step.ID, len(r.Blocks)+1)), Role: role})
}

// rest is text that only ended carries, as when the last delta was not sent.
func (f *Feed) rest() string {
	if f.one(3) {
		return f.text(2)
	}
	return ""
}

func (f *Feed) call(s *transcript.State, c *transcript.Call) []event.Event {
	switch {
	case !c.Shown:
		return f.at(s, event.CallStarted{Call: c.ID, Name: "bash", Arguments: json.RawMessage(`{"command":"make"}`), Origin: event.CallerModel})
	case c.Decided == nil:
		return f.at(s, event.PermissionDecided{Call: c.ID, Granted: !f.one(5), Method: event.MethodRule})
	case !c.Decided.Granted:
		return f.at(s, event.CallEnded{Call: c.ID, Name: c.Name, Status: event.StatusDenied, Result: "refused"})
	case f.one(f.Words):
		return f.at(s, event.CallEnded{Call: c.ID, Name: c.Name, Status: event.StatusSuccess, Result: c.Output.String()})
	}
	stream := event.Stdout
	if f.one(4) {
		stream = event.Stderr
	}
	return f.at(s, event.CallDelta{Call: c.ID, Stream: stream, Offset: c.Output.Len(), Text: f.text(3)})
}
