package transcript

import (
	"slices"

	"parley/internal/event"
)

// applyCompacted drops the content of the entries that the summary replaces.
func (s *State) applyCompacted(e event.Event, b event.ContextCompacted) {
	if s.Window == 0 {
		s.Elided = append(slices.Clip(s.Elided), b.Elided...)
	}
	if b.Entry == "" {
		return
	}
	s.Summary = &Summary{Entry: b.Entry, Text: b.Summary, FirstKept: b.FirstKept}
	if s.Window > 0 {
		s.Summary.Text = ""
	}
	replaced := make(map[event.EntryID]bool)
	for _, n := range s.Path(s.Leaf) {
		if n.ID == b.FirstKept {
			break
		}
		replaced[n.ID] = true
	}
	entries := slices.Clone(s.Entries)
	for i, n := range entries {
		if replaced[n.ID] && n.Content != nil {
			d := *n
			d.Content = nil
			entries[i] = &d
		}
	}
	s.Entries = entries
	if s.Turn != nil {
		s.Turn.Hidden = min(max(s.Turn.Hidden, b.Parts), len(s.Turn.Parts))
		// The model does not see any more what was cut, and cannot go on with it.
		s.Cut = s.Cut && s.Turn.Hidden < len(s.Turn.Parts)
	}
	s.prune()
	s.Counts.Entries = max(s.Counts.Entries, number(string(b.Entry), "e"))
}

// prune forgets that calls were elided which nothing would send any more: there
// would else be as many of them as a long session has had.
func (s *State) prune() {
	if len(s.Elided) == 0 {
		return
	}
	sent := make(map[event.CallID]bool)
	for _, n := range s.Entries {
		if n.Content != nil {
			n.Content.calls(sent)
		}
	}
	if s.Turn != nil {
		(&Content{Parts: s.Turn.Parts, Hidden: s.Turn.Hidden}).calls(sent)
	}
	var elided []event.CallID
	for _, id := range s.Elided {
		if sent[id] {
			elided = append(elided, id)
		}
	}
	s.Elided = elided
}

// calls adds the calls of the parts that no summary replaces.
func (c *Content) calls(to map[event.CallID]bool) {
	for _, p := range c.Parts[min(c.Hidden, len(c.Parts)):] {
		for _, call := range p.Calls {
			to[call.ID] = true
		}
	}
}
