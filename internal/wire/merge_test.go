package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal/journaltest"
	"parley/internal/transcript"
	"parley/internal/wire/wiretest"
)

// talk is a session in which much is said and printed in small pieces.
func talk(id event.SessionID, seed uint64, events int) []event.Event {
	f, s := journaltest.NewFeed(id, seed), transcript.New()
	f.Words = 60
	var log []event.Event
	for len(log) < events {
		for _, e := range f.Next(s) {
			e.Seq = s.Seq + 1
			s.Apply(e)
			log = append(log, e)
		}
	}
	return log
}

// shape is what a reader has who is not to notice how text was cut: all of a
// state but how many events it took.
func shape(t *testing.T, s *transcript.State) string {
	t.Helper()
	c := s.Clone()
	c.Counts.Events = 0
	text, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A reading is what a client has got of a session, against its log.
type reading struct {
	log       []event.Event
	got, real *transcript.State
	lines     int
}

// take checks a line: it is an event of the log, unless it grew, and after it the
// client knows what one knows who has the log up to the same seq.
func (r *reading) take(t *testing.T, line string) {
	t.Helper()
	e, err := event.Decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if violations := transcript.Check(r.got, e); len(violations) > 0 {
		t.Errorf("%s: %v", line, violations)
	}
	r.got.Apply(e)
	for r.real.Seq < e.Seq {
		r.real.Apply(r.log[0])
		if want, _ := r.log[0].AppendJSON(nil); r.log[0].Durable() && string(want) != line {
			t.Errorf("got  %s\nwant %s", line, want)
		}
		r.log = r.log[1:]
	}
	if diff := cmp.Diff(shape(t, r.real), shape(t, r.got)); diff != "" {
		t.Errorf("after %s (-log +client):\n%s", line, diff)
	}
	r.lines++
}

// A client that is behind on two sessions gets fewer lines and knows the same
// after each of them: only deltas are merged, and never past anything else.
func TestBehindIsMerged(t *testing.T) {
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 5))
			h := new(wiretest.Host)
			readings := make(map[event.SessionID]*reading)
			c := dial(t, h, nil)
			c.send(hello)
			c.want("welcome")
			const events = 800
			for i, id := range []event.SessionID{"sess-a", "sess-b"} {
				readings[id] = &reading{log: talk(id, 2*seed+uint64(i), events), got: transcript.New(), real: transcript.New()}
				h.Append(readings[id].log[0])
				c.send(fmt.Sprintf(`{"type":"attach","id":"1","session":"%s","data":{"since":0}}`, id))
				c.want(`"ok":true`)
				readings[id].take(t, c.line())
			}
			go func() {
				a, b := readings["sess-a"].log, readings["sess-b"].log
				for len(a)+len(b) > 0 {
					n := min(r.IntN(200), len(a))
					h.Append(a[:n]...)
					a, b = b, a[n:]
					if r.IntN(2) == 0 {
						time.Sleep(time.Millisecond)
					}
				}
			}()
			pause := rand.New(rand.NewPCG(seed, 6))
			for len(readings["sess-a"].log)+len(readings["sess-b"].log) > 0 {
				if pause.IntN(4) == 0 {
					time.Sleep(time.Duration(pause.IntN(3)) * time.Millisecond)
				}
				line := c.line()
				id := event.SessionID("sess-a")
				if strings.Contains(line, `"session":"sess-b"`) {
					id = "sess-b"
				}
				readings[id].take(t, line)
			}
			if lines := readings["sess-a"].lines + readings["sess-b"].lines; lines > 2*events*3/4 {
				t.Errorf("seed %d: %d lines: nothing was merged", seed, lines)
			}
		})
	}
}

// A text in a few pieces comes as it was said however late; a long streak comes as
// one, with the offset of its first piece and the seq of its last, in lines of a
// bounded length.
func TestLongBacklogIsOneDelta(t *testing.T) {
	for _, c := range []struct {
		pieces, size int
		want         string // offset+length of each line
	}{
		{15, 5, strings.TrimSpace(fmt.Sprint("0+5 5+5 10+5 15+5 20+5 25+5 30+5 35+5 40+5 45+5 50+5 55+5 60+5 65+5 70+5"))},
		{16, 5, "0+80"},
		{40, 5, "0+200"},
		{20, 1000, "0+8000 8000+8000 16000+4000"},
		{17, 9000, "0+9000 9000+9000 18000+9000 27000+9000 36000+9000 45000+9000 54000+9000 63000+9000 72000+9000 81000+9000 90000+9000 99000+9000 108000+9000 117000+9000 126000+9000 135000+9000 144000+9000"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := new(wiretest.Host)
			run := eventtest.Run()
			h.Append(run[:7]...)
			conn := dial(t, h, nil)
			conn.send(hello, fmt.Sprintf(`{"type":"attach","id":"1","session":"%s","data":{"since":7}}`, eventtest.Session))
			conn.want("welcome", `"id":"1"`, `"state"`)
			h.Append(run[7]) // the client does not read, so this fills the connection
			synctest.Wait()
			e := run[8]
			for i := range c.pieces {
				e.Seq = event.Seq(9 + i)
				e.Body = event.BlockDelta{Block: "r1.t1.s1.b1", Offset: i * c.size, Text: strings.Repeat("w", c.size)}
				h.Append(e)
			}
			e.Seq++
			e.Body = event.NoteAdded{Level: event.LevelInfo, Text: "over"}
			h.Append(e)
			synctest.Wait()
			conn.want(`"block.started"`)
			var got []string
			last := event.Seq(0)
			for {
				e, err := event.Decode([]byte(conn.line()))
				if err != nil {
					t.Fatal(err)
				}
				b, ok := e.Body.(event.BlockDelta)
				if !ok {
					break
				}
				got, last = append(got, fmt.Sprintf("%d+%d", b.Offset, len(b.Text))), e.Seq
			}
			if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" || int(last) != 8+c.pieces {
				t.Errorf("%d pieces of %d, last seq %d: %s", c.pieces, c.size, last, d)
			}
		})
	}
}

