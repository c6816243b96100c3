// Package server is the daemon: it holds the store's sessions, carries out the
// commands that are about none of them or about several, and gives each
// connection the host that its dialect's pump needs.
//
// It guarantees that a session is open in memory once, however many clients use
// it, and only while somebody or something needs it; that what a dead daemon
// left open is closed, and what it had queued runs, before the first client is
// served; and that a client which vanishes takes nothing with it but itself.
//
// It does not know a dialect, a transport's addresses, or where models come
// from.
package server

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/transcript"
)

// Options are what a server is made with.
type Options struct {
	Store   journal.Store
	Version string
	Build   string // identity of the binary
	Listen  []string
	Logger  *slog.Logger
	Now     func() time.Time
	Wait    func(time.Duration) <-chan time.Time // what a session waits for; nil: time.After
	// Prepare resolves what a run works with; see session.Options.
	Prepare func(ctx context.Context, log journal.Log, s *transcript.State, c session.Client, p command.Prompt) (*agent.Setup, *command.Fault)
	// Models and Tools answer reads, in the client's world.
	Models func(session.Client) ([]command.ModelEntry, *command.Fault)
	Tools  func(*transcript.State) []command.ToolEntry
	// Summarize compacts a session on request; nil: not served.
	Summarize func(ctx context.Context, setup *agent.Setup, log agent.Log, instruction string) (command.Compacted, *command.Fault)
	// Fence says which fence commands run in, for people; nil: nothing is said.
	Fence func() string
	// Commands are the named commands of extensions.
	Commands map[string]func(ctx context.Context, arguments []byte) ([]byte, error)
	// Idle is how long the daemon stays with nothing to do; 0: for ever.
	Idle    time.Duration
	Busy    func() bool           // something runs beside the sessions, so that it is not time to go; nil: nothing does
	Leave   func()                // called once when it is time to go, or a client asked for it
	Removed func(event.SessionID) // called when a session is gone for good; nil: nobody wants to know
}

// A Server is a running daemon without its listeners.
type Server struct {
	options Options
	catalog *catalog
	runs    atomic.Int64
	clients atomic.Int64
	hosts   atomic.Int64 // connections so far
	started time.Time

	mu       sync.Mutex // guards the fields below
	sessions map[event.SessionID]*openSession
	idle     *time.Timer
	closed   bool
	leave    sync.Once
}

// openSession is a session in memory, and how many use it.
type openSession struct {
	session *session.Session
	log     journal.Log
	refs    int
	ready   chan struct{} // closed when session or err is set
	err     error
	linger  *time.Timer // closes it; nil: it was in use all the time
}

// New makes a server on a store, closes what its last daemon left open and lets
// queued prompts run.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Fence == nil {
		o.Fence = func() string { return "" }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{options: o, sessions: make(map[event.SessionID]*openSession), started: o.Now()}
	var err error
	if s.catalog, err = openCatalog(ctx, o.Store, o.Logger); err != nil {
		return nil, err
	}
	for _, l := range s.catalog.list() {
		if l.State == event.ActivityIdle {
			continue
		}
		// Opening recovers it. A session that cannot be opened harms no other.
		if err := s.revive(ctx, l.Session); err != nil {
			o.Logger.Error("recover", "session", l.Session, "error", err)
		}
	}
	s.startIdle()
	return s, nil
}

// revive opens a session that was not idle when the last daemon wrote so. Its run
// may have ended without a word to the catalog.
func (s *Server) revive(ctx context.Context, id event.SessionID) error {
	h, release, err := s.acquire(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	if state := h.log.State(); !h.session.Running() && state.Idle() {
		s.catalog.put(id, session.Listing(state, event.ActivityIdle, state.Time))
	}
	return nil
}

// acquire opens a session, or finds it open, and keeps it so until release.
func (s *Server) acquire(ctx context.Context, id event.SessionID) (*openSession, func(), error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, nil, command.Faultf(command.Closed, "the daemon is stopping")
	}
	h, found := s.sessions[id]
	if !found {
		h = &openSession{ready: make(chan struct{})}
		s.sessions[id] = h
	}
	h.refs++
	s.mu.Unlock()
	if !found {
		h.log, h.err = s.options.Store.Open(ctx, id)
		if h.err == nil {
			h.session, h.err = s.open(ctx, h.log)
		}
		close(h.ready)
	}
	<-h.ready
	release := sync.OnceFunc(func() { s.release(id, h) })
	if h.err != nil {
		release()
		return nil, nil, h.err
	}
	return h, release, nil
}

