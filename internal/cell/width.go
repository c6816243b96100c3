package cell

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// TabStop is the distance of tab stops in columns, the default of every
// terminal.
const TabStop = 8

// Width returns the columns that text takes. Text is expected to be clean (see
// [Clean]) with its tabs expanded: control characters count as nothing.
func Width(text string) int {
	w := 0
	for at := 0; at < len(text); {
		if n := ascii(text[at:]); n > 0 {
			w += n
			at += n
			continue
		}
		n, cw := cluster(text[at:])
		w += cw
		at += n
	}
	return w
}

// Width returns the columns that the line takes when it is not wrapped.
func (l Line) Width() int {
	w := 0
	for _, s := range l {
		w += Width(s.Text)
	}
	return w
}

// ascii returns how many bytes from the start are printable ASCII and stand
// alone. The last one before other bytes may carry a combining mark, so it does
// not count.
func ascii(text string) int {
	i := 0
	for i < len(text) && text[i]-0x20 < 0x5f {
		i++
	}
	if i > 0 && i < len(text) && text[i] >= utf8.RuneSelf {
		i--
	}
	return i
}

// cluster returns the length in bytes and the width of the first grapheme
// cluster of text, which must not be empty.
func cluster(text string) (n, width int) {
	if b := text[0]; b < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		if b-0x20 < 0x5f {
			return 1, 1
		}
		return 1, 0
	}
	c, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	if len(c) == 0 {
		return 1, 0
	}
	return len(c), w
}

// ExpandTabs replaces each tab by the spaces up to its next stop, counted from
// the column at which the text begins. A stop of less than one is [TabStop].
func ExpandTabs(text string, column, stop int) string {
	tab := strings.IndexByte(text, '\t')
	if tab < 0 {
		return text
	}
	if stop < 1 {
		stop = TabStop
	}
	var b strings.Builder
	b.Grow(len(text) + 2*stop)
	for tab >= 0 {
		b.WriteString(text[:tab])
		column += Width(text[:tab])
		n := stop - column%stop
		for range n {
			b.WriteByte(' ')
		}
		column += n
		text = text[tab+1:]
		tab = strings.IndexByte(text, '\t')
	}
	b.WriteString(text)
	return b.String()
}

// Cut returns the longest head of text that fits width columns, and the columns
// it takes. It never splits a grapheme cluster.
func Cut(text string, width int) (head string, columns int) {
	at := 0
	for at < len(text) {
		n, w := cluster(text[at:])
		if columns+w > width {
			break
		}
		columns += w
		at += n
	}
	return text[:at], columns
}

// Truncate returns the line shortened to width columns, ending in an ellipsis
// if anything was cut. The ellipsis has the style of what it stands for.
func Truncate(l Line, width int) Line {
	if width <= 0 {
		return nil
	}
	left := width
	for i, s := range l {
		w := Width(s.Text)
		if w <= left {
			left -= w
			continue
		}
		// The ellipsis may need the last column of a span that did fit.
		out := append(Line(nil), l[:i]...)
		for left == 0 && len(out) > 0 {
			last := out[len(out)-1]
			out = out[:len(out)-1]
			left, s = Width(last.Text), last
		}
		head, _ := Cut(s.Text, left-1)
		return append(out, Span{head + "…", s.Style})
	}
	return l
}