// A streak is of one text: where the second half is of another, or does not go on
// where the first ended, there are two.
func TestMergeKeepsToOneText(t *testing.T) {
	block := func(e event.Event, b event.BlockDelta) event.Event { e.Body = b; return e }
	call := func(e event.Event, b event.CallDelta) event.Event { e.Body = b; return e }
	for what, change := range map[string]func(event.Event) event.Event{
		"":         func(e event.Event) event.Event { return e },
		"session":  func(e event.Event) event.Event { e.Session = "sess-child"; return e },
		"run":      func(e event.Event) event.Event { e.Run = "r2"; return e },
		"turn":     func(e event.Event) event.Event { e.Turn = "r1.t2"; return e },
		"step":     func(e event.Event) event.Event { e.Step = "r1.t1.s2"; return e },
		"response": func(e event.Event) event.Event { e.Response = "r1.t1.s2.m"; return e },
		"cause":    func(e event.Event) event.Event { e.Cause = "c9/1"; return e },
		"kind": func(e event.Event) event.Event {
			switch b := e.Body.(type) {
			case event.BlockDelta:
				return call(e, event.CallDelta{Call: event.CallID(b.Block), Stream: event.Stdout, Offset: b.Offset, Text: b.Text})
			case event.CallDelta:
				return block(e, event.BlockDelta{Block: event.BlockID(b.Call), Offset: b.Offset, Text: b.Text})
			}
			return e
		},
		"text": func(e event.Event) event.Event {
			switch b := e.Body.(type) {
			case event.BlockDelta:
				b.Block = "b2"
				return block(e, b)
			case event.CallDelta:
				b.Call = "b2"
				return call(e, b)
			}
			return e
		},
		"offset": func(e event.Event) event.Event {
			switch b := e.Body.(type) {
			case event.BlockDelta:
				b.Offset++
				return block(e, b)
			case event.CallDelta:
				b.Offset++
				return call(e, b)
			}
			return e
		},
		"stream": func(e event.Event) event.Event {
			if b, ok := e.Body.(event.CallDelta); ok {
				b.Stream = event.Stderr
				return call(e, b)
			}
			return e
		},
	} {
		for _, of := range []func(event.Event, int) event.Event{
			func(e event.Event, at int) event.Event {
				return block(e, event.BlockDelta{Block: "b1", Offset: at, Text: "w"})
			},
			func(e event.Event, at int) event.Event {
				return call(e, event.CallDelta{Call: "b1", Stream: event.Stdout, Offset: at, Text: "w"})
			},
		} {
			synctest.Test(t, func(t *testing.T) {
				at := event.Event{Session: eventtest.Session, Run: "r1", Turn: "r1.t1", Step: "r1.t1.s1", Response: "r1.t1.s1.m"}
				note := func(text string) event.Event {
					return event.Event{Session: eventtest.Session, Body: event.NoteAdded{Level: event.LevelInfo, Text: text}}
				}
				log := []event.Event{note("this fills the connection")}
				for i := range 32 {
					e := of(at, i)
					if i >= 16 {
						e = change(e)
					}
					log = append(log, e)
				}
				log = append(log, note("over"))
				for i := range log {
					log[i].Seq = event.Seq(1 + i)
				}
				h := &backlogHost{log: log, filled: make(chan struct{})}
				c := dial(t, h, nil)
				c.send(hello, fmt.Sprintf(`{"type":"attach","id":"1","session":"%s"}`, eventtest.Session))
				c.want("welcome", `"id":"1"`)
				synctest.Wait()
				close(h.filled)
				synctest.Wait()
				lines := 0
				for !strings.Contains(c.line(), `"over"`) {
					lines++
				}
				_, ofCall := log[1].Body.(event.CallDelta)
				want := 3 // the note, and two texts
				if what == "" || what == "stream" && !ofCall {
					want = 2
				}
				if lines != want {
					t.Errorf("another %q: %d lines, not %d", what, lines, want)
				}
			})
		}
	}
}

// A backlogHost is a host whose one log, of any session's events, goes on after its
// first event when that fills the connection.
type backlogHost struct {
	wiretest.Host
	log    []event.Event
	filled chan struct{}
}

// Follow implements wire.Host.
func (h *backlogHost) Follow(context.Context, event.SessionID, *event.Seq) (*transcript.State, iter.Seq2[event.Event, error], *command.Fault) {
	return transcript.New(), func(yield func(event.Event, error) bool) {
		for i, e := range h.log {
			if i == 1 {
				<-h.filled
			}
			if !yield(e, nil) {
				return
			}
		}
	}, nil
}
