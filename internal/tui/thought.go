package tui

import (
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
)

// thoughtLine is how much of a thought stands in the log, in bytes, and
// thoughtRows how much of it is seen while it goes on.
const (
	thoughtLine = 160
	thoughtRows = 3
)

// A thoughtView is a thought: its end in gray while it goes on, then one line.
type thoughtView struct{ item *display.Item }

func (v *thoughtView) prune(int) {}

func (v *thoughtView) lines(width int, s *viewContext) (all []line, stable int) {
	text := v.item.Text()
	if strings.TrimSpace(text) == "" {
		return nil, 0
	}
	if !v.item.Open {
		head, _ := thoughtHead(text)
		r := (&lineBuilder{}).add(dim, "~ ", head)
		if took := v.item.Duration(s.now); took > 0 {
			r.add(dim, "  ", duration(took))
		}
		return []line{{text: r.line, end: 1}}, 1
	}
	if n := width * (thoughtRows + 1); len(text) > n {
		text = strings.ToValidUTF8(text[len(text)-n:], "")
	}
	text = strings.Join(strings.Fields(cell.Clean(unmarked.Replace(text))), " ")
	rows := cell.Wrap(cell.Styled(text, dim), max(width-3, 2), cell.Indent{})
	if n := len(rows) - thoughtRows; n > 0 {
		rows = rows[n:]
	}
	for i, r := range rows {
		before := "  "
		if i == 0 {
			before = "~ "
		}
		all = append(all, line{text: cell.Join(cell.Styled(before, dim), r), end: i + 1, live: true})
	}
	return all, 0
}

// unmarked takes the marks off the headings that thoughts have.
var unmarked = strings.NewReplacer("**", "")

// thoughtHead is the first sentence or so of a thought, without the marks of
// markdown that headings of thoughts have.
func thoughtHead(text string) (head string, cut bool) {
	head, cut = oneLine(text, thoughtLine)
	head = strings.Trim(strings.TrimLeft(head, "# "), "* ")
	return head, cut
}
