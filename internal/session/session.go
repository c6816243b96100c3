// Package session owns one root session: one goroutine, one inbox, one journal.
//
// Commands come in, events are appended. It guarantees that what is accepted is
// durable before the client is told, that inputs run in their order, each
// dequeue in the batch that begins its turn, that an ask is closed by the first
// answer and no other, and that a session whose daemon died is closed and can
// go on as soon as it is opened again.
//
// It does not know how events reach clients (they read the journal), nor where
// models and tools come from ([Options.Prepare]).
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/transcript"
)

// A Client is who sends a command.
type Client struct {
	ID      event.ClientID
	Name    string
	Cwd     string            // where the client runs
	Env     map[string]string // of the client; never logged
	CanAsk  bool              // it can answer asks
	Unasked bool              // its listener's clients are never asked, whoever else is attached
	Present bool              // its coming and going is of interest to others
	Version string
	Dialect string
	Number  int64 // of the connection: later ones have larger numbers
}

// Options are what a session is opened with.
type Options struct {
	Log journal.Log
	// Prepare resolves what a run works with, in the client's world. A fault
	// refuses the prompt.
	Prepare func(ctx context.Context, s *transcript.State, c Client, p command.Prompt) (*agent.Setup, *command.Fault)
	// Attach keeps the files that come with a prompt beside the log; nil: as they are.
	Attach  func(ctx context.Context, files []event.Attachment) ([]event.Attachment, *command.Fault)
	NextRun func() int                           // reserves the next run's number
	Latest  func() int64                         // number of the latest connection; nil: 0
	Listed  func(event.SessionListed)            // tells the catalog; nil: nobody
	Clock   func() time.Time                     // nil: time.Now
	Wait    func(time.Duration) <-chan time.Time // nil: time.After
	Logger  *slog.Logger
}

// A Session is a root session that is open. Its methods may be called from any
// goroutine.
type Session struct {
	log     journal.Log
	options Options
	inbox   chan func()
	done    chan struct{}
	ctx     context.Context
	stop    context.CancelFunc

	// The fields below belong to the session's goroutine.
	run         *agent.Run
	ended       chan struct{} // closed when the open run's goroutine is gone
	setups      map[event.InputID]*agent.Setup
	unanswered  map[event.InputID]*waiter      // prompts whose answer is not yet written
	waiters     map[*waiter]bool               // that model requests wait for
	head        event.Seq                      // before the latest run
	askers      int                            // attached clients that can answer asks
	diskFailed  bool                           // the disk refused what had to be written
	unrecovered bool                           // the disk failed before what the last daemon left open was closed
	onRefusal   map[*byte]func(*command.Fault) // whom to tell that the disk refuses; the key is an identity
	canAsk      atomic.Bool
	clients     atomic.Int32
}

