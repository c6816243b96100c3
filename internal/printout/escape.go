package printout

import (
	"strconv"
	"strings"
)

// escape does what the escape sequence does that text begins with, and returns its length; 0: it has not ended (ECMA-48,
// 5.3 to 5.6).
func (p *Printout) escape(text string, out *strings.Builder) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '[':
		end := 2
		for end < len(text) && text[end] >= 0x20 && text[end] < 0x40 {
			end++
		}
		if end == len(text) {
			return 0
		}
		if text[end] > 0x7e { // no sequence after all
			return end
		}
		p.move(text[end], text[2:end], out)
		return end + 1
	case ']', 'P', 'X', '^', '_': // strings: titles, links, pictures
		for i := 2; i < len(text); i++ {
			switch {
			case text[i] == '\a':
				return i + 1
			case text[i] == '\x1b' && i+1 < len(text):
				if text[i+1] == '\\' {
					return i + 2
				}
				return i
			}
		}
		return 0
	}
	end := 1
	for end < len(text) && text[end] >= 0x20 && text[end] < 0x30 {
		end++
	}
	if end == len(text) {
		return 0
	}
	if text[end] < 0x30 || text[end] > 0x7e {
		return end
	}
	return end + 1
}

// furthest is the most that one sequence moves the cursor to the right.
const furthest = 1000

// move does what a control sequence does to the cursor and to the lines that have not settled.
func (p *Printout) move(final byte, parameters string, out *strings.Builder) {
	if p.rows == nil {
		p.rows = []string{""}
	}
	first, _, _ := strings.Cut(parameters, ";")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 {
		n = 0
	}
	steps := min(max(1, n), furthest)
	switch final {
	case 'A', 'F':
		p.row = max(0, p.row-steps)
	case 'B', 'E':
		p.row = min(len(p.rows)-1, p.row+steps)
	case 'C':
		p.col = min(p.col+steps, furthest)
	case 'D':
		p.col = max(0, p.col-steps)
	case 'G':
		p.col = steps - 1
	case 'H', 'f':
		p.row, p.col = min(len(p.rows), steps)-1, 0
	case 'K':
		p.rows[p.row] = p.erased(n)
	case 'J':
		p.clear(n, out)
	}
	if final == 'E' || final == 'F' {
		p.col = 0
	}
}

// erased is the line of the cursor after EL.
func (p *Printout) erased(what int) string {
	cells := []rune(p.rows[p.row])
	at := min(p.col, len(cells))
	switch what {
	case 0:
		return string(cells[:at])
	case 1:
		return strings.Repeat(" ", at) + string(cells[at:])
	}
	return ""
}

// clear erases what is below the cursor, or begins a new page.
func (p *Printout) clear(what int, out *strings.Builder) {
	if what == 0 {
		p.rows[p.row] = p.erased(0)
		p.rows = p.rows[:p.row+1]
		return
	}
	if p.settle(out); out.Len() > 0 && !strings.HasSuffix(out.String(), "\n") {
		out.WriteByte('\n')
	}
}
