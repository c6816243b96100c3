package client

import (
	"context"
	"slices"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// A Cursor is a place in the past of a session: before an event of its log, or,
// for what a branch has from its parent, of the parent's.
type Cursor struct {
	Session event.SessionID
	Before  event.Seq
}

// A Page is a part of the past: events in order, without a gap, and where those
// before them are. What a branch has from its parent is as its own, but without
// a seq: that would be one of the parent's log.
type Page struct {
	Events  []event.Event
	Earlier Cursor
	More    bool // there are earlier ones
}

// Before returns the cursor of what was before a state.
func Before(s *transcript.State) Cursor { return Cursor{s.Session, s.Seq + 1} }

// Past returns up to limit events before a cursor; fewer where they are large.
func (s *Session) Past(ctx context.Context, at Cursor, limit int) (Page, error) {
	return s.page(ctx, s.current(), at, limit, false)
}

// page reads a page; with runs it begins with a run where there is more before it.
func (s *Session) page(ctx context.Context, conn *Conn, at Cursor, limit int, runs bool) (Page, error) {
	if at.Before <= 1 {
		return Page{}, nil
	}
	read, err := Ask[command.Events](ctx, conn, at.Session, command.Read{What: command.ReadEvents, Before: at.Before, Limit: limit})
	if err != nil || len(read.Events) == 0 {
		return Page{}, err
	}
	p := Page{Events: read.Events, More: read.More}
	opened, first := p.Events[0].Body.(event.SessionOpened)
	if first = first && p.Events[0].Session == at.Session; first {
		p.More = false
	}
	if i := slices.IndexFunc(p.Events, func(e event.Event) bool { return e.Session == at.Session && e.Kind() == "run.started" }); runs && p.More && i > 0 {
		p.Events = p.Events[i:]
	}
	p.Earlier = Cursor{at.Session, p.Events[0].Seq}
	if first && opened.Origin == event.OriginBranch {
		p.Earlier, p.More = s.inherited(ctx, conn, opened)
	}
	if at.Session != s.id {
		for i := range p.Events {
			if p.Events[i].Seq = 0; p.Events[i].Session == at.Session {
				p.Events[i].Session = s.id
			}
		}
	}
	return p, nil
}

// inherited is where the past of a branch goes on in its parent: before what came
// after the entry that it branched at. What is no longer there is no past.
func (s *Session) inherited(ctx context.Context, conn *Conn, b event.SessionOpened) (Cursor, bool) {
	for b.Origin == event.OriginBranch && b.Entry != "" {
		read, err := Ask[command.Entries](ctx, conn, b.Parent, command.Read{What: command.ReadEntries, Leaf: &b.Entry, Limit: 1})
		if n := len(read.Messages); err != nil || n == 0 || read.Messages[n-1].ID != b.Entry {
			break
		} else if seq := read.Messages[n-1].Seq; seq > 0 {
			return Cursor{b.Parent, seq + 1}, true
		}
		// The parent has it from its own parent.
		events, err := Ask[command.Events](ctx, conn, b.Parent, command.Read{What: command.ReadEvents, Limit: 1})
		if err != nil || len(events.Events) == 0 {
			break
		}
		entry := b.Entry
		b, _ = events.Events[0].Body.(event.SessionOpened)
		b.Entry = entry
	}
	return Cursor{}, false
}

// recent is the past that a client is shown at once: the last events before a
// state. What cannot be read can be asked for later.
func (s *Session) recent(conn *Conn, state *transcript.State) Page {
	p, err := s.page(s.ctx, conn, Before(state), s.o.Past, true)
	if err != nil {
		return Page{Earlier: Before(state), More: true}
	}
	if left := s.o.Past - len(p.Events); p.More && p.Earlier.Session != s.id && left > 0 {
		if more, err := s.page(s.ctx, conn, p.Earlier, left, true); err == nil {
			p = Page{append(more.Events, p.Events...), more.Earlier, more.More}
		}
	}
	return p
}
