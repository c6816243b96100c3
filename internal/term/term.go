// Package term is the one place that touches a terminal.
//
// It sets raw mode and the modes that a terminal understands, reads keys,
// pastes and reports, knows the size, and executes the [Op]s of a frame with a
// single write. What it set it takes back: on Close, which is also the way out
// of a panic and of SIGTERM, SIGHUP and SIGINT, and around each stop by Ctrl+Z.
//
// It guarantees that nothing waits for an answer of the terminal: questions are
// sent at the start, answers come as events, and the answer to the last
// question, which every terminal gives, ends the negotiation. A missing or late
// answer changes nothing but the abilities.
//
// It does not know what is on the screen, and holds no state of it.
package term

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	xterm "github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"parley/internal/cell"
)

// ErrDumb says that nothing can be drawn here: not a terminal, or TERM=dumb.
// The caller falls back to line mode.
var ErrDumb = errors.New("not a terminal that can be drawn on")

// silence is how long a terminal may take to answer before it is taken for one
// that never does. An answer that comes later is heard all the same.
const silence = time.Second

// How long Close waits for what a terminal may never do: take the last bytes
// while its output is stopped, or answer questions that would otherwise be
// answered to the shell.
const patience = 200 * time.Millisecond

// A Terminal is a terminal in raw mode. Its methods may be called from several
// goroutines.
type Terminal struct {
	in, out *os.File
	reader  cancelreader.CancelReader
	events  chan Event
	closing chan struct{}
	gone    sync.WaitGroup
	resume  chan struct{} // a SIGCONT came
	signals chan os.Signal
	profile cell.Profile

	mu        sync.Mutex // of what follows, and of the order of writes
	cooked    *xterm.State
	modes     negotiation
	answered  chan struct{}
	suspended bool
	closed    bool
}

// Drawable reports whether Open could draw on out and read keys from in.
func Drawable(in, out *os.File, env func(string) string) bool {
	name := env("TERM")
	return name != "" && name != "dumb" && xterm.IsTerminal(in.Fd()) && xterm.IsTerminal(out.Fd())
}

// Profile returns what styles may use on a terminal with this environment: none
// under NO_COLOR (no-color.org), else the terminal's own 16 colours and links.
func Profile(env func(string) string) cell.Profile {
	if env("NO_COLOR") != "" {
		return 0
	}
	return cell.Color16 | cell.Links
}

// Open takes over the terminal. It returns ErrDumb where that makes no sense.
// env looks up the variables of the environment, as os.Getenv does.
func Open(in, out *os.File, env func(string) string) (*Terminal, error) {
	if !Drawable(in, out, env) {
		return nil, ErrDumb
	}
	reader, err := cancelreader.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("read terminal: %w", err)
	}
	way, known := guess(env)
	t := &Terminal{
		in: in, out: out, reader: reader,
		events:   make(chan Event, 64),
		closing:  make(chan struct{}),
		resume:   make(chan struct{}, 1),
		signals:  make(chan os.Signal, 16),
		profile:  Profile(env),
		answered: make(chan struct{}),
		modes:    negotiation{can: Abilities{Reflow: way}, known: known},
	}
	if err := t.enter(); err != nil {
		reader.Close()
		return nil, err
	}
	t.watch()
	t.gone.Add(1)
	go t.read()
	return t, nil
}

// Events are the keys, reports and signals of the terminal. The channel is not
// closed; after Gone nothing follows.
func (t *Terminal) Events() <-chan Event { return t.events }

// Abilities returns what is known of the terminal so far.
func (t *Terminal) Abilities() Abilities {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.modes.can
}

// Size returns the size of the terminal. One that gives none has 80 by 24.
func (t *Terminal) Size() Size {
	w, h, err := xterm.GetSize(t.out.Fd())
	if err != nil || w <= 0 || h <= 0 {
		return Size{80, 24}
	}
	return Size{w, h}
}

