package journaltest

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/internal/transcript"
)

// A reader that joins anywhere, by the state at that moment or by its cursor,
// ends with the state of one that was there all along; so does one that reads at
// random times, and one that reads the whole afterwards.
func testLate(t *testing.T, c Child) {
	for seed := range uint64(5) {
		var flush func()
		s := store(t, c, journal.Options{AfterFunc: func(_ time.Duration, f func()) func() bool {
			flush = f
			return func() bool { flush = nil; return true }
		}})
		l := create(t, s)
		f := NewFeed(id, seed)
		f.Words = 1 + int(seed)*8
		r := rand.New(rand.NewPCG(seed, 3))
		readers := []*transcript.State{transcript.New()}
		live := transcript.New()
		for range 200 {
			fold(t, live, put(t, l, f.Next(l.State())...))
			if f := flush; f != nil && r.IntN(3) == 0 {
				flush = nil
				f()
			}
			if r.IntN(15) == 0 {
				readers = append(readers, l.State())
			}
			if i := r.IntN(4 * len(readers)); i < len(readers) {
				fold(t, readers[i], past(t, l, readers[i].Seq))
			}
		}
		same(t, "the log's own state", live, l.State())
		for _, reader := range readers {
			same(t, "a reader", live, fold(t, reader, past(t, l, reader.Seq)))
		}
		same(t, "a later reader", live, fold(t, transcript.New(), sofar(t, l, 0)))
		if err := errors.Join(l.Close()); err != nil {
			t.Fatal(err)
		}
		l = reopen(t, s)
		same(t, "the state after opening again", live, l.State())
		same(t, "a reader after opening again", live, fold(t, transcript.New(), sofar(t, l, 0)))
	}
}

// Pages forwards and pages backwards are the log.
func testPages(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	l := create(t, s)
	f := NewFeed(id, 5)
	feed(t, l, f, 300)
	for _, open := range []bool{true, false} {
		if !open { // once more with nothing in memory
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			l = reopen(t, s)
		}
		want := sofar(t, l, 0)
		for _, limit := range []int{1, 7, 64, 1000} {
			var forwards, backwards []event.Event
			for at := event.Seq(0); ; {
				page, err := l.Page(ctx, at, limit)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					break
				}
				if len(page) > limit {
					t.Fatalf("a page of %d has %d events", limit, len(page))
				}
				at = page[len(page)-1].Seq
				forwards = append(forwards, page...)
			}
			for at := l.Head() + 1; ; {
				page, err := l.PageBefore(ctx, at, limit)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					break
				}
				if len(page) > limit {
					t.Fatalf("a page of %d has %d events", limit, len(page))
				}
				at = page[0].Seq
				backwards = append(slices.Clone(page), backwards...)
			}
			same(t, "pages forwards", durable(want), durable(forwards))
			same(t, "pages backwards", durable(want), durable(backwards))
			same(t, "the fold of pages", l.State(), fold(t, transcript.New(), forwards))
		}
	}
	for _, limit := range []int{0, -1} {
		forwards, err := l.Page(ctx, 0, limit)
		backwards, berr := l.PageBefore(ctx, 9, limit)
		if len(forwards)+len(backwards) > 0 || err != nil || berr != nil {
			t.Errorf("a page of %d: %v %v", limit, err, berr)
		}
	}
	if page, err := l.Page(ctx, 1<<63, 5); len(page) > 0 || err != nil {
		t.Errorf("a page past everything: %v %v", page, err)
	}
}

// block appends a run up to an open block and returns how to grow it.
func block(t testing.TB, l journal.Log) (grow func(text string) event.Event) {
	t.Helper()
	put(t, l, eventtest.Run()[:8]...)
	return func(text string) event.Event {
		t.Helper()
		at := l.State().Step.Response.Block.Text.Len()
		return put(t, l, delta(at, text))[0]
	}
}

func delta(offset int, text string) event.Event {
	e := eventtest.Run()[8]
	e.Body = event.BlockDelta{Block: "r1.t1.s1.b1", Offset: offset, Text: text}
	return e
}

func ended(text string) event.Event {
	e := eventtest.Run()[8]
	e.Body = event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleThinking, Text: text}
	return e
}

// Deltas are read one by one at the head; once its block has ended, a reader
// in the middle of it gets the end alone, and one that opens the log no deltas.
func testDropped(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	l := create(t, s)
	grow := block(t, l)
	ctx, cancel := context.WithCancel(ctx)
	next, stop := iter.Pull2(l.After(ctx, 0))
	defer stop()
	defer cancel()
	var got []event.Event
	read := func() event.Event {
		e, err, ok := next()
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		got = append(got, e)
		return e
	}
	for range 8 {
		read()
	}
	for _, word := range []string{"one ", "two ", "three "} {
		same(t, "the deltas", grow(word), read())
	}
	middle := l.State()
	grow("four")
	put(t, l, ended("one two three four."))
	for read().Kind() != "block.ended" {
	}
	fold(t, transcript.New(), got)
	same(t, "a reader from the middle", l.State(), fold(t, middle, sofar(t, l, middle.Seq)))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = reopen(t, s)
	all := sofar(t, l, 0)
	same(t, "what is kept", durable(all), all)
	same(t, "the end", event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleThinking, Text: "one two three four."}, all[len(all)-1].Body)
}

