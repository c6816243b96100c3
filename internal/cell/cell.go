// Package cell is styled text: what line mode writes and what the inline
// terminal draws.
//
// A [Line] is a logical line of [Span]s; it has no width of its own and no
// newline. [Wrap] sets it into rows, [Truncate] shortens it, [Append] turns it
// into terminal bytes.
//
// Laws, each held by a test:
//   - Width: a row that Wrap or Truncate returns is never wider than it was
//     asked to be (from two columns up: one column cannot hold a wide character).
//   - No loss: the rows of [Breaks], with the spaces that it says it dropped
//     between them, are the line again, byte for byte.
//   - Safety: what [Clean] and [Sanitizer] return, and every text byte that
//     Append writes, cannot move a cursor, set a mode or reorder text.
//   - Every byte: [Escape] leaves nothing out; [Unescape] gives its text back. What
//     somebody is to judge goes through it, what is only to be read through Clean.
//   - Closing: Append leaves no attribute and no link open.
//
// Widths are counted by grapheme cluster (Unicode UAX #29), East Asian
// ambiguous characters being narrow, as terminals do by default. The package
// knows no screen, does no input or output and keeps no state between calls.
package cell

import "strings"

// A Color is a role, mapped to one of the terminal's own 16 colours, so that
// the user's palette decides how it looks.
type Color uint8

// The roles. Default is the terminal's own foreground.
const (
	Default Color = iota
	Accent        // cyan: headings, the user's prompt sign
	Dim           // gray (bright black): what can be skipped
	Green         // success, added lines
	Red           // failure, removed lines
	Yellow        // the user is needed
	Magenta       // a third voice, such as a sub-agent
)

// An Attr is a set of text attributes.
type Attr uint8

// The attributes; combine them with |.
const (
	Bold Attr = 1 << iota
	Italic
	Underline
	Strike
	Reverse
)

// A Style is how a span looks. The zero Style is plain text. Styles compare
// with ==.
type Style struct {
	Color Color
	Attr  Attr
	// Link is the target of an OSC 8 hyperlink, empty for none. It is written
	// only for a profile with [Links].
	Link string
}

// With returns s with the attributes of a added.
func (s Style) With(a Attr) Style {
	s.Attr |= a
	return s
}

// In returns s in the colour c.
func (s Style) In(c Color) Style {
	s.Color = c
	return s
}

// A Span is text in one style. Its text holds no newline.
type Span struct {
	Text  string
	Style Style
}

// A Line is one logical line, as long as it likes. Byte offsets into a line
// count the text of its spans, one after the other.
type Line []Span

// Plain is a line of unstyled text; empty text gives the empty line.
func Plain(text string) Line {
	return Styled(text, Style{})
}

// Styled is a line of text in one style; empty text gives the empty line.
func Styled(text string, s Style) Line {
	if text == "" {
		return nil
	}
	return Line{{text, s}}
}

// Text returns the text of the line without its styles.
func (l Line) Text() string {
	switch len(l) {
	case 0:
		return ""
	case 1:
		return l[0].Text
	}
	var b strings.Builder
	b.Grow(l.Len())
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Len returns the length of the line's text in bytes.
func (l Line) Len() int {
	n := 0
	for _, s := range l {
		n += len(s.Text)
	}
	return n
}

// Slice returns the part of the line between two byte offsets. The result may
// share memory with l.
func (l Line) Slice(from, to int) Line {
	if from <= 0 && to >= l.Len() {
		return l
	}
	var out Line
	at := 0
	for _, s := range l {
		end := at + len(s.Text)
		if end > from && at < to {
			text := s.Text[max(from-at, 0):min(to-at, len(s.Text))]
			if text != "" {
				out = append(out, Span{text, s.Style})
			}
		}
		if at = end; at >= to {
			break
		}
	}
	return out
}

// Join returns the given lines as one line. Neighbours of the same style become
// one span.
func Join(lines ...Line) Line {
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	out := make(Line, 0, n)
	for _, l := range lines {
		for _, s := range l {
			out = out.add(s)
		}
	}
	return out
}

func (l Line) add(s Span) Line {
	if s.Text == "" {
		return l
	}
	if n := len(l); n > 0 && l[n-1].Style == s.Style {
		l[n-1].Text += s.Text
		return l
	}
	return append(l, s)
}

// TrimRight returns the line without the spaces and tabs at its end.
func (l Line) TrimRight() Line {
	for n := len(l); n > 0; n = len(l) {
		text := strings.TrimRight(l[n-1].Text, " \t")
		switch {
		case len(text) == len(l[n-1].Text):
			return l
		case text != "":
			out := append(Line(nil), l...)
			out[n-1].Text = text
			return out
		}
		l = l[:n-1]
	}
	return l
}

// Restyle returns the line with each style replaced by f's answer, as for a
// history that is shown in gray.
func (l Line) Restyle(f func(Style) Style) Line {
	out := make(Line, 0, len(l))
	for _, s := range l {
		out = out.add(Span{s.Text, f(s.Style)})
	}
	return out
}
