package sqlite_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	driversqlite "modernc.org/sqlite"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/internal/journal/journaltest"
	"parley/internal/transcript"
)

const id = eventtest.Session

var ctx = context.Background()

func note(text string) event.Event {
	return event.Event{Body: event.NoteAdded{Level: event.LevelInfo, Text: text}}
}

func fresh(b testing.TB) (journal.Store, journal.Log) {
	b.Helper()
	s := open(b, b.TempDir(), journal.Options{})
	b.Cleanup(func() { s.Close() })
	l, err := s.Create(ctx, id)
	if err != nil {
		b.Fatal(err)
	}
	put(b, l, eventtest.Run()[0])
	return s, l
}

func put(t testing.TB, l journal.Log, events ...event.Event) []event.Event {
	t.Helper()
	out, err := l.Append(ctx, events...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A durable event against one insert of the same bytes with the same pragmas.
func BenchmarkDurable(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		path := "file:" + filepath.Join(b.TempDir(), "plain.db") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)&_txlock=immediate"
		c, err := new(driversqlite.Driver).Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		exec := func(query string, args ...driver.NamedValue) {
			if _, err := c.(driver.ExecerContext).ExecContext(ctx, query, args); err != nil {
				b.Fatal(err)
			}
		}
		exec(`CREATE TABLE event (seq INTEGER PRIMARY KEY, data TEXT NOT NULL)`)
		st, err := c.Prepare(`INSERT INTO event (data) VALUES (?)`)
		if err != nil {
			b.Fatal(err)
		}
		e := note("a note of ordinary length")
		e.Session = id
		data, _ := e.AppendJSON(nil)
		for b.Loop() {
			if _, err := st.(driver.StmtExecContext).ExecContext(ctx, []driver.NamedValue{{Ordinal: 1, Value: string(data)}}); err != nil {
				b.Fatal(err)
			}
		}
		st.Close()
	})
	b.Run("log", func(b *testing.B) {
		_, l := fresh(b)
		for b.Loop() {
			put(b, l, note("a note of ordinary length"))
		}
	})
	b.Run("log/100 writers", func(b *testing.B) {
		_, l := fresh(b)
		var wg sync.WaitGroup
		for w := range 100 {
			wg.Go(func() {
				for i := w; i < b.N; i += 100 {
					put(b, l, note("a note of ordinary length"))
				}
			})
		}
		wg.Wait()
	})
}

func delta(offset int, text string) event.Event {
	e := eventtest.Run()[8]
	e.Body = event.BlockDelta{Block: "r1.t1.s1.b1", Offset: offset, Text: text}
	return e
}

const deltas = 20_000

// 20,000 deltas appended one by one and read to the end by n readers.
func BenchmarkDeltas(b *testing.B) {
	for _, readers := range []int{0, 1, 10} {
		b.Run(fmt.Sprintf("%d readers", readers), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				_, l := fresh(b)
				put(b, l, eventtest.Run()[1:8]...)
				var wg sync.WaitGroup
				events := make([]event.Event, deltas)
				text := 0
				for i := range events {
					events[i] = delta(text, "word ")
					text += 5
				}
				at := l.Head()
				b.StartTimer()
				for range readers {
					wg.Go(func() {
						end := 0
						for e, err := range l.After(ctx, at) {
							if err != nil {
								b.Error(err)
								return
							}
							g := e.Body.(event.BlockDelta)
							if end = g.Offset + len(g.Text); end == text {
								return
							}
						}
					})
				}
				for i := range events {
					put(b, l, events[i])
				}
				wg.Wait()
				b.StopTimer()
				l.Close()
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/deltas, "µs/delta")
		})
	}
}

// long makes a log of at least n events.
func long(b testing.TB, n int) (journal.Store, journal.Log) {
	s, l := fresh(b)
	f := journaltest.NewFeed(id, 1)
	f.Words = 3
	for int(l.Head()) < n {
		grow(b, l, f, 2000)
	}
	return s, l
}

// grow appends n steps of a feed in batches.
func grow(b testing.TB, l journal.Log, f *journaltest.Feed, n int) {
	for n > 0 {
		s := l.State()
		var batch []event.Event
		for ; n > 0 && len(batch) < 200; n-- {
			events := f.Next(s)
			for _, e := range events {
				s.Apply(e)
			}
			batch = append(batch, events...)
		}
		put(b, l, batch...)
	}
}

// One more durable event at the beginning of a log and after 100,000 events.
func BenchmarkFlat(b *testing.B) {
	for _, before := range []int{1, 100_000} {
		b.Run(fmt.Sprintf("after %d", before), func(b *testing.B) {
			_, l := long(b, before)
			b.ResetTimer()
			for b.Loop() {
				put(b, l, note("one more"))
			}
		})
	}
}

// A reader joins a log of 100,000 events: the state and the next event.
func BenchmarkAttach(b *testing.B) {
	for _, before := range []int{1, 100_000} {
		b.Run(fmt.Sprintf("after %d", before), func(b *testing.B) {
			_, l := long(b, before)
			b.ResetTimer()
			for b.Loop() {
				s := l.State()
				want := put(b, l, note("x"))[0].Seq
				for e, err := range l.After(ctx, s.Seq) {
					if err != nil || e.Seq != want {
						b.Fatal(e.Seq, err)
					}
					break
				}
			}
		})
	}
}

// A log is opened.
func BenchmarkOpen(b *testing.B) {
	for _, before := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("%d events", before), func(b *testing.B) {
			s, l := long(b, before)
			for b.Loop() {
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
				var err error
				if l, err = s.Open(ctx, id); err != nil {
					b.Fatal(err)
				}
			}
			var _ *transcript.State = l.State()
		})
	}
}
