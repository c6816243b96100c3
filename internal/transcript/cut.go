package transcript

import (
	"slices"

	"parley/internal/event"
)

// BeforeRun returns the state that the open run began from, as far as a reader
// needs it who then gets the run's events: the run and all that it made are
// gone. Where no run is open it is a copy.
func (s *State) BeforeRun() *State {
	c := s.Clone()
	if s.Run == nil {
		return c
	}
	first := s.Run.First
	cut := slices.IndexFunc(c.Entries, func(e *Entry) bool { return e.Seq >= first })
	if cut >= 0 {
		c.Leaf = c.Entries[cut].Parent
		c.Entries = slices.Clip(c.Entries[:cut])
	}
	c.Run, c.Turn, c.Step, c.Asks, c.Children, c.Loose = nil, nil, nil, nil, nil, nil
	c.Seq, c.Partial = first-1, true
	return c
}

// At returns a state for a reader who resumes after seq: it knows the session
// and its settings, and nothing of what is open.
func (s *State) At(seq event.Seq) *State {
	c := New()
	c.Session, c.Opened, c.Origin, c.Workspace, c.Title, c.Description = s.Session, s.Opened, s.Origin, s.Workspace, s.Title, s.Description
	c.Settings, c.Seq, c.Partial = s.Settings, seq, true
	c.Counts.Events = 1
	return c
}

// Branch returns what a branch at an entry begins with: the entries up to it and
// the settings, and nothing that is open. Session is left for the branch to
// name. It returns nil where the entry does not exist.
func (s *State) Branch(entry event.EntryID) *State {
	c := New()
	c.Settings, c.Workspace, c.Title = s.Settings, s.Workspace, s.Title
	if entry == "" {
		return c
	}
	path := s.Path(entry)
	if path == nil {
		return nil
	}
	c.Entries, c.Leaf = path, entry
	for _, e := range path {
		c.Counts.Entries = max(c.Counts.Entries, number(string(e.ID), "e"))
	}
	if sum := s.Summary; sum != nil && slices.ContainsFunc(path, func(e *Entry) bool { return e.ID == sum.FirstKept || e.Content == nil }) {
		c.Summary = sum
		c.Counts.Entries = max(c.Counts.Entries, number(string(sum.Entry), "e"))
	}
	c.Elided = s.Elided
	c.prune()
	return c
}
