package journaltest

import (
	"encoding/json"
	"errors"
	"syscall"
	"testing"
	"time"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/internal/transcript"
	"parley/test/need"
)

// A store that was closed gives everything back when it is opened again, and
// goes on where it was.
func testRestart(t *testing.T, c Child) {
	dir := t.TempDir()
	f := NewFeed(id, 9)
	live := transcript.New()
	var all []event.Event
	for round := range 5 {
		s := c.Open(t, dir, journal.Options{})
		var l journal.Log
		if round == 0 {
			l = create(t, s)
		} else {
			l = reopen(t, s)
			same(t, "the state", live, l.State())
		}
		for range 20 + round*30 {
			events := put(t, l, f.Next(l.State())...)
			fold(t, live, events)
			all = append(all, events...)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := c.Open(t, dir, journal.Options{})
	defer s.Close()
	l := reopen(t, s)
	got := sofar(t, l, 0)
	same(t, "the durable events", durable(all), durable(got))
	same(t, "a reader", live, fold(t, transcript.New(), got))
	if len(l.Damage()) > 0 {
		t.Error(l.Damage())
	}
}

// When deltas are lost with the process, its seqs are not used again.
func testLostTail(t *testing.T, c Child) {
	dir := t.TempDir()
	f := &faulty{err: syscall.EIO}
	s := c.Open(t, dir, journal.Options{Fail: f.at, AfterFunc: never})
	l := create(t, s)
	grow := block(t, l)
	durable := l.State()
	f.always = true // from here on it is as if the process had been killed
	var seen event.Event
	for range 100 {
		seen = grow("lost ")
	}
	if err := s.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("closing said %v", err)
	}
	s = c.Open(t, dir, journal.Options{})
	defer s.Close()
	l = reopen(t, s)
	same(t, "the state", durable, l.State())
	closing := transcript.Closing(l.State(), transcript.Why{Reason: event.ReasonRecovered})
	out := put(t, l, closing...)
	if out[0].Seq <= seen.Seq {
		t.Errorf("seq %d is used again: %d was seen before the crash", out[0].Seq, seen.Seq)
	}
	same(t, "what a client gets that saw the lost text", out, sofar(t, l, seen.Seq))
}

// A log with snapshots opens to the state that the fold of all of it gives, also
// when a compaction changed entries that were kept before.
func testSnapshot(t *testing.T, c Child) {
	need.Time(t)
	s := store(t, c, journal.Options{})
	l := create(t, s)
	f := NewFeed(id, 21)
	f.Words = 2
	for round := range 4 {
		feed(t, l, f, 900)
		for l.State().Step != nil {
			feed(t, l, f, 1)
		}
		if st := l.State(); round == 2 {
			put(t, l, event.Event{Body: event.ContextCompacted{Entry: st.NextEntry(), Summary: "so far", FirstKept: st.Entries[len(st.Entries)/2].ID}})
		}
		want := l.State()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = reopen(t, s)
		same(t, "the state after opening again", want, l.State())
	}
	same(t, "the fold of all", l.State(), fold(t, transcript.New(), sofar(t, l, 0)))
}

// A session whose entries were compacted many times opens to the same state: those
// without content are kept together, and stay what they were when others join them.
func testIndex(t *testing.T, c Child) {
	need.Time(t)
	s := store(t, c, journal.Options{})
	l := create(t, s)
	f := NewFeed(id, 22)
	f.Words = 1
	for round := range 6 {
		feed(t, l, f, 1500)
		for l.State().Run != nil {
			feed(t, l, f, 1)
		}
		if st := l.State(); round%2 == 1 {
			put(t, l, event.Event{Body: event.ContextCompacted{Entry: st.NextEntry(), Summary: "so far", FirstKept: st.Leaf}})
		}
		want := l.State()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = reopen(t, s)
		same(t, "the state after opening again", want, l.State())
	}
	if n := len(l.State().Entries); n < 200 {
		t.Errorf("%d entries are too few for this test", n)
	}
	if d := l.Damage(); d != nil {
		t.Errorf("damaged: %v", d)
	}
}

// A branch begins from a state that it keeps.
func testBranch(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	base := transcript.New()
	for _, e := range eventtest.Run() {
		base.Apply(e)
	}
	base.Session, base.Opened, base.Seq, base.Counts.Events = "", time.Time{}, 0, 0
	named := base.Clone()
	named.Session = "sess-a"
	if _, err := s.Branch(ctx, "sess-b", named); err == nil {
		t.Error("a base that names a session was accepted")
	}
	base = reread(t, base)
	l, err := s.Branch(ctx, "sess-b", base)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Branch(ctx, "sess-b", base); err == nil {
		t.Error("the branch was made twice")
	}
	opened := event.Event{Session: "sess-b", Body: event.SessionOpened{Origin: event.OriginBranch, Parent: id, Entry: "e2", Base: 2}}
	put(t, l, opened)
	f := NewFeed("sess-b", 4)
	feed(t, l, f, 200)
	want := l.State()
	if want.Entry("e1") == nil || want.Entry("e3") == nil || want.Entry("e3").Parent != "e2" {
		t.Errorf("the branch does not go on from its parent: %+v", want.Entries)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = s.Open(ctx, "sess-b"); err != nil {
		t.Fatal(err)
	}
	same(t, "the state after opening again", want, l.State())
	got, err := l.Base(ctx)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the base", base, got)
	same(t, "a reader from the base", want, fold(t, got, sofar(t, l, 0)))
	plain := create(t, s)
	if base, err := plain.Base(ctx); base != nil || err != nil {
		t.Errorf("a session has the base %v, %v", base, err)
	}
}

// reread gives a state as it is kept.
func reread(t testing.TB, s *transcript.State) *transcript.State {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out := transcript.New()
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
	return out
}
