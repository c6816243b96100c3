package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
	"parley/internal/wire"
	"parley/internal/wire/native"
	"parley/internal/wire/nous"
	"parley/internal/wire/wiretest"
)

// run is a run of one turn without an answer, as the events of a session whose
// n-th run it is.
func run(id event.SessionID, n int) []event.Event {
	e := event.Event{Session: id, Run: event.RunID(fmt.Sprintf("r%d", n))}
	turn := event.TurnID(string(e.Run) + ".t1")
	add := func(turn event.TurnID, b event.Body) event.Event {
		e := e
		e.Turn, e.Body = turn, b
		return e
	}
	return []event.Event{
		add("", event.RunStarted{Number: n}),
		add(turn, event.TurnStarted{Number: 1, Lane: event.LanePrompt}),
		add(turn, event.UserSaid{Entry: event.EntryID(fmt.Sprintf("e%d", n)), Text: "hi", Origin: event.LanePrompt}),
		add(turn, event.TurnEnded{Number: 1, Reason: event.ReasonDone}),
		add("", event.RunEnded{Reason: event.ReasonDone}),
	}
}

// Whoever follows every session gets each run that is open when it comes, or
// begins later, from its start, whole and once, in whatever order the catalog
// and the logs are read, and when a run is over before anybody has heard of it;
// also of a session that is made meanwhile, or that an earlier version listed. A
// run that was over when it came, never.
func TestFollowEverySession(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			h := new(wiretest.Host)
			heads := make(map[event.SessionID]event.Seq)
			var want []string
			doze := func() {
				if r.IntN(2) == 0 {
					time.Sleep(time.Millisecond)
				}
			}
			play := func(id event.SessionID, n int, seen bool, from, to int) {
				for i, e := range run(id, n) {
					if i < from || i >= to {
						continue
					}
					if i == 0 {
						h.List(id, event.SessionListed{State: event.ActivityRunning, Head: heads[id]})
					}
					h.Append(e)
					heads[id]++
					doze()
				}
				if to == 5 {
					h.List(id, event.SessionListed{State: event.ActivityIdle, Head: heads[id]})
					doze()
				}
				if seen {
					want = append(want, fmt.Sprintf("%s run-%d", id, n))
				}
			}
			open := func(id event.SessionID) {
				h.Append(event.Event{Session: id, Body: event.SessionOpened{Origin: event.OriginNew}})
				heads[id] = 1
				h.List(id, event.SessionListed{State: "idle", Head: 1})
			}
			for _, id := range []event.SessionID{"sess-a", "sess-b", "sess-old"} {
				open(id)
				play(id, 1, false, 0, 5) // over
			}
			h.List("sess-old", event.SessionListed{State: "idle"})
			play("sess-a", 2, true, 0, 2) // open
			c := dial(t, h, func(p *wire.Pump) { p.Dialect, p.Cache = &nous.Events, new(wire.Cache) })
			got := make(chan string, 200)
			go func() {
				for {
					l, err := c.r.ReadString('\n')
					if err != nil {
						return
					}
					got <- l
				}
			}()
			synctest.Wait() // it has come
			play("sess-a", 2, false, 2, 5)
			for n := 3; n < 6; n++ {
				play("sess-a", n, true, 0, 5)
				if n%2 == 0 {
					play("sess-b", n, true, 0, 5)
				}
			}
			open("sess-c")
			play("sess-c", 6, true, 0, 5)
			play("sess-c", 7, true, 0, 5)
			h.Append(event.Event{Session: "sess-c", Body: event.SessionTitled{Title: "between the runs"}})
			heads["sess-c"]++
			h.List("sess-c", event.SessionListed{State: "idle", Head: heads["sess-c"]})
			doze()
			play("sess-c", 8, true, 0, 5)
			h.List("sess-old", event.SessionListed{State: "running", Head: heads["sess-old"]})
			synctest.Wait() // where it is nobody knew before
			play("sess-old", 9, true, 0, 5)
			play("sess-old", 10, true, 0, 5)
			synctest.Wait()
			starts, ends := make(map[string]int), make(map[string]int)
			for range len(got) {
				var e struct {
					Type    string
					Payload struct {
						RunID     string `json:"run_id"`
						MessageID string `json:"message_id"`
					}
				}
				l := <-got
				if err := json.Unmarshal([]byte(l), &e); err != nil {
					t.Fatal(err)
				}
				switch e.Type {
				case "agent_start":
					starts[e.Payload.RunID]++
				case "agent_end":
					ends[e.Payload.RunID]++
				}
			}
			expect := make(map[string]int)
			for _, w := range want {
				expect[strings.Fields(w)[1]]++
			}
			if d := cmp.Diff(expect, starts); d != "" {
				t.Errorf("seed %d: starts: %s", seed, d)
			}
			if d := cmp.Diff(expect, ends); d != "" {
				t.Errorf("seed %d: ends: %s", seed, d)
			}
		})
	}
}

