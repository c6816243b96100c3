package tui

import (
	"strings"
	"testing"

	"parley/internal/event"
	"parley/internal/term"
)

// writing is a screen in the middle of a long paragraph, of which nothing can
// leave yet.
func writing(t *testing.T, w, h int, reflow term.Reflow) *harness {
	s := newHarness(t, w, h, reflow, "$ parley")
	s.draw()
	s.happen(begin("tell me")...)
	s.happen(event.BlockStarted{Block: "b", Role: event.RoleText}, event.BlockDelta{Block: "b", Text: strings.Repeat("a long paragraph ", 60)})
	s.draw()
	return s
}

// over ends the session and looks at what is left of it.
func over(s *harness) {
	s.t.Helper()
	s.happen(event.BlockEnded{Block: "b", Role: event.RoleText, Text: strings.Repeat("a long paragraph ", 60)})
	s.happen(finish()...)
	s.draw()
	s.draw()
	s.leave()
	s.faithful("$ parley")
}

// Whoever makes a terminal narrower by hand, a few columns at a time, finds no
// row of the live region in the scrollback, however long nothing leaves.
func TestResizeByDragging(t *testing.T) {
	for _, reflow := range []term.Reflow{term.ReflowLogical, term.ReflowShifting, term.ReflowNone} {
		s := writing(t, 160, 24, reflow)
		for w := 160; w > 40; w -= 4 {
			s.resize(w, 24)
			s.draw()
		}
		if reflow == term.ReflowLogical && s.model.blankBelow.below > 0 {
			t.Errorf("%d blank rows are expected below", s.model.blankBelow.below)
		}
		if reflow != term.ReflowNone { // it cuts off what the shell wrote
			over(s)
		}
	}
}

// Halves of halves, at one stroke each: the live rows give way while the terminal
// keeps blank rows below them.
func TestResizeByHalves(t *testing.T) {
	for _, reflow := range []term.Reflow{term.ReflowLogical, term.ReflowShifting} {
		s := writing(t, 160, 24, reflow)
		for _, w := range []int{80, 40, 120, 60, 30, 200, 100, 50} {
			s.resize(w, 24)
			s.draw()
		}
		over(s)
	}
}

// Where a terminal answers nothing, what is recorded may be shown in any: rows
// that were written before it was known are written again, as one line.
func TestSilentTerminal(t *testing.T) {
	for _, reflow := range []term.Reflow{term.ReflowLogical, term.ReflowShifting} {
		s := writing(t, 100, 24, reflow)
		s.reduce(Typed{term.Capable{Abilities: term.Abilities{Reflow: term.ReflowUnknown}}})
		s.draw()
		s.resize(50, 24)
		s.draw()
		over(s)
	}
}

// In xterm.js what is finished leaves in pieces that are written at once, whole
// blocks each; all of it leaves, and soon.
func TestFinishedBlocksLeaveWhole(t *testing.T) {
	s := newHarness(t, 80, 24, term.ReflowShifting, "$ parley")
	s.draw()
	s.happen(begin("tell me")...)
	text := strings.Repeat("a paragraph of some length, which is one of many\n\n", 60) +
		"```\n" + strings.Repeat("a line of a fence\n", 200) + "```\n\nthe end\n"
	s.happen(event.BlockStarted{Block: "b", Role: event.RoleText}, event.BlockDelta{Block: "b", Text: text})
	pages := 0
	for s.model.Urgency() == UrgencyNow {
		p := s.draw()
		pages++
		n := 0
		for _, l := range p.Commit {
			n += l.Len()
		}
		if n > pieceBytes && len(p.Commit) != 201 {
			t.Errorf("page %d commits %d bytes in %d lines", pages, n, len(p.Commit))
		}
	}
	if pages < 4 {
		t.Errorf("%d pages", pages)
	}
	s.happen(event.BlockEnded{Block: "b", Role: event.RoleText, Text: text})
	s.happen(finish()...)
	s.draw()
	s.draw()
	s.leave()
	s.faithful("$ parley")
	if n := strings.Count(strings.Join(s.commits, "\n"), "a line of a fence"); n != 200 {
		t.Errorf("%d lines of the fence", n)
	}
}
