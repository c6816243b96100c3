package session

import (
	"encoding/json"
	"slices"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// page is how many events a read gives where the client names no limit.
const page = 100

func (s *Session) read(state *transcript.State, b command.Read) (command.Data, *command.Fault) {
	switch b.What {
	case command.ReadState:
		text, err := json.Marshal(state.Outline())
		if err != nil {
			return nil, s.fault(err)
		}
		return command.Snapshot{State: text}, nil
	case command.ReadEntries:
		return s.entries(state, b), nil
	case command.ReadTree:
		out := command.Entries{Session: s.ID(), Leaf: state.Leaf, Messages: []command.Message{}}
		for _, e := range state.Entries {
			m := message(state, e)
			m.Text = e.Snippet
			out.Messages = append(out.Messages, m)
		}
		return out, nil
	case command.ReadEvents:
		return s.events(b)
	}
	return nil, command.Faultf(command.Invalid, "a session cannot read %q", b.What)
}

// entries is the path to a leaf, or the whole list where none is named and none
// is set.
func (s *Session) entries(state *transcript.State, b command.Read) command.Entries {
	leaf := state.Leaf
	if b.Leaf != nil {
		leaf = *b.Leaf
	}
	path := state.Path(leaf)
	if path == nil {
		path = state.Entries
	}
	out := command.Entries{Session: s.ID(), Leaf: leaf, Messages: []command.Message{}}
	if state.Summary != nil {
		asked := b.Leaf != nil
		path = slices.DeleteFunc(slices.Clone(path), func(e *transcript.Entry) bool { return e.Content == nil && !(asked && e.ID == leaf) })
	}
	if over := len(path) - b.Limit; b.Limit > 0 && over > 0 {
		path, out.More = path[over:], true
	}
	if sum := state.Summary; sum != nil && !out.More {
		out.Messages = append(out.Messages, command.Message{ID: sum.Entry, Role: "summary", Text: sum.Text})
	}
	for _, e := range path {
		out.Messages = append(out.Messages, message(state, e))
	}
	return out
}

func message(s *transcript.State, e *transcript.Entry) command.Message {
	m := command.Message{ID: e.ID, Parent: e.Parent, Role: e.Role, Text: e.Snippet, Run: e.Run, Number: e.Number, Lane: e.Lane, Created: e.Time.UTC().Format(time.RFC3339Nano)}
	if !s.Inherited(e) {
		m.Seq = e.Seq
	}
	if c := e.Content; c != nil {
		m.Text = c.Text
		if e.Role == "assistant" {
			m.Text = c.Answer()
		}
	}
	return m
}

func (s *Session) events(b command.Read) (command.Data, *command.Fault) {
	limit := b.Limit
	if limit <= 0 {
		limit = page
	}
	limit = min(limit, 2000)
	var events []event.Event
	var err error
	if b.Before > 0 {
		events, err = s.log.PageBefore(s.ctx, b.Before, limit)
	} else {
		events, err = s.log.Page(s.ctx, b.After, limit)
	}
	if err != nil {
		return nil, s.fault(err)
	}
	if events == nil {
		events = []event.Event{}
	}
	return command.Events{Events: events, More: len(events) == limit}, nil
}
