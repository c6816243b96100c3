package transcript

import (
	"cmp"
	"slices"

	"parley/internal/event"
)

// Idle reports whether no run is open.
func (s *State) Idle() bool { return s.Run == nil }

// Ask returns the open ask with this id, or nil.
func (s *State) Ask(id event.AskID) *event.AskOpened {
	for i := range s.Asks {
		if s.Asks[i].Ask == id {
			return &s.Asks[i]
		}
	}
	return nil
}

// OpenCall returns the call with this id in the open step or outside a run, or nil.
func (s *State) OpenCall(id event.CallID) *Call {
	if s.Step != nil {
		for _, c := range s.Step.Calls {
			if c.ID == id {
				return c
			}
		}
	}
	for _, c := range s.Loose {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Entry returns the entry with this id, or nil.
func (s *State) Entry(id event.EntryID) *Entry {
	for i := len(s.Entries) - 1; i >= 0; i-- {
		if s.Entries[i].ID == id {
			return s.Entries[i]
		}
	}
	return nil
}

// Inherited reports whether an entry of a branch is from its parent's log.
func (s *State) Inherited(e *Entry) bool {
	return s.Origin == event.OriginBranch && number(string(e.ID), "e") <= number(string(s.From), "e")
}

// Path returns the entries from the root to leaf, the oldest first. It is nil
// for a leaf that does not exist and ends where a parent is missing.
func (s *State) Path(leaf event.EntryID) []*Entry {
	var path []*Entry
	for i := len(s.Entries) - 1; i >= 0 && leaf != ""; i-- {
		if e := s.Entries[i]; e.ID == leaf {
			path = append(path, e)
			leaf = e.Parent
		}
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

// Queued returns the inputs of a lane that wait, in their order.
func (s *State) Queued(lane event.Lane) []Input {
	var out []Input
	for _, in := range s.Queue {
		if in.Lane == lane && !in.Taken {
			out = append(out, in)
		}
	}
	return out
}

// In returns the state of a session: this one, or an open sub-agent of it; nil
// for any other.
func (s *State) In(id event.SessionID) *State {
	if id == s.Session || s.Session == "" {
		return s
	}
	return s.Children[id]
}

// Agents returns the open sub-agents, in the order in which they were opened.
func (s *State) Agents() []*State {
	out := make([]*State, 0, len(s.Children))
	for _, child := range s.Children {
		out = append(out, child)
	}
	slices.SortFunc(out, func(a, b *State) int {
		return cmp.Or(a.Opened.Compare(b.Opened), cmp.Compare(a.Session, b.Session))
	})
	return out
}

// Model returns what answers, as provider/model: what the open run was asked to
// use, or else what is set, or else what answered last. It is empty before
// anything has.
func (s *State) Model() string {
	if s.Run != nil && s.Run.Model != "" {
		return s.Run.Model
	}
	return cmp.Or(s.Settings.Model, s.Answered)
}

// Response returns the response of the open step, or nil.
func (s *State) Response() *Response {
	if s.Step == nil {
		return nil
	}
	return s.Step.Response
}

// Block returns the open block, or nil.
func (s *State) Block() *OpenBlock {
	if r := s.Response(); r != nil {
		return r.Block
	}
	return nil
}

// Replying reports whether the text that the model writes, or wrote last, may go
// on: its block is open, or it has ended and nothing has come yet that tells
// whether it was cut there, or it was cut and no other text has gone on with it.
// What was cut and goes on is one text.
func (s *State) Replying() bool {
	if r := s.Response(); r != nil {
		if r.Block != nil {
			return r.Block.Role == event.RoleText
		}
		if n := len(r.Blocks); n > 0 && r.Phase == Open && len(r.Announced) == 0 {
			return r.Blocks[n-1].Role == event.RoleText
		}
	}
	return s.Cut
}

// Unfinished reports whether what is at the leaf can go on without a word of a
// person's: no run is open, and it failed, was stopped, or was never answered.
func (s *State) Unfinished() bool {
	e := s.Entry(s.Leaf)
	switch {
	case e == nil || s.Run != nil:
		return false
	case e.Role == "user":
		return true
	}
	return e.Reason != event.ReasonDone && e.Reason != event.ReasonSteered && e.Reason != ""
}

// Running returns the call that runs or waits for its decision: the first of the
// open step, or outside a run the first of a person's. It is nil where none does.
func (s *State) Running() *Call {
	var calls []*Call
	if s.Step != nil {
		calls = s.Step.Calls
	} else if s.Run == nil {
		calls = s.Loose
	}
	for _, c := range calls {
		if c.Shown && c.Ended == nil && (c.Origin != event.CallerUser || s.Run == nil) {
			return c
		}
	}
	return nil
}

// lane counts the inputs of a lane, those that are about to be taken too.
func (s *State) lane(lane event.Lane) int {
	n := 0
	for _, in := range s.Queue {
		if in.Lane == lane {
			n++
		}
	}
	return n
}
