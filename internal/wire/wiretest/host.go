package wiretest

import (
	"context"
	"encoding/json"
	"iter"
	"sync"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// A Host is a daemon in memory: logs that a test appends to, and commands that a
// test answers. It keeps the contract of wire.Host for following. It is safe for
// use by several goroutines.
type Host struct {
	// OnJoin answers Join; nil: an empty welcome.
	OnJoin func(wire.Hello) (wire.Welcome, *command.Fault)
	// OnDo answers Do; nil: a result without data.
	OnDo func(context.Context, command.Command) command.Result
	// OnFollow sees each Follow.
	OnFollow func(event.SessionID)

	mu      sync.Mutex
	logs    map[event.SessionID]*log
	catalog log
}

type log struct {
	events []event.Event
	taken  int           // events that followers took
	grown  chan struct{} // closed when there is more
	closed bool
}

func (l *log) append(events ...event.Event) {
	l.events = append(l.events, events...)
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
}

func (l *log) more() chan struct{} {
	if l.grown == nil {
		l.grown = make(chan struct{})
	}
	return l.grown
}

func (h *Host) log(id event.SessionID) *log {
	if h.logs == nil {
		h.logs = make(map[event.SessionID]*log)
	}
	if h.logs[id] == nil {
		h.logs[id] = new(log)
	}
	return h.logs[id]
}

// Append adds events to the logs of their sessions. Those without a seq get the
// next one of their log.
func (h *Host) Append(events ...event.Event) {
	for _, e := range events {
		h.Tell(e.Session, e)
	}
}

// Tell adds events to the log of a root session: its own, and those of its
// sub-agents.
func (h *Host) Tell(id event.SessionID, events ...event.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		l := h.log(id)
		if n := len(l.events); e.Seq == 0 && n > 0 {
			e.Seq = l.events[n-1].Seq + 1
		} else if e.Seq == 0 {
			e.Seq = 1
		}
		l.append(e)
	}
}

// List adds an event to the catalog. It replaces the session's last one, as in the
// real catalog, so a reader that is behind never sees that.
func (h *Host) List(id event.SessionID, b event.Body) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.catalog.events {
		if e := &h.catalog.events[i]; e.Session == id {
			e.Body = nil
		}
	}
	h.catalog.append(event.Event{Seq: event.Seq(len(h.catalog.events) + 1), Session: id, Body: b})
}

// Taken returns how many events of a session its followers took, all together.
func (h *Host) Taken(id event.SessionID) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log(id).taken
}

// Remove ends a session for its followers.
func (h *Host) Remove(id event.SessionID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.log(id)
	l.closed = true
	l.append()
}

// Join implements wire.Host.
func (h *Host) Join(_ context.Context, hello wire.Hello) (wire.Welcome, *command.Fault) {
	if h.OnJoin == nil {
		return wire.Welcome{Name: "parley"}, nil
	}
	return h.OnJoin(hello)
}

// Do implements wire.Host.
func (h *Host) Do(ctx context.Context, c command.Command) command.Result {
	if h.OnDo == nil {
		return command.Result{}
	}
	return h.OnDo(ctx, c)
}

// Follow implements wire.Host.
func (h *Host) Follow(ctx context.Context, id event.SessionID, since *event.Seq) (*transcript.State, iter.Seq2[event.Event, error], *command.Fault) {
	if h.OnFollow != nil {
		h.OnFollow(id)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.logs[id]
	if l == nil {
		return nil, nil, command.Faultf(command.NotFound, "session %s does not exist", id)
	}
	from := len(l.events)
	if since != nil {
		for from = 0; from < len(l.events) && l.events[from].Seq <= *since; from++ {
		}
	} else if start := openRun(l.events, id); start >= 0 {
		from = start
	}
	s := transcript.New()
	for _, e := range l.events[:from] {
		s.Apply(e)
	}
	if since != nil && from > 0 && from < len(l.events) {
		s = s.Resume(*since) // as little as the contract promises
	}
	return s, h.after(ctx, l, from), nil
}

// openRun returns the index of the open run's start, or -1.
func openRun(events []event.Event, id event.SessionID) int {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Session != id {
			continue
		}
		switch events[i].Body.(type) {
		case event.RunEnded:
			return -1
		case event.RunStarted:
			return i
		}
	}
	return -1
}

func (h *Host) after(ctx context.Context, l *log, from int) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for i := from; ; i++ {
			h.mu.Lock()
			for i >= len(l.events) {
				if l.closed {
					h.mu.Unlock()
					return
				}
				more := l.more()
				h.mu.Unlock()
				select {
				case <-more:
				case <-ctx.Done():
					return
				}
				h.mu.Lock()
			}
			e := l.events[i]
			l.taken++
			h.mu.Unlock()
			if e.Body == nil {
				continue
			}
			if ctx.Err() != nil || !yield(e, nil) {
				return
			}
		}
	}
}

// Catalog implements wire.Host.
func (h *Host) Catalog(ctx context.Context) ([]command.Listing, iter.Seq2[event.Event, error]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	latest := make(map[event.SessionID]event.SessionListed)
	var order []event.SessionID
	for _, e := range h.catalog.events {
		if b, ok := e.Body.(event.SessionListed); ok {
			if _, seen := latest[e.Session]; !seen {
				order = append(order, e.Session)
			}
			latest[e.Session] = b
		}
	}
	var out []command.Listing
	for _, id := range order {
		out = append(out, command.Listing{Session: id, SessionListed: latest[id]})
	}
	return out, h.after(ctx, &h.catalog, len(h.catalog.events))
}

// Snapshot is the data of reading a session's state.
func (h *Host) Snapshot(id event.SessionID) command.Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := transcript.New()
	for _, e := range h.log(id).events {
		s.Apply(e)
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a state that was folded can be written
	}
	return command.Snapshot{State: b}
}
