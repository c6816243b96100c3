package term

import (
	"strconv"

	"parley/internal/cell"
)

// An Op is one step of a frame. The set is closed, and there is no step to an
// absolute row, none that clears the screen or the scrollback, and none that
// scrolls a region: what is above the program's own rows cannot be harmed.
type Op interface{ op() }

type (
	// Sync begins or ends a synchronized update (mode 2026): a terminal that
	// knows it shows the frame at once.
	Sync struct{ On bool }
	// Cursor shows or hides the cursor.
	Cursor struct{ Visible bool }
	// Wrap sets or resets autowrap.
	Wrap struct{ On bool }
	// Return moves the cursor to the first column.
	Return struct{}
	// Feed moves to the first column of the next row; at the bottom of the
	// screen it scrolls, so that the top row goes into the scrollback.
	Feed struct{}
	// Onward moves to the first column of the next row by wrapping, so that the
	// terminal takes the two rows for one line. It leaves autowrap off.
	Onward struct{}
	// Save remembers where the cursor is.
	Save struct{}
	// Restore takes the cursor back to where it was at Save. Nothing may have
	// scrolled in between.
	Restore struct{}
	// Move moves the cursor by rows and columns; negative is up and left. It
	// stops at the edges of the screen.
	Move struct{ Down, Right int }
	// Bottom moves down to the last row of the screen.
	Bottom struct{}
	// Insert inserts blank rows before that of the cursor; as many fall off at
	// the bottom of the screen.
	Insert struct{ Rows int }
	// EraseBelow erases the row of the cursor and all below it, and leaves the
	// cursor in its first column.
	EraseBelow struct{}
	// EraseRight erases from the cursor to the end of its row.
	EraseRight struct{}
	// Text writes styled text and leaves no style behind.
	Text struct{ Line cell.Line }
	// Bell asks for the user's attention.
	Bell struct{}
	// Screen enters or leaves the alternate screen, for a pager.
	Screen struct{ Alternate bool }
)

func (Sync) op()       {}
func (Cursor) op()     {}
func (Wrap) op()       {}
func (Return) op()     {}
func (Feed) op()       {}
func (Onward) op()     {}
func (Save) op()       {}
func (Restore) op()    {}
func (Move) op()       {}
func (Bottom) op()     {}
func (Insert) op()     {}
func (EraseBelow) op() {}
func (EraseRight) op() {}
func (Text) op()       {}
func (Bell) op()       {}
func (Screen) op()     {}

// edge is further than any screen is wide or high.
const edge = 9999

// Encode appends the bytes of the ops to dst. A profile without colours keeps
// the attributes: the caret of a busy screen is one.
func Encode(dst []byte, ops []Op, p cell.Profile) []byte {
	for _, o := range ops {
		switch o := o.(type) {
		case Sync:
			dst = mode(dst, "?2026", o.On)
		case Cursor:
			dst = mode(dst, "?25", o.Visible)
		case Wrap:
			dst = mode(dst, "?7", o.On)
		case Return:
			dst = append(dst, '\r')
		case Feed:
			dst = append(dst, '\r', '\n')
		case Onward:
			dst = append(move(mode(dst, "?7", true), edge, 'C', 'D'), "  \r"...)
			dst = mode(dst, "?7", false)
		case Save:
			dst = append(dst, "\x1b7"...)
		case Restore:
			dst = append(dst, "\x1b8"...)
		case Move:
			dst = move(dst, o.Down, 'B', 'A')
			dst = move(dst, o.Right, 'C', 'D')
		case Bottom:
			dst = move(dst, edge, 'B', 'A')
		case Insert:
			dst = move(dst, o.Rows, 'L', 'M')
		case EraseBelow:
			// From the first cell of the screen on, tmux takes it for a clear and moves
			// all rows into its history (screen-write.c, screen_write_clearendofscreen).
			dst = append(dst, "\r\x1b[K\x1b[C\x1b[J\r"...)
		case EraseRight:
			dst = append(dst, "\x1b[K"...)
		case Text:
			line := o.Line
			if p&cell.Color16 == 0 {
				line = line.Restyle(func(s cell.Style) cell.Style { return s.In(cell.Default) })
			}
			dst = cell.Append(dst, line, p|cell.Color16)
		case Bell:
			dst = append(dst, '\a')
		case Screen:
			dst = mode(dst, "?1049", o.Alternate)
		}
	}
	return dst
}

func mode(dst []byte, name string, on bool) []byte {
	dst = append(append(dst, "\x1b["...), name...)
	if on {
		return append(dst, 'h')
	}
	return append(dst, 'l')
}

// move appends a relative move, the default count of one left out.
func move(dst []byte, n int, forward, back byte) []byte {
	final := forward
	if n < 0 {
		n, final = -n, back
	}
	switch n {
	case 0:
		return dst
	case 1:
		return append(dst, '\x1b', '[', final)
	}
	dst = append(dst, "\x1b["...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, final)
}
