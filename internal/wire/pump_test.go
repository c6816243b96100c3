package wire_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
	"parley/internal/transport"
	"parley/internal/wire"
	"parley/internal/wire/native"
	"parley/internal/wire/wiretest"
)

// A client is the other end of a pump, over a pipe.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
	out  chan string
	done chan error
	stop context.CancelFunc
}

func dial(t *testing.T, h wire.Host, change func(*wire.Pump)) *client {
	ours, theirs := net.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	p := &wire.Pump{Dialect: &native.Dialect, Host: h, Client: "c1", Conn: transport.Stream(theirs, transport.Lines{Max: 1000}, transport.Peer{}, nil),
		Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(p)
	}
	c := &client{t, ours, bufio.NewReader(ours), make(chan string, 100), make(chan error, 1), stop}
	go func() { c.done <- p.Run(ctx) }()
	go func() {
		for l := range c.out { // a pipe holds nothing: a client that waited here would not read
			_, _ = fmt.Fprintln(ours, l)
		}
	}()
	t.Cleanup(func() { stop(); ours.Close(); close(c.out) })
	return c
}

func (c *client) send(lines ...string) {
	for _, l := range lines {
		c.out <- l
	}
}

func (c *client) line() string {
	c.t.Helper()
	l, err := c.r.ReadString('\n')
	if err != nil {
		c.t.Fatalf("read: %v", err)
	}
	return strings.TrimSuffix(l, "\n")
}

// want reads one line for each text, which must be in it.
func (c *client) want(parts ...string) {
	c.t.Helper()
	for _, p := range parts {
		if l := c.line(); !strings.Contains(l, p) {
			c.t.Fatalf("got %s\nwant …%s…", l, p)
		}
	}
}

const hello = `{"type":"hello","protocol":1,"client":{"name":"t"},"session":null}`

// A client that attaches at each point of a run gets the log from there, after
// a state line where that is not the start.
func TestFollowFromEveryCut(t *testing.T) {
	log := eventtest.Run()
	for cut := range log {
		synctest.Test(t, func(t *testing.T) {
			h := new(wiretest.Host)
			h.Append(log[:cut+1]...)
			c := dial(t, h, nil)
			c.send(hello)
			c.want(`"type":"welcome"`)
			c.send(fmt.Sprintf(`{"type":"attach","id":"1","session":"%s","data":{"since":%d}}`, eventtest.Session, cut))
			c.want(fmt.Sprintf(`"ok":true,"data":{"session":"%s"`, eventtest.Session))
			if cut > 0 {
				c.want(`"type":"state"`)
			}
			go h.Append(log[cut+1:]...)
			for _, e := range log[cut:] {
				want, _ := json.Marshal(e)
				if got := c.line(); got != string(want) {
					t.Fatalf("got  %s\nwant %s", got, want)
				}
			}
		})
	}
}

// A prompt's answer is written before the first event that it caused, and a
// held one begins only then.
func TestAnswerBeforeItsEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		h.Append(eventtest.Run()[0])
		begun := make(chan command.Command, 1)
		h.OnDo = func(_ context.Context, c command.Command) command.Result {
			h.Append(event.Event{Session: eventtest.Session, Cause: c.Cause(), Body: event.InputQueued{Input: "i1", Lane: event.LanePrompt, Text: "hi"}})
			time.Sleep(time.Second) // on the bubble's clock: the event reaches the pump
			return command.Result{Data: command.Accepted{Session: eventtest.Session, Input: "i1"}, Begin: func() { begun <- c }}
		}
		c := dial(t, h, nil)
		c.send(hello, fmt.Sprintf(`{"type":"attach","id":"1","session":"%s"}`, eventtest.Session))
		c.want("welcome", `"id":"1"`, `"state"`)
		c.send(fmt.Sprintf(`{"type":"prompt","id":"2","session":"%s","data":{"text":"hi","hold":true}}`, eventtest.Session))
		synctest.Wait()
		if len(begun) > 0 {
			t.Error("it began before its answer was written")
		}
		c.want(`"id":"2","ok":true`, `"type":"input.queued"`)
		if got := <-begun; got.ID != "c1/2" || got.Who != "t" || got.Client != "c1" {
			t.Errorf("%+v", got)
		}
	})
}

// Commands begin in their order, and what takes long holds nothing back.
func TestCommandsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		release := make(chan struct{})
		begun := make(chan string, 3)
		h.OnDo = func(_ context.Context, c command.Command) command.Result {
			begun <- c.ID
			if _, ok := c.Body.(command.ShellWait); ok {
				<-release
			}
			return command.Result{}
		}
		c := dial(t, h, nil)
		c.send(hello)
		c.want("welcome")
		c.send(`{"type":"rename","id":"1","data":{"title":"a"}}`, `{"type":"shell_wait","id":"2","data":{"task":"t"}}`, `{"type":"rename","id":"3","data":{"title":"b"}}`)
		c.want(`"id":"1"`, `"id":"3"`)
		close(release)
		c.want(`"id":"2"`)
		if first := <-begun; first != "c1/1" || len(begun) != 2 {
			t.Errorf("first %s, then %d", first, len(begun))
		}
	})
}

