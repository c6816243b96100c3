package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/cell"
)

// The styles of the screen. Prefixes carry the meaning; colour repeats it.
var (
	plain  = cell.Style{}
	dim    = cell.Style{Color: cell.Dim}
	accent = cell.Style{Color: cell.Accent}
	good   = cell.Style{Color: cell.Green}
	bad    = cell.Style{Color: cell.Red}
	needed = cell.Style{Color: cell.Yellow}
)

// A lineBuilder builds a line from styled pieces.
type lineBuilder struct{ line cell.Line }

func (r *lineBuilder) add(s cell.Style, text ...string) *lineBuilder {
	for _, t := range text {
		if t != "" {
			r.line = append(r.line, cell.Span{Text: t, Style: s})
		}
	}
	return r
}

// reach is the greatest width that a row uses, so that its left and right parts stay
// close together on a very wide screen.
const reach = 100

// justify sets right to the right edge of the row where both fit, else after
// left, else leaves it out. The last column stays free.
func justify(left, right cell.Line, width int) cell.Line {
	if len(right) == 0 {
		return left
	}
	both := left.Width() + right.Width()
	gap := min(width, max(reach, both+3)) - 1 - both
	if gap < 2 {
		return left
	}
	return cell.Join(left, cell.Plain(strings.Repeat(" ", gap)), right)
}

// duration writes how long something took: 38 ms, 2.1 s, 41 s, 2 m 05 s, 1 h 02 m.
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	}
	return seconds(d)
}

// seconds writes how long something lasts by now, in whole seconds.
func seconds(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d m %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d m", s/3600, s/60%60)
}

// clock writes a waiting time as 0:07.
func clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// count writes a number with its thousands set apart: 1,204.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short writes a number of tokens: 950, 31k, 1.2M.
func short(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strconv.Itoa((n+500)/1000) + "k"
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// plural writes a number and what it counts.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// oneLine makes one short line of a text: its first line that says something,
// cut after at most limit bytes of whole characters.
func oneLine(text string, limit int) (head string, cut bool) {
	text = strings.TrimSpace(cell.Clean(text))
	head, rest, more := strings.Cut(text, "\n")
	head = strings.TrimRight(strings.ReplaceAll(head, "\t", " "), " ")
	if len(head) > limit {
		head, _ = cell.Cut(head, limit)
		if len(head) > limit {
			head = strings.ToValidUTF8(head[:limit], "")
		}
		return strings.TrimRight(head, " ") + "…", true
	}
	return head, more && strings.TrimSpace(rest) != ""
}
