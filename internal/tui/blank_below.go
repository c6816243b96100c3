package tui

import (
	"parley/internal/cell"
	"parley/internal/term"
)

// blankBelow counts the blank rows that there may be below the live rows. There are
// none until the terminal is resized. A terminal that reflows makes several rows of
// one when it becomes narrower; the next frame needs fewer and leaves blank rows
// behind. The terminal keeps those, and when it becomes narrower still it pushes
// the live rows up instead.
type blankBelow struct {
	rows  []cell.Line // that were laid out last
	below int
}

// resized returns the count on a terminal that has another size.
func (f blankBelow) resized(from, to term.Size, reflow term.Reflow) blankBelow {
	if to.Width < from.Width {
		f.below += max(rewrapped(f.rows, from.Width, to.Width, reflow)-len(f.rows), 0)
	}
	// A terminal that becomes lower removes blank rows first; one that becomes
	// higher may add some.
	f.below = min(max(f.below+to.Height-from.Height, 0), to.Height)
	return f
}

// laid returns the count once a page is shown that commits so many rows.
func (f blankBelow) laid(p Page, committed int) blankBelow {
	return blankBelow{rows: p.Live, below: max(f.below+len(f.rows)-len(p.Live)-committed, 0)}
}
