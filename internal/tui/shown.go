package tui

import (
	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

// shownOf is what a call would do, behind the begin of its header: nothing where
// there is no preview and nobody is asked. More than limit rows are cut, and told
// so; a limit of 0 is none.
func shownOf(r *lineBuilder, call *display.Call, asked bool, width, limit int) (rows []cell.Line, cut bool) {
	p := call.Preview
	if p == nil && !asked {
		return nil, false
	}
	s := &cell.Sheet{Width: max(width-1, 0)}
	r.add(plain.With(cell.Bold), display.OneWord(call.Name)).add(plain, " ")
	switch {
	case p != nil && p.Diff != "":
		main, _ := display.Subject(call.Title, call.Arguments)
		if p.File != "" && p.File != main {
			main += " → " + p.File
		}
		s.Add(r.line, (&lineBuilder{}).add(plain, cell.Escape(main)).add(dim, "  "+stat(p.Diff)).line)
		s.Rows = append(s.Rows, diffOf(p.Diff, s.Width, 0)...)
		if p.Truncated {
			s.Rows = append(s.Rows, cell.Styled("  … the preview ends here", dim))
		}
	default:
		display.Show(s, header(s, r.line), call.Title, call.Arguments)
		if p != nil && p.Summary != "" {
			s.Block(cell.Styled("  ! ", needed), p.Summary)
		}
	}
	if limit > 0 && len(s.Rows) > limit+1 {
		return append(s.Rows[:limit:limit], more(len(s.Rows)-limit)), true
	}
	return s.Rows, p != nil && p.Truncated
}

// header makes sure that there is room behind the begin of a header.
func header(s *cell.Sheet, l cell.Line) cell.Line {
	if s.Width == 0 || l.Width() <= s.Width/2 {
		return l
	}
	s.Rows = append(s.Rows, cell.Truncate(l, s.Width))
	return cell.Plain("    ")
}

// subjectOf is the item that holds the call of an ask, and the call as it was when
// it was asked about; nil where it is not known.
func (m *Model) subjectOf(id event.CallID) (*display.Item, *display.Call) {
	for _, it := range m.log.source.Items() {
		switch {
		case it.Call != nil && it.Call.ID == id:
			return it, it.Call
		case it.Agent != nil:
			for _, c := range it.Agent.Calls {
				if c.ID == id {
					return it, c
				}
			}
		}
	}
	return nil, nil
}

// seen reports whether a page has all on the screen that the open ask is about,
// given what of the log leaves with it and what stays.
func (m *Model) seen(p Page, staying []entry, t tail) bool {
	it, call := m.subjectOf(m.asking.ask.Call)
	if call == nil {
		return m.asking.ask.Call == ""
	}
	rows, cut := shownOf((&lineBuilder{}).add(plain, "  "), call, true, m.width(), shownLines)
	if cut {
		return false
	}
	room := p.Height - len(p.Live)
	for _, e := range staying {
		if e.at.Item == int(it.ID) && !e.live {
			// It waits in the tail for what is before it.
			return t.total == p.log.visible && len(rows) <= room+p.log.visible
		}
	}
	return len(rows) <= room
}

// sheetOf is all of what an ask is about, for a pager.
func (m *Model) sheetOf() (Pager, bool) {
	_, call := m.subjectOf(m.asking.ask.Call)
	if call == nil {
		return Pager{}, false
	}
	return Pager{Title: "all of it", Ask: m.asking.ask.Ask, Set: func(width int) []cell.Line {
		rows, _ := shownOf((&lineBuilder{}).add(plain, "  "), call, true, width, 0)
		return rows
	}}, true
}
