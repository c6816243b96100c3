package server

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/oklog/ulid/v2"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// A Host is the server as one connection sees it. It implements wire.Host.
type Host struct {
	server *Server
	local  session.Client // what holds where a client says nothing of itself
	mu     sync.Mutex
	client session.Client
}

// Host returns the server for a connection. Close it when the connection ends.
func (s *Server) Host(c session.Client) *Host {
	s.clients.Add(1)
	s.startIdle()
	c.Number = s.hosts.Add(1)
	return &Host{server: s, local: c, client: c}
}

// Close says that the connection is gone.
func (h *Host) Close() {
	h.server.clients.Add(-1)
	h.server.startIdle()
}

func (h *Host) who() session.Client {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.client
}

// Join says who the connection is, and opens or finds the session it names.
func (h *Host) Join(ctx context.Context, hello wire.Hello) (wire.Welcome, *command.Fault) {
	c := h.local
	c.ID = hello.Client
	if hello.Name != "" {
		c.Name = hello.Name
	}
	if hello.Cwd != "" {
		if !filepath.IsAbs(hello.Cwd) {
			return wire.Welcome{}, command.Faultf(command.Invalid, "cwd %q is not absolute", hello.Cwd)
		}
		c.Cwd = hello.Cwd
	}
	if hello.Env != nil {
		c.Env = hello.Env
	}
	if hello.Capabilities != nil {
		c.CanAsk = slices.Contains(hello.Capabilities, "ask")
		c.Present = slices.Contains(hello.Capabilities, "presence")
	}
	c.Version, c.Dialect = hello.Version, hello.Dialect
	h.mu.Lock()
	h.client = c
	h.mu.Unlock()
	o := h.server.options
	w := wire.Welcome{Name: "parley", Version: o.Version, Build: o.Build, PID: os.Getpid()}
	switch hello.Session {
	case "":
		return w, nil
	case "new":
		data, fault := h.open(ctx, command.Command{ID: string(c.ID) + "/hello"}, command.Open{})
		if fault != nil {
			return w, fault
		}
		opened := data.(command.Opened)
		w.Session, w.Head = opened.Session, opened.Head
		return w, nil
	}
	data, fault := h.attach(ctx, command.Command{Session: event.SessionID(hello.Session)})
	if fault != nil {
		return w, fault
	}
	opened := data.(command.Opened)
	w.Session, w.Head = opened.Session, opened.Head
	return w, nil
}

// State returns a copy of a session's present state, content included.
func (h *Host) State(ctx context.Context, name event.SessionID) (*transcript.State, *command.Fault) {
	id, fault := h.find(name)
	if fault != nil {
		return nil, fault
	}
	held, release, err := h.server.acquire(ctx, id)
	if err != nil {
		return nil, command.FaultOf(err)
	}
	defer release()
	return held.log.State(), nil
}

// Do carries out a command.
func (h *Host) Do(ctx context.Context, c command.Command) command.Result {
	client := h.who()
	c.Client = client.ID
	if c.Who == "" {
		c.Who = client.Name
	}
	r := command.Result{ID: c.ID, Name: command.Name(c.Body)}
	switch b := c.Body.(type) {
	case command.Open:
		r.Data, r.Fault = h.open(ctx, c, b)
	case command.Branch:
		r.Data, r.Fault = h.branch(ctx, c, b)
	case command.Remove:
		r.Data, r.Fault = h.remove(ctx, c)
	case command.Do:
		r.Data, r.Fault = h.extension(ctx, b)
	case command.Stop:
		if r.Fault = h.stop(b); r.Fault == nil {
			r.Begin = h.server.Leave // its answer is written first
		}
	case command.Read:
		if data, fault, mine := h.read(c, b); mine {
			r.Data, r.Fault = data, fault
			return r
		}
		return h.session(ctx, c, r)
	case command.Attach:
		r.Data, r.Fault = h.attach(ctx, c)
	case command.Detach:
	default:
		return h.session(ctx, c, r)
	}
	return r
}

// session passes a command to the session that it is about.
func (h *Host) session(ctx context.Context, c command.Command, r command.Result) command.Result {
	id, fault := h.find(c.Session)
	if fault != nil {
		r.Fault = fault
		return r
	}
	held, release, err := h.server.acquire(ctx, id)
	if err != nil {
		r.Fault = command.FaultOf(err)
		return r
	}
	c.Session = id
	if b, ok := c.Body.(command.Compact); ok {
		defer release()
		r.Data, r.Fault = h.compact(ctx, held, b)
		return r
	}
	r = held.session.Do(ctx, h.who(), c)
	if begin := r.Begin; begin != nil {
		// The session stays open until the run that waits has begun.
		r.Begin = func() { begin(); release() }
		return r
	}
	release()
	return r
}

