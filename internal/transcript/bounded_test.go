package transcript_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/transcript"
)

// A chronicle is a log that is written as an agent would, each event checked.
type chronicle struct {
	t    *testing.T
	s    *transcript.State
	late *transcript.State // of a reader who came later; nil: nobody
	seq  event.Seq
}

func (c *chronicle) add(bodies ...event.Body) {
	c.t.Helper()
	for _, b := range bodies {
		c.seq++
		e := event.Event{Seq: c.seq, Session: "sess-1", Body: b}
		if c.s.Run != nil {
			e.Run = c.s.Run.ID
		}
		if c.s.Turn != nil {
			e.Turn = c.s.Turn.ID
		}
		if c.s.Step != nil {
			e.Step = c.s.Step.ID
			if c.s.Step.Response != nil && c.s.Step.Response.Phase == transcript.Open {
				e.Response = c.s.Step.Response.ID
			}
		}
		switch b.(type) {
		case event.RunStarted:
			e.Run = event.RunID(fmt.Sprintf("r%d", c.s.Counts.Runs))
		case event.TurnStarted:
			e.Turn, _ = c.s.NextTurn()
		case event.StepStarted:
			e.Step, _ = c.s.NextStep()
		case event.ResponseStarted:
			e.Response = event.ResponseID(e.Step + ".m")
		}
		if found := transcript.Check(c.s, e); len(found) > 0 {
			c.t.Fatalf("%d %s: %v", c.seq, e.Kind(), found)
		}
		c.s.Apply(e)
		if c.late == nil {
			continue
		}
		if found := transcript.Check(c.late, e); len(found) > 0 {
			c.t.Fatalf("%d %s, for who came later: %v", c.seq, e.Kind(), found)
		}
		c.late.Apply(e)
	}
}

// run is a run of six steps with a call each, that somebody watches and answers;
// between them old results are elided, and in every other run a summary replaces
// the first steps.
func (c *chronicle) run(n int) {
	in, ask := c.s.NextInput(), c.s.NextAsk()
	c.add(event.ClientJoined{Client: "c1"},
		event.InputQueued{Input: in, Lane: event.LanePrompt, Text: "go on", Run: c.s.NextRun(), Number: 1},
		event.RunStarted{Number: 1},
		event.TurnStarted{Number: 1, Inputs: []event.InputID{in}, Lane: event.LanePrompt},
		event.UserSaid{Entry: c.s.NextEntry(), Parent: c.s.Leaf, Text: "go on", Origin: event.LanePrompt},
		event.PlanChanged{Steps: []event.PlanStep{{ID: "1", Text: "run tests"}}},
		event.BudgetChanged{Sources: []event.BudgetSource{{Name: "AGENTS.md", Tokens: 400}}})
	c.add(event.InputQueued{Input: c.s.NextInput(), Lane: event.LaneFollowUp, Text: "and then"})
	c.add(event.InputDropped{Input: c.s.Queue[0].Input, Reason: "removed"})
	for i := range 6 {
		_, number := c.s.NextStep()
		call, block := event.CallID(fmt.Sprintf("call_%d_%d", n, i)), event.BlockID(fmt.Sprintf("r%d.b%d", n, i))
		c.add(event.StepStarted{Number: number}, event.ResponseStarted{},
			event.BlockStarted{Block: block, Role: event.RoleText}, event.BlockEnded{Block: block, Role: event.RoleText, Text: "I look."},
			event.CallAnnounced{Call: call, Name: "read"},
			event.ResponseEnded{Blocks: []event.BlockID{block}, Calls: []event.CallID{call}, Stop: "tool_calls"}, event.UsageChanged{},
			event.CallStarted{Call: call, Name: "read", Origin: "model"})
		if i == 0 {
			c.add(event.AskOpened{Ask: ask, Call: call}, event.AskClosed{Ask: ask, Outcome: "allowed"})
		}
		c.add(event.PermissionDecided{Call: call, Granted: true, Scope: "session", Stored: []string{"read(**)"}},
			event.CallEnded{Call: call, Name: "read", Status: event.StatusSuccess, Result: "a line of a file"}, event.StepEnded{Number: number})
		if i%2 == 1 {
			c.add(event.ContextCompacted{Elided: []event.CallID{call}})
		}
	}
	kept := c.s.Leaf
	if n%2 == 0 {
		c.add(event.ContextCompacted{Entry: c.s.NextEntry(), Summary: "We looked.", FirstKept: kept, Parts: 4})
	}
	c.add(event.TurnEnded{Number: 1, Reason: event.ReasonDone, Entry: c.s.NextEntry(), Parent: kept},
		event.RunEnded{Reason: event.ReasonDone}, event.ClientLeft{Client: "c1"})
	c.add(event.ContextCompacted{Entry: c.s.NextEntry(), Summary: "We looked.", FirstKept: c.s.Leaf})
}

