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
		e := c.s.Now(b)
		e.Seq, e.Session = c.seq, "sess-1"
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
	c.add(event.InputDropped{Input: c.s.Queue[0].Input, Reason: event.DropRemoved})
	for i := range 6 {
		_, number := c.s.NextStep()
		call, block := event.CallID(fmt.Sprintf("call_%d_%d", n, i)), event.BlockID(fmt.Sprintf("r%d.b%d", n, i))
		c.add(event.StepStarted{Number: number}, event.ResponseStarted{},
			event.BlockStarted{Block: block, Role: event.RoleText}, event.BlockEnded{Block: block, Role: event.RoleText, Text: "I look."},
			event.CallAnnounced{Call: call, Name: "read"},
			event.ResponseEnded{Blocks: []event.BlockID{block}, Calls: []event.CallID{call}, Stop: event.StopCalls}, event.UsageChanged{},
			event.CallStarted{Call: call, Name: "read", Origin: event.CallerModel})
		if i == 0 {
			c.add(event.AskOpened{Ask: ask, Call: call}, event.AskClosed{Ask: ask, Outcome: event.OutcomeAllowed})
		}
		c.add(event.PermissionDecided{Call: call, Granted: true, Scope: event.ScopeSession, Stored: []string{"read(**)"}},
			event.CallEnded{Call: call, Name: "read", Status: event.StatusSuccess, Result: "a line of a file"}, event.StepEnded{Number: number})
		if i%2 == 1 {
			c.add(event.ContextCompacted{Elided: []event.CallID{call}, Files: []event.ResultFile{{Call: call, File: string(call) + ".txt"}}})
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
	const digits = 128 // numbers in ids, which are longer at the end
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

// A summary can replace the first steps of an answer that has ended; what is elided of them is forgotten, with its files, and
// a copy from before does not change.
func TestStepsOfAnAnswerAreReplaced(t *testing.T) {
	c := &chronicle{t: t, s: transcript.New()}
	c.add(event.SessionOpened{Origin: event.OriginNew})
	c.run(1)
	asked := c.s.Path(c.s.Leaf)[0].ID
	before := c.s.Clone()
	hidden := func(s *transcript.State) int { return s.Entry(s.Leaf).Content.Hidden }
	for _, step := range []struct{ steps, want int }{{4, 4}, {2, 4}, {99, 6}} {
		c.add(event.ContextCompacted{Entry: c.s.NextEntry(), Summary: "We looked.", FirstKept: asked, Steps: step.steps, File: "conversation.txt"})
		if got := hidden(c.s); got != step.want {
			t.Errorf("%d steps are hidden after a summary of %d, want %d", got, step.steps, step.want)
		}
		if step.steps == 4 && (join(c.s.Elided) != "call_1_5" || len(c.s.Files) != 1 || c.s.Files[0].File != "call_1_5.txt") {
			t.Errorf("elided %v, files %v", c.s.Elided, c.s.Files)
		}
	}
	if hidden(before) != 0 || len(before.Files) != 3 {
		t.Errorf("the copy has changed: %d hidden, %d files", hidden(before), len(before.Files))
	}
	if got := c.s.Summary; got.File != "conversation.txt" || len(got.Plan) != 1 {
		t.Errorf("%+v", got)
	}
}

// Whoever begins from the tail of a long session gets no more than of a short one,
// keeps no more, and nothing that follows is illegal for it or folds to something
// else; also where a person goes back to what a summary has replaced.
func TestTailIsBounded(t *testing.T) {
	c := &chronicle{t: t, s: transcript.New()}
	c.add(event.SessionOpened{Origin: event.OriginNew})
	size := func(s *transcript.State) int {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	sizes := make(map[int]int)
	for n := 1; n <= 40; n++ {
		c.run(n)
		sizes[n] = size(c.s.Tail(4))
	}
	const digits = 128 // numbers in ids, which are longer at the end
	if sizes[40] > sizes[2]+digits {
		t.Errorf("%d bytes after 40 runs, %d after 2", sizes[40], sizes[2])
	}
	c.late = c.s.Tail(4)
	for n := 41; n < 60; n++ {
		c.run(n)
	}
	if got := size(c.late); got > sizes[2]+digits {
		t.Errorf("%d bytes after 19 runs more, %d at first", got, sizes[2])
	}
	c.add(event.LeafChanged{Leaf: "e1"})
	c.run(60)
	if d := cmp.Diff(parts(t, c.s.Tail(4)), parts(t, c.late)); d != "" {
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