// Open takes a log, closes what its last daemon left open, and begins to serve.
func Open(ctx context.Context, o Options) (*Session, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Wait == nil {
		o.Wait = time.After
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Session{log: o.Log, options: o, inbox: make(chan func()), done: make(chan struct{}), ctx: ctx, stop: stop,
		setups: make(map[event.InputID]*agent.Setup), unanswered: make(map[event.InputID]*waiter), waiters: make(map[*waiter]bool),
		onRefusal: make(map[*byte]func(*command.Fault))}
	if err := s.recover(); err != nil {
		s.unrecovered = true
		s.failDisk(err)
	}
	go s.loop()
	s.post(s.begin)
	return s, nil
}

func (s *Session) loop() {
	defer close(s.done)
	for {
		select {
		case f := <-s.inbox:
			f()
		case <-s.ctx.Done():
			return
		}
	}
}

// post runs f in the session's goroutine and returns when it has run; false if
// the session is closed.
func (s *Session) post(f func()) bool {
	ran := make(chan struct{})
	select {
	case s.inbox <- func() { defer close(ran); f() }:
		<-ran
		return true
	case <-s.done:
		return false
	}
}

// ID returns the session's id.
func (s *Session) ID() event.SessionID { return s.log.ID() }

// Log returns the session's journal, for readers.
func (s *Session) Log() journal.Log { return s.log }

// Quiet reports that nothing needs the session in memory: no run, no client.
func (s *Session) Quiet() bool {
	quiet := false
	if !s.post(func() { quiet = s.run == nil && s.clients.Load() == 0 && len(s.unanswered) == 0 && !s.diskFailed }) {
		return true
	}
	return quiet
}

// Running reports whether a run is open.
func (s *Session) Running() bool {
	running := false
	s.post(func() { running = s.run != nil })
	return running
}

// Close stops the run as an abort does, keeps what it said, and ends the
// session's goroutine. The journal is left to its owner.
func (s *Session) Close() {
	var ended chan struct{}
	s.post(func() {
		if s.run != nil {
			s.run.Abort()
			ended = s.ended
		}
	})
	if ended != nil {
		<-ended
	}
	s.stop()
	<-s.done
}

// Attach counts a client in. The returned function counts it out.
func (s *Session) Attach(c Client) (detach func()) {
	s.clients.Add(1)
	s.post(func() {
		if c.CanAsk {
			s.askers++
			s.canAsk.Store(true)
		}
		if c.Present {
			s.note(event.ClientJoined{Client: c.ID, Name: c.Name, Version: c.Version, Dialect: c.Dialect, CanAsk: c.CanAsk})
		}
		for _, a := range s.unanswered {
			a.attach(c)
		}
		for a := range s.waiters {
			a.attach(c)
		}
	})
	return func() {
		s.clients.Add(-1)
		s.post(func() {
			if c.CanAsk {
				s.askers--
				s.canAsk.Store(s.askers > 0)
			}
			if c.Present {
				s.note(event.ClientLeft{Client: c.ID})
			}
		})
	}
}

// append writes events in the session's goroutine.
func (s *Session) append(events ...event.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := s.repair(); err != nil {
		return err
	}
	_, err := s.log.Append(s.ctx, events...)
	if err != nil {
		s.options.Logger.Error("append", "session", s.log.ID(), "error", err)
	}
	return err
}

// event makes an event of the session outside a run.
func (s *Session) event(c command.Command, body event.Body) event.Event {
	return event.Event{Session: s.log.ID(), Cause: c.Cause(), Body: body}
}

// fault turns what went wrong into what a client is told.
func (s *Session) fault(err error) *command.Fault {
	var refusal *journal.Refusal
	if errors.As(err, &refusal) {
		s.options.Logger.Error("refused", "session", s.log.ID(), "error", err)
	}
	return command.FaultOf(err)
}

// list tells the catalog what a list shows of the session.
func (s *Session) list(state *transcript.State, doing event.Activity) {
	if s.options.Listed == nil {
		return
	}
	l := Listing(state, doing, s.options.Clock())
	if doing != event.ActivityIdle {
		l.Head = s.head
	}
	s.options.Listed(l)
}

// Listing is what a list shows of a session, of which state has all.
func Listing(state *transcript.State, doing event.Activity, now time.Time) event.SessionListed {
	return event.SessionListed{Title: state.Title, Workspace: state.Workspace, Origin: state.Origin, Parent: state.Parent,
		Created: state.Opened.UTC().Format(time.RFC3339), Updated: now.UTC().Format(time.RFC3339), Runs: state.Counts.Runs, State: doing, Head: state.Seq}
}

// guard turns a panic of a run into an error: it ends the run, not the daemon.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// waiter waits for a client to attach that connected after a prompt was accepted.
type waiter struct {
	after    int64         // number of the last connection before
	attached chan struct{} // closed when it attached
}

func (a *waiter) attach(c Client) {
	if c.Number <= a.after {
		return // it was there before, and only follows another run
	}
	select {
	case <-a.attached:
	default:
		close(a.attached)
	}
}

// note appends what is good to know; a disk that refuses it has said so.
func (s *Session) note(body event.Body) {
	_ = s.append(event.Event{Session: s.log.ID(), Body: body})
}
