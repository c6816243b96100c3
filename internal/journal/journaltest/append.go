package journaltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
)

// Append gives back what it stores: seq rising from 1, the clock's time in UTC,
// the log's own session where none was named; and readers get the same.
func testAppend(t *testing.T, c Child) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 7, time.FixedZone("CET", 3600))
	s := store(t, c, journal.Options{Now: func() time.Time { now = now.Add(time.Millisecond); return now }})
	l := create(t, s)
	if out, err := l.Append(ctx); len(out) != 0 || err != nil {
		t.Errorf("an empty batch gave %v, %v", out, err)
	}
	var want []event.Event
	for i, e := range eventtest.Run() {
		in := e
		in.Seq, in.Time, in.Session = 99, time.Time{}, ""
		out := put(t, l, in)
		e.Seq, e.Time = event.Seq(i+1), now.UTC()
		same(t, "what Append returned", []event.Event{e}, out)
		if l.Head() != e.Seq || l.State().Seq != e.Seq {
			t.Fatalf("after %d the head is %d and the state is at %d", e.Seq, l.Head(), l.State().Seq)
		}
		want = append(want, e)
	}
	same(t, "the durable events", durable(want), durable(sofar(t, l, 0)))
	if out, err := l.Append(ctx, event.Event{Body: event.Unknown{Type: "later.kind", Data: []byte(`{"a":1}`)}}); err != nil {
		t.Error(err)
	} else {
		same(t, "an unknown kind", out, sofar(t, l, out[0].Seq-1))
	}
}

// Append refuses what breaks a law, with the law's name, and keeps nothing of
// the batch; also what JSON could not hold.
func testRefusal(t *testing.T, c Child) {
	log := eventtest.Run()
	for i, e := range log {
		if kind := e.Kind(); !strings.HasSuffix(kind, "started") && !strings.HasSuffix(kind, "ended") {
			continue
		}
		t.Run(fmt.Sprintf("%d %s", e.Seq, e.Kind()), func(t *testing.T) {
			s := store(t, c, journal.Options{})
			l := create(t, s)
			put(t, l, log[:i+1]...)
			before, head := l.State(), l.Head()
			note := event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: "in the same batch"}}
			_, err := l.Append(ctx, note, e)
			var refusal *journal.Refusal
			if !errors.As(err, &refusal) || len(refusal.Violations) == 0 || refusal.Event.Kind() != e.Kind() {
				t.Fatalf("a second %s gave %v", e.Kind(), err)
			}
			same(t, "the state", before, l.State())
			if l.Head() != head {
				t.Errorf("the head went from %d to %d", head, l.Head())
			}
			put(t, l, log[i+1:]...)
			same(t, "the durable events", kinds(durable(log)), kinds(durable(sofar(t, l, 0))))
		})
	}
	s := store(t, c, journal.Options{})
	l := create(t, s)
	put(t, l, log[:8]...)
	for _, b := range []event.Body{
		nil,
		event.BlockDelta{Block: "r1.t1.s1.b1", Text: "\xff"},
		event.BlockDelta{Block: "r1.t1.s1.b1", Offset: 1, Text: "a gap"},
		event.Unknown{Type: "later.kind", Data: []byte(`{`)},
	} {
		e := log[7]
		e.Body = b
		if _, err := l.Append(ctx, e); err == nil {
			t.Errorf("%#v was accepted", b)
		}
		if l.Head() != 8 {
			t.Fatalf("%#v moved the head to %d", b, l.Head())
		}
	}
	put(t, l, log[8:]...)
}

func kinds(events []event.Event) []string {
	var out []string
	for _, e := range events {
		out = append(out, e.Kind())
	}
	return out
}

// A batch that was given up before a leader took it is not kept; one that was
// taken up is kept whatever becomes of its context.
func testCancel(t *testing.T, c Child) {
	held, release := make(chan bool), make(chan bool)
	hold := true
	s := store(t, c, journal.Options{Fail: func(p journal.Point) error {
		if p == journal.PointCommit && hold {
			hold = false
			held <- true
			<-release
		}
		return nil
	}})
	l := create(t, s)
	note := func(text string) event.Event {
		return event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: text}}
	}
	first, cancelFirst := context.WithCancel(ctx)
	done := make(chan error)
	go func() { _, err := l.Append(first, note("taken up")); done <- err }()
	<-held
	cancelFirst()
	second, cancelSecond := context.WithCancel(ctx)
	cancelSecond()
	_, err := l.Append(second, note("given up before"))
	wantFault(t, err, command.Canceled)
	third, cancelThird := context.WithCancel(ctx)
	go func() { _, err := l.Append(third, note("given up")); done <- err }()
	go cancelThird()
	wantFault(t, <-done, command.Canceled)
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	put(t, l, note("after"))
	var texts []string
	for _, e := range sofar(t, l, 0) {
		texts = append(texts, e.Body.(event.NoteAdded).Text)
	}
	if !slices.Equal(texts, []string{"taken up", "after"}) {
		t.Errorf("kept: %q", texts)
	}
}
