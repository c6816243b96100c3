package markdown

import (
	"strings"

	xast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/cell"
)

// A table is a GFM table before it is set at a width.
type table struct {
	align []xast.Alignment
	cells [][][]cell.Line // row, column, line; the first row is the header
	bare  bool            // the header is empty, and so not shown
}

// tableOf reads a table.
func (s *builder) tableOf(n *xast.Table) *table {
	t := &table{align: n.Alignments}
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		style := cell.Style{}
		if r.Kind() == xast.KindTableHeader {
			style.Attr = cell.Bold
		}
		row, empty := make([][]cell.Line, 0, len(t.align)), true
		for c := r.FirstChild(); c != nil && len(row) < len(t.align); c = c.NextSibling() {
			row = append(row, trimmed(s.inlineLines(c, style)))
			empty = empty && len(row[len(row)-1]) == 0
		}
		for len(row) < len(t.align) {
			row = append(row, nil)
		}
		if !empty || r.Kind() == xast.KindTableHeader {
			t.cells = append(t.cells, row)
		}
		t.bare = t.bare || empty && r.Kind() == xast.KindTableHeader
	}
	return t
}

func trimmed(lines []cell.Line) []cell.Line {
	out := lines[:0]
	for _, l := range lines {
		if l = l.TrimRight(); len(l) > 0 {
			out = append(out, l)
		}
	}
	return out
}

const columnGap = 2

// appendTo sets the table at a width: as columns if every word fits its column,
// else as one record for each row.
func (t *table) appendTo(out []cell.Line, first, rest cell.Line, width int) []cell.Line {
	room := 0
	if width > 0 {
		var lead cell.Line
		if first, rest, lead = narrow(first, rest, nil, width); len(lead) > 0 {
			out = append(out, cell.Wrap(lead.TrimRight(), width, cell.Indent{})...)
			first = rest
		}
		room = width - max(first.Width(), rest.Width())
	}
	lines, ok := t.columns(room)
	if !ok {
		lines = t.records(room)
	}
	for i, l := range lines {
		if i == 0 {
			out = append(out, cell.Join(first, l).TrimRight())
		} else {
			out = append(out, cell.Join(rest, l).TrimRight())
		}
	}
	return out
}

// columns sets the table in columns at most room wide together, 0 being without
// bound. It is not ok if a word would have to be broken.
func (t *table) columns(room int) (lines []cell.Line, ok bool) {
	widths, ok := t.widths(room)
	if !ok {
		return nil, false
	}
	for i, row := range t.cells {
		if i == 0 && t.bare {
			continue
		}
		lines = append(lines, t.columnRow(row, widths)...)
		if i == 0 {
			lines = append(lines, underlines(widths))
		}
	}
	return lines, true
}

// widths shares room among the columns. Columns that need less than their part
// get what they need; the others share the rest.
func (t *table) widths(room int) ([]int, bool) {
	n := len(t.align)
	want, need := make([]int, n), make([]int, n)
	for _, row := range t.cells {
		for c, lines := range row {
			for _, l := range lines {
				want[c] = max(want[c], l.Width())
				need[c] = max(need[c], l.Unbroken())
			}
		}
	}
	for c := range n {
		want[c] = max(want[c], 1)
		need[c] = max(need[c], min(want[c], MinWidth))
	}
	if room == 0 {
		return want, true
	}
	room -= columnGap * (n - 1)
	left := room
	for c := range n {
		left -= need[c]
	}
	if left < 0 {
		return nil, false
	}
	// Raise the narrowest first, a column at a time, as water fills vessels.
	widths := need
	for left > 0 {
		c := -1
		for i := range n {
			if widths[i] < want[i] && (c < 0 || widths[i] < widths[c]) {
				c = i
			}
		}
		if c < 0 {
			break
		}
		widths[c]++
		left--
	}
	return widths, true
}

// columnRow sets one row of cells side by side.
func (t *table) columnRow(row [][]cell.Line, widths []int) []cell.Line {
	wrapped := make([][]cell.Line, len(row))
	height := 1
	for c, lines := range row {
		for _, l := range lines {
			wrapped[c] = append(wrapped[c], cell.Wrap(l, widths[c], cell.Indent{})...)
		}
		height = max(height, len(wrapped[c]))
	}
	out := make([]cell.Line, height)
	for h := range out {
		parts := make([]cell.Line, 0, 3*len(row))
		for c := range row {
			if c > 0 {
				parts = append(parts, spaces(columnGap))
			}
			var l cell.Line
			if h < len(wrapped[c]) {
				l = wrapped[c][h].TrimRight()
			}
			free := widths[c] - l.Width()
			switch t.align[c] {
			case xast.AlignRight:
				parts = append(parts, spaces(free), l)
			case xast.AlignCenter:
				parts = append(parts, spaces(free/2), l, spaces(free-free/2))
			default:
				parts = append(parts, l, spaces(free))
			}
		}
		out[h] = cell.Join(parts...).TrimRight()
	}
	return out
}

func underlines(widths []int) cell.Line {
	var b strings.Builder
	for c, w := range widths {
		if c > 0 {
			b.WriteString(strings.Repeat(" ", columnGap))
		}
		b.WriteString(strings.Repeat("─", w))
	}
	return cell.Styled(b.String(), dim)
}

func spaces(n int) cell.Line {
	return cell.Plain(strings.Repeat(" ", max(n, 0)))
}

// records sets the table as a record for each row: a line for each cell, after
// the name of its column.
func (t *table) records(room int) []cell.Line {
	var out []cell.Line
	header := t.cells[0]
	add := func(name, lines []cell.Line) {
		var text cell.Line
		for i, l := range append(append([]cell.Line(nil), name...), lines...) {
			if i > 0 {
				text = append(text, cell.Span{Text: " "})
			}
			text = append(text, l...)
		}
		out = append(out, cell.Wrap(text, room, cell.Indent{Rest: step})...)
	}
	if len(t.cells) == 1 && !t.bare {
		for _, name := range header {
			add(name, nil)
		}
		return out
	}
	for i, row := range t.cells[1:] {
		if i > 0 {
			out = append(out, nil)
		}
		for c, lines := range row {
			// The first record names every column, so that none is lost.
			if len(lines) == 0 && (i > 0 || len(header[c]) == 0) {
				continue
			}
			name := header[c]
			if n := len(name); n > 0 {
				name = append(append([]cell.Line(nil), name[:n-1]...), cell.Join(name[n-1], cell.Styled(":", dim)))
			}
			add(name, lines)
		}
	}
	return out
}
