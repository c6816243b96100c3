package tui

import (
	"github.com/charmbracelet/x/ansi"

	"parley/internal/cell"
	"parley/internal/term"
)

// climb returns how many rows the cursor is below the top of the live rows, once
// the terminal that shows prev has another size.
//
// Live rows are lines of their own, so a wider terminal leaves them alone. A
// narrower one may wrap those that are too wide for it. A hidden cursor rests at
// the very top, before the first character, and stays there: also while frames
// are on their way to a terminal that has changed already.
func climb(prev Page, width, height int, reflow term.Reflow) int {
	row, col := prev.rest(reflow)
	if width >= prev.Width || reflow == term.ReflowNone {
		return row
	}
	up := 0
	for _, l := range prev.Live[:min(row, len(prev.Live))] {
		up += wrapped(l, width)
	}
	if reflow == term.ReflowLogical {
		return up + col/width
	}
	// xterm.js (Buffer.ts, _reflowSmaller) does not wrap the cursor's own line,
	// and moves the cursor down by each row that comes to be below it. A terminal
	// that became lower has cut rows off there.
	if height >= prev.Height {
		for i := row + 1; i < len(prev.Live); i++ {
			up += wrapped(prev.Live[i], width) - 1
		}
	}
	return up
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