// Do executes the ops of a frame with one write and returns the bytes written.
// It blocks while the terminal's output is stopped.
func (t *Terminal) Do(ops []Op) (int, error) {
	b := Encode(nil, ops, t.profile)
	if len(b) == 0 {
		return 0, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, os.ErrClosed
	}
	return t.out.Write(b)
}

// Close gives the terminal back as it was. The caller has drawn its last frame
// before. Further calls do nothing.
func (t *Terminal) Close() error {
	select {
	case <-t.closing:
		return nil
	default:
		close(t.closing)
	}
	select {
	case <-t.answered:
	case <-time.After(patience):
	}
	// A terminal whose output is stopped must not keep the program from leaving.
	left := make(chan error, 1)
	go func() { left <- t.leave(true) }()
	var err error
	select {
	case err = <-left:
	case <-time.After(patience):
		err = xterm.Restore(t.in.Fd(), t.cooked)
	}
	t.reader.Cancel()
	t.gone.Wait()
	return errors.Join(err, t.reader.Close())
}

// enter sets raw mode and the modes.
func (t *Terminal) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	state, err := xterm.MakeRaw(t.in.Fd())
	if err != nil {
		return fmt.Errorf("set raw mode: %w", err)
	}
	if t.cooked == nil {
		t.cooked = state
	}
	_, err = t.out.WriteString(t.modes.begin())
	return err
}

// leave takes back what enter did.
func (t *Terminal) leave(forever bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = t.closed || forever
	_, err := t.out.WriteString(t.modes.end())
	return errors.Join(err, xterm.Restore(t.in.Fd(), t.cooked))
}

// send hands over an event, unless the terminal is being closed.
func (t *Terminal) send(e Event) {
	select {
	case t.events <- e:
	case <-t.closing:
	}
}

// read decodes what comes until the input ends.
func (t *Terminal) read() {
	defer t.gone.Done()
	chunks := make(chan []byte)
	end := make(chan error, 1)
	free := make(chan []byte, 2)
	free <- make([]byte, 4096)
	free <- make([]byte, 4096)
	go func() {
		defer close(chunks)
		for b := range free {
			n, err := t.reader.Read(b[:cap(b)])
			if n > 0 {
				chunks <- b[:n]
			}
			if err != nil {
				end <- err
				return
			}
		}
	}()
	var scanner Scanner
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	waited := time.NewTimer(silence)
	defer waited.Stop()
	for {
		var events []Event
		select {
		case b, ok := <-chunks:
			if !ok {
				t.ended(<-end)
				return
			}
			events = scanner.Feed(b)
			free <- b
		case <-timer.C:
			events = scanner.Expire()
		case <-waited.C:
			t.unanswered()
		}
		if wait := scanner.Wait(); wait > 0 {
			timer.Reset(wait)
		} else {
			timer.Stop()
		}
		for _, e := range events {
			if r, ok := e.(report); ok {
				t.hear(r)
				continue
			}
			t.send(e)
		}
	}
}

func (t *Terminal) ended(err error) {
	if errors.Is(err, cancelreader.ErrCanceled) {
		return
	}
	t.mu.Lock()
	t.answer()
	t.mu.Unlock()
	t.send(Gone{err})
}

// hear takes a report into the negotiation.
func (t *Terminal) hear(r report) {
	t.mu.Lock()
	write, tell := t.modes.hear(r)
	if t.modes.closed {
		t.answer()
	}
	// The answer may come when the modes are already taken back.
	if write != "" && !t.closed && !t.suspended {
		t.out.WriteString(write)
	}
	can := t.modes.can
	t.mu.Unlock()
	if tell {
		t.send(Capable{can})
	}
}

// unanswered says so when the terminal has given no answer.
func (t *Terminal) unanswered() {
	t.mu.Lock()
	tell := t.modes.silent()
	can := t.modes.can
	t.mu.Unlock()
	if tell {
		t.send(Capable{can})
	}
}

// answer says that no answer is waited for. The caller holds the lock.
func (t *Terminal) answer() {
	select {
	case <-t.answered:
	default:
		close(t.answered)
	}
}
