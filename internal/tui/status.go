package tui

import (
	"cmp"
	"fmt"
	"strings"

	"parley/internal/cell"
	"parley/internal/event"
	"parley/internal/transcript"
)

// waiting are the queued inputs that are worth a row, while a run is open: a
// prompt that is about to begin is not.
func (m *Model) waiting() []transcript.Input {
	if !m.running() {
		return nil
	}
	var out []transcript.Input
	for _, in := range m.state.Queue {
		if !in.Taken {
			out = append(out, in)
		}
	}
	return out
}

var lanes = map[event.Lane]string{event.LaneSteer: "steers", event.LaneFollowUp: "queued", event.LanePrompt: "next run"}

// queueRow shows what is queued.
func (m *Model) queueRow(width int) cell.Line {
	waiting := m.waiting()
	if len(waiting) == 0 {
		return nil
	}
	last := waiting[len(waiting)-1]
	text, _ := oneLine(last.Text, titleBytes)
	left := (&lineBuilder{}).add(dim, "  "+lanes[last.Lane]+"  ↳ ").add(plain, text)
	if n := len(waiting) - 1; n > 0 {
		left.add(dim, fmt.Sprintf("  and %d more", n))
	}
	right := cell.Styled("alt+↑ edit", dim)
	return justify(cell.Truncate(left.line, max(width-1-right.Width()-2, width/2)), right, width)
}

// modelName is the model that answers, without its provider; before any has
// answered, the one that is going to.
func (m *Model) modelName() string {
	name := cmp.Or(m.state.Model(), m.expected)
	return cell.Clean(name[strings.LastIndexByte(name, '/')+1:])
}

// runNumber is the number of the open run or of the last one; 0 for none.
func runNumber(s *transcript.State) int {
	switch {
	case s.Run != nil:
		return s.Run.Number
	case s.Last != nil:
		return s.Last.Number
	}
	return 0
}

// spent is what a session has cost so far and how much of what was sent came from
// the provider's cache; nothing where that is not known. A cost of which not every
// price is known has a plus.
func spent(u event.Usage) []string {
	var facts []string
	if u.Cost > 0 {
		cost := fmt.Sprintf("$%.2f", float64(u.Cost)/1e6)
		if u.Cost < 10_000 {
			cost = "under $0.01"
		}
		if u.Unpriced > 0 {
			cost += "+"
		}
		facts = append(facts, cost)
	}
	if u.CachedRead > 0 && u.Input > 0 {
		facts = append(facts, fmt.Sprintf("%d %% cached", u.CachedRead*100/u.Input))
	}
	return facts
}

// narrowStatus is the width up to which the context is shown in percent only.
const narrowStatus = 48

// statusRow is the last row: what answers, how full its memory is, where, and
// who else is there. What does not fit is left out from the right.
func (m *Model) statusRow(width int) cell.Line {
	s := m.state
	facts := []string{"parley"}
	if name := m.modelName(); name != "" {
		facts = append(facts, name)
	}
	if u := s.Usage; u.ContextLimit > 0 {
		full := fmt.Sprintf("%d %%", (u.ContextUsed*100+u.ContextLimit/2)/u.ContextLimit)
		if width > narrowStatus {
			full = fmt.Sprintf("%s of %s (%s)", short(u.ContextUsed), short(u.ContextLimit), full)
		}
		facts = append(facts, full)
	}
	facts = append(facts, spent(s.Usage.Session)...)
	if n := runNumber(s); n > 0 {
		facts = append(facts, fmt.Sprintf("run %d", n))
	}
	if b := base(s.Workspace); b != "" {
		facts = append(facts, cell.Clean(b))
	}
	if n := len(s.Clients); n > 1 {
		facts = append(facts, fmt.Sprintf("%d watching", n))
	}
	if head, _ := oneLine(s.Title, 48); head != "" {
		facts = append(facts, head)
	}
	text := ""
	for i, f := range facts {
		if i > 0 {
			f = " · " + f
		}
		if cell.Width(text)+cell.Width(f)+3 > width {
			break
		}
		text += f
	}
	return cell.Styled("  "+text, dim)
}
