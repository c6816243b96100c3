package transcript

import (
	"maps"
	"slices"
)

// Clone returns a copy that may be folded on independently. It costs what is
// open, not what there was: the entries and the text so far are shared, and
// neither side changes what it shares.
func (s *State) Clone() *State {
	c := *s
	c.Clients = slices.Clone(s.Clients)
	c.Asks = slices.Clone(s.Asks)
	c.Queue = slices.Clone(s.Queue)
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

// Light returns a copy without the content of the entries: all that is needed to
// follow and to check what comes next, and small enough to be one line.
func (s *State) Light() *State {
	c := s.Clone()
	c.Entries = make([]*Entry, len(s.Entries))
	for i, e := range s.Entries {
		d := *e
		d.Content = nil
		c.Entries[i] = &d
	}
	if c.Summary != nil {
		c.Summary = &Summary{Entry: c.Summary.Entry, FirstKept: c.Summary.FirstKept}
	}
	return c
}

// Near returns the Light copy without the entries whose content a summary has
// replaced: what whoever joins needs of a session, however long it is.
func (s *State) Near() *State {
	c := *s
	c.Entries = slices.DeleteFunc(slices.Clone(s.Entries), func(e *Entry) bool { return e.Content == nil })
	c.Partial = s.Partial || len(c.Entries) < len(s.Entries)
	return c.Light()
}