// Two calls grow at the same time and are merged, so that a merged event lies
// past others that came between its parts. A reader that stops between them and
// comes back misses nothing.
func testInside(t *testing.T, c Child) {
	log := eventtest.Run()
	s := store(t, c, journal.Options{})
	l := create(t, s)
	put(t, l, log[:14]...)
	at := log[14]
	two := event.ResponseEnded{Blocks: []event.BlockID{"r1.t1.s1.b1", "r1.t1.s1.b2"}, Calls: []event.CallID{"a", "b"}, Stop: event.StopCalls}
	step := at
	step.Response = ""
	for _, b := range []event.Body{event.CallAnnounced{Call: "a", Name: "bash"}, event.CallAnnounced{Call: "b", Name: "bash"}, two} {
		at.Body = b
		put(t, l, at)
	}
	start := []event.Body{event.UsageChanged{}}
	for _, id := range []event.CallID{"a", "b"} {
		start = append(start, event.CallStarted{Call: id, Name: "bash", Origin: event.CallerModel, Arguments: []byte(`{}`)},
			event.PermissionDecided{Call: id, Granted: true})
	}
	for _, b := range start {
		step.Body = b
		put(t, l, step)
	}
	begun := l.State()
	for i := range 5 {
		for _, id := range []event.CallID{"a", "b"} {
			step.Body = event.CallDelta{Call: id, Stream: event.Stdout, Offset: 2 * i, Text: "x" + string(rune('0'+i))}
			put(t, l, step)
		}
	}
	step.Body = event.NoteAdded{Level: event.LevelInfo, Text: "this brings all to the disk"}
	put(t, l, step)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = reopen(t, s)
	merged := sofar(t, l, begun.Seq)
	if len(merged) != 3 {
		t.Errorf("%d events are kept, want one of each call and the note", len(merged))
	}
	step.Body = event.CallDelta{Call: "a", Stream: event.Stdout, Offset: 10, Text: "more"}
	put(t, l, step)
	for cut := range merged {
		reader := fold(t, begun.Clone(), merged[:cut])
		same(t, "a reader that came back", l.State(), fold(t, reader, sofar(t, l, reader.Seq)))
	}
}

// A reader that is far behind is given the deltas merged, and every durable event.
func testSlow(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	l := create(t, s)
	grow := block(t, l)
	begun := l.State()
	const n = 8_000
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next, stop := iter.Pull2(l.After(ctx, begun.Seq))
	defer stop()
	want := grow("first ")
	e, err, _ := next()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the first", want, e)
	text := []byte("first ")
	for i := range n {
		if i%1000 == 0 {
			put(t, l, event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: "a note"}})
		}
		put(t, l, delta(len(text), "word "))
		text = append(text, "word "...)
	}
	reader := fold(t, begun, []event.Event{e})
	notes, events := 0, 0
	for reader.Seq < l.Head() {
		e, err, ok := next()
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		fold(t, reader, []event.Event{e})
		events++
		if e.Kind() == "note.added" {
			notes++
		}
	}
	same(t, "the slow reader", l.State(), reader)
	if notes != n/1000 {
		t.Errorf("%d notes of %d arrived", notes, n/1000)
	}
	if events > n/2 {
		t.Errorf("%d events of %d were read: they were not merged", events, n)
	}
}

// Readers that do not read cost no memory for what they have not read.
func testStalled(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	l := create(t, s)
	put(t, l, eventtest.Run()[0])
	ctx, cancel := context.WithCancel(ctx)
	type reader struct {
		next func() (event.Event, error, bool)
		got  int
	}
	var live, stalled []*reader
	for i := range 100 {
		next, stop := iter.Pull2(l.After(ctx, 0))
		defer stop()
		r := &reader{next: next}
		if i%2 == 0 {
			live = append(live, r)
		} else {
			stalled = append(stalled, r)
		}
	}
	defer cancel()
	before := heap()
	note := event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: strings.Repeat("x", 64<<10)}}
	const n = 250 // 16 MB
	for i := range n {
		put(t, l, note)
		for j, r := range stalled {
			if i%50 == j { // each stalls elsewhere
				r.next()
				r.got++
			}
		}
		for _, r := range live {
			for r.got < i+2 {
				if _, err, ok := r.next(); err != nil || !ok {
					t.Fatal(err, ok)
				}
				r.got++
			}
		}
	}
	limit := int64(12 << 20)
	if !c.Durable {
		limit += n * 66 << 10 // the log itself
	}
	if grown := heap() - before; grown > limit {
		t.Errorf("the memory grew by %d MB over a log of %d MB", grown>>20, n*64>>10)
	}
	for _, r := range stalled[:1] {
		for ; r.got < n+1; r.got++ {
			if _, err, ok := r.next(); err != nil || !ok {
				t.Fatal(err, ok)
			}
		}
	}
	runtime.KeepAlive(l)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A reader of a log that is closed under it ends with the fault closed; see also
// testHandles. A reader whose context ends just ends.
func ends(t testing.TB, l journal.Log) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	for range l.After(ctx, 0) {
		t.Error("a reader whose context had ended was given something")
	}
	for _, err := range l.After(context.Background(), 1<<62) {
		wantFault(t, err, command.Closed)
	}
}
