package journaltest

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
)

// writes counts transactions.
type writes struct {
	mu sync.Mutex
	n  int
}

func (w *writes) at(p journal.Point) error {
	if p == journal.PointCommit {
		w.mu.Lock()
		w.n++
		w.mu.Unlock()
	}
	return nil
}

func (w *writes) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// A delta is seen at once and written within the delay, as one; what ended
// before is not written at all; and a log at rest does nothing.
func testDelay(t *testing.T, c Child) {
	synctest.Test(t, func(t *testing.T) {
		var w writes
		s := c.Open(t, t.TempDir(), journal.Options{Fail: w.at})
		defer s.Close()
		l := create(t, s)
		grow := block(t, l)
		want := w.count()
		check := func(when string) {
			t.Helper()
			synctest.Wait()
			if got := w.count(); got != want {
				t.Fatalf("%s: %d writes, want %d", when, got, want)
			}
		}
		for range 100 {
			e := grow("word ")
			same(t, "what is seen at once", []event.Event{e}, sofar(t, l, e.Seq-1))
		}
		check("at once")
		time.Sleep(journal.Delay - time.Nanosecond)
		check("before the delay")
		time.Sleep(time.Nanosecond)
		want++
		check("after the delay")
		time.Sleep(time.Hour)
		check("after an hour")

		// The delay counts from the first that was not written.
		for range 10 {
			grow("word ")
			time.Sleep(journal.Delay/5 + time.Millisecond)
		}
		want += 2
		check("while it grows")

		text := l.State().Step.Response.Block.Text.String()
		put(t, l, delta(len(text), "last"), ended(text+"last"))
		want++
		check("when it ended")
		time.Sleep(time.Hour)
		check("an hour after it ended")
	})
}

// No event is seen before it is durable, and no delta overtakes it.
func testDurableBeforeVisible(t *testing.T, c Child) {
	var l journal.Log
	var hidden event.Seq
	checks := 0
	opt := journal.Options{Fail: func(p journal.Point) error {
		if l == nil || hidden == 0 {
			return nil
		}
		switch p {
		case journal.PointBegin, journal.PointRow, journal.PointCommit, journal.PointKept:
			checks++
			if l.Head() >= hidden || l.State().Seq >= hidden {
				t.Errorf("at %s: %d is seen", p, l.Head())
			}
			if page, err := l.Page(ctx, hidden-1, 9); len(page) > 0 || err != nil {
				t.Errorf("at %s: a page holds %v, %v", p, page, err)
			}
			if page, err := l.PageBefore(ctx, hidden+9, 1); err != nil || len(page) > 0 && page[0].Seq >= hidden {
				t.Errorf("at %s: a page before holds %v, %v", p, page, err)
			}
		}
		return nil
	}}
	s := store(t, c, opt)
	l = create(t, s)
	for _, e := range eventtest.Run() {
		if e.Durable() {
			hidden = l.Head() + 1
		}
		put(t, l, e)
		hidden = 0
	}
	if checks < 100 {
		t.Errorf("looked %d times only", checks)
	}
}

// Logs that are open and at rest keep no goroutine.
func testIdle(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	before := runtime.NumGoroutine()
	for i := range 20 {
		l, err := s.Create(ctx, event.SessionID("sess-"+string(rune('a'+i))))
		if err != nil {
			t.Fatal(err)
		}
		put(t, l, eventtest.Run()[:8]...)
		put(t, l, delta(0, "x"), ended("x"))
		sofar(t, l, 0)
	}
	// What has just been read or written may not be over yet.
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, %d with 20 logs open", before, runtime.NumGoroutine())
		}
	}
}
