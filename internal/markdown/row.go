package markdown

import (
	"strings"

	"parley/internal/cell"
)

// A row is a logical line of a block, or a table, before it is set at a width.
type row struct {
	// first and rest stand before the row's first line and before those it wraps
	// to: bullets, quote bars, indents.
	first, rest cell.Line
	text        cell.Line
	hard        bool // code: broken at the width, never between words
	table       *table
}

// appendTo sets the row at a width and appends its lines.
func (r row) appendTo(out []cell.Line, width int) []cell.Line {
	if r.table != nil {
		return r.table.appendTo(out, r.first, r.rest, width)
	}
	if len(r.text) == 0 {
		return append(out, cell.Wrap(r.first.TrimRight(), width, cell.Indent{})...)
	}
	first, rest, text := narrow(r.first, r.rest, r.text, width)
	return append(out, cell.Wrap(text, width, cell.Indent{First: first, Rest: rest, Hard: r.hard})...)
}

// narrow takes indents off that would leave the text less than half the width.
// Bullets and numbers move into the text rather than go.
func narrow(first, rest, text cell.Line, width int) (cell.Line, cell.Line, cell.Line) {
	if width <= 0 {
		return first, rest, text
	}
	most := max(min(width/2, width-MinWidth), 0)
	if first.Width() > most {
		text = cell.Join(trimLeft(first), text)
		first = nil
	}
	return first, tail(rest, most), text
}

// tail returns the end of the line, at most width columns.
func tail(l cell.Line, width int) cell.Line {
	for over := l.Width() - width; over > 0 && len(l) > 0; {
		head, w := cell.Cut(l[0].Text, over)
		if head == "" {
			// A wide character straddles the edge: it goes whole.
			_, w = cell.Cut(l[0].Text, over+1)
			head, _ = cell.Cut(l[0].Text, over+1)
		}
		l = l.Slice(len(head), l.Len())
		over -= w
	}
	return l
}

func trimLeft(l cell.Line) cell.Line {
	for len(l) > 0 {
		text := strings.TrimLeft(l[0].Text, " ")
		if text != "" {
			return l.Slice(len(l[0].Text)-len(text), l.Len())
		}
		l = l[1:]
	}
	return l
}

// A builder collects the rows of a block while its tree is walked.
type builder struct {
	source  []byte
	options Options
	open    bool // the tail: nothing is coloured yet
	number  int  // of the outermost list's first item

	first, rest cell.Line // before the next row, and before those after it
	rows        []row
}

// row adds a logical line.
func (s *builder) row(text cell.Line, hard bool) {
	s.rows = append(s.rows, row{first: s.first, rest: s.rest, text: text, hard: hard})
	s.first = s.rest
}

// gap adds an empty line.
func (s *builder) gap() {
	s.rows = append(s.rows, row{first: s.rest, rest: s.rest})
}

// within calls f with an indent added: first before its first row, rest before
// the others. If f adds no row, first stands alone.
func (s *builder) within(first, rest cell.Line, f func()) {
	outer, n := s.rest, len(s.rows)
	s.first = cell.Join(s.first, first)
	s.rest = cell.Join(outer, rest)
	f()
	if len(s.rows) == n {
		s.row(nil, false)
	}
	s.first, s.rest = outer, outer
}