// find resolves the names of a session: an id, a prefix of one, or "last".
func (h *Host) find(name event.SessionID) (event.SessionID, *command.Fault) {
	switch name {
	case "":
		return "", command.Faultf(command.Invalid, "the command names no session")
	case "last":
		if id, ok := h.server.catalog.last(h.who().Cwd); ok {
			return id, nil
		}
		return "", command.Faultf(command.NotFound, "there is no session in %s yet", h.who().Cwd)
	}
	return h.server.catalog.match(string(name))
}

// NewID returns an id that no session has.
func NewID() event.SessionID {
	return event.SessionID("sess-" + strings.ToLower(ulid.Make().String()))
}

func (h *Host) open(ctx context.Context, c command.Command, b command.Open) (command.Data, *command.Fault) {
	id := b.Session
	if id == "" {
		id = NewID()
	}
	workspace := b.Workspace
	if workspace == "" {
		workspace = h.who().Cwd
	}
	log, err := h.server.options.Store.Create(ctx, id)
	if err != nil {
		return nil, command.FaultOf(err)
	}
	events := []event.Event{{Session: id, Cause: c.Cause(), Body: event.SessionOpened{Origin: event.OriginNew, Workspace: workspace}}}
	if b.Title != "" {
		events = append(events, event.Event{Session: id, Cause: c.Cause(), Body: event.SessionTitled{Title: b.Title}})
	}
	return h.begun(ctx, log, events)
}

// begun writes a new session's first events and lists it.
func (h *Host) begun(ctx context.Context, log journal.Log, events []event.Event) (command.Data, *command.Fault) {
	if _, err := log.Append(ctx, events...); err != nil {
		_ = h.server.options.Store.Remove(context.WithoutCancel(ctx), log.ID()) // nobody's: it has no beginning
		return nil, command.FaultOf(err)
	}
	state := log.State()
	h.server.catalog.put(log.ID(), session.Listing(state, event.ActivityIdle, h.server.options.Now()))
	_, release, err := h.server.adopt(ctx, log)
	if err != nil {
		return nil, command.FaultOf(err)
	}
	defer release()
	return command.Opened{Session: log.ID(), Parent: state.Parent, Head: state.Seq}, nil
}

func (h *Host) attach(ctx context.Context, c command.Command) (command.Data, *command.Fault) {
	id, fault := h.find(c.Session)
	if fault != nil {
		return nil, fault
	}
	held, release, err := h.server.acquire(ctx, id)
	if err != nil {
		return nil, command.FaultOf(err)
	}
	defer release()
	return command.Opened{Session: id, Head: held.log.Head()}, nil
}

func (h *Host) branch(ctx context.Context, c command.Command, b command.Branch) (command.Data, *command.Fault) {
	parent, fault := h.find(c.Session)
	if fault != nil {
		return nil, fault
	}
	held, release, err := h.server.acquire(ctx, parent)
	if err != nil {
		return nil, command.FaultOf(err)
	}
	defer release()
	state := held.log.State()
	entry := b.Entry
	if entry == "" {
		entry = state.Leaf
	}
	base := state.Branch(entry)
	if base == nil {
		return nil, command.Faultf(command.NotFound, "entry %s does not exist in %s", entry, parent)
	}
	log, err := h.server.options.Store.Branch(ctx, NewID(), base)
	if err != nil {
		return nil, command.FaultOf(err)
	}
	return h.begun(ctx, log, []event.Event{{Session: log.ID(), Cause: c.Cause(), Body: event.SessionOpened{
		Origin: event.OriginBranch, Parent: parent, Entry: entry, Workspace: state.Workspace, Base: base.Counts.Entries}}})
}

func (h *Host) remove(ctx context.Context, c command.Command) (command.Data, *command.Fault) {
	id, fault := h.find(c.Session)
	if fault != nil {
		return nil, fault
	}
	held, release, err := h.server.acquire(ctx, id)
	if err == nil {
		running := held.session.Running()
		release()
		if running {
			return nil, command.Faultf(command.Busy, "a run is open in %s; abort it first", id)
		}
	}
	h.server.drop(id)
	if err := h.server.options.Store.Remove(ctx, id); err != nil {
		return nil, command.FaultOf(err)
	}
	h.server.catalog.remove(id)
	if removed := h.server.options.Removed; removed != nil {
		removed(id)
	}
	return nil, nil
}

// drop closes a session under its users: it is about to be removed.
func (s *Server) drop(id event.SessionID) {
	s.mu.Lock()
	h := s.sessions[id]
	delete(s.sessions, id)
	s.mu.Unlock()
	if h == nil {
		return
	}
	<-h.ready
	if h.session != nil {
		h.session.Close()
	}
	if h.log != nil {
		h.log.Close()
	}
}

