package tui

import (
	"parley/internal/cell"
	"parley/internal/event"
	"parley/internal/term"
)

// A Mark is a place in the log: bytes of the source of an item. It is in source
// units, so it means the same at every width.
type Mark struct{ Item, Byte int }

// Less reports whether m lies before n.
func (m Mark) Less(n Mark) bool {
	return m.Item < n.Item || m.Item == n.Item && m.Byte < n.Byte
}

// A Caret is where the terminal's own cursor rests between frames. A visible one
// is in the composer. A hidden one stays where a terminal that is resized does
// not lose it; see Page.cursor.
type Caret struct {
	Row, Col int
	Visible  bool
}

// A Page is one frame's intent: lines that leave into the scrollback for good,
// and rows that stay live below them.
type Page struct {
	Width, Height int         // of the screen
	Commit        []cell.Line // logical lines, unwrapped
	Upto          Mark        // the boundary once Commit is written
	Live          []cell.Line // rows narrower than Width
	Caret         Caret
	Ask           event.AskID // the ask that is shown
	Bell          bool        // the user is needed
	Redraw        bool        // the terminal may show something else than the last page: write all of it
	Reflow        term.Reflow // what the terminal does to rows when it is resized

	more    bool  // there is more to commit
	told    rowID // the marked answer of the ask, where it can be read whole
	read    bool  // all that the ask is about is on the screen
	place   Caret // in the composer, for WithCursor
	painted bool  // the cursor is to be painted, and the terminal's own to stay hidden
	log     rows
}

// WithCursor returns the page with nothing to commit and the cursor in the
// composer. It differs in nothing else: it is the one frame that follows a commit.
//
// While a run is open frames come unasked, and a terminal may be resized between
// any two of them; then the cursor is painted as a reversed cell and the
// terminal's own rests hidden, where every frame begins.
func (p Page) WithCursor() Page {
	p.Commit, p.Bell, p.Redraw = nil, false, false
	if !p.painted {
		p.Caret = Caret{Row: p.place.Row, Col: p.place.Col, Visible: true}
		return p
	}
	p.Caret = Caret{}
	if p.place.Row < len(p.Live) {
		p.Live = append([]cell.Line(nil), p.Live...)
		p.Live[p.place.Row] = paint(p.Live[p.place.Row], p.place.Col)
	}
	return p
}

// paint reverses the character of a row at a column.
func paint(l cell.Line, col int) cell.Line {
	before, ok := columns(l, col)
	if !ok {
		return l
	}
	at := before.Len()
	text := l.Text()[at:]
	if text == "" {
		return cell.Join(l, cell.Styled(" ", plain.With(cell.Reverse)))
	}
	n := firstCluster(text)
	under := l.Slice(at, at+n).Restyle(func(s cell.Style) cell.Style { return s.With(cell.Reverse) })
	return cell.Join(before, under, l.Slice(at+n, l.Len()))
}

// cursor returns where the terminal's cursor stays after this page: in the
// composer, or hidden in the first column of the first live row.
func (p Page) cursor() (row, col int) {
	if p.Caret.Visible {
		return p.Caret.Row, p.Caret.Col
	}
	return 0, 0
}
