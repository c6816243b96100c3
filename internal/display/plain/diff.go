package plain

import (
	"fmt"
	"strings"

	"parley/internal/cell"
)

// diff writes a unified diff in colours. The lines of a hunk are counted by its
// header, so that a removed line which begins with two more hyphens is not taken
// for a file name. A diff that somebody judges is shown byte for byte.
func (r *Renderer) diff(text string, judged bool) {
	var old, new int
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		style := cell.Style{}
		switch {
		case old <= 0 && new <= 0 && strings.HasPrefix(line, "@@ "):
			old, new = counts(line)
			style.Color = cell.Accent
		case old <= 0 && new <= 0:
			style.Color = cell.Dim
		case strings.HasPrefix(line, "+"):
			new--
			style.Color = cell.Green
		case strings.HasPrefix(line, "-"):
			old--
			style.Color = cell.Red
		case strings.HasPrefix(line, `\`):
			style.Color = cell.Dim
		default:
			old, new = old-1, new-1
		}
		if judged && line != "" {
			s := &cell.Sheet{Width: r.width()}
			s.Add(cell.Styled(line[:1], style), cell.Styled(cell.EscapeTabs(line[1:], 0), style))
			for _, row := range s.Rows {
				r.line(row)
			}
			continue
		}
		r.raw(line, style)
	}
}

// counts reads how many lines of either side a hunk has. A count that is left
// out is 1 (POSIX diff -u).
func counts(header string) (old, new int) {
	fields := strings.Fields(header)
	if len(fields) < 3 {
		return 0, 0
	}
	return count(fields[1]), count(fields[2])
}

func count(side string) int {
	_, n, ok := strings.Cut(side, ",")
	if !ok {
		return 1
	}
	var lines int
	if _, err := fmt.Sscanf(n, "%d", &lines); err != nil {
		return 0
	}
	return lines
}
