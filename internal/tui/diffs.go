package tui

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/cell"
	"parley/internal/diff"
)

// stat writes how many lines a diff adds and removes: +6 −1.
func stat(unified string) string {
	added, removed := diff.Stat(unified)
	return fmt.Sprintf("+%s −%s", count(added), count(removed))
}

// diffOf sets a unified diff, two columns in: the number of each line, its sign,
// and what changed within it, byte for byte. A width or a limit of 0 is none.
func diffOf(unified string, width, limit int) []cell.Line {
	s := &cell.Sheet{Width: width}
	hunks, err := diff.Parse(unified)
	if err != nil {
		s.Block(cell.Plain("  "), unified)
	}
	digits := 0
	for _, h := range hunks {
		digits = max(digits, len(strconv.Itoa(h.Old+h.OldCount)), len(strconv.Itoa(h.New+h.NewCount)))
	}
	for i, h := range hunks {
		if i > 0 {
			s.Rows = append(s.Rows, cell.Styled(strings.Repeat(" ", digits+2)+" ⋮", dim))
		}
		setHunk(s, h, digits)
	}
	if limit > 0 && len(s.Rows) > limit+1 {
		n := len(s.Rows) - limit
		return append(s.Rows[:limit:limit], more(n))
	}
	return s.Rows
}

func setHunk(s *cell.Sheet, h diff.Hunk, digits int) {
	older, newer := h.Old, h.New
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Op == diff.Keep {
			diffLine(s, digits, newer, " ", plain, h.Lines[i], nil)
			older, newer, i = older+1, newer+1, i+1
			continue
		}
		removed := changes(h.Lines[i:], diff.Remove)
		added := changes(h.Lines[i+len(removed):], diff.Add)
		i += len(removed) + len(added)
		oldWords, newWords := words(removed, added)
		for k, l := range removed {
			diffLine(s, digits, older, "−", bad, l, oldWords[k])
			older++
		}
		for k, l := range added {
			diffLine(s, digits, newer, "+", good, l, newWords[k])
			newer++
		}
	}
}

// changes are the lines at the begin that do the same.
func changes(lines []diff.Line, op diff.Op) []diff.Line {
	n := 0
	for n < len(lines) && lines[n].Op == op {
		n++
	}
	return lines[:n]
}

// words compares the lines of a change in pairs, from the first on. Lines that
// have little in common come back whole.
func words(removed, added []diff.Line) (older, newer [][]diff.Span) {
	older, newer = make([][]diff.Span, len(removed)), make([][]diff.Span, len(added))
	for i := range min(len(removed), len(added)) {
		older[i], newer[i] = diff.Words(removed[i].Text, added[i].Text)
	}
	return older, newer
}

// diffLine is one line of a diff. Words that changed stand out only beside others
// that did not.
func diffLine(s *cell.Sheet, digits, number int, sign string, style cell.Style, l diff.Line, changed []diff.Span) {
	first := (&lineBuilder{}).add(dim, fmt.Sprintf("  %*d ", digits, number)).add(style, sign+" ").line
	s.Add(first, quietTabs(diffText(style, l.Text, changed)))
	if l.NoNewline {
		s.Rows = append(s.Rows, cell.Styled(fmt.Sprintf("  %*s \\ no newline at the end", digits, ""), dim))
	}
}

// diffText is what a line of a diff says, each tab with its sign.
func diffText(style cell.Style, text string, changed []diff.Span) cell.Line {
	r := &lineBuilder{}
	column, at := 0, 0
	piece := func(s cell.Style, to int) {
		if to = min(to, len(text)); to > at {
			shown := cell.SignTabs(text[at:to], column)
			column += cell.Width(shown)
			at = to
			r.add(s, shown)
		}
	}
	all := cell.EscapeTabs(text, 0)
	if all != cell.SignTabs(text, 0) || len(changed) == 1 && changed[0].Start == 0 && changed[0].End >= len(text) {
		return cell.Styled(all, style)
	}
	for _, s := range changed {
		piece(style, s.Start)
		piece(style.With(cell.Reverse), s.End)
	}
	piece(style, len(text))
	return r.line
}

// quietTabs dims the signs of tabs, which no text has.
func quietTabs(l cell.Line) cell.Line {
	var out cell.Line
	for _, s := range l {
		for i, field := range strings.Split(s.Text, cell.TabSign) {
			if i > 0 {
				out = append(out, cell.Span{Text: cell.TabSign, Style: dim})
			}
			if field != "" {
				out = append(out, cell.Span{Text: field, Style: s.Style})
			}
		}
	}
	return out
}
