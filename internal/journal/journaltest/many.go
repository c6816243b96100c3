package journaltest

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/internal/transcript"
)

// The history of many writers is that of one: seqs are given once, each writer's
// own rise, an Append that began after another had returned is past it, readers
// see all of it in order and once, and nothing that is not there when they do.
func testConcurrent(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	l := create(t, s)
	put(t, l, eventtest.Run()[0])
	const writers, each, readers = 8, 60, 4
	type op struct {
		begin, end int64 // on one clock
		first, seq event.Seq
	}
	var clock atomic.Int64
	history := make([][]op, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				note := event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: fmt.Sprintf("%d/%d", w, i)}}
				o := op{begin: clock.Add(1)}
				out, err := l.Append(ctx, note, note)
				o.end = clock.Add(1)
				if err != nil {
					t.Error(err)
					return
				}
				o.first, o.seq = out[0].Seq, out[1].Seq
				if head := l.Head(); head < o.seq {
					t.Errorf("Append of %d returned with the head at %d", o.seq, head)
				}
				history[w] = append(history[w], o)
			}
		})
	}
	seen := make([][]event.Event, readers)
	for r := range readers {
		wg.Go(func() {
			for e, err := range l.After(ctx, 0) {
				if err != nil {
					t.Error(err)
					return
				}
				seen[r] = append(seen[r], e)
				if len(seen[r]) == writers*each*2+1 {
					return
				}
			}
		})
	}
	wg.Wait()
	var all []op
	for _, ops := range history {
		all = append(all, ops...)
	}
	for _, a := range all {
		if a.seq != a.first+1 {
			t.Fatalf("the batch %d-%d is torn", a.first, a.seq)
		}
		for _, b := range all {
			if a.end < b.begin && a.seq >= b.first {
				t.Fatalf("%d was appended before %d", a.seq, b.first)
			}
		}
	}
	for r := range seen {
		for i, e := range seen[r] {
			if e.Seq != event.Seq(i+1) {
				t.Fatalf("reader %d got %d as number %d", r, e.Seq, i+1)
			}
		}
		same(t, "what another reader saw", seen[0], seen[r])
	}
	for w, ops := range history {
		for i, o := range ops {
			same(t, "the text", fmt.Sprintf("%d/%d", w, i), seen[0][o.seq-1].Body.(event.NoteAdded).Text)
		}
	}
}

// Readers of every pace follow a log that grows and is written at the same time;
// each is given a legal stream, and ends with the same state.
func testPaces(t *testing.T, c Child) {
	s := store(t, c, journal.Options{AfterFunc: func(_ time.Duration, f func()) func() bool {
		go f() // as soon as it can be
		return func() bool { return false }
	}})
	l := create(t, s)
	f := NewFeed(id, 77)
	f.Words = 60
	const last = "the last"
	states := make([]*transcript.State, 6)
	var wg sync.WaitGroup
	for i := range states {
		wg.Go(func() {
			state := transcript.New()
			states[i] = state
			for pause := 0; ; pause++ {
				for e, err := range l.After(ctx, state.Seq) {
					if err != nil {
						t.Error(err)
						return
					}
					if found := transcript.Check(state, e); len(found) > 0 {
						t.Errorf("reader %d was given %d %s: %v", i, e.Seq, e.Kind(), found)
						return
					}
					state.Apply(e)
					if b, ok := e.Body.(event.NoteAdded); ok && b.Text == last {
						return
					}
					if i > 2 && pause%(7*i) == 0 {
						break // leaves and comes back
					}
					for range i * 5 {
						runtime.Gosched()
					}
					pause++
				}
			}
		})
	}
	for range 1500 {
		put(t, l, f.Next(l.State())...)
	}
	put(t, l, event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: last}})
	wg.Wait()
	for i := range states {
		same(t, fmt.Sprintf("reader %d", i), l.State(), states[i])
	}
}
