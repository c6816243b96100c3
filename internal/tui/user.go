package tui

import (
	"fmt"
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

// How much of a long text stands in the log; the rest can be opened.
const (
	userLines   = 20
	resultLines = 8
	diffLines   = 40
	shownLines  = 40 // of what somebody is asked about
	lineBytes   = 4 << 10
)

// userView is what a person said: the prompt sign, and two columns for every
// further line.
func userView(it *display.Item) (lines []cell.Line) {
	all := strings.Split(strings.TrimRight(cell.Clean(it.Text()), "\n"), "\n")
	for i, t := range head(all, userLines) {
		before := "  "
		if i == 0 {
			before = "$ "
		}
		r := (&lineBuilder{}).add(accent, before).add(plain, clip(t))
		if i == 0 && it.User.Lane == event.LaneSteer {
			r.add(dim, "  (steer)")
		}
		lines = append(lines, r.line)
	}
	if n := len(all) - userLines; n > 0 {
		lines = append(lines, more(n))
	}
	for _, f := range it.User.Attachments {
		name := f.Name
		if name == "" {
			name = f.MediaType
		}
		lines = append(lines, (&lineBuilder{}).add(dim, "  ▪ ", cell.Clean(name), "  ", size(f.Size)).line)
	}
	return lines
}

// more is the line that stands for lines left out.
func more(n int) cell.Line {
	return (&lineBuilder{}).add(dim, fmt.Sprintf("  … %s, ctrl+o", plural(n, "more line"))).line
}

func head(lines []string, n int) []string { return lines[:min(n, len(lines))] }

// clip expands the tabs of a line and bounds its length.
func clip(text string) string {
	if len(text) > lineBytes {
		text = strings.ToValidUTF8(text[:lineBytes], "") + "…"
	}
	return cell.ExpandTabs(text, 0, 0)
}

// excerpt is the begin of an output, two columns in.
func excerpt(text string, limit int) []cell.Line {
	rows := strings.Split(strings.Trim(cell.Clean(text), "\n"), "\n")
	if len(rows) == 1 && rows[0] == "" {
		return nil
	}
	keep := limit
	if len(rows) == limit+1 {
		keep++
	}
	var out []cell.Line
	for _, t := range head(rows, keep) {
		out = append(out, cell.Styled("  "+clip(t), dim))
	}
	if n := len(rows) - keep; n > 0 {
		out = append(out, more(n))
	}
	return out
}

// size writes a number of bytes: 812 B, 14 kB, 2.1 MB.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
