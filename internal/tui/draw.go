package tui

import (
	"strings"

	"parley/internal/cell"
	"parley/internal/term"
)

// Draw returns the ops that turn a terminal that shows prev into one that shows
// next, as one frame. The zero Page as prev stands for a terminal that shows
// nothing of ours: the cursor is wherever the shell left it.
//
// A frame that commits lines, has fewer live rows, or is for another width or a
// lower screen, erases the live rows and writes all of them anew, below the
// committed lines. Any other frame makes room for further rows and rewrites what
// differs. There is no frame for no difference.
func Draw(prev, next Page) []term.Op {
	d := frame{reflow: next.Reflow}
	switch {
	case next.Redraw || resized(prev, next) || len(next.Commit) > 0,
		len(prev.Live) > len(next.Live), len(prev.Live) < len(next.Live) && grouped(next.Reflow),
		grouped(prev.Reflow) != grouped(next.Reflow):
		d.redraw(prev, next)
	case !d.rows(prev, next):
		return nil
	}
	if next.Bell {
		d.add(term.Bell{})
	}
	d.add(term.Sync{On: false})
	return d.ops
}

// Erase returns the ops that take the live rows off the screen and leave the
// cursor where they began, for the shell.
func Erase(prev Page, size term.Size) []term.Op {
	if prev.Width == 0 {
		return nil
	}
	return []term.Op{
		term.Sync{On: true}, term.Cursor{Visible: false},
		term.Move{Down: -cursorRow(prev, size.Width)}, term.EraseBelow{},
		term.Cursor{Visible: true}, term.Sync{On: false},
	}
}

// resized reports whether the rows of a page may not be where they were: a
// terminal that became lower has cut off some below its cursor.
func resized(prev, next Page) bool { return prev.Width != next.Width || prev.Height > next.Height }

// grouped reports whether the live rows are written as if each were the wrapped
// rest of the one before. xterm.js wraps no line anew that holds the cursor
// (Buffer.ts, _reflowSmaller and _reflowLarger), so live rows that are one line
// to it stay as many rows as they are, whatever becomes of the width, and the
// cursor stays in its place among them.
func grouped(r term.Reflow) bool { return r == term.ReflowShifting || r == term.ReflowUnknown }

// A frame collects ops and knows in which live row the cursor is.
type frame struct {
	ops    []term.Op
	row    int
	reflow term.Reflow
}

func (d *frame) add(ops ...term.Op) { d.ops = append(d.ops, ops...) }

// redraw erases what was and writes everything, except for live rows at the top
// that stay as they are.
func (d *frame) redraw(prev, next Page) {
	d.add(term.Sync{On: true})
	if prev.Width == 0 || prev.Caret.Visible || next.Redraw {
		d.add(term.Cursor{Visible: false})
	}
	kept := 0
	switch {
	case prev.Width == 0:
		// The row of the shell's cursor is left alone, and the live rows end at
		// the bottom of the screen: line feeds make the room.
		d.add(term.Bottom{}, term.Feed{})
	case !next.Redraw && !resized(prev, next) && len(next.Commit) == 0 && !grouped(prev.Reflow) && !grouped(d.reflow):
		for kept < min(len(prev.Live), len(next.Live)-1) && lineEqual(prev.Live[kept], next.Live[kept]) {
			kept++
		}
		d.row, _ = prev.cursor()
		d.moveTo(kept)
	default:
		d.add(term.Move{Down: -cursorRow(prev, next.Width)})
	}
	d.add(term.EraseBelow{})
	for _, l := range next.Commit {
		d.add(term.Text{Line: l}, term.Feed{})
	}
	d.add(term.Wrap{On: false})
	for i := kept; i < len(next.Live); i++ {
		switch {
		case i == kept:
		case grouped(d.reflow):
			d.add(term.Onward{})
		default:
			d.add(term.Feed{})
		}
		d.writeRow(next.Live[i])
	}
	d.row = max(len(next.Live)-1, 0)
	d.add(term.Wrap{On: true})
	if next.Caret.Visible {
		d.caret(next)
		return
	}
	d.moveTo(0)
	d.add(term.Return{})
}

// minGap is the least gap within a row that is moved over instead of written.
const minGap = 6

// writeRow writes a row on an empty one. It moves over the gap before a part that
// is at the right edge.
func (d *frame) writeRow(l cell.Line) {
	for i, s := range l {
		if s.Style == plain && len(s.Text) >= minGap && strings.Trim(s.Text, " ") == "" && i < len(l)-1 {
			d.add(term.Text{Line: l[:i]}, term.Move{Right: len(s.Text)})
			d.writeRow(l[i+1:])
			return
		}
	}
	d.add(term.Text{Line: l})
}

// moveTo moves to a live row. It moves down by line feeds: if the terminal has
// become lower without our knowledge, they make room where a cursor movement would
// stop at the bottom. Rows that are one line are the exception: a line feed would
// end that line.
func (d *frame) moveTo(row int) {
	switch {
	case d.row > row, grouped(d.reflow):
		d.add(term.Move{Down: row - d.row})
	default:
		for range row - d.row {
			d.add(term.Feed{})
		}
	}
	d.row = row
}

// caret moves to the composer and shows the cursor. Where the terminal may
// count the columns before it otherwise than we do, it counts them itself: the
// text is written once more.
func (d *frame) caret(p Page) {
	d.moveTo(p.Caret.Row)
	d.add(term.Return{})
	if p.Caret.Row < len(p.Live) {
		if before, ok := columns(p.Live[p.Caret.Row], p.Caret.Col); ok && !fixedWidth(before) {
			d.add(term.Text{Line: before}, term.Cursor{Visible: true})
			return
		}
	}
	d.add(term.Move{Right: p.Caret.Col}, term.Cursor{Visible: true})
}

// columns returns the head of a row that takes exactly n columns.
func columns(l cell.Line, n int) (cell.Line, bool) {
	text := l.Text()
	head, w := cell.Cut(text, n)
	return l.Slice(0, len(head)), w == n
}
