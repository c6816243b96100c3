package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/transcript/transcripttest"
	"parley/internal/transport"
	"parley/internal/wire"
	"parley/internal/wire/native"
	"parley/internal/wire/wiretest"
)

// A daemon in memory serves the sessions of a host, and can be killed.
type daemon struct {
	host *wiretest.Host

	mu    sync.Mutex                        // guards the fields below
	logs  map[event.SessionID][]event.Event // what a read of events gives
	n     int
	gone  *command.Fault // who dials is refused with it
	conns []io.Closer
}

func newDaemon() *daemon {
	d := &daemon{host: &wiretest.Host{}, logs: make(map[event.SessionID][]event.Event)}
	d.host.OnJoin = func(h wire.Hello) (wire.Welcome, *command.Fault) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.gone != nil {
			return wire.Welcome{}, d.gone
		}
		w := wire.Welcome{Name: "parley", Session: event.SessionID(h.Session)}
		if log := d.logs[w.Session]; len(log) > 0 {
			w.Head = log[len(log)-1].Seq
		}
		return w, nil
	}
	d.host.OnDo = d.do
	return d
}

// tell appends events to their session's log.
func (d *daemon) tell(id event.SessionID, events ...event.Event) {
	d.mu.Lock()
	d.logs[id] = append(d.logs[id], events...)
	d.mu.Unlock()
	d.host.Tell(id, events...)
}

// do answers reads of events and of entries.
func (d *daemon) do(_ context.Context, c command.Command) command.Result {
	read, ok := c.Body.(command.Read)
	if !ok {
		return command.Result{Fault: command.Faultf(command.Busy, "a run is open")}
	}
	d.mu.Lock()
	log := slices.Clone(d.logs[c.Session])
	d.mu.Unlock()
	switch read.What {
	case command.ReadEvents:
		if read.Before > 0 {
			log = slices.DeleteFunc(log, func(e event.Event) bool { return e.Seq >= read.Before })
			log = log[max(0, len(log)-read.Limit):]
		}
		log = log[:min(len(log), read.Limit)]
		return command.Result{Data: command.Events{Events: log, More: len(log) == read.Limit}}
	case command.ReadEntries:
		s := transcript.New()
		for _, e := range log {
			s.Apply(e)
		}
		out := command.Entries{Session: c.Session}
		if e := s.Entry(*read.Leaf); e != nil && !s.Inherited(e) {
			out.Messages = []command.Message{{ID: e.ID, Seq: e.Seq}}
		} else {
			out.Messages = []command.Message{{ID: *read.Leaf}}
		}
		return command.Result{Data: out}
	}
	return command.Result{Fault: command.Faultf(command.Invalid, "nobody reads %s", read.What)}
}

// dial connects to the daemon. A slow pipe gives the client a few bytes at a time.
func (d *daemon) dial(ctx context.Context, h wire.Hello) (*Conn, error) {
	near, far := net.Pipe()
	d.mu.Lock()
	d.n++
	id := event.ClientID(fmt.Sprint("c", d.n))
	d.conns = append(d.conns, near, far)
	d.mu.Unlock()
	p := &wire.Pump{Dialect: &native.Dialect, Host: d.host, Client: id, Conn: transport.Stream(far, transport.Lines{}, transport.Peer{}, nil)}
	go p.Run(context.WithoutCancel(ctx))
	conn := transport.Stream(near, transport.Lines{}, transport.Peer{}, nil)
	w, err := greet(ctx, conn, h)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return newConn(ctx, conn, w), nil
}

// hangUp ends every connection.
func (d *daemon) hangUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		c.Close()
	}
	d.conns = nil
}

const id = event.SessionID("sess-01k0aaaaaaaaaaaaaaaaaaaaaa")

func fold(log []event.Event) *transcript.State {
	s := transcript.New()
	for _, e := range log {
		s.Apply(e)
	}
	return s
}

