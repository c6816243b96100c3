package transcript_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
)

var state = cmp.Options{cmp.AllowUnexported(transcript.Buffer{}), cmpopts.EquateEmpty()}

// fold applies a log and returns the violations as "SEQ LAW" lines.
func fold(log []event.Event) (*transcript.State, []string) {
	s := transcript.New()
	var found []string
	for _, e := range log {
		for _, b := range transcript.Check(s, e) {
			found = append(found, fmt.Sprintf("%d %s", e.Seq, b.Law))
		}
		s.Apply(e)
	}
	return s, found
}

// The canonical log of one tool run is legal and leaves nothing open.
func TestCanonicalLog(t *testing.T) {
	s, found := fold(eventtest.Run())
	if len(found) > 0 {
		t.Fatal(found)
	}
	if closing := transcript.Closing(s, transcript.Why{Reason: event.ReasonAborted}); len(closing) > 0 {
		t.Errorf("something is open: %v", closing)
	}
	if got := s.Path(s.Leaf); len(got) != 2 || got[1].Content.Answer() != "I'll add it.\n\nDone." {
		t.Errorf("%+v", got)
	}
}

// Each dropped or doubled started or ended event is refused by name; only the
// last event may be missing, which is an open tail.
func TestEveryMutationIsRefused(t *testing.T) {
	log := eventtest.Run()
	for i, e := range log {
		kind := e.Kind()
		if !strings.HasSuffix(kind, "started") && !strings.HasSuffix(kind, "ended") {
			continue
		}
		dropped := append(append([]event.Event{}, log[:i]...), log[i+1:]...)
		if _, found := fold(dropped); len(found) == 0 && i < len(log)-1 {
			t.Errorf("%s (%d) dropped and not refused", kind, e.Seq)
		}
		doubled := append(append([]event.Event{}, log[:i+1]...), log[i:]...)
		for j := i + 1; j < len(doubled); j++ {
			doubled[j].Seq++ // only the repetition is wrong
		}
		if _, found := fold(doubled); len(found) == 0 {
			t.Errorf("%s (%d) doubled and not refused", kind, e.Seq)
		}
	}
}

// From any cut of a legal log, Closing yields legal events, and then nothing is
// open.
func TestClosingFromEveryCut(t *testing.T) {
	log := eventtest.Run()
	for _, reason := range []event.Reason{event.ReasonAborted, event.ReasonError, event.ReasonRecovered} {
		for cut := range log {
			s, _ := fold(log[:cut])
			seq := s.Seq
			for _, e := range transcript.Closing(s, transcript.Why{Reason: reason}) {
				seq++
				e.Seq, e.Time = seq, eventtest.Epoch
				if found := transcript.Check(s, e); len(found) > 0 {
					t.Fatalf("%s after %d: %s: %v", reason, cut, e.Kind(), found)
				}
				s.Apply(e)
			}
			if s.Run != nil || s.Turn != nil || s.Step != nil || len(s.Asks) > 0 {
				t.Errorf("%s after %d: something is open", reason, cut)
			}
		}
	}
}

// What was granted and not ended is lost; what was only shown is aborted.
func TestRecoveryNamesCalls(t *testing.T) {
	log := eventtest.Run()
	for _, c := range []struct {
		after string
		want  event.Status
	}{{"call.started", event.StatusAborted}, {"ask.opened", event.StatusAborted}, {"permission.decided", event.StatusLost}} {
		s := transcript.New()
		for _, e := range log {
			s.Apply(e)
			if e.Kind() == c.after {
				break
			}
		}
		var got event.Status
		for _, e := range transcript.Closing(s, transcript.Why{Reason: event.ReasonRecovered}) {
			if b, ok := e.Body.(event.CallEnded); ok {
				got = b.Status
			}
		}
		if got != c.want {
			t.Errorf("after %s: %s, want %s", c.after, got, c.want)
		}
	}
}

// A clone folds on by itself: neither side sees what the other applies.
func TestCloneIsIndependent(t *testing.T) {
	log := eventtest.Run()
	for cut := range log {
		s, _ := fold(log[:cut])
		before, _ := json.Marshal(s)
		c := s.Clone()
		for _, e := range log[cut:] {
			c.Apply(e)
		}
		if after, _ := json.Marshal(s); string(after) != string(before) {
			t.Fatalf("cut %d: the original changed\n%s\n%s", cut, before, after)
		}
		mid := c.Clone()
		for _, e := range log[cut:] {
			s.Apply(e)
		}
		if d := cmp.Diff(s, mid, state); d != "" {
			t.Fatalf("cut %d: %s", cut, d)
		}
	}
}

