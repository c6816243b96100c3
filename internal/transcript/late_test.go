package transcript_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/transcript/transcripttest"
)

var generated = flag.Int("sessions", 24, "how many sessions are invented for the laws")

// logs are all that are kept in the repository, and some that are invented.
func logs(t testing.TB) map[string][]event.Event {
	t.Helper()
	out, err := transcripttest.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range *generated {
		out[fmt.Sprint("story ", seed)] = transcripttest.Generate(uint64(seed), 250)
	}
	return out
}

func text(t testing.TB, s *transcript.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// differ shows where two texts begin to differ.
func differ(want, got string) string {
	n := 0
	for n < len(want) && n < len(got) && want[n] == got[n] {
		n++
	}
	part := func(s string) string { return s[max(0, n-60):min(len(s), n+200)] }
	return fmt.Sprintf("\nwant …%s\ngot  …%s", part(want), part(got))
}

// The generated sessions hold what the laws are about; else these would be true of nothing.
func TestGeneratedSessionsHaveAllKinds(t *testing.T) {
	seen := make(map[string]bool)
	var folds []string
	for _, log := range logs(t) {
		s := transcript.New()
		for _, e := range log {
			seen[e.Kind()] = true
			if len(s.Children) > 1 {
				folds = append(folds, "two sub-agents")
			}
			if b := s.Block(); b != nil && b.Continues {
				folds = append(folds, "a text that goes on after a cut")
			}
			if s.Turn != nil && s.Turn.Hidden > 0 {
				folds = append(folds, "steps that a summary replaces")
			}
			if s.Step != nil && s.Step.Retry != nil {
				folds = append(folds, "a retry")
			}
			if len(s.Loose) > 0 && s.Run != nil {
				folds = append(folds, "a person's call beside a run")
			}
			s.Apply(e)
		}
	}
	for _, kind := range event.Kinds() {
		switch k := event.KindOf(kind); k {
		case "session.listed", "session.unlisted", "active.changed", "plan.cleared", "init.progressed", "files.changed", "leaf.changed":
		default:
			if !seen[k] {
				t.Errorf("no log has %s", k)
			}
		}
	}
	slices.Sort(folds)
	if have := slices.Compact(folds); len(have) != 5 {
		t.Errorf("only %q", have)
	}
}

// open is what is open in s, as text: what Opening promises of a state, and
// nothing of what it says that it leaves out.
func open(t *testing.T, s, of *transcript.State) string {
	t.Helper()
	return text(t, onlyOpen(s, of))
}

func onlyOpen(s, of *transcript.State) *transcript.State {
	c := s.Clone()
	c.Seq, c.Time, c.Counts, c.Partial = 0, c.Opened, transcript.Counts{}, false
	c.Entries, c.Leaf, c.Summary, c.Elided, c.Files, c.Refused, c.Rules, c.Answered, c.Last = nil, "", nil, nil, nil, nil, nil, "", nil
	for i := range c.Queue {
		c.Queue[i].Position = 0
	}
	if c.Run != nil {
		c.Run.First, c.Run.Model, c.Run.Allow, c.Run.Deny, c.Run.Mode = 0, "", nil, nil, ""
		c.Run.Written, c.Run.Unasked, c.Run.Resumed = 0, false, false
	}
	if of.Turn == nil { // the turns of the run have ended
		c.Failed, c.Cut, c.Waiting = false, false, c.Opened
		if c.Run != nil {
			c.Run.Turns, c.Run.Fault = 0, nil
		}
	} else {
		// When the run went on after a failure, and when the steps ended that a
		// summary replaces, or how many there were, is not in what is open.
		if of.Run.Fault != nil || of.Turn.Hidden > 0 {
			c.Waiting = c.Opened
		}
		if of.Turn.Hidden > 0 && of.Turn.Hidden == len(of.Turn.Parts) && c.Step == nil {
			c.Turn.Steps = 0
		}
	}
	if c.Turn != nil {
		c.Turn.Parts, c.Turn.Hidden = slices.Clone(c.Turn.Parts[c.Turn.Hidden:]), 0
		// That a text goes on with one that a summary replaces is not in what is open either.
		if of.Turn != nil && of.Turn.Hidden > 0 && len(c.Turn.Parts) > 0 && len(c.Turn.Parts[0].Blocks) > 0 {
			first := &c.Turn.Parts[0]
			first.Blocks = slices.Clone(first.Blocks)
			first.Blocks[0].Continues = false
		}
	}
	for id, child := range c.Children {
		if of.Children[id] != nil {
			c.Children[id] = onlyOpen(child, of.Children[id])
		}
	}
	return c
}

// At every event of every log: what Opening yields, folded onto New, gives what is
// open.
func TestOpeningMirrorsTheState(t *testing.T) {
	for name, log := range logs(t) {
		s := transcript.New()
		for _, e := range log {
			s.Apply(e)
			got := transcript.New()
			for _, o := range transcript.Opening(s.Clone()) {
				if o.Seq != 0 {
					t.Errorf("%s after %d: %s has a seq", name, e.Seq, o.Kind())
				}
				got.Apply(o)
			}
			if want, got := open(t, s, s), open(t, got, s); want != got {
				t.Fatalf("%s after %d %s: %s", name, e.Seq, e.Kind(), differ(want, got))
			}
		}
	}
}

// From any sequence of events, also an illegal one, Opening yields events, and
// what Closing yields of them leaves nothing open.
func TestOpeningOfAnything(t *testing.T) {
	for seed := range uint64(100) {
		log := transcripttest.Generate(seed, 100)
		s := transcript.New()
		for i, e := range log {
			if (uint64(i)+seed)%7 != 0 {
				s.Apply(e)
			}
			got := transcript.New()
			for _, o := range transcript.Opening(s) {
				got.Apply(o)
			}
			for _, c := range transcript.Closing(got, transcript.Why{Reason: event.ReasonError}) {
				got.Apply(c)
			}
			if got.Run != nil || got.Turn != nil || got.Step != nil || len(got.Asks) > 0 {
				t.Fatalf("seed %d after %d: something is open", seed, e.Seq)
			}
		}
	}
}

// To fold an event a second time changes nothing, whether it comes again as it
// was or, as deltas do, in pieces that overlap and without its seq.
func TestAdvanceTwice(t *testing.T) {
	for name, log := range logs(t) {
		s := transcript.New()
		for _, e := range log {
			for news := range transcript.Advance(s, e) {
				s.Apply(news)
			}
			again := []event.Event{e}
			if offset, grown, ok := e.Delta(); ok {
				whole := e.WithDelta(offset, grown)
				whole.Seq = 0
				again = append(again, whole, whole.WithDelta(offset+len(grown)/2, grown[len(grown)/2:]))
			}
			for _, e := range again {
				for news := range transcript.Advance(s, e) {
					if _, grown, ok := news.Delta(); !ok || grown != "" {
						t.Fatalf("%s: %d %s is news a second time: %+v", name, e.Seq, e.Kind(), news)
					}
				}
			}
		}
		if want, _ := fold(log); text(t, s) != text(t, want) {
			t.Fatalf("%s: folded by what is news it ends as\n%s\nwant\n%s", name, text(t, s), text(t, want))
		}
	}
}

// Whichever deltas are left out, its end brings it: a reader gets
// each byte once and in order.
func TestAdvanceBringsTheRest(t *testing.T) {
	for name, log := range logs(t) {
		s, said := transcript.New(), make(map[string]string)
		for i, e := range log {
			if _, _, delta := e.Delta(); delta && i%2 == 0 {
				continue
			}
			for news := range transcript.Advance(s, e) {
				switch b := news.Body.(type) {
				case event.BlockDelta:
					if key := string(e.Session) + string(b.Block); b.Offset == len(said[key]) {
						said[key] += b.Text
					}
				case event.BlockEnded:
					key := string(e.Session) + string(b.Block)
					if said[key] != b.Text {
						t.Errorf("%s: block %s is %q, was said as %q", name, b.Block, b.Text, said[key])
					}
					delete(said, key)
				}
				s.Apply(news)
			}
		}
	}
}

// Whoever joins at any event, from the checkpoint, ends with the State of one that
// was there; also a client, whose state is bounded from its first event on.
func TestJoinAtAnyEvent(t *testing.T) {
	all := logs(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		log := all[name]
		there, client := transcript.New(), transcript.New().Tail(3)
		for n, e := range log {
			there.Apply(e)
			client.Apply(e)
			late := there.Checkpoint()
			lateClient := late.Tail(3)
			for _, e := range log[:n+1] {
				if e.Seq > late.Seq {
					if found := transcript.Check(late, e); len(found) > 0 {
						t.Fatalf("%s joined after %d: %v", name, n+1, found)
					}
					late.Apply(e)
					lateClient.Apply(e)
				}
			}
			if want, got := text(t, there), text(t, late); want != got {
				t.Fatalf("%s joined after %d %s: %s", name, e.Seq, e.Kind(), differ(want, got))
			}
			if want, got := text(t, client), text(t, lateClient); want != got {
				t.Fatalf("%s: a client joined after %d %s: %s", name, e.Seq, e.Kind(), differ(want, got))
			}
		}
	}
}
