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
// and what changed within it. A limit of 0 is none.
func diffOf(unified string, limit int) []cell.Line {
	hunks, err := diff.Parse(unified)
	if err != nil {
		return excerpt(unified, limit)
	}
	var out []cell.Line
	digits := 0
	for _, h := range hunks {
		digits = max(digits, len(strconv.Itoa(h.Old+h.OldCount)), len(strconv.Itoa(h.New+h.NewCount)))
	}
	for i, h := range hunks {
		if i > 0 {
			out = append(out, cell.Styled(strings.Repeat(" ", digits+2)+" ⋮", dim))
		}
		out = append(out, hunkLines(h, digits)...)
	}
	if limit > 0 && len(out) > limit+1 {
		n := len(out) - limit
		return append(out[:limit:limit], more(n))
	}
	return out
}

func hunkLines(h diff.Hunk, digits int) []cell.Line {
	var out []cell.Line
	older, newer := h.Old, h.New
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Op == diff.Keep {
			out = append(out, diffLine(digits, newer, " ", plain, h.Lines[i].Text, nil))
			older, newer, i = older+1, newer+1, i+1
			continue
		}
		removed := changes(h.Lines[i:], diff.Remove)
		added := changes(h.Lines[i+len(removed):], diff.Add)
		i += len(removed) + len(added)
		oldWords, newWords := words(removed, added)
		for k, l := range removed {
			out = append(out, diffLine(digits, older, "−", bad, l.Text, oldWords[k]))
			older++
		}
		for k, l := range added {
			out = append(out, diffLine(digits, newer, "+", good, l.Text, newWords[k]))
			newer++
		}
	}
	return out
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
func diffLine(digits, number int, sign string, style cell.Style, text string, changed []diff.Span) cell.Line {
	text = strings.TrimSuffix(text, "\r")
	r := (&lineBuilder{}).add(dim, fmt.Sprintf("  %*d ", digits, number)).add(style, sign+" ")
	if cell.Clean(text) != text || len(text) > lineBytes || len(changed) == 1 && changed[0].Start == 0 && changed[0].End >= len(text) {
		return r.add(style, clip(cell.Clean(text))).line
	}
	column, at := 0, 0
	piece := func(s cell.Style, to int) {
		if to = min(to, len(text)); to > at {
			shown := cell.ExpandTabs(text[at:to], column, 0)
			column += cell.Width(shown)
			at = to
			r.add(s, shown)
		}
	}
	for _, s := range changed {
		piece(style, s.Start)
		piece(style.With(cell.Reverse), s.End)
	}
	piece(style, len(text))
	return r.line
}
