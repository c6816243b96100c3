package tui

import (
	"parley/internal/cell"
	"parley/internal/term"
)

// A footing is where the live rows stand: how many blank rows there may be below
// them on the screen. There are none as long as nobody resizes the terminal. One
// that wraps rows anew makes several of one when it becomes narrower; the next
// frame needs fewer again and leaves blank rows behind, which the terminal keeps
// where they are, and pushes the live rows up instead when it becomes narrower
// still.
type footing struct {
	rows  []cell.Line // that were laid out last
	below int
}

// resized returns the footing on a terminal that has another size.
func (f footing) resized(from, to term.Size, reflow term.Reflow) footing {
	if to.Width < from.Width {
		f.below += max(rewrapped(f.rows, from.Width, to.Width, reflow)-len(f.rows), 0)
	}
	// One that becomes lower takes the blank rows first, and one that becomes
	// higher may add some.
	f.below = min(max(f.below+to.Height-from.Height, 0), to.Height)
	return f
}

// laid returns the footing once a page is shown that commits so many rows.
func (f footing) laid(p Page, committed int) footing {
	return footing{rows: p.Live, below: max(f.below+len(f.rows)-len(p.Live)-committed, 0)}
}
