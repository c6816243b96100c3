package tui

import (
	"cmp"
	"fmt"
	"time"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/transcript"
)

// stateRow says what is waited for, for how long, and which keys matter now.
// It is nil when nothing goes on.
func (m *Model) stateRow(width int) cell.Line {
	what, since, style := m.waitingFor()
	if what == "" && m.failed() && m.composer.text == "" {
		return cell.Truncate(cell.Styled("  ctrl+r goes on from there", dim), max(width-1, 1))
	}
	if what == "" {
		return nil
	}
	brief := (&lineBuilder{}).add(style, m.viewContext().sign()+" ", what)
	if !since.IsZero() {
		brief.add(dim, " · "+seconds(m.now.Sub(since)))
	}
	full := brief.line
	if n := m.written() / 4; n > 0 && m.running() {
		full = cell.Join(full, cell.Styled(" · ~"+plural(n, "token"), dim))
	}
	return withKeys(m.keys(), width, full, brief.line)
}

// failed reports whether the last run ended before its time, by itself, and can go on.
func (m *Model) failed() bool {
	last := m.state.Last
	return last != nil && (last.Reason == event.ReasonError || last.Reason == event.ReasonLimit || last.Reason == event.ReasonRecovered) && m.state.Unfinished()
}

// withKeys returns the first of the lines that leaves room for keys, with the first
// of the keys that fit beside it; both are ordered from the longest to the shortest.
// Where none does, a last line that is too long for the row is cut for the shortest
// keys if it keeps two thirds of the row; else the first line is shown without keys.
func withKeys(keys []string, width int, lines ...cell.Line) cell.Line {
	for _, l := range lines {
		for _, k := range keys {
			if row := justify(l, cell.Styled(k, dim), width); row.Width() > l.Width() {
				return row
			}
		}
	}
	last, key := lines[len(lines)-1], cell.Styled(keys[len(keys)-1], dim)
	if room := width - 1 - key.Width() - 2; last.Width() >= width && 3*room >= 2*width {
		return justify(cell.Truncate(last, room), key, width)
	}
	return cell.Truncate(lines[0], max(width-1, 1))
}

// written is how much the model has written in the run, in bytes, as of the last
// full second.
func (m *Model) written() int {
	switch {
	case m.state.Run == nil:
		return 0
	case m.now.Unix() > m.counted.second:
		return m.state.Run.Written
	}
	return m.counted.bytes
}

// waitingFor names what is waited for, and since when.
func (m *Model) waitingFor() (what string, since time.Time, style cell.Style) {
	s := m.state
	switch {
	case !m.lost.IsZero():
		return "reconnecting", m.lost, needed
	case !m.running():
		return "", time.Time{}, plain
	case m.aborting():
		return "stopping", s.Run.Stopping, plain
	}
	if s.Step != nil && s.Step.Retry != nil {
		return m.retrying(s.Step.Retry)
	}
	for _, it := range m.log.source.OpenAsks() {
		if to := it.Ask.Opened.To; to != "" && to != m.client {
			return "waiting for an answer on another client", it.Began, plain
		}
	}
	if tool := ready(s); tool != "" {
		return cell.Clean(tool) + " is ready to be decided", time.Time{}, plain
	}
	what, since = m.phase()
	return what, since, plain
}

// retrying says that the model is asked again.
func (m *Model) retrying(r *transcript.Retry) (what string, since time.Time, style cell.Style) {
	reason, _ := oneLine(r.Reason, 60)
	left := r.At.Add(time.Duration(r.DelayMS) * time.Millisecond).Sub(m.now)
	if left <= 0 {
		return fmt.Sprintf("asking again (%s): %s", r.Count(" of "), reason), r.At, needed
	}
	return fmt.Sprintf("asking again in %s (%s): %s", seconds(left+time.Second-1), r.Count(" of "), reason), time.Time{}, needed
}

// ready is the tool of a call that can be decided and that nobody is asked about
// yet; empty for none.
func ready(s *transcript.State) string {
	if s.Step == nil || len(s.Asks) > 0 {
		return ""
	}
	for _, c := range s.Step.Calls {
		if c.Ready && c.Decided == nil && c.Ended == nil {
			return c.Name
		}
	}
	return ""
}

// phase says what goes on, and since when: as the log says, and where it does not
// say, since the run began.
func (m *Model) phase() (what string, since time.Time) {
	s := m.state
	switch phase, tool := display.PhaseOf(s); phase {
	case display.StreamingText:
		return "writing", s.Block().Started
	case display.ToolExecuting:
		return "running " + cell.Clean(cmp.Or(tool, "a tool")), s.Running().Started
	case display.Thinking, display.Error, display.Idle:
	}
	if since = s.Waiting; since.IsZero() && s.Run != nil {
		since = s.Run.Started
	}
	if b := s.Block(); b != nil && b.Role == event.RoleThinking {
		return "thinking", since
	}
	if r := s.Response(); r != nil && r.Phase == transcript.Open && r.Block == nil && len(r.Announced) > 0 {
		return "writing a call of " + cell.Clean(r.Announced[len(r.Announced)-1].Name), since
	}
	if name := m.modelName(); name != "" {
		return "waiting for " + name, since
	}
	return "waiting for the model", since
}

// steerWords say when a steer takes over, in full and in short.
var steerWords = map[event.When][2]string{
	event.WhenPause: {"steer", "steer"},
	event.WhenAfter: {"steer after this step", "steer after"},
	event.WhenNow:   {"steer now", "steer now"},
}

// keys are the keys that matter, the fullest account first.
func (m *Model) keys() []string {
	steer := steerWords[m.when]
	switch {
	case !m.lost.IsZero(), m.aborting():
		return []string{"ctrl+c ctrl+c leave"}
	case m.edited != "":
		return []string{"enter changes it · esc leaves it", "enter changes it"}
	case m.composer.text == "":
		return []string{"esc interrupt · enter " + steer[0], "esc interrupt"}
	}
	return []string{
		"enter " + steer[0] + " · tab when · alt+enter queue · esc interrupt",
		"enter " + steer[0] + " · alt+enter queue",
		"enter " + steer[0],
		"enter " + steer[1],
	}
}
