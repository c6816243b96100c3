// Package journaltest is the suite that every child of the journal passes, and
// the feed of random legal events that it is driven by.
//
// It guarantees that a store which passes keeps each sentence of journal.Log and
// journal.Store. It does not look behind them: what a child's files survive is
// tested with the child.
package journaltest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/internal/transcript"
)

// A Child is the implementation under test.
type Child struct {
	// Open opens the store in a folder; one that is not durable starts empty.
	Open func(t testing.TB, dir string, opt journal.Options) journal.Store
	// Durable says that a store opened again holds what was kept.
	Durable bool
}

// Run runs the suite.
func Run(t *testing.T, c Child) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Child)
	}{
		{"ids", testIDs},
		{"sessions", testSessions},
		{"handles", testHandles},
		{"append", testAppend},
		{"refusal", testRefusal},
		{"late is live", testLate},
		{"pages", testPages},
		{"read after drop", testDropped},
		{"resume inside a merge", testInside},
		{"slow reader", testSlow},
		{"concurrent", testConcurrent},
		{"paces", testPaces},
		{"stalled readers", testStalled},
		{"delay", testDelay},
		{"idle", testIdle},
		{"durable before visible", testDurableBeforeVisible},
		{"cancel", testCancel},
		{"failure", testFailure},
		{"broken", testBroken},
		{"panic", testPanic},
		{"snapshot", testSnapshot},
		{"index", testIndex},
		{"branch", testBranch},
		{"catalog", testCatalog},
		{"blobs", testBlobs},
		{"restart", testRestart},
		{"lost tail", testLostTail},
	} {
		if durable := test.name == "restart" || test.name == "lost tail"; durable && !c.Durable {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			if test.name != "stalled readers" && test.name != "idle" { // they measure the process
				t.Parallel()
			}
			test.run(t, c)
		})
	}
}

const id = eventtest.Session

var ctx = context.Background()

// states compares folds. The number of events is left out: it is that of the
// reader, which may have been given deltas in other pieces or not at all. So is
// what a state that was read from the disk does not have.
var states = cmp.Options{
	cmp.AllowUnexported(transcript.Buffer{}), cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(transcript.Counts{}, "Events"),
	cmpopts.IgnoreFields(transcript.Run{}, "Before"),
}

func store(t testing.TB, c Child, opt journal.Options) journal.Store {
	t.Helper()
	s := c.Open(t, t.TempDir(), opt)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func create(t testing.TB, s journal.Store) journal.Log {
	t.Helper()
	l, err := s.Create(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func reopen(t testing.TB, s journal.Store) journal.Log {
	t.Helper()
	l, err := s.Open(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func put(t testing.TB, l journal.Log, events ...event.Event) []event.Event {
	t.Helper()
	out, err := l.Append(ctx, events...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// feed appends what f makes n times, several of them at once.
func feed(t testing.TB, l journal.Log, f *Feed, n int) {
	t.Helper()
	for n > 0 {
		s := l.State()
		var batch []event.Event
		for ; n > 0 && len(batch) < 40; n-- {
			events := f.Next(s)
			for _, e := range events {
				s.Apply(e)
			}
			batch = append(batch, events...)
		}
		put(t, l, batch...)
	}
}

// sofar reads all that is there past seq.
func sofar(t testing.TB, l journal.Log, seq event.Seq) []event.Event {
	t.Helper()
	var out []event.Event
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	head := l.Head()
	for e, err := range l.After(ctx, seq) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
		if e.Seq >= head {
			break
		}
	}
	return out
}

// past is sofar, where there may be nothing.
func past(t testing.TB, l journal.Log, seq event.Seq) []event.Event {
	t.Helper()
	if seq >= l.Head() {
		return nil
	}
	return sofar(t, l, seq)
}

// fold applies events to s and fails on a violation: a reader never meets one.
func fold(t testing.TB, s *transcript.State, events []event.Event) *transcript.State {
	t.Helper()
	for _, e := range events {
		if found := transcript.Check(s, e); len(found) > 0 {
			t.Fatalf("a reader at %d was given %d %s: %v", s.Seq, e.Seq, e.Kind(), found)
		}
		s.Apply(e)
	}
	return s
}

func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, states); d != "" {
		t.Fatalf("%s differs:\n%s", what, d)
	}
}

// durable leaves out the deltas.
func durable(events []event.Event) []event.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return !e.Durable() })
}

func wantFault(t testing.TB, err error, code command.Code) {
	t.Helper()
	var f *command.Fault
	if !errors.As(err, &f) || f.Code != code {
		t.Errorf("the error is %v, want a fault %s", err, code)
	}
}
