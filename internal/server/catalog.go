package server

import (
	"context"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/session"
)

// catalog is the fold of the daemon's own log: what a list shows.
type catalog struct {
	log    journal.Log
	logger *slog.Logger

	mu     sync.Mutex // guards the fields below
	seq    event.Seq
	listed map[event.SessionID]event.SessionListed
	active map[string]event.SessionID
}

// openCatalog reads the catalog, and adds the sessions of the store that it lacks.
func openCatalog(ctx context.Context, store journal.Store, logger *slog.Logger) (*catalog, error) {
	c := &catalog{log: store.Catalog(), logger: logger, listed: make(map[event.SessionID]event.SessionListed), active: make(map[string]event.SessionID)}
	for {
		page, err := c.log.Page(ctx, c.seq, 1000)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			c.apply(e)
		}
		if len(page) == 0 {
			break
		}
	}
	ids, err := store.List(ctx)
	if err != nil {
		return nil, err
	}
	stored := make(map[event.SessionID]bool, len(ids))
	for _, id := range ids {
		stored[id] = true
		if _, ok := c.listed[id]; ok {
			continue
		}
		if err := c.adopt(ctx, store, id); err != nil {
			logger.Error("session not listed", "session", id, "error", err)
		}
	}
	for id := range maps.Clone(c.listed) {
		if !stored[id] {
			c.remove(id)
		}
	}
	return c, nil
}

// adopt lists a session that the index has lost.
func (c *catalog) adopt(ctx context.Context, store journal.Store, id event.SessionID) error {
	log, err := store.Open(ctx, id)
	if err != nil {
		return err
	}
	defer log.Close()
	state := log.State()
	if state.Session == "" {
		return nil // made and never written to
	}
	doing := event.ActivityIdle
	if state.Run != nil || len(state.Queue) > 0 {
		doing = event.ActivityRunning
	}
	c.put(id, session.Listing(state, doing, state.Time))
	return nil
}

func (c *catalog) apply(e event.Event) {
	c.seq = max(c.seq, e.Seq)
	switch b := e.Body.(type) {
	case event.SessionListed:
		c.listed[e.Session] = b
	case event.SessionUnlisted:
		delete(c.listed, e.Session)
	case event.ActiveChanged:
		c.active[b.Family] = b.Active
	}
}

// append writes to the catalog. It is an index: what it misses is found again
// at the next start, so an error is only logged.
func (c *catalog) append(e event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apply(e)
	stored, err := c.log.Append(context.Background(), e)
	if err != nil {
		c.logger.Error("catalog", "error", err)
		return
	}
	c.seq = stored[len(stored)-1].Seq
}

func (c *catalog) put(id event.SessionID, b event.SessionListed) {
	c.append(event.Event{Session: id, Body: b})
}

func (c *catalog) remove(id event.SessionID) {
	c.append(event.Event{Session: id, Body: event.SessionUnlisted{}})
}

func (c *catalog) setActive(family string, id event.SessionID) {
	c.append(event.Event{Session: journal.CatalogID, Body: event.ActiveChanged{Family: family, Active: id}})
}

func (c *catalog) activeOf(family string) event.SessionID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.active[family]
}

// list returns the sessions, the one that was used last first.
func (c *catalog) list() []command.Listing {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sorted()
}

func (c *catalog) sorted() []command.Listing {
	out := make([]command.Listing, 0, len(c.listed))
	for id, b := range c.listed {
		out = append(out, command.Listing{Session: id, SessionListed: b})
	}
	slices.SortFunc(out, func(a, b command.Listing) int {
		if n := strings.Compare(b.Updated, a.Updated); n != 0 {
			return n
		}
		return strings.Compare(string(b.Session), string(a.Session))
	})
	return out
}

// follow returns what is listed and every event of the catalog after it.
func (c *catalog) follow(ctx context.Context) ([]command.Listing, iter.Seq2[event.Event, error]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sorted(), c.log.After(ctx, c.seq)
}

// last is the newest session of a workspace.
func (c *catalog) last(workspace string) (event.SessionID, bool) {
	for _, l := range c.list() {
		if l.Workspace == workspace && l.Origin != event.OriginAgent {
			return l.Session, true
		}
	}
	return "", false
}

// match resolves a prefix of an id.
func (c *catalog) match(prefix string) (event.SessionID, *command.Fault) {
	if err := journal.CheckID(event.SessionID(prefix)); err != nil {
		if journal.CheckID(event.SessionID("sess-"+prefix)) != nil {
			return "", command.FaultOf(err)
		}
		prefix = "sess-" + prefix
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.listed[event.SessionID(prefix)]; ok {
		return event.SessionID(prefix), nil
	}
	var found []string
	for id := range c.listed {
		if strings.HasPrefix(string(id), prefix) {
			found = append(found, string(id))
		}
	}
	switch len(found) {
	case 0:
		return "", command.Faultf(command.NotFound, "session %s does not exist; 'parley sessions list' shows those that do", prefix)
	case 1:
		return event.SessionID(found[0]), nil
	}
	slices.Sort(found)
	return "", command.Faultf(command.Invalid, "%s is the beginning of %d sessions: %s, …", prefix, len(found), strings.Join(found[:min(3, len(found))], ", "))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