// parts are the parts of a state as JSON, by their keys; of the entries only
// those with content, since the index of all is there to stay.
func parts(t *testing.T, s *transcript.State) map[string]json.RawMessage {
	t.Helper()
	c := *s
	c.Entries = slices.DeleteFunc(slices.Clone(s.Entries), func(e *transcript.Entry) bool { return e.Content == nil })
	text, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Nothing of a state but the index of its entries grows with the number of
// compactions that lie behind it.
func TestStateIsBounded(t *testing.T) {
	c := &chronicle{t: t, s: transcript.New()}
	c.add(event.SessionOpened{Origin: event.OriginNew})
	var few map[string]json.RawMessage
	for n := 1; n <= 500; n++ {
		c.run(n)
		if n == 2 {
			few = parts(t, c.s)
		}
	}
	const digits = 64 // numbers in ids, which are longer at the end
	for key, have := range parts(t, c.s) {
		if len(have) > len(few[key])+digits {
			t.Errorf("%s has %d bytes after 500 compactions, and had %d after 2: %.200s", key, len(have), len(few[key]), have)
		}
	}
	if len(c.s.Elided) == 0 {
		t.Error("nothing of what is still sent is elided")
	}
}

// A compaction forgets that a call was elided with the content that held it, and
// with the steps that it replaces; of what is still sent it is known.
func TestElidedIsOfWhatIsSent(t *testing.T) {
	c := &chronicle{t: t, s: transcript.New()}
	c.add(event.SessionOpened{Origin: event.OriginNew})
	c.run(1)
	if got := join(c.s.Elided); got != "call_1_1 call_1_3 call_1_5" {
		t.Errorf("after one run: %s", got)
	}
	before := c.s.Clone()
	c.run(2)
	if got := join(c.s.Elided); got != "call_2_5" {
		t.Errorf("after a run whose first four steps were replaced: %s", got)
	}
	if got := join(before.Elided); got != "call_1_1 call_1_3 call_1_5" {
		t.Errorf("the copy has changed: %s", got)
	}
	for leaf, want := range map[event.EntryID]string{"e1": "", before.Leaf: "call_1_1 call_1_3 call_1_5"} {
		if got := join(before.Branch(leaf).Elided); got != want {
			t.Errorf("a branch at %s: %s", leaf, got)
		}
	}
}

// Whoever begins from what is near gets no more of a long session than of a short
// one, and nothing that follows is illegal for it or folds to something else; also
// where a person goes back to what a summary has replaced.
func TestNearResumes(t *testing.T) {
	c := &chronicle{t: t, s: transcript.New()}
	c.add(event.SessionOpened{Origin: event.OriginNew})
	sizes := make(map[int]int)
	for n := 1; n <= 40; n++ {
		c.run(n)
		text, err := json.Marshal(c.s.Near())
		if err != nil {
			t.Fatal(err)
		}
		sizes[n] = len(text)
	}
	if sizes[40] > sizes[2]+64 { // ids are longer
		t.Errorf("%d bytes after 40 runs, %d after 2", sizes[40], sizes[2])
	}
	c.late = c.s.Near()
	c.run(41)
	c.add(event.LeafChanged{Leaf: "e1"})
	c.run(42)
	want, got := parts(t, c.s), parts(t, c.late)
	for _, free := range []string{"partial", "elided"} { // what it has no content of, it cannot know
		delete(want, free)
		delete(got, free)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-there +later): %s", d)
	}
}

func join(ids []event.CallID) string {
	var out []string
	for _, id := range ids {
		out = append(out, string(id))
	}
	return strings.Join(out, " ")
}
