package nous

import (
	"context"
	"slices"
	"strings"
	"sync"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// A Daemon is what a family needs of the daemon, as one connection sees it.
type Daemon interface {
	wire.Host

	// Active is the active session of a family; empty for none. It survives
	// the daemon.
	Active(family string) event.SessionID
	SetActive(family string, id event.SessionID)

	// State returns a copy of a session's present state. It includes every event
	// that a follower can have read.
	State(ctx context.Context, id event.SessionID) (*transcript.State, *command.Fault)
}

// A Family is what the original kept for all its clients at once: the active
// session, the queue modes and the active tools. One family belongs to each pair
// of sockets. It is safe for use by several connections.
type Family struct {
	name string

	making sync.Mutex // one first session, not two

	mu       sync.Mutex           // guards the fields below
	settings event.SettingChanged // set since the daemon began; they hold for whatever session is used
	recent   []event.SessionID    // prompted, perhaps still running; the latest last
}

// NewFamily returns the family of a pair of sockets. The name is what the
// daemon remembers its active session by.
func NewFamily(name string) *Family { return &Family{name: name} }

// Host returns the daemon as a connection of the family sees it.
func (f *Family) Host(d Daemon) wire.Host { return &host{d, f} }

type host struct {
	Daemon
	family *Family
}

// Do carries out a command of the command socket: one that names no session is
// about the active one, or the one that runs.
func (h *host) Do(ctx context.Context, c command.Command) command.Result {
	r := command.Result{ID: c.ID, Name: command.Name(c.Body)}
	switch b := c.Body.(type) {
	case command.Prompt:
		return h.prompt(ctx, c, b)
	case command.Steer, command.FollowUp, command.Abort:
		return h.control(ctx, c)
	case command.Set:
		r.Data, r.Fault = h.set(ctx, c, b)
	case command.Open:
		r.Data, r.Fault = h.begin(ctx, c)
	case command.Branch:
		r.Data, r.Fault = h.branch(ctx, c)
	case command.SetLeaf:
		return h.setLeaf(ctx, c, b)
	case command.Compact:
		r.Data, r.Fault = h.compact(ctx, c, b)
	case command.Do:
		c.Session = h.active()
		r = h.Daemon.Do(ctx, c)
		if r.Fault != nil && r.Fault.Code == command.NotFound {
			r.Fault = command.Faultf(command.NotFound, "extension_command_not_found: %s", b.Name)
		}
	case command.Read:
		r.Data, r.Fault = h.read(ctx, c, b)
	default:
		return h.Daemon.Do(ctx, c)
	}
	return r
}

func (h *host) active() event.SessionID { return h.Daemon.Active(h.family.name) }

// state reads a session that a client named: exactly, and nothing that is not an
// id.
func (h *host) state(ctx context.Context, id event.SessionID) (*transcript.State, *command.Fault) {
	missing := command.Faultf(command.NotFound, "session %s does not exist", id)
	if !plain(id) {
		return nil, missing
	}
	s, fault := h.Daemon.State(ctx, id)
	if fault == nil && s.Session != id {
		return nil, missing
	}
	if fault != nil && fault.Code == command.Invalid {
		return nil, missing
	}
	return s, fault
}

// plain reports whether an id has the form that all ids have.
func plain(id event.SessionID) bool {
	return strings.HasPrefix(string(id), "sess-") && len(id) < 100 && !slices.ContainsFunc([]byte(id), func(c byte) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_'
	})
}

// prompt prompts the active session, and makes one where there is none.
func (h *host) prompt(ctx context.Context, c command.Command, p command.Prompt) command.Result {
	r := command.Result{ID: c.ID, Name: command.Name(c.Body)}
	s, fault := h.ensure(ctx, c)
	if fault != nil {
		r.Fault = fault
		return r
	}
	c.Session = s.Session
	var ghost event.EntryID
	if p.Leaf != nil && s.Entry(*p.Leaf) == nil {
		ghost, p.Leaf = *p.Leaf, nil
	}
	c.Body = p
	r = h.Daemon.Do(ctx, c)
	if a, ok := r.Data.(command.Accepted); ok && r.Fault == nil {
		h.family.prompted(s.Session)
		if ghost != "" {
			a.Leaf, r.Data = ghost, a
		}
	}
	return r
}

// ensure returns the active session with the family's settings.
func (h *host) ensure(ctx context.Context, c command.Command) (*transcript.State, *command.Fault) {
	h.family.making.Lock()
	defer h.family.making.Unlock()
	if id := h.active(); id != "" {
		s, fault := h.state(ctx, id)
		if fault == nil {
			return s, h.settle(ctx, c, s)
		}
		if fault.Code != command.NotFound {
			return nil, fault
		}
	}
	d, fault := h.begin(ctx, c)
	if fault != nil {
		return nil, fault
	}
	return h.state(ctx, d.(command.Opened).Session)
}

// control steers, follows up or aborts the run that is open.
func (h *host) control(ctx context.Context, c command.Command) command.Result {
	s, fault := h.running(ctx)
	if fault == nil && (s == nil || s.Run == nil || s.Run.Aborting) {
		fault = noActiveRun
	}
	if fault != nil {
		return command.Result{ID: c.ID, Name: command.Name(c.Body), Fault: fault}
	}
	c.Session = s.Session
	r := h.Daemon.Do(ctx, c)
	if r.Fault != nil && (r.Fault.Code == command.Closed || r.Fault.Code == command.Busy) {
		r.Fault = noActiveRun
	}
	return r
}

var noActiveRun = command.Faultf(command.Closed, "no_active_run")

// running returns the state of the session with a run of the family's: the
// active one before the others. It is nil where nothing runs.
func (h *host) running(ctx context.Context) (*transcript.State, *command.Fault) {
	ids := h.family.recentFirst()
	if id := h.active(); id != "" {
		ids = append([]event.SessionID{id}, slices.DeleteFunc(ids, func(r event.SessionID) bool { return r == id })...)
	}
	for _, id := range ids {
		s, fault := h.state(ctx, id)
		switch {
		case fault != nil && fault.Code == command.NotFound:
			h.family.quiet(id)
		case fault != nil:
			return nil, fault
		case busy(s):
			return s, nil
		default:
			h.family.quiet(id)
		}
	}
	return nil, nil
}

// busy reports whether a run is open or about to be.
func busy(s *transcript.State) bool { return s.Run != nil || len(s.Queued(event.LanePrompt)) > 0 }

func (f *Family) prompted(id event.SessionID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent = append(slices.DeleteFunc(f.recent, func(r event.SessionID) bool { return r == id }), id)
}

func (f *Family) quiet(id event.SessionID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent = slices.DeleteFunc(f.recent, func(r event.SessionID) bool { return r == id })
}

func (f *Family) recentFirst() []event.SessionID {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := slices.Clone(f.recent)
	slices.Reverse(out)
	return out
}
