package tui

import (
	"github.com/charmbracelet/x/ansi"

	"parley/internal/cell"
	"parley/internal/term"
)

// cursorRow returns in which row, counted from the top of the live rows, the cursor
// is once the terminal that shows prev has another width.
//
// A hidden cursor is in the first column of the first live row and stays there,
// also while frames are on their way to a terminal whose size has changed already.
// A visible one is in the composer. Each live row is a line of its own, so a wider
// terminal leaves it alone; a narrower one may wrap the rows above the cursor that
// are too wide for it. Live rows that are written as one line are not wrapped.
func cursorRow(prev Page, width int) int {
	row, col := prev.cursor()
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
