package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

// agentRows is how much of a sub-agent's answer stands in the log.
const agentRows = 3

// An agentView is a sub-agent: one line that says what it does now, and at the
// end what it found.
type agentView struct {
	item  *display.Item
	asked []cell.Line // what its calls would do, as far as somebody was asked
	shown int         // calls that are in it
	made  []line
}

func (v *agentView) prune(int) {}

func (v *agentView) name(r *lineBuilder) *lineBuilder {
	a, s := v.item.Agent, v.item.Voice.Style
	r.add(s.With(cell.Bold), "task").add(s, " "+v.item.Voice.Name)
	what := a.Description
	if what == "" {
		what = a.Prompt
	}
	if d, _ := oneLine(what, titleBytes); d != "" {
		r.add(plain, fmt.Sprintf(" %q", d))
	}
	return r
}

func (v *agentView) lines(width int, s *viewContext) (all []line, stable int) {
	v.show(width)
	if !v.item.Open {
		if v.made == nil {
			v.made = number(append(v.asked[:len(v.asked):len(v.asked)], v.final()...))
		}
		return v.made, len(v.made)
	}
	all = number(v.asked)
	all = append(all, line{text: v.now(width, s), end: len(all) + 1, live: true})
	return all, len(v.asked)
}

// show adds what the calls would do that somebody was asked about. It stays.
func (v *agentView) show(width int) {
	asked, voice := v.item.Agent.Asked, v.item.Voice
	for ; v.shown < len(asked); v.shown++ {
		rows, _ := shownOf((&lineBuilder{}).add(voice.Style, "  "+voice.Name+" "), asked[v.shown], true, width, shownLines)
		v.asked = append(v.asked, rows...)
	}
}

// now is the one line of a sub-agent that works.
func (v *agentView) now(width int, s *viewContext) cell.Line {
	a := v.item.Agent
	right := &lineBuilder{}
	if a.Done > 0 {
		right.add(good, fmt.Sprintf("✓ %d  ", a.Done))
	}
	if a.Failed > 0 {
		right.add(bad, fmt.Sprintf("✗ %d  ", a.Failed))
	}
	if doing := v.doing(max(width/3, 8)); doing != "" {
		right.add(dim, doing+"  ")
	}
	took := cell.Styled(seconds(v.item.Duration(s.now)), dim)
	left := v.name((&lineBuilder{}).add(dim, s.sign()+" ")).line
	for _, end := range []cell.Line{cell.Join(right.line, took), took} {
		room := width - 3 - end.Width()
		if room >= width/2 {
			return justify(cell.Truncate(left, room), end, width)
		}
	}
	return left
}

// doing is what the sub-agent does now: its call, or else what it thinks about.
func (v *agentView) doing(limit int) string {
	a := v.item.Agent
	if n := len(a.Calls); n > 0 {
		c := a.Calls[n-1]
		doing, _ := oneLine(strings.TrimSpace(cell.Clean(c.Name)+" "+titleOf(c)), limit)
		return "◐ " + doing
	}
	doing, _ := oneLine(a.Header, limit)
	return doing
}

func (v *agentView) final() []cell.Line {
	a := v.item.Agent
	sign, style := "✓", good
	if a.Reason != event.ReasonDone {
		sign, style = "✗", bad
	}
	r := v.name((&lineBuilder{}).add(style, sign+" "))
	if a.Reason != event.ReasonDone && a.Reason != "" {
		r.add(dim, "  "+cell.Clean(string(a.Reason)))
	}
	r.add(dim, "  "+plural(a.Done+a.Failed, "call"))
	if d := v.item.Duration(v.item.Ended); d > 0 {
		r.add(dim, "  "+duration(d))
	}
	lines := []cell.Line{r.line}
	text := strings.TrimSpace(cell.Clean(v.item.Text()))
	if text == "" {
		return lines
	}
	rows := slices.DeleteFunc(strings.Split(text, "\n"), func(t string) bool { return strings.TrimSpace(t) == "" })
	for _, t := range head(rows, agentRows) {
		lines = append(lines, cell.Plain("  "+clip(t)))
	}
	if n := len(rows) - agentRows; n > 0 {
		lines = append(lines, more(n))
	}
	return lines
}