// A state written as JSON and read back folds on to the same end.
func TestSnapshotResumes(t *testing.T) {
	log := eventtest.Run()
	want, _ := fold(log)
	for cut := 1; cut < len(log); cut++ {
		s, _ := fold(log[:cut])
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		read := transcript.New()
		if err := json.Unmarshal(b, read); err != nil {
			t.Fatal(err)
		}
		for _, e := range log[cut:] {
			if found := transcript.Check(read, e); len(found) > 0 {
				t.Fatalf("cut %d at %d: %v", cut, e.Seq, found)
			}
			read.Apply(e)
		}
		if d := cmp.Diff(want, read, state); d != "" {
			t.Fatalf("cut %d: %s", cut, d)
		}
	}
}

// Any sequence of events folds, closes and clones without a panic, also when
// its ids collide; and what Closing yields leaves nothing open.
func TestAnySequenceFolds(t *testing.T) {
	all := append(eventtest.All(), eventtest.Run()...)
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := transcript.New()
		for range 60 {
			e := all[r.IntN(len(all))]
			if r.IntN(6) == 0 {
				e.Session = "sess-child"
			}
			transcript.Check(s, e)
			s.Apply(e)
		}
		for _, e := range transcript.Closing(s.Clone(), transcript.Why{Reason: event.ReasonError}) {
			s.Apply(e)
		}
		if s.Run != nil || s.Turn != nil || s.Step != nil || len(s.Asks) > 0 || len(s.Loose) > 0 {
			t.Fatalf("seed %d: something is open", seed)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, log := range [][]event.Event{eventtest.All(), eventtest.Run()} {
		var lines []string
		for _, e := range log {
			b, _ := json.Marshal(e)
			lines = append(lines, string(b))
		}
		f.Add([]byte(strings.Join(lines, "\n")))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := transcript.New()
		for _, line := range strings.Split(string(b), "\n") {
			e, err := event.Decode([]byte(line))
			if err != nil {
				continue
			}
			transcript.Check(s, e)
			s.Apply(e)
			s.Path(s.Leaf)
		}
		transcript.Closing(s, transcript.Why{Reason: event.ReasonRecovered})
		if _, err := json.Marshal(s.Outline()); err != nil {
			t.Error(err)
		}
	})
}

// Checking a delta allocates nothing: the text of a violation is made only when there
// is one.
func TestCheckOfDeltaDoesNotAllocate(t *testing.T) {
	log := eventtest.Run()
	seen := 0
	s := transcript.New()
	for _, e := range log {
		if !e.Durable() {
			seen++
			if n := testing.AllocsPerRun(100, func() { transcript.Check(s, e) }); n > 1 {
				t.Errorf("%s: %v allocations", e.Kind(), n) // one is the check itself
			}
		}
		s.Apply(e)
	}
	if seen == 0 {
		t.Error("there were no deltas")
	}
}

// The cost of an event does not depend on how many there were.
func BenchmarkApplyDelta(b *testing.B) {
	for _, before := range []int{100, 100_000} {
		b.Run(fmt.Sprint(before), func(b *testing.B) {
			s := transcript.New()
			for _, e := range eventtest.Run()[:8] {
				s.Apply(e)
			}
			e := eventtest.Run()[8]
			grow := func(n int) {
				for range n {
					g := event.BlockDelta{Block: "r1.t1.s1.b1", Offset: s.Step.Response.Block.Text.Len(), Text: "word "}
					e.Body, e.Seq = g, e.Seq+1
					transcript.Check(s, e)
					s.Apply(e)
				}
			}
			grow(before)
			b.ResetTimer()
			grow(b.N)
		})
	}
}

// A reader that begins before the open run and gets its events ends as one that
// was there all along, in all that is open.
func TestCheckpointResumes(t *testing.T) {
	log := eventtest.Run()
	for cut := range log {
		s, _ := fold(log[:cut])
		if s.Run == nil {
			continue
		}
		c := s.Checkpoint()
		for _, e := range log[:cut] {
			if e.Seq <= c.Seq {
				continue
			}
			if found := transcript.Check(c, e); len(found) > 0 {
				t.Fatalf("cut %d at %d: %v", cut, e.Seq, found)
			}
			c.Apply(e)
		}
		for _, pair := range [][2]any{{s.Run, c.Run}, {s.Turn, c.Turn}, {s.Step, c.Step}, {s.Asks, c.Asks}, {s.Path(s.Leaf), c.Path(c.Leaf)}} {
			if d := cmp.Diff(pair[0], pair[1], state); d != "" {
				t.Fatalf("cut %d: %s", cut, d)
			}
		}
	}
}

// A branch sees its parent up to the entry, and numbers its own entries after
// them.
func TestBranchSeesItsParent(t *testing.T) {
	s, _ := fold(eventtest.Run())
	c := s.Branch("e1")
	if len(c.Entries) != 1 || c.Leaf != "e1" || c.NextEntry() != "e2" || c.Session != "" {
		t.Errorf("%+v", c)
	}
	if s.Branch("e9") != nil {
		t.Error("a branch of an entry that does not exist")
	}
}
