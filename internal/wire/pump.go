package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/transport"
)

// A Pump runs a dialect over one connection. One goroutine owns the peer and
// the states; the others only hand over: frames, events of each session that is
// followed, results.
//
// An event that a command of this connection caused goes out after the command's
// answer. All that is ready leaves in one write. A client that is behind gets
// consecutive deltas merged. One that does not read costs the pump's goroutines
// and a few events; the rest waits in the log.
type Pump struct {
	Dialect  *Dialect
	Host     Host
	Conn     transport.Conn
	Client   event.ClientID // random, never used before
	Cache    *Cache         // shared by connections; nil: none
	Hello    time.Duration  // within which the handshake must be done, or the connection ends; 0: whenever
	Refused  *command.Fault // what to say instead of serving; nil: serve
	Deadline time.Duration  // of an answer; then the command is answered with ErrTimeout and goes on; 0: none
	Log      *slog.Logger   // nil: slog's default
}

// ErrTimeout is the fault of a command that was not answered within the deadline.
var ErrTimeout = command.Faultf(command.Limit, "command timed out")

// What a pump takes in one go.
const (
	batchBytes   = 64 << 10
	batchFrames  = 512
	inFlight     = 64              // commands that are not answered
	leaveTimeout = time.Second     // for the last frames when the daemon leaves
	halfClosed   = 2 * time.Second // between looks whether a half-closed peer has gone
)

// Run serves the connection until it ends or ctx does, closes it, and returns
// when nothing of it is left running. Commands that came before the end are
// carried out. The error is nil where the client left.
func (p *Pump) Run(ctx context.Context) error {
	s := &connection{
		Pump: p, base: ctx, peer: Peer{ID: p.Client, Class: Class{Dialect: p.Dialect.Name}},
		frames: make(chan incoming), results: make(chan *job), timedOut: make(chan *job), jobs: make(chan *job, 4*inFlight),
		inbox: newInbox(), catalog: make(chan event.Event), follows: make(map[event.SessionID]*follow),
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	if p.Hello > 0 {
		timer := time.NewTimer(p.Hello)
		defer timer.Stop()
		s.mute = timer.C
	}
	s.start(s.read)
	s.start(s.work)
	err := s.serve()
	s.cancel()
	close(s.jobs)
	s.Conn.Close()
	s.drain()
	if errors.Is(err, transport.ErrGone) || errors.Is(err, errDone) {
		return nil
	}
	return err
}

// errDone ends a pump in good order.
var errDone = errors.New("done")

type connection struct {
	*Pump
	base   context.Context // of the daemon: commands that came are carried out
	ctx    context.Context // of the connection
	cancel context.CancelFunc
	group  sync.WaitGroup

	peer     Peer
	out      []Frame
	size     int
	frames   chan incoming
	results  chan *job
	timedOut chan *job
	jobs     chan *job
	mute     <-chan time.Time    // who has not said hello by then is not waited for
	open     []*job              // not answered
	doing    atomic.Pointer[job] // the one that those behind it wait for
	ended    bool                // the client sends no more

	inbox   *inbox
	batch   []item // taken out of the inbox
	held    bool   // the first event of batch waits until its command is answered
	follows map[event.SessionID]*follow
	catalog chan event.Event
	all     bool                          // every session is followed
	seen    map[event.SessionID]event.Seq // all: how far each session has been sent
}

type incoming struct {
	frame Frame
	err   error
}

func (s *connection) start(f func()) {
	s.group.Go(f)
}

// drain takes results that nobody waits for any more.
func (s *connection) drain() {
	done := make(chan struct{})
	go func() { s.group.Wait(); close(done) }()
	for {
		select {
		case j := <-s.results:
			j.begin()
		case <-s.frames:
		case <-s.timedOut:
		case <-done:
			return
		}
	}
}

// read passes frames to the loop. After a half-close it checks now and then whether
// the peer is still there.
func (s *connection) read() {
	for {
		frame, err := s.Conn.ReadFrame(s.ctx)
		select {
		case s.frames <- incoming{frame, err}:
		case <-s.ctx.Done():
			return
		}
		var over *transport.LimitError
		switch {
		case err == nil, errors.As(err, &over):
		case errors.Is(err, io.EOF):
			select {
			case <-time.After(halfClosed):
			case <-s.ctx.Done():
				return
			}
		default:
			return
		}
	}
}

// serve is the loop. A panic in it ends this connection and nothing else.
func (s *connection) serve() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = s.broken(v)
		}
	}()
	if s.Refused != nil {
		return s.refuse()
	}
	if s.Dialect.Begin != nil {
		if err := s.take(s.Dialect.Begin(s.peer)); err != nil {
			return err
		}
	}
	for {
		ready := true
		for ready && !s.full() {
			var step func() error
			if step, ready = s.next(len(s.out) == 0); !ready {
				break
			}
			if err := step(); err != nil {
				if errors.Is(err, errDone) {
					err = errors.Join(s.flush(s.ctx), err)
				}
				return err
			}
		}
		if err := s.flush(s.ctx); err != nil {
			return err
		}
	}
}

