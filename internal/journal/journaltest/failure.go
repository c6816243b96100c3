package journaltest

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/transcript"
	"parley/test/need"
)

// faulty makes the n-th point fail, from 1; and all points while always is set.
type faulty struct {
	n, seen int
	err     error
	always  bool
	failed  bool
}

// never is a clock that stands: nothing is written but where a test appends.
func never(time.Duration, func()) func() bool { return func() bool { return true } }

func (f *faulty) at(p journal.Point) error {
	if p == journal.PointKept || p == journal.PointBlob || p == journal.PointCreate {
		return nil // not of a batch
	}
	f.seen++
	if f.always || f.seen == f.n {
		f.failed = true
		return f.err
	}
	return nil
}

// Whichever point of whichever batch fails, that batch is refused with a Fault
// and nobody sees any of it; the next is kept; and nobody's fold can tell.
func testFailure(t *testing.T, c Child) {
	need.Time(t)
	for n := 1; ; n++ {
		f := &faulty{n: n, err: syscall.ENOSPC}
		if n%2 == 0 {
			f.err = syscall.EIO
		}
		s := store(t, c, journal.Options{Fail: f.at, AfterFunc: never})
		l := create(t, s)
		feeder := NewFeed(id, 2)
		live := transcript.New()
		for range 60 {
			before, head := l.State(), l.Head()
			batch := feeder.Next(before)
			out, err := l.Append(ctx, batch...)
			if err != nil {
				code := command.Internal
				if n%2 == 1 {
					code = command.Limit
				}
				wantFault(t, err, code)
				if !errors.Is(err, f.err) {
					t.Errorf("point %d: the cause is lost: %v", n, err)
				}
				same(t, "the state", before, l.State())
				if l.Head() != head || len(past(t, l, head)) > 0 {
					t.Fatalf("point %d: something of a refused batch is seen", n)
				}
				if out, err = l.Append(ctx, batch...); err != nil {
					t.Fatalf("point %d: the next write is refused: %v", n, err)
				}
				if out[0].Seq <= head {
					t.Fatalf("point %d: seq %d after %d", n, out[0].Seq, head)
				}
			}
			fold(t, live, out)
		}
		same(t, fmt.Sprintf("a late reader, point %d", n), live, fold(t, transcript.New(), sofar(t, l, 0)))
		if err := l.Close(); err != nil && !f.failed {
			t.Fatal(err)
		}
		l = reopen(t, s)
		want := live
		if l.Head() < live.Seq { // the close itself was what failed, and only deltas were lost
			want = fold(t, transcript.New(), sofar(t, l, 0))
		}
		same(t, fmt.Sprintf("the state after opening again, point %d", n), want, l.State())
		if !f.failed {
			if n < 60 {
				t.Errorf("there were %d points only", n)
			}
			return
		}
		n += n / 8 // the later ones are more of the same
	}
}

// While the disk refuses, nothing is accepted and everything can be read; what
// was seen before is written once it is well again.
func testBroken(t *testing.T, c Child) {
	f := &faulty{err: syscall.EIO}
	s := store(t, c, journal.Options{Fail: f.at, AfterFunc: never})
	l := create(t, s)
	grow := block(t, l)
	grow("seen ")
	f.always = true
	note := event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: "x"}}
	for range 3 {
		_, err := l.Append(ctx, note)
		wantFault(t, err, command.Internal)
		_, err = l.Append(ctx, delta(5, "not "))
		wantFault(t, err, command.Internal)
		same(t, "what can be read", "seen ", l.State().Step.Response.Block.Text.String())
		same(t, "a reader", l.State(), fold(t, transcript.New(), sofar(t, l, 0)))
	}
	f.always = false
	grow("again")
	put(t, l, note)
	want := l.State()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = reopen(t, s)
	same(t, "the state after opening again", want, l.State())
	same(t, "the text", "seen again", l.State().Step.Response.Block.Text.String())
}

// A panic in the middle of a write reaches the one who appended, and nobody
// waits for ever because of it.
func testPanic(t *testing.T, c Child) {
	broken := false
	s := store(t, c, journal.Options{Fail: func(p journal.Point) error {
		if broken && p == journal.PointCommit {
			broken = false
			panic("an invariant")
		}
		return nil
	}})
	l := create(t, s)
	note := event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: "x"}}
	put(t, l, note)
	broken = true
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		l.Append(ctx, note)
	}()
	if l.Head() != 1 {
		t.Errorf("the head is %d", l.Head())
	}
	put(t, l, note)
	same(t, "the durable events", 2, len(sofar(t, l, 0)))
}
