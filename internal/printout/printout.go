// Package printout is what the output of a program came to: its text as it would stand on a terminal at the end, line by
// line, without colours.
//
//	"10%\r20%\rdone\n"            done
//	"\x1b[31mred\x1b[0m\n"        red
//	"one\ntwo\n\x1b[1A\x1b[2K2\n" one, 2
//
// It guarantees that text without control characters comes out as it went in, that memory is bounded whatever is written,
// and that however the text is divided the result is the same. A line is settled once Rows more have come; until then the
// cursor may go back to it and change it, as progress bars of several lines do. What was settled is never taken back:
// clearing the screen begins a new page and keeps the one before.
//
// It counts a character as a column, whatever its width, and knows nothing of a screen's size: what a program draws
// all over the screen comes out legible, not in its place.
package printout

import (
	"strings"
	"unicode/utf8"
)

const (
	// Rows is how many lines the cursor can go back.
	Rows = 50
	// width is the most of a line that is kept to be changed, in bytes.
	width = 32 << 10
	// longest is the most of an escape sequence that is waited for.
	longest = 4 << 10
)

// A Printout takes text as it comes and gives back what has settled. The zero value is an empty page.
type Printout struct {
	rows     []string // not settled; the cursor is in one of them
	row, col int
	open     string // an escape sequence that has not ended
}

// Write takes the next text and returns what settled by it.
func (p *Printout) Write(text string) string {
	var out strings.Builder
	text = p.open + text
	p.open = ""
	for text != "" {
		if n := p.lines(text, &out); n > 0 {
			text = text[n:]
			continue
		}
		if text[0] == '\x1b' {
			n := p.escape(text, &out)
			if n == 0 && len(text) < longest {
				p.open = text
				break
			}
			text = text[max(1, n):]
			continue
		}
		if !p.control(text[0], &out) {
			p.put(text[:1], &out)
		}
		text = text[1:]
	}
	return out.String()
}

// Rest returns what has not settled, as it stands.
func (p *Printout) Rest() string { return strings.Join(p.rows, "\n") }

// lines takes the text up to the next control character other than a line's end, and returns its length.
func (p *Printout) lines(text string, out *strings.Builder) int {
	n, ends := 0, 0
	for n < len(text) && (text[n] >= ' ' || text[n] == '\t' || text[n] == '\n') {
		if text[n] == '\n' {
			ends++
		}
		n++
	}
	text = text[:n]
	if ends > Rows && p.row == len(p.rows)-1 && p.col == utf8.RuneCountInString(p.rows[p.row]) {
		// Nothing can change any more what is further back.
		last := len(text)
		for range Rows {
			last = strings.LastIndexByte(text[:last], '\n')
		}
		p.settle(out)
		out.WriteString(text[:last+1])
		text = text[last+1:]
	}
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		p.put(line, out)
		if ended {
			p.newline(out)
		}
		text = rest
	}
	return n
}

// put writes text without control characters at the cursor.
func (p *Printout) put(text string, out *strings.Builder) {
	if text == "" {
		return
	}
	if p.rows == nil {
		p.rows = []string{""}
	}
	row, n := p.rows[p.row], utf8.RuneCountInString(p.rows[p.row])
	switch cells := []rune(nil); {
	case p.col == n:
		row += text
	case p.col > n:
		row += strings.Repeat(" ", p.col-n) + text
	default:
		cells = []rune(row)
		rest := cells[min(len(cells), p.col+utf8.RuneCountInString(text)):]
		row = string(cells[:p.col]) + text + string(rest)
	}
	p.rows[p.row] = row
	p.col += utf8.RuneCountInString(text)
	if len(row) > width && p.row == len(p.rows)-1 {
		p.settle(out)
	}
}

// settle gives out all there is; the cursor is where its line ends.
func (p *Printout) settle(out *strings.Builder) {
	out.WriteString(p.Rest())
	p.rows, p.row, p.col = []string{""}, 0, 0
}

func (p *Printout) newline(out *strings.Builder) {
	if p.rows == nil {
		p.rows = []string{""}
	}
	p.row, p.col = p.row+1, 0
	if p.row < len(p.rows) {
		return
	}
	p.rows = append(p.rows, "")
	if len(p.rows) > Rows {
		out.WriteString(p.rows[0])
		out.WriteByte('\n')
		p.rows, p.row = p.rows[1:], p.row-1
	}
}

// control does what a control character does; not all of them do anything on a terminal.
func (p *Printout) control(c byte, out *strings.Builder) bool {
	switch c {
	case '\n':
		p.newline(out)
	case '\r':
		p.col = 0
	case '\b':
		p.col = max(0, p.col-1)
	case '\a', 0x0e, 0x0f: // the bell and other sets of characters
	default:
		return false
	}
	return true
}