func text(t *testing.T, s *transcript.State) string {
	t.Helper()
	c := s.Clone()
	c.Counts.Events = 0 // text that grew may come in other pieces
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A client that joins anywhere and whose connection is lost any number of times
// gets each event once, and ends with the State of one that was there: that of the
// daemon, as far as a client keeps it.
func TestLostConnections(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 3))
				log := transcripttest.Generate(seed, 120)
				joined := 1 + r.IntN(len(log)-1)
				d := newDaemon()
				d.tell(id, log[:joined]...)
				s, err := Join(t.Context(), Joining{Dial: d.dial, Hello: wire.Hello{Session: string(id)}})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				defer d.hangUp()
				go func() {
					for _, e := range log[joined:] {
						if r.IntN(12) == 0 {
							d.hangUp()
							time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
						}
						d.tell(id, e)
					}
				}()
				var last event.Seq
				for e, err := range s.Events(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					if e.Seq != 0 && e.Seq <= last {
						t.Fatalf("%d %s after %d", e.Seq, e.Kind(), last)
					}
					if last = max(last, e.Seq); last == log[len(log)-1].Seq {
						break
					}
				}
				there := fold(log).Tail(native.Entries)
				if want, got := text(t, there), text(t, s.State()); want != got {
					t.Errorf("joined after %d of %d: %s", joined, len(log), cmp.Diff(want, got))
				}
			})
		})
	}
}

// The past is read page by page to its beginning, and for a branch on in its
// parents, up to where it branched.
func TestPastIsReadPageByPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDaemon()
		parent := transcripttest.Generate(7, 150)
		entries := fold(parent).Entries
		at := entries[len(entries)/2]
		branch := event.Event{Seq: 1, Body: event.SessionOpened{Origin: event.OriginBranch, Parent: id, Entry: at.ID, Base: 4}}
		// A branch of the branch, at an entry that both have from the first.
		further := event.Event{Seq: 1, Body: event.SessionOpened{Origin: event.OriginBranch, Parent: "sess-b", Entry: at.ID, Base: 4}}
		d.tell(id, parent...)
		for name, opened := range map[event.SessionID]event.Event{"sess-b": branch, "sess-c": further} {
			own := []event.Event{opened, {Seq: 2, Body: event.SessionTitled{Title: "mine"}}}
			for i := range own {
				own[i].Session = name
			}
			d.tell(name, own...)
		}
		upto := slices.IndexFunc(parent, func(e event.Event) bool { return e.Seq == at.Seq }) + 1
		for name, want := range map[event.SessionID][]event.Event{id: parent, "sess-b": parent[:upto], "sess-c": parent[:upto]} {
			s, err := Join(t.Context(), Joining{Dial: d.dial, Hello: wire.Hello{Session: string(name)}, Past: 10})
			if err != nil {
				t.Fatal(err)
			}
			joined := (<-s.Updates()).(Joined)
			got, at, more := joined.Past.Events, joined.Past.Earlier, joined.Past.More
			if len(got) == 0 || len(got) > 10 || !more {
				t.Errorf("%s: %d events at first, more: %v", name, len(got), more)
			}
			for more {
				p, err := s.Past(t.Context(), at, 7)
				if err != nil || len(p.Events) == 0 {
					t.Fatalf("%s: %v, %+v", name, err, p)
				}
				got, at, more = append(slices.Clone(p.Events), got...), p.Earlier, p.More
			}
			if name != id {
				got = got[:len(got)-2] // its own
			}
			if g, w := kinds(got), kinds(want); !slices.Equal(g, w) {
				t.Errorf("%s: %s", name, cmp.Diff(w, g))
			}
			for _, e := range got {
				if name != id && (e.Seq != 0 || e.Session == id) {
					t.Errorf("%s: %s at %d of %s", name, e.Kind(), e.Seq, e.Session)
				}
			}
			s.Close()
		}
		d.hangUp()
	})
}

func kinds(log []event.Event) []string {
	var out []string
	for _, e := range log {
		out = append(out, e.Kind())
	}
	return out
}

