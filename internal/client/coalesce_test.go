package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/event"
	"parley/internal/transport"
	"parley/internal/wire/native"
)

// A line keeps what is written until it is read, as a socket does.
type line struct {
	mu     sync.Mutex
	more   sync.Cond
	kept   bytes.Buffer
	closed bool
}

func newLine() *line {
	w := new(line)
	w.more.L = &w.mu
	return w
}

func (w *line) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.more.Broadcast()
	return w.kept.Write(b)
}

func (w *line) Read(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.kept.Len() == 0 {
		if w.closed {
			return 0, io.EOF
		}
		w.more.Wait()
	}
	return w.kept.Read(b)
}

func (w *line) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.more.Broadcast()
	return nil
}

// Text that comes a word a millisecond is looked at each time, or after each
// rest; in both cases every line comes, in order, and none later than a rest
// after it was sent. What is no text is never rested after.
func TestCoalescedReadLosesNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		calm  time.Duration
		body  event.Body
		looks int
	}{
		{"all at once", 0, event.BlockDelta{Text: "word "}, 200},
		{"text", 20 * time.Millisecond, event.BlockDelta{Text: "word "}, 20},
		{"output", 20 * time.Millisecond, event.CallDelta{Text: "line\n"}, 20},
		{"facts", 20 * time.Millisecond, event.NoteAdded{Text: "so"}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newLine()
				conn := newConn(t.Context(), transport.Stream(w, transport.Lines{}, transport.Peer{}, nil), native.Welcome{})
				defer conn.Close()
				conn.Coalesce(c.calm)
				const n = 200
				sent := make(map[event.Seq]time.Time)
				var mu sync.Mutex
				go func() {
					for i := range n {
						time.Sleep(time.Millisecond)
						e := event.Event{Seq: event.Seq(i + 1), Session: "sess-1", Body: c.body}
						text, err := e.AppendJSON(nil)
						if err != nil {
							panic(err)
						}
						mu.Lock()
						sent[e.Seq] = time.Now()
						mu.Unlock()
						fmt.Fprintf(w, "%s\n", text)
					}
				}()
				looks := make(map[time.Time]bool)
				for i := range n {
					got, ok := <-conn.Lines()
					if !ok || got.Event == nil || got.Event.Seq != event.Seq(i+1) {
						t.Fatalf("line %d is %+v, %v", i, got, conn.Err())
					}
					mu.Lock()
					late := time.Since(sent[got.Event.Seq])
					mu.Unlock()
					if late > c.calm {
						t.Fatalf("line %d came after %s", i, late)
					}
					looks[time.Now()] = true
				}
				// Each rest is behind a line that came alone.
				if len(looks) > c.looks || c.looks == n && len(looks) < n {
					t.Errorf("%d looks, want %d", len(looks), c.looks)
				}
			})
		})
	}
}

// The end of a connection waits for no rest.
func TestCloseDoesNotWaitForCoalescing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLine()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		conn := newConn(ctx, transport.Stream(w, transport.Lines{}, transport.Peer{}, nil), native.Welcome{})
		conn.Coalesce(time.Hour)
		time.Sleep(time.Second)
		e := event.Event{Seq: 1, Session: "sess-1", Body: event.BlockDelta{Text: "word "}}
		text, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "%s\n", text)
		<-conn.Lines()
		begin := time.Now()
		conn.Close()
		if _, ok := <-conn.Lines(); ok || time.Since(begin) > 0 {
			t.Errorf("it ended after %s", time.Since(begin))
		}
	})
}
