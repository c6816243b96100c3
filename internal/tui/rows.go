package tui

import (
	"slices"

	"parley/internal/cell"
	"parley/internal/term"
)

// narrowestScreen is the least width that is expected of a screen: rows up to it are
// written without turning wrapping off.
const narrowestScreen = 16

// rows makes room for further rows, rewrites what differs, and reports whether
// there was anything to do.
func (d *frame) rows(prev, next Page) bool {
	old, more, at := prev.Live, len(next.Live)-len(prev.Live), 0
	if more > 0 {
		at = insertPoint(old, next.Live)
		old = slices.Insert(slices.Clone(old), at, make([]cell.Line, more)...)
	}
	var changed []int
	for i := range next.Live {
		if !lineEqual(old[i], next.Live[i]) {
			changed = append(changed, i)
		}
	}
	if len(changed) == 0 && more == 0 && prev.Caret == next.Caret {
		if next.Bell {
			d.add(term.Sync{On: true})
		}
		return next.Bell
	}
	d.add(term.Sync{On: true})
	rest, col := prev.cursor()
	d.row = rest
	if prev.Caret.Visible {
		d.add(term.Cursor{Visible: false})
	}
	if more > 0 {
		d.insert(len(prev.Live)-1, at, more)
		col = -1
	}
	if len(changed) > 0 {
		d.rewriteAll(old, next.Live, changed)
		col = -1
	}
	if next.Caret.Visible {
		d.caret(next)
		return true
	}
	d.moveTo(0)
	if col != 0 {
		d.add(term.Return{})
	}
	return true
}

// insertPoint returns before which of the old rows new ones are inserted: where the
// least has to be written afterwards.
func insertPoint(old, next []cell.Line) int {
	more := len(next) - len(old)
	best, least := 0, -1
	for at := range len(old) + 1 {
		cost := 0
		for i, l := range next {
			switch {
			case i < at:
				cost += l.Len() - commonPrefix(old[i], l)
			case i < at+more:
				cost += l.Len()
			default:
				cost += l.Len() - commonPrefix(old[i-more], l)
			}
		}
		if least < 0 || cost < least {
			best, least = at, cost
		}
	}
	return best
}

// insert makes room for more rows before one of them. It first scrolls by line feeds
// below the last row, so that no row is pushed off the bottom of the screen.
func (d *frame) insert(last, at, more int) {
	d.moveTo(last + more)
	d.moveTo(at)
	d.add(term.Return{}, term.Insert{Rows: more})
}

// rewriteAll rewrites the rows that changed. Where the live rows are one line,
// the cursor is taken back by the terminal, as a move down stops at the bottom
// of a screen that became lower meanwhile.
func (d *frame) rewriteAll(old, next []cell.Line, changed []int) {
	wide := slices.ContainsFunc(changed, func(i int) bool { return next[i].Width() > narrowestScreen })
	home := d.row
	if grouped(d.reflow) {
		d.add(term.Save{})
	}
	if wide {
		d.add(term.Wrap{On: false})
	}
	for _, i := range changed {
		d.moveTo(i)
		d.rewrite(old[i], next[i])
	}
	if wide {
		d.add(term.Wrap{On: true})
	}
	if grouped(d.reflow) {
		d.add(term.Restore{})
		d.row = home
	}
}

// rewrite turns a row into another from where they begin to differ.
func (d *frame) rewrite(old, new cell.Line) {
	at, col := commonHead(old, new)
	if !fixedWidth(new.Slice(0, at)) {
		at, col = 0, 0
	}
	rest := new.Slice(at, new.Len())
	d.add(term.Return{}, term.Move{Right: col})
	if old.Len() == 0 && at == 0 {
		d.writeRow(rest)
		return
	}
	d.add(term.Text{Line: rest})
	if new.Width() < old.Width() || !fixedWidth(old) || !fixedWidth(new) {
		if grouped(d.reflow) && new.Len() == 0 {
			d.add(term.Text{Line: cell.Plain(" ")}) // to erase a whole row is to cut it off the one before
		}
		d.add(term.EraseRight{})
	}
}
