package tui

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
	"parley/internal/transcript"
	"parley/test/need"
)

// A fakeSource is a session that a test tells. The real one is a client of a
// daemon; what Run makes of its updates is the same.
type fakeSource struct {
	updates chan client.Update
	sent    chan command.Body
	past    []event.Event
	seq     event.Seq
	state   *transcript.State // of what was told
}

func newSource() *fakeSource { return newSourceOf(1024) }

func newSourceOf(room int) *fakeSource {
	s := &fakeSource{updates: make(chan client.Update, room), sent: make(chan command.Body, 64), state: transcript.New()}
	s.updates <- client.Joined{Client: "me", State: transcript.New()}
	return s
}

func (s *fakeSource) Updates() <-chan client.Update { return s.updates }

func (s *fakeSource) Send(id string, b command.Body) {
	s.sent <- b
	s.updates <- client.Reply{Result: command.Result{ID: id, Name: command.Name(b)}}
}

func (s *fakeSource) Past(_ context.Context, at client.Cursor, limit int) (client.Page, error) {
	var out []event.Event
	for _, e := range s.past {
		if e.Seq < at.Before {
			out = append(out, e)
		}
	}
	p := client.Page{Events: out[max(0, len(out)-limit):], More: len(out) > limit}
	if len(p.Events) > 0 {
		p.Earlier = client.Cursor{Session: sessionID, Before: p.Events[0].Seq}
	}
	return p, nil
}

func (s *fakeSource) happen(bodies ...event.Body) {
	var events []event.Event
	for _, b := range bodies {
		s.seq++
		e := s.state.Now(b)
		e.Seq, e.Time, e.Session = s.seq, time.Now(), sessionID
		s.state.Apply(e)
		events = append(events, e)
	}
	s.updates <- client.News{Events: events}
}

// testTimeout ends a test that hangs.
const testTimeout = 5 * time.Minute

// A rig is Run on a pseudo-terminal whose other end is an emulator.
type rig struct {
	t      testing.TB
	source *fakeSource
	master *os.File
	slave  *os.File
	screen *emulator
	mu     sync.Mutex // of screen, bytes and raw
	bytes  int
	raw    []byte
	seen   chan struct{} // something was written
	ended  chan error
	cancel context.CancelFunc
	once   sync.Once
}

func newRig(t testing.TB, w, h int) *rig {
	t.Helper()
	return newRigWith(t, w, h, func(*fakeSource) {})
}

func newRigWith(t testing.TB, w, h int, prepare func(*fakeSource)) *rig {
	t.Helper()
	master, slave, err := pty.Open()
	need.No(t, err)
	r := &rig{t: t, source: newSource(), master: master, slave: slave, screen: newEmulator(w, h, term.ReflowLogical),
		seen: make(chan struct{}, 1), ended: make(chan error, 1)}
	prepare(r.source)
	r.screen.answer = func(s string) { master.WriteString(s) }
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		t.Fatal(err)
	}
	go r.read()
	terminal, err := term.Open(slave, slave, func(name string) string { return map[string]string{"TERM": "xterm-256color"}[name] })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		r.ended <- Run(ctx, Options{Source: r.source, Terminal: terminal, Debug: true})
	}()
	t.Cleanup(r.close)
	return r
}

func (r *rig) close() {
	r.once.Do(func() {
		r.cancel()
		<-r.ended
		r.master.Close()
		r.slave.Close()
	})
}

func (r *rig) read() {
	b := make([]byte, 1<<16)
	for {
		n, err := r.master.Read(b)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.bytes += n
		r.raw = append(r.raw, b[:n]...)
		r.screen.Write(b[:n])
		r.mu.Unlock()
		select {
		case r.seen <- struct{}{}:
		default:
		}
	}
}

// until waits for the screen to fulfil a condition.
func (r *rig) until(what string, ok func(screen string) bool) string {
	r.t.Helper()
	deadline := time.After(testTimeout)
	for {
		r.mu.Lock()
		screen := strings.Join(r.screen.screen(), "\n")
		calm := !r.screen.sync
		r.mu.Unlock()
		if calm && ok(screen) {
			return screen
		}
		select {
		case <-r.seen:
		case err := <-r.ended:
			r.ended <- err
			r.t.Fatalf("ended with %v while waiting for %s:\n%s", err, what, screen)
		case <-deadline:
			r.t.Fatalf("no %s on the screen:\n%s", what, screen)
		}
	}
}

func (r *rig) untilText(text string) string {
	r.t.Helper()
	return r.until(text, func(s string) bool { return strings.Contains(s, text) })
}

// wrote waits until a text was written, which may be gone again.
func (r *rig) wrote(text string) {
	r.t.Helper()
	r.until(text, func(string) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return bytes.Contains(r.raw, []byte(text))
	})
}

// left waits for the end, and for the last byte of it.
func (r *rig) left() {
	r.t.Helper()
	err := <-r.ended
	if err != nil {
		r.t.Fatalf("left with %v", err)
	}
	r.ended <- nil
	deadline := time.After(testTimeout)
	for {
		r.mu.Lock()
		over := bytes.HasSuffix(r.raw, []byte("\x1b[?25h")) && !r.screen.modes["?2004"]
		r.mu.Unlock()
		if over {
			return
		}
		select {
		case <-r.seen:
		case <-deadline:
			r.t.Fatal("the terminal was not given back")
		}
	}
}

// command returns the next command that was sent.
func (r *rig) command() command.Body {
	r.t.Helper()
	select {
	case b := <-r.source.sent:
		return b
	case <-time.After(testTimeout):
		r.t.Fatal("no command was sent")
		return nil
	}
}

func (r *rig) press(keys string) {
	r.t.Helper()
	if _, err := r.master.WriteString(keys); err != nil {
		r.t.Fatal(err)
	}
}

// The screen works on a real pseudo-terminal: a prompt goes out, the answer
// comes in, and the terminal is given back.
func TestRunOnPty(t *testing.T) {
	r := newRig(t, 80, 24)
	r.untilText("ask for anything")
	r.press("hello\r")
	if got := r.command(); got.(command.Prompt).Text != "hello" {
		t.Fatalf("sent %+v", got)
	}
	r.source.happen(begin("hello")...)
	r.source.happen(event.BlockStarted{Block: "b1", Role: event.RoleText}, event.BlockDelta{Block: "b1", Text: "Hi, **you**.\n"})
	r.untilText("Hi, you.")
	r.source.happen(event.BlockEnded{Block: "b1", Role: event.RoleText, Text: "Hi, **you**.\n"})
	r.source.happen(finish()...)
	r.untilText("ask for anything")
	r.press("\x04")
	r.left()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.screen.moved) > 0 {
		t.Error(r.screen.moved)
	}
	if !r.screen.shown || !r.screen.wrap || r.screen.modes["?2004"] || r.screen.modes["?1004"] || r.screen.modes["kitty"] {
		t.Errorf("not given back: cursor %v, autowrap %v, modes %v", r.screen.shown, r.screen.wrap, r.screen.modes)
	}
	if got := strings.TrimLeft(strings.Join(r.screen.logical(), "|"), "|"); got != "$ hello||Hi, you." {
		t.Errorf("left on the screen: %q", got)
	}
}
