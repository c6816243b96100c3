package tui

import (
	"github.com/charmbracelet/x/ansi"

	"parley/internal/cell"
	"parley/internal/term"
)

// climb returns how many rows the cursor is below the top of the live rows, once
// the terminal that shows prev has another width.
//
// A hidden cursor rests at the very top, before the first character, and stays
// there: also while frames are on their way to a terminal that has changed
// already. One that is seen is in the composer. Live rows are lines of their own,
// so a wider terminal leaves them alone; a narrower one may wrap those above the
// cursor that are too wide for it. Rows that are one line it does not wrap.
func climb(prev Page, width int) int {
	row, col := prev.rest()
	if width >= prev.Width || prev.Reflow != term.ReflowLogical {
		return row
	}
	up := 0
	for _, l := range prev.Live[:min(row, len(prev.Live))] {
		up += wrapped(l, width)
	}
	return up + col/width
}

// wrapped returns how many rows a terminal of this width makes of a line. A wide
// character that does not fit goes to the next row whole.
func wrapped(l cell.Line, width int) int {
	width = max(width, 1)
	rows, col := 1, 0
	for _, s := range l {
		for text := s.Text; text != ""; {
			cluster, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			if col+w > width {
				rows++
				col = 0
			}
			col += w
			text = text[len(cluster):]
		}
	}
	return rows
}
