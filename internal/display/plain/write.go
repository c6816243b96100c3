package plain

import (
	"strings"

	"parley/internal/cell"
)

// rule is the protocol's separator.
const rule = "───"

// part begins a part: it ends the line and puts the gap.
func (r *Renderer) part(p Part) {
	r.endLine()
	next, gap := r.state.Next(p)
	r.state = next
	switch gap {
	case None:
	case Line, Blank:
		r.line(nil)
	case Rule, RuleBlank:
		r.line(cell.Styled(rule, cell.Style{Color: cell.Dim}))
		if gap == RuleBlank {
			r.line(nil)
		}
	}
}

// endLine ends the line that is open, such as a prompt.
func (r *Renderer) endLine() {
	if r.state.Midline {
		r.out = append(r.out, '\n')
		r.state.Midline = false
	}
}

// line writes a line.
func (r *Renderer) line(l cell.Line) {
	r.stopSpinner()
	if r.past {
		l = l.Restyle(gray)
	}
	r.out = append(cell.Append(r.out, l, r.options.Profile), '\n')
}

func gray(s cell.Style) cell.Style {
	s.Color = cell.Dim
	return s
}

// raw writes clean text in a style as it is, tabs and trailing blanks included,
// and ends the line.
func (r *Renderer) raw(text string, s cell.Style) {
	r.stopSpinner()
	if r.past {
		s = gray(s)
	}
	if text == "" {
		s = cell.Style{}
	}
	r.out = cell.Transition(r.out, cell.Style{}, s, r.options.Profile)
	r.out = append(r.out, text...)
	r.out = cell.Transition(r.out, s, cell.Style{}, r.options.Profile)
	r.out = append(r.out, '\n')
}

// wrapped writes a line of prose at the width of the terminal. Further rows are
// indented as the first one is.
func (r *Renderer) wrapped(l cell.Line) {
	text := l.Text()
	margin := len(text) - len(strings.TrimLeft(text, " "))
	in := cell.Indent{}
	if margin > 0 && margin < len(text) && margin < r.width()/2 {
		l = l.Slice(margin, len(text))
		in.First, in.Rest = cell.Plain(strings.Repeat(" ", margin)), cell.Plain(strings.Repeat(" ", margin))
	}
	for _, row := range cell.Wrap(l.TrimRight(), r.width(), in) {
		r.line(row.TrimRight())
	}
}

// prose writes lines of clean text, without the blanks at their ends.
func (r *Renderer) prose(text string, s cell.Style) {
	for line := range strings.SplitSeq(text, "\n") {
		r.wrapped(cell.Styled(spaced(line), s))
	}
}

// prefixed writes a line behind a coloured sign.
func (r *Renderer) prefixed(sign string, c cell.Color, text string) {
	l := cell.Line{{Text: sign, Style: cell.Style{Color: c}}}
	if text = strings.TrimRight(text, " \t"); text != "" {
		l = append(l, cell.Span{Text: " " + spaced(text)})
	}
	r.wrapped(l)
}

func (r *Renderer) width() int {
	if r.options.Width == nil {
		return 0
	}
	return r.options.Width()
}

// spaced replaces tabs, which prose is not wrapped with.
func spaced(text string) string { return cell.ExpandTabs(text, 0, cell.TabStop) }

// flat makes one clean line of a text.
func flat(text string) string {
	return cell.Flat(text)
}