// A client that sends and leaves at once has been heard; nothing of the
// connection is left.
func TestVanishedClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		h.Append(eventtest.Run()...)
		var done []string
		begun := 0
		h.OnDo = func(_ context.Context, c command.Command) command.Result {
			time.Sleep(time.Second)
			done = append(done, c.ID)
			return command.Result{Begin: func() { begun++ }}
		}
		c := dial(t, h, nil)
		c.send(hello)
		c.want("welcome")
		c.send(fmt.Sprintf(`{"type":"attach","id":"1","session":"%s"}`, eventtest.Session))
		c.want(`"id":"1"`, `"state"`)
		c.send(`{"type":"prompt","id":"2","data":{"text":"a"}}`, `{"type":"rename","id":"3","data":{"title":"b"}}`)
		synctest.Wait()
		c.conn.Close()
		if err := <-c.done; err != nil {
			t.Error(err)
		}
		if got := strings.Join(done, " "); got != "c1/2 c1/3" || begun != 2 {
			t.Errorf("done: %s; begun: %d", got, begun)
		}
	})
}

// The end of the daemon ends a connection, also one whose client does not read.
func TestDaemonLeaves(t *testing.T) {
	for _, reads := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			h := new(wiretest.Host)
			h.Append(eventtest.Run()[:5]...)
			c := dial(t, h, nil)
			c.send(hello)
			c.want("welcome")
			c.send(fmt.Sprintf(`{"type":"attach","id":"1","session":"%s"}`, eventtest.Session))
			if reads {
				c.want(`"id":"1"`, `"state"`)
			}
			synctest.Wait()
			c.stop()
			if err := <-c.done; err == nil {
				t.Error("the client left")
			}
		})
	}
}

// A client that does not read costs a few events, not the log.
func TestStalledClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		h.Append(eventtest.Run()[0])
		c := dial(t, h, nil)
		c.send(hello)
		c.want("welcome")
		c.send(fmt.Sprintf(`{"type":"attach","id":"1","session":"%s"}`, eventtest.Session))
		c.want(`"id":"1"`, `"state"`)
		const events = 20000
		for range events {
			h.Append(event.Event{Session: eventtest.Session, Body: event.NoteAdded{Level: event.LevelInfo, Text: strings.Repeat("x", 100)}})
		}
		synctest.Wait()
		if taken := h.Taken(eventtest.Session); taken > 1500 {
			t.Errorf("%d events were taken for a client that reads none", taken)
		}
		for i := range events {
			c.want(fmt.Sprintf(`{"seq":%d,`, i+2))
		}
	})
}

// A line over the limit is answered, and the next one is read.
func TestLongLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, new(wiretest.Host), nil)
		c.send(hello)
		c.want("welcome")
		c.send(strings.Repeat("x", 5000), `{"type":"rename","id":"3","data":{"title":"b"}}`)
		c.want(`{"type":"fault","error":{"code":"invalid","message":"frame longer than 1000 bytes"}}`, `"id":"3","ok":true`)
	})
}

// A dialect that panics loses its own connection, after a word to the client.
func TestPanicIsContained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		h.Append(eventtest.Run()[0])
		d := native.Dialect
		d.Encode = func(wire.Class, *transcript.State, event.Event) []wire.Frame { panic("a defect") }
		for _, cache := range []*wire.Cache{nil, new(wire.Cache)} {
			c := dial(t, h, func(p *wire.Pump) { p.Dialect, p.Cache = &d, cache })
			c.send(hello)
			c.want("welcome")
			c.send(fmt.Sprintf(`{"type":"attach","id":"1","session":"%s"}`, eventtest.Session))
			c.want(`"id":"1"`, `"state"`)
			h.Append(event.Event{Session: eventtest.Session, Body: event.PlanCleared{}})
			c.want(`{"type":"fault","error":{"code":"internal","message":"internal error"}}`)
			if err := <-c.done; err == nil || !strings.Contains(err.Error(), "a defect") {
				t.Errorf("%v", err)
			}
		}
	})
}

// A daemon that panics in a command answers that command, and goes on.
func TestPanicOfCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		h.OnDo = func(_ context.Context, c command.Command) command.Result {
			if _, ok := c.Body.(command.Abort); ok {
				panic("a defect")
			}
			return command.Result{}
		}
		c := dial(t, h, nil)
		c.send(hello)
		c.want("welcome")
		c.send(`{"type":"abort","id":"1"}`, `{"type":"rename","id":"2","data":{"title":"b"}}`)
		c.want(`{"type":"result","id":"1","ok":false,"error":{"code":"internal","message":"internal error"}}`, `"id":"2","ok":true`)
	})
}

