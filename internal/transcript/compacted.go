package transcript

import (
	"slices"

	"parley/internal/event"
)

// applyCompacted drops the content of the entries that the summary replaces.
func (s *State) applyCompacted(e event.Event, b event.ContextCompacted) {
	if s.Window == 0 {
		s.Elided = append(slices.Clip(s.Elided), b.Elided...)
		s.Files = append(slices.Clip(s.Files), b.Files...)
	}
	if b.Entry == "" {
		return
	}
	s.Summary = &Summary{Entry: b.Entry, Text: b.Summary, FirstKept: b.FirstKept, File: b.File, Plan: s.Plan}
	if s.Window > 0 {
		s.Summary = s.Summary.withoutText()
	}
	s.replace(b.FirstKept, b.Steps)
	if s.Turn != nil {
		s.Turn.Hidden = min(max(s.Turn.Hidden, b.Parts), len(s.Turn.Parts))
		// The model does not see any more what was cut, and cannot go on with it.
		s.Cut = s.Cut && s.Turn.Hidden < len(s.Turn.Parts)
	}
	s.prune()
	s.Counts.Entries = max(s.Counts.Entries, number(string(b.Entry), "e"))
}

// replace drops the content of the entries before the first that is kept, and hides
// steps at the beginning of the first answer from there on.
func (s *State) replace(first event.EntryID, steps int) {
	path := s.Path(s.Leaf)
	kept := slices.IndexFunc(path, func(n *Entry) bool { return n.ID == first })
	if kept < 0 {
		kept = len(path)
	}
	without := make(map[event.EntryID]*Content, kept+1)
	for _, n := range path[:kept] {
		without[n.ID] = nil
	}
	if answer := slices.IndexFunc(path[kept:], func(n *Entry) bool { return n.Role == "assistant" }); answer >= 0 && steps > 0 {
		if n := path[kept+answer]; n.Content != nil {
			c := *n.Content
			c.Hidden = min(max(c.Hidden, steps), len(c.Parts))
			without[n.ID] = &c
		}
	}
	entries := slices.Clone(s.Entries)
	for i, n := range entries {
		if content, ok := without[n.ID]; ok && n.Content != nil {
			d := *n
			d.Content = content
			entries[i] = &d
		}
	}
	s.Entries = entries
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
	var files []event.ResultFile
	for _, f := range s.Files {
		if sent[f.Call] {
			files = append(files, f)
		}
	}
	s.Files = files
}

// calls adds the calls of the parts that no summary replaces.
func (c *Content) calls(to map[event.CallID]bool) {
	for _, p := range c.Parts[min(c.Hidden, len(c.Parts)):] {
		for _, call := range p.Calls {
			to[call.ID] = true
		}
	}
}