// The outcome of what is sent comes as an update, also of what cannot be sent.
func TestSendOutcomeComesAsUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDaemon()
		d.tell(id, transcripttest.Generate(1, 20)...)
		s, err := Join(t.Context(), Joining{Dial: d.dial, Hello: wire.Hello{Session: string(id)}})
		if err != nil {
			t.Fatal(err)
		}
		<-s.Updates()
		s.Send("7", command.Abort{})
		if r, ok := (<-s.Updates()).(Reply); !ok || r.Result.ID != "7" || r.Result.Fault == nil || r.Result.Fault.Code != command.Busy {
			t.Errorf("%+v", r)
		}
		d.hangUp()
		if _, ok := (<-s.Updates()).(Lost); !ok {
			t.Error("the loss is not told")
		}
		s.Send("8", command.Abort{})
		for u := range s.Updates() {
			if r, ok := u.(Reply); ok {
				if r.Result.ID != "8" || r.Result.Fault == nil || r.Result.Fault.Code != command.Closed {
					t.Errorf("%+v", r)
				}
				break
			}
		}
		s.Close()
		if _, open := <-s.Updates(); open {
			t.Error("there are updates after Close")
		}
		d.hangUp()
	})
}

// An answer that comes as the session ends goes nowhere, and harms nobody.
func TestAnswersAtTheEndOfASession(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			d := newDaemon()
			d.tell(id, transcripttest.Generate(1, 20)...)
			s, err := Join(t.Context(), Joining{Dial: d.dial, Hello: wire.Hello{Session: string(id)}, Once: true})
			if err != nil {
				t.Fatal(err)
			}
			for n := range 20 {
				s.Send(fmt.Sprint(n), command.Steer{Text: "go on"})
			}
			go d.hangUp()
			for range s.Updates() {
			}
			for n := range 20 {
				s.Send(fmt.Sprint("late ", n), command.Steer{Text: "go on"})
			}
			s.Close()
			d.hangUp()
		})
	}
}

// A session that is gone when the daemon is there again is over; and so is one that
// is joined once, when its connection ends.
func TestSessionThatIsGoneIsOver(t *testing.T) {
	for _, once := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := newDaemon()
			d.tell(id, transcripttest.Generate(1, 20)...)
			s, err := Join(t.Context(), Joining{Dial: d.dial, Hello: wire.Hello{Session: string(id)}, Once: once})
			if err != nil {
				t.Fatal(err)
			}
			<-s.Updates()
			d.gone = command.Faultf(command.NotFound, "session %s does not exist", id)
			d.hangUp()
			var over Over
			for u := range s.Updates() {
				over, _ = u.(Over)
			}
			want := error(d.gone)
			if once {
				want = ErrLost
			}
			if !errors.Is(over.Err, want) && over.Err == nil || once != errors.Is(over.Err, ErrLost) {
				t.Errorf("once %v: over with %v", once, over.Err)
			}
			s.Close()
			d.hangUp()
		})
	}
}

// What a client is told of a session of a thousand turns is bounded.
func TestJoinIsBounded(t *testing.T) {
	s := transcript.New()
	add := func(bodies ...event.Body) {
		for _, b := range bodies {
			e := s.Now(b)
			e.Seq, e.Session, e.Time = s.Seq+1, id, time.Unix(int64(s.Seq), 0).UTC()
			s.Apply(e)
		}
	}
	add(event.SessionOpened{Origin: event.OriginNew})
	for range 1000 {
		in := s.NextInput()
		add(event.InputQueued{Input: in, Lane: event.LanePrompt, Text: "And then?", Run: s.NextRun(), Number: s.Counts.Runs + 1}, event.RunStarted{Number: s.Counts.Runs + 1},
			event.TurnStarted{Number: 1, Inputs: []event.InputID{in}, Lane: event.LanePrompt}, event.UserSaid{Entry: s.NextEntry(), Parent: s.Leaf, Text: "And then? What is to be done with all of that?"},
			event.StepStarted{Number: 1}, event.ResponseStarted{Provider: "openai", Model: "alpha"}, event.BlockStarted{Block: "b", Role: event.RoleText},
			event.BlockEnded{Block: "b", Role: event.RoleText, Text: "Nothing more than what you have said already, I think; but ask."},
			event.ResponseEnded{Blocks: []event.BlockID{"b"}}, event.UsageChanged{}, event.StepEnded{Number: 1})
		add(event.TurnEnded{Number: 1, Reason: event.ReasonDone, Entry: s.NextEntry(), Parent: s.Turn.Entry}, event.RunEnded{Reason: event.ReasonDone})
	}
	line := native.Dialect.Attach(wire.Peer{}, s)[0]
	if len(line) > 16<<10 {
		t.Errorf("the state of a session of a thousand turns is %d bytes", len(line))
	}
	t.Logf("%d bytes", len(line))
}