func (h *Host) extension(ctx context.Context, b command.Do) (command.Data, *command.Fault) {
	run, ok := h.server.options.Commands[b.Name]
	if !ok {
		return nil, command.Faultf(command.NotFound, "there is no command %q", b.Name)
	}
	out, err := run(ctx, b.Arguments)
	if err != nil {
		return nil, command.Faultf(command.Tool, "%s", err)
	}
	return command.Raw{JSON: out}, nil
}

func (h *Host) stop(b command.Stop) *command.Fault {
	if n := h.server.running(); b.IfIdle && n > 0 {
		return command.Faultf(command.Busy, "%d run(s) are open", n)
	}
	return nil
}

// read answers reads that are not about one session; mine is false for any other.
func (h *Host) read(c command.Command, b command.Read) (data command.Data, fault *command.Fault, mine bool) {
	o := h.server.options
	switch b.What {
	case command.ReadSessions:
		return command.Sessions{Sessions: h.server.catalog.list()}, nil, true
	case command.ReadModels:
		models, fault := o.Models(h.who())
		return command.Models{Models: models}, fault, true
	case command.ReadTools:
		if c.Session == "" {
			return command.Tools{Tools: o.Tools(transcript.New())}, nil, true
		}
		id, fault := h.find(c.Session)
		if fault != nil {
			return nil, fault, true
		}
		held, release, err := h.server.acquire(context.Background(), id)
		if err != nil {
			return nil, command.FaultOf(err), true
		}
		defer release()
		return command.Tools{Tools: o.Tools(held.log.State())}, nil, true
	case command.ReadCommands:
		names := make([]string, 0, len(o.Commands))
		for name := range o.Commands {
			names = append(names, name)
		}
		text, _ := json.Marshal(map[string][]string{"commands": names}) // strings always encode
		return command.Raw{JSON: text}, nil, true
	case command.ReadDaemon:
		h.server.mu.Lock()
		open := len(h.server.sessions)
		h.server.mu.Unlock()
		return h.server.daemon(open), nil, true
	}
	return nil, nil, false
}

// Follow gives a session's state and every event after it; see wire.Host.
func (h *Host) Follow(ctx context.Context, id event.SessionID, since *event.Seq) (*transcript.State, iter.Seq2[event.Event, error], *command.Fault) {
	id, fault := h.find(id)
	if fault != nil {
		return nil, nil, fault
	}
	held, release, err := h.server.acquire(ctx, id)
	if err != nil {
		return nil, nil, command.FaultOf(err)
	}
	state := held.log.State()
	switch {
	case since == nil:
		state = state.Checkpoint()
	case *since == 0:
		base, err := held.log.Base(ctx)
		if err != nil {
			release()
			return nil, nil, command.FaultOf(err)
		}
		if state = base; state == nil {
			state = transcript.New()
		}
	case *since < state.Seq:
		state = state.Resume(*since)
	default:
		// It has seen all that is kept. After a crash it may even have seen more: a
		// seq is never used twice, so every later event is new to it.
		state = state.Resume(state.Seq)
	}
	detach := held.session.Attach(h.who())
	reading, stop := context.WithCancelCause(ctx)
	forget := held.session.OnRefusal(func(f *command.Fault) { stop(f) })
	context.AfterFunc(ctx, func() { forget(); detach(); release() })
	return state, following(ctx, reading, held.log, state.Seq), nil
}

// following yields the events after seq. Where the disk refuses what the session
// has to write, those that are kept come first, and then the fault.
func following(ctx, reading context.Context, log journal.Log, seq event.Seq) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range log.After(reading, seq) {
			if err != nil && reading.Err() != nil {
				break
			}
			if !yield(e, err) || err != nil {
				return
			}
			seq = e.Seq
		}
		for ctx.Err() == nil {
			page, err := log.Page(ctx, seq, 1000)
			if len(page) == 0 || err != nil {
				break
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
				seq = e.Seq
			}
		}
		var fault *command.Fault
		if errors.As(context.Cause(reading), &fault) && ctx.Err() == nil {
			yield(event.Event{}, fault)
		}
	}
}

// Catalog gives what is listed and every event of the catalog after it.
func (h *Host) Catalog(ctx context.Context) ([]command.Listing, iter.Seq2[event.Event, error]) {
	return h.server.catalog.follow(ctx)
}

// Active is the active session of a family of foreign clients; empty for none.
func (h *Host) Active(family string) event.SessionID { return h.server.catalog.activeOf(family) }

// SetActive remembers the active session of a family of foreign clients.
func (h *Host) SetActive(family string, id event.SessionID) { h.server.catalog.setActive(family, id) }
