package transcript

import (
	"maps"
	"slices"

	"parley/internal/event"
)

// The copies of a State, by what they keep of it:
//
//	Clone        everything
//	Outline      all entries, none with its content
//	Tail(n)      the last n entries, without their content, now and from then on
//	Checkpoint   everything, as it was before the open run
//	Resume(seq)  who the session is; for a reader who has seen all up to seq
//	Branch(e)    the entries up to e; for a session that goes on from there

// Clone returns a copy that may be folded on independently. It costs what is
// open, not what there was: the entries and the text so far are shared, and
// neither side changes what it shares.
func (s *State) Clone() *State {
	c := *s
	c.Clients = slices.Clone(s.Clients)
	c.Asks = slices.Clone(s.Asks)
	c.Queue = slices.Clone(s.Queue)
	c.Tools = slices.Clip(s.Tools)
	c.Entries = slices.Clip(s.Entries)
	c.Loose = cloneCalls(s.Loose)
	if s.Run != nil {
		r := *s.Run
		c.Run = &r
	}
	if s.Turn != nil {
		t := *s.Turn
		t.Parts = slices.Clip(t.Parts)
		c.Turn = &t
	}
	c.Step = s.Step.clone()
	if s.Children != nil {
		c.Children = maps.Clone(s.Children)
		for id, child := range c.Children {
			c.Children[id] = child.Clone()
		}
	}
	return &c
}

func (s *Step) clone() *Step {
	if s == nil {
		return nil
	}
	c := *s
	c.Calls = cloneCalls(s.Calls)
	c.Said = slices.Clip(s.Said)
	if s.Response != nil {
		r := *s.Response
		r.Blocks, r.Announced = slices.Clip(r.Blocks), slices.Clip(r.Announced)
		if r.Block != nil {
			b := *r.Block
			b.Text = b.Text.clip()
			r.Block = &b
		}
		c.Response = &r
	}
	return &c
}

func cloneCalls(calls []*Call) []*Call {
	if calls == nil {
		return nil
	}
	out := make([]*Call, len(calls))
	for i, c := range calls {
		d := *c
		d.Output = d.Output.clip()
		out[i] = &d
	}
	return out
}

// Outline returns a copy with all entries and without their content: an index of
// the session.
func (s *State) Outline() *State {
	c := s.Clone()
	c.Entries = make([]*Entry, len(s.Entries))
	for i, e := range s.Entries {
		c.Entries[i] = e.withoutContent()
	}
	c.Summary = s.Summary.withoutText()
	return c
}

// Tail returns a copy that keeps the last n entries, without their content but
// for that of the open turn, and no more of those that are folded in later: a
// client's, however long the session is. What is checked against it is checked
// as against any state that began in the middle.
func (s *State) Tail(n int) *State {
	c := s.Clone()
	c.Window, c.Elided, c.Files, c.Refused = n, nil, nil, nil
	c.Summary = s.Summary.withoutText()
	c.keepWindow()
	return c
}

// keepWindow lets go of the entries that do not fit into the window.
func (s *State) keepWindow() {
	if s.Window == 0 {
		return
	}
	if over := len(s.Entries) - s.Window; over > 0 {
		s.Entries, s.Partial = slices.Clone(s.Entries[over:]), true
	}
	copied := false
	for i, e := range s.Entries {
		if e.Content == nil || s.Turn != nil && e.ID == s.Turn.Entry {
			continue
		}
		if !copied {
			s.Entries, copied = slices.Clone(s.Entries), true
		}
		s.Entries[i] = e.withoutContent()
	}
}

func (e *Entry) withoutContent() *Entry {
	d := *e
	d.Content = nil
	return &d
}

func (s *Summary) withoutText() *Summary {
	if s == nil {
		return nil
	}
	return &Summary{Entry: s.Entry, FirstKept: s.FirstKept}
}

// Checkpoint returns the state that the open run began from: folding the run's
// events onto it gives s. Where no run is open it is a copy.
//
// It lacks what a compaction in the run has replaced. Where s was encoded and read
// back during the run, the queue, the clients and the settings are those of s, not
// those from before the run.
func (s *State) Checkpoint() *State {
	if s.Run == nil {
		return s.Clone()
	}
	first := s.Run.First
	if s.Run.Before == nil {
		c := s.Clone()
		c.Entries = entriesBefore(first, s.Entries)
		if len(c.Entries) < len(s.Entries) {
			c.Leaf = s.Entries[len(c.Entries)].Parent
		}
		c.Run, c.Turn, c.Step, c.Asks, c.Children, c.Loose = nil, nil, nil, nil, nil, nil
		c.Seq, c.Partial = first-1, true
		return c
	}
	c := s.Run.Before.Clone()
	c.Entries = entriesBefore(first, s.Entries)
	return c
}

func entriesBefore(first event.Seq, entries []*Entry) []*Entry {
	n := slices.IndexFunc(entries, func(e *Entry) bool { return e.Seq >= first })
	if n < 0 {
		n = len(entries)
	}
	return slices.Clip(entries[:n])
}

// Resume returns a state for a reader who has seen all up to seq and goes on
// from there: it says who the session is and how it is set, and nothing of what
// is open.
func (s *State) Resume(seq event.Seq) *State {
	c := New()
	c.Session, c.Opened, c.Origin, c.Workspace, c.Title, c.Description = s.Session, s.Opened, s.Origin, s.Workspace, s.Title, s.Description
	c.Settings, c.Answered, c.Seq, c.Partial = s.Settings, s.Answered, seq, true
	c.Counts.Events = 1
	return c
}

// Branch returns what a branch at an entry begins with: the entries up to it and
// the settings, and nothing that is open. Session is left for the branch to
// name. It returns nil where the entry does not exist.
func (s *State) Branch(entry event.EntryID) *State {
	c := New()
	c.Settings, c.Answered, c.Workspace, c.Title = s.Settings, s.Answered, s.Workspace, s.Title
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
	c.Elided, c.Files, c.Refused = s.Elided, s.Files, s.Refused
	c.prune()
	return c
}