// Connections that follow the same session encode an event once between them.
func TestFramesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		h.Append(eventtest.Run()[0])
		var encoded atomic.Int32
		d := native.Dialect
		d.Encode = func(c wire.Class, s *transcript.State, e event.Event) []wire.Frame {
			encoded.Add(1)
			return native.Dialect.Encode(c, s, e)
		}
		cache := new(wire.Cache)
		var clients []*client
		for range 10 {
			c := dial(t, h, func(p *wire.Pump) { p.Dialect, p.Cache = &d, cache })
			c.send(hello, fmt.Sprintf(`{"type":"attach","id":"1","session":"%s"}`, eventtest.Session))
			c.want("welcome", `"id":"1"`, `"state"`)
			clients = append(clients, c)
		}
		log := eventtest.Run()[1:]
		go h.Append(log...)
		for _, c := range clients {
			for _, e := range log {
				want, _ := json.Marshal(e)
				if got := c.line(); got != string(want) {
					t.Fatalf("got  %s\nwant %s", got, want)
				}
			}
		}
		if n := int(encoded.Load()); n != len(log) {
			t.Errorf("%d events encoded %d times", len(log), n)
		}
	})
}

// A prompt that waits is answered with its own run, wherever in the log it comes:
// at once, behind another run, or already over when the pump looks; and with a
// fault where it was dropped.
func TestWaitingPromptGetsItsOwnRun(t *testing.T) {
	id := eventtest.Session
	opened := event.Event{Session: id, Body: event.SessionOpened{Origin: event.OriginNew}}
	queued := event.Event{Session: id, Cause: "c1/prompt/1", Body: event.InputQueued{Input: "i2", Lane: event.LanePrompt, Text: "hi", Run: "r2", Number: 2}}
	first, second := run(id, 1), run(id, 2)
	second[1].Body = event.TurnStarted{Number: 1, Lane: event.LanePrompt, Inputs: []event.InputID{"i2"}}
	for _, c := range []struct {
		name          string
		before, after []event.Event // the prompt is answered between them
		want          string
	}{
		{"at once", append(append([]event.Event{opened}, first...), queued), second, `"ok":true`},
		{"already over", append(append([]event.Event{opened}, first...), append([]event.Event{queued}, second...)...), nil, `"ok":true`},
		{"behind a run", append([]event.Event{opened}, append(append([]event.Event{}, first[:3]...), queued)...), append(append([]event.Event{}, first[3:]...), second...), `"ok":true`},
		{"dropped later", append(append([]event.Event{opened}, first...), queued), []event.Event{{Session: id, Body: event.InputDropped{Input: "i2", Reason: event.DropRemoved}}}, `"ok":true`},
		{"dropped before", append(append([]event.Event{opened}, first...), queued, event.Event{Session: id, Body: event.InputDropped{Input: "i2", Reason: event.DropRemoved}}), nil, `"the prompt was dropped"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := new(wiretest.Host)
				h.Append(c.before...)
				h.OnDo = func(_ context.Context, cmd command.Command) command.Result {
					if _, ok := cmd.Body.(command.Read); ok {
						return command.Result{Data: h.Snapshot(id)}
					}
					return command.Result{Data: command.Accepted{Session: id, Input: "i2", Run: "r2", Number: 2}, Begin: func() { h.Append(c.after...) }}
				}
				conn := dial(t, h, func(p *wire.Pump) { p.Dialect = &nous.Commands })
				conn.send(`{"v":"1","id":"1","type":"prompt","payload":{"text":"hi"}}`, `{"v":"1","id":"2","type":"ping"}`)
				l := conn.line()
				if !strings.Contains(l, c.want) {
					t.Errorf("got %s, want %s", l, c.want)
				}
				if c.want == `"ok":true` && !strings.HasPrefix(c.name, "dropped") {
					for text, n := range map[string]int{`"type":"agent_start","run_id":"run-2"`: 1, `"type":"agent_end","run_id":"run-2"`: 1, `run-1`: 0, `"turn":1`: 6} {
						if got := strings.Count(l, text); got != n {
							t.Errorf("%d times %s in %s", got, text, l)
						}
					}
				}
				conn.want(`"pong"`)
			})
		})
	}
}

// A client that resumes in the middle of a run knows less of it than the others;
// what it is sent is not what they are sent.
func TestMidRunFramesAreNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		log := run(eventtest.Session, 7)
		h.Append(append([]event.Event{{Session: eventtest.Session, Body: event.SessionOpened{Origin: event.OriginNew}}}, log[:3]...)...)
		d := nous.Events
		d.Begin = func(p wire.Peer) wire.Decoded {
			since := event.Seq(3)
			in := wire.Decoded{Peer: p, Follow: &wire.Follow{Session: eventtest.Session, Since: &since}}
			if p.ID == "c1" {
				in.Follow.Since = nil
			}
			return in
		}
		cache := new(wire.Cache)
		late := dial(t, h, func(p *wire.Pump) { p.Dialect, p.Cache, p.Client = &d, cache, "c2" })
		synctest.Wait()
		live := dial(t, h, func(p *wire.Pump) { p.Dialect, p.Cache = &d, cache })
		synctest.Wait()
		h.Append(log[3])
		synctest.Wait() // the late one has encoded it
		h.Append(log[4])
		late.want("run-0", "run-0", "run-0", "run-0", "run-0")
		live.want("run-7", "run-7", "message_start", "message_end", "message_start", `"run_id":"run-7"`, `"run_id":"run-7"`, `"run_id":"run-7"`)
	})
}