// next returns the next thing to do. Without wait it returns false where
// nothing is ready.
func (s *connection) next(wait bool) (func() error, bool) {
	frames, items, catalog := s.frames, s.inbox.ready, s.catalog
	if len(s.open) >= inFlight || s.Dialect.Serial && len(s.open) > 0 {
		frames = nil
	}
	switch {
	case s.held:
		items, catalog = nil, nil
	case len(s.batch) > 0:
		return s.items, true
	}
	if !wait {
		select {
		case <-s.ctx.Done():
			return s.leave, true
		case in := <-frames:
			return func() error { return s.incoming(in) }, true
		case j := <-s.results:
			return func() error { return s.answer(j) }, true
		case j := <-s.timedOut:
			return func() error { return s.timeOut(j) }, true
		case <-items:
			return s.items, true
		case e := <-catalog:
			return func() error { return s.listed(e) }, true
		default:
			return nil, false
		}
	}
	select {
	case <-s.ctx.Done():
		return s.leave, true
	case in := <-frames:
		return func() error { return s.incoming(in) }, true
	case j := <-s.results:
		return func() error { return s.answer(j) }, true
	case j := <-s.timedOut:
		return func() error { return s.timeOut(j) }, true
	case <-items:
		return s.items, true
	case e := <-catalog:
		return func() error { return s.listed(e) }, true
	case <-s.mute:
		return s.unheard, true
	}
}

// refuse says why the connection is not served, once its hello is read: a client that is still writing it might not read.
func (s *connection) refuse() error {
	ctx, cancel := context.WithTimeout(s.ctx, leaveTimeout)
	defer cancel()
	select {
	case <-s.frames:
	case <-ctx.Done():
	}
	s.sendError(nil, s.Refused)
	ctx, end := context.WithTimeout(s.ctx, leaveTimeout)
	defer end()
	return errors.Join(s.flush(ctx), errDone)
}

// unheard ends a connection that has not said who it is. One that is told of
// sessions all the same, as its dialect has no handshake, stays.
func (s *connection) unheard() error {
	if s.peer.Ready || s.Dialect.WriteOnly || len(s.follows) > 0 || s.all {
		return nil
	}
	s.sendError(nil, command.Faultf(command.Invalid, "no hello came within %s", s.Hello))
	return errDone
}

func (s *connection) send(frames ...Frame) {
	s.size += size(frames)
	s.out = append(s.out, frames...)
}

// full reports whether it is time to write.
func (s *connection) full() bool { return s.size >= batchBytes || len(s.out) >= batchFrames }

func (s *connection) flush(ctx context.Context) error {
	if len(s.out) == 0 {
		return nil
	}
	err := s.Conn.WriteFrames(ctx, s.out...)
	clear(s.out)
	s.out, s.size = s.out[:0], 0
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", transport.ErrGone, err)
	}
	return err
}

// leave says goodbye when the daemon goes.
func (s *connection) leave() error {
	if s.Dialect.Detach != nil {
		for _, f := range s.follows {
			s.send(s.Dialect.Detach(s.peer, f.state)...)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), leaveTimeout)
	defer cancel()
	return errors.Join(s.ctx.Err(), s.flush(ctx))
}

// broken is a panic of the dialect: the client is told where possible.
func (s *connection) broken(v any) error {
	log := s.Log
	if log == nil {
		log = slog.Default()
	}
	log.Error("dialect panicked", "dialect", s.Dialect.Name, "client", s.Client, "panic", v, "stack", string(debug.Stack()))
	func() {
		defer func() { _ = recover() }()
		s.out, s.size = nil, 0
		s.sendError(nil, command.Faultf(command.Internal, "internal error"))
		ctx, cancel := context.WithTimeout(s.ctx, leaveTimeout)
		defer cancel()
		_ = s.flush(ctx)
	}()
	return fmt.Errorf("dialect %s panicked: %v", s.Dialect.Name, v)
}

func (s *connection) sendError(state *transcript.State, f *command.Fault) {
	if s.Dialect.Error != nil {
		s.send(s.Dialect.Error(s.peer, state, f)...)
	}
}

// state is the state that commands without a session are about.
func (s *connection) state(id event.SessionID) *transcript.State {
	if id == "" {
		id = s.peer.Session
	}
	if f := s.follows[id]; f != nil {
		return f.state
	}
	return nil
}
