package markdown

import "bytes"

// This file reads single lines: what a line at the document's own level starts
// or ends. The rules are CommonMark 0.31's; where goldmark reads the
// specification otherwise, they follow goldmark, because goldmark parses what
// the stream cuts out.

// indent returns the columns of white space at the line's start, tabs reaching
// to stops of four, and the offset of what follows.
func indent(line []byte) (columns, at int) {
	for at < len(line) {
		switch line[at] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, at
		}
		at++
	}
	return columns, at
}

func blank(line []byte) bool {
	for _, b := range line {
		if b != ' ' && b != '\t' && b != '\n' {
			return false
		}
	}
	return true
}

// run returns how often line repeats b from its start.
func run(line []byte, b byte) int {
	n := 0
	for n < len(line) && line[n] == b {
		n++
	}
	return n
}

// heading reports an ATX heading and how many # it has; rest is what follows
// its indent.
func heading(rest []byte) (level int, ok bool) {
	n := run(rest, '#')
	if n < 1 || n > 6 {
		return 0, false
	}
	return n, n == len(rest) || rest[n] == ' ' || rest[n] == '\t' || rest[n] == '\n'
}

// underline reports a line that would make a heading of the paragraph above it.
func underline(line []byte) bool {
	columns, at := indent(line)
	if columns > 3 || at >= len(line) || line[at] != '=' && line[at] != '-' {
		return false
	}
	n := run(line[at:], line[at])
	return blank(line[at+n:])
}

// rule reports a thematic break.
func rule(rest []byte) bool {
	if len(rest) == 0 || rest[0] != '*' && rest[0] != '-' && rest[0] != '_' {
		return false
	}
	n := 0
	for _, b := range rest {
		switch b {
		case rest[0]:
			n++
		case ' ', '\t', '\n':
		default:
			return false
		}
	}
	return n > 2
}

// A fence is the opening line of a fenced code block.
type fence struct {
	char   byte
	length int
	indent int
	info   string
}

// openFence reads an opening fence from what follows the indent.
func openFence(columns int, rest []byte) (fence, bool) {
	if len(rest) < 3 || rest[0] != '`' && rest[0] != '~' {
		return fence{}, false
	}
	n := run(rest, rest[0])
	info := bytes.TrimSpace(rest[n:])
	if n < 3 || rest[0] == '`' && bytes.IndexByte(info, '`') >= 0 {
		return fence{}, false
	}
	return fence{rest[0], n, columns, string(info)}, true
}

// closedBy reports whether the line closes the fence.
func (f fence) closedBy(line []byte) bool {
	columns, at := indent(line)
	if columns > 3 {
		return false
	}
	n := run(line[at:], f.char)
	return n >= f.length && blank(line[at+n:])
}

// content returns a line inside the fence without the fence's own indent.
func (f fence) content(line []byte) []byte {
	for range f.indent {
		if len(line) == 0 || line[0] != ' ' {
			break
		}
		line = line[1:]
	}
	return bytes.TrimSuffix(line, []byte("\n"))
}

// A marker begins a list item.
type marker struct {
	char    byte // - * + or, for numbers, . )
	ordered bool
	number  int
	offset  int  // the column at which the item's text begins
	empty   bool // nothing follows it on the line
}

// sameList reports whether m can continue a list that o began.
func (m marker) sameList(o marker) bool {
	return m.char == o.char && m.ordered == o.ordered
}

// readMarker reads a list marker at most three columns in.
func readMarker(line []byte) (m marker, ok bool) {
	at := run(line, ' ')
	if at > 3 || at >= len(line) {
		return marker{}, false
	}
	switch b := line[at]; {
	case b == '-' || b == '*' || b == '+':
		m.char = b
	case b >= '0' && b <= '9':
		digits := at
		for at < len(line) && line[at] >= '0' && line[at] <= '9' {
			m.number = m.number*10 + int(line[at]-'0')
			if at++; at-digits > 9 {
				return marker{}, false
			}
		}
		if at >= len(line) || line[at] != '.' && line[at] != ')' {
			return marker{}, false
		}
		m.char, m.ordered = line[at], true
	default:
		return marker{}, false
	}
	at++
	rest := line[at:]
	if len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\n' {
		return marker{}, false
	}
	m.offset = at + 1
	if m.empty = blank(rest); !m.empty {
		// More than four columns is a code block inside the item.
		if width := spacing(rest, at); width <= 4 {
			m.offset = at + width
		}
	}
	return m, true
}

// spacing returns the columns of white space at the start of rest, which stands
// at the given column.
func spacing(rest []byte, column int) int {
	start := column
	for _, b := range rest {
		switch b {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column - start
		}
	}
	return column - start
}

// delimiters reports a line that can only be a table's delimiter row, if it is
// anything but text.
func delimiters(line []byte) bool {
	dashes, others := false, false
	for _, b := range line {
		switch b {
		case '-':
			dashes = true
		case '|', ':', ' ', '\t', '\n':
			others = others || b == '|' || b == ':'
		default:
			return false
		}
	}
	return dashes && others
}