// A command past the deadline is answered, and its own answer is dropped when it
// comes.
func TestCommandPastTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		begun := make(chan bool, 1)
		h.OnDo = func(_ context.Context, c command.Command) command.Result {
			if _, ok := c.Body.(command.Prompt); !ok {
				return command.Result{}
			}
			time.Sleep(time.Minute)
			return command.Result{Begin: func() { begun <- true }}
		}
		c := dial(t, h, func(p *wire.Pump) { p.Deadline = 30 * time.Second })
		c.send(hello)
		c.want("welcome")
		start := time.Now()
		c.send(`{"type":"prompt","id":"1","data":{"text":"a"}}`)
		c.want(`{"type":"result","id":"1","ok":false,"error":{"code":"limit","message":"command timed out"}}`)
		if d := time.Since(start); d != 30*time.Second {
			t.Errorf("after %v", d)
		}
		c.send(`{"type":"read","id":"2","data":{"what":"daemon"}}`)
		c.want(`"id":"2","ok":true`)
		<-begun // what waited for the answer
	})
}

// What cannot be followed is said; a session that is removed is followed no
// more, and the connection goes on.
func TestAttachAndDetach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		h.Append(eventtest.Run()...)
		c := dial(t, h, nil)
		c.send(hello)
		c.want("welcome")
		c.send(`{"type":"attach","id":"1","session":"sess-none"}`, `{"type":"detach","id":"2","session":"sess-none"}`)
		c.want(`"id":"1","ok":false,"error":{"code":"not_found"`, `"id":"2","ok":false,"error":{"code":"not_found"`)
		attach := fmt.Sprintf(`{"type":"attach","id":"3","session":"%s"}`, eventtest.Session)
		c.send(attach, fmt.Sprintf(`{"type":"detach","id":"4","session":"%s"}`, eventtest.Session))
		c.want(`"id":"3","ok":true`, `"state"`, `"id":"4","ok":true`)
		h.Append(event.Event{Session: eventtest.Session, Body: event.PlanCleared{}})
		c.send(attach)
		c.want(`"id":"3","ok":true`, `"state"`)
		h.Remove(eventtest.Session)
		synctest.Wait()
		c.send(`{"type":"detach","id":"5","session":"` + string(eventtest.Session) + `"}`)
		c.want(`"id":"5","ok":false`)
	})
}

// A hello that the daemon refuses ends the connection with its reason; so does a
// command before the hello, but for the end.
func TestRefusedHello(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		h.OnJoin = func(wire.Hello) (wire.Welcome, *command.Fault) {
			return wire.Welcome{}, command.Faultf(command.NotFound, "session sess-x does not exist")
		}
		c := dial(t, h, nil)
		c.send(`{"type":"abort","id":"1"}`)
		c.want(`{"type":"result","id":"1","ok":false,"error":{"code":"invalid","message":"the first line is a hello"}}`)
		c.send(hello)
		c.want(`{"type":"fault","error":{"code":"not_found","message":"session sess-x does not exist"}}`)
		if err := <-c.done; err != nil {
			t.Error(err)
		}
	})
}

// The environment of a client reaches the daemon, and prints as a number.
func TestEnvironmentIsNotPrinted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		var got wire.Hello
		h.OnJoin = func(hello wire.Hello) (wire.Welcome, *command.Fault) { got = hello; return wire.Welcome{}, nil }
		c := dial(t, h, nil)
		c.send(`{"type":"hello","protocol":1,"client":{"name":"t","version":"1","build":"b"},"session":"last","since":4,"cwd":"/w","env":{"API_KEY":"s3cret"},"capabilities":["ask"]}`)
		c.want("welcome")
		since := event.Seq(4)
		want := wire.Hello{Client: "c1", Dialect: "native", Name: "t", Version: "1", Build: "b", Session: "last", Since: &since, Cwd: "/w", Env: wire.Env{"API_KEY": "s3cret"}, Capabilities: []string{"ask"}}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info(fmt.Sprintf("%v %+v %s", got, got, got.Env), "env", got.Env)
		if strings.Contains(log.String(), "s3cret") {
			t.Error("the environment is in the log")
		}
	})
}

// Connections that never said hello stayed for ever: each costs the daemon goroutines and a descriptor.
func TestSilentConnectionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(wiretest.Host)
		soon := func(p *wire.Pump) { p.Hello = time.Minute }
		silent := dial(t, h, soon)
		silent.want("no hello came within 1m0s")
		if err := <-silent.done; err != nil {
			t.Error(err)
		}
		polite := dial(t, h, soon)
		polite.send(hello)
		polite.want("welcome")
		time.Sleep(time.Hour)
		select {
		case err := <-polite.done:
			t.Errorf("one that said hello was ended: %v", err)
		default:
		}
		polite.conn.Close()
		<-polite.done
	})
}