// adopt takes a log that was just created.
func (s *Server) adopt(ctx context.Context, log journal.Log) (*openSession, func(), error) {
	h := &openSession{ready: make(chan struct{}), log: log, refs: 1}
	s.mu.Lock()
	s.sessions[log.ID()] = h
	s.mu.Unlock()
	h.session, h.err = s.open(ctx, log)
	close(h.ready)
	release := sync.OnceFunc(func() { s.release(log.ID(), h) })
	if h.err != nil {
		release()
		return nil, nil, h.err
	}
	return h, release, nil
}

func (s *Server) open(ctx context.Context, log journal.Log) (*session.Session, error) {
	id := log.ID()
	return session.Open(ctx, session.Options{
		Log:    log,
		Logger: s.options.Logger,
		Clock:  s.options.Now,
		Wait:   s.options.Wait,
		Prepare: func(ctx context.Context, state *transcript.State, c session.Client, p command.Prompt) (*agent.Setup, *command.Fault) {
			return s.options.Prepare(ctx, log, state, c, p)
		},
		Attach: func(ctx context.Context, files []event.Attachment) ([]event.Attachment, *command.Fault) {
			return keep(ctx, log, files)
		},
		Latest:  s.hosts.Load,
		NextRun: func() int { return int(s.runs.Add(1)) },
		Listed: func(b event.SessionListed) {
			s.catalog.put(id, b)
			if b.State == event.ActivityIdle {
				s.linger(id)
			}
		},
	})
}

func (s *Server) release(id event.SessionID, h *openSession) {
	s.mu.Lock()
	h.refs--
	s.mu.Unlock()
	if h.err != nil {
		s.sweep(id) // the next one tries anew
		return
	}
	s.linger(id)
}

// lingerTime is how long a session stays open for whoever comes next: opening and
// closing it costs more than most commands do.
const lingerTime = 250 * time.Millisecond

// linger closes a session later, where nobody uses it then.
func (s *Server) linger(id event.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.sessions[id]
	switch {
	case h == nil || h.refs > 0 || s.closed:
	case h.linger == nil:
		h.linger = time.AfterFunc(lingerTime, func() { s.sweep(id) })
	default:
		h.linger.Reset(lingerTime)
	}
}

// sweep closes a session that nobody uses and in which nothing runs.
func (s *Server) sweep(id event.SessionID) {
	s.mu.Lock()
	h := s.sessions[id]
	if h == nil || h.refs > 0 {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	if h.err == nil && !h.session.Quiet() {
		return
	}
	s.mu.Lock()
	if s.sessions[id] != h || h.refs > 0 {
		s.mu.Unlock()
		return
	}
	delete(s.sessions, id)
	s.mu.Unlock()
	if h.session != nil {
		h.session.Close()
	}
	if h.log != nil {
		if err := h.log.Close(); err != nil {
			s.options.Logger.Error("close", "session", id, "error", err)
		}
	}
	s.startIdle()
}

// startIdle starts the daemon's idle timer if nothing is going on.
func (s *Server) startIdle() {
	if s.options.Idle <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	if s.clients.Load() == 0 && len(s.sessions) == 0 && !s.closed {
		s.idle = time.AfterFunc(s.options.Idle, s.idleEnded)
	}
}

// idleEnded ends the daemon when the idle timer has run out, or starts it again.
func (s *Server) idleEnded() {
	if s.options.Busy != nil && s.options.Busy() {
		s.startIdle()
		return
	}
	s.Leave()
}

// Leave asks the program to end the daemon.
func (s *Server) Leave() {
	s.leave.Do(func() {
		if s.options.Leave != nil {
			s.options.Leave()
		}
	})
}

// running counts the runs that are open.
func (s *Server) running() int {
	s.mu.Lock()
	open := make([]*openSession, 0, len(s.sessions))
	for _, h := range s.sessions {
		open = append(open, h)
	}
	s.mu.Unlock()
	n := 0
	for _, h := range open {
		<-h.ready
		if h.err == nil && h.session.Running() {
			n++
		}
	}
	return n
}

// Close stops every run, keeps what it said, and closes the sessions. The store
// is left to its owner.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	open := s.sessions
	s.sessions = make(map[event.SessionID]*openSession)
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	var wg sync.WaitGroup
	for id, h := range open {
		wg.Go(func() {
			<-h.ready
			if h.err != nil {
				return
			}
			h.session.Close()
			if err := h.log.Close(); err != nil {
				s.options.Logger.Error("close", "session", id, "error", err)
			}
		})
	}
	wg.Wait()
}
