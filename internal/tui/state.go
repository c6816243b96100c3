package tui

import (
	"fmt"
	"time"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

// stateRow says what is waited for, for how long, and which keys matter now.
// It is nil when nothing goes on.
func (m *Model) stateRow(width int) cell.Line {
	what, since, style := m.waitingFor()
	if what == "" {
		return nil
	}
	brief := (&setter{}).add(style, m.scene().sign()+" ", what)
	if !since.IsZero() {
		brief.add(dim, " · "+seconds(m.now.Sub(since)))
	}
	full := brief.line
	if n := m.counted / 4; n > 0 && m.running() {
		full = cell.Join(full, cell.Styled(" · ~"+plural(n, "token"), dim))
	}
	return beside(m.keys(), width, full, brief.line)
}

// beside sets the fullest account of the keys that fits beside the fullest of
// the lines. A line that is too long for the row itself is cut for the last of the
// keys too, if most of the row is left to it.
func beside(keys []string, width int, lines ...cell.Line) cell.Line {
	for _, l := range lines {
		for _, k := range keys {
			if row := spread(l, cell.Styled(k, dim), width); row.Width() > l.Width() {
				return row
			}
		}
	}
	last, key := lines[len(lines)-1], cell.Styled(keys[len(keys)-1], dim)
	if room := width - 1 - key.Width() - 2; last.Width() >= width && 3*room >= 2*width {
		return spread(cell.Truncate(last, room), key, width)
	}
	return cell.Truncate(lines[0], max(width-1, 1))
}

// waitingFor names what is waited for, and since when.
func (m *Model) waitingFor() (what string, since time.Time, style cell.Style) {
	st := m.log.source.Status()
	switch {
	case !m.lost.IsZero():
		return "reconnecting", m.lost, needed
	case !m.running():
		return "", time.Time{}, plain
	case st.Aborting:
		return "stopping", st.Aborted, plain
	}
	if r := m.retry(); r != nil {
		reason, _ := oneLine(r.Retry.Reason, 60)
		left := r.Began.Add(time.Duration(r.Retry.DelayMS) * time.Millisecond).Sub(m.now)
		if left <= 0 {
			return fmt.Sprintf("asking again (%d of %d): %s", r.Retry.Attempt, r.Retry.Max, reason), r.Began, needed
		}
		return fmt.Sprintf("asking again in %s (%d of %d): %s", seconds(left+time.Second-1), r.Retry.Attempt, r.Retry.Max, reason), time.Time{}, needed
	}
	for _, it := range m.log.source.OpenAsks() {
		if to := it.Ask.Opened.To; to != "" && to != m.session.client {
			return "waiting for an answer on another client", it.Began, plain
		}
	}
	if m.session.ready != "" {
		return cell.Clean(m.session.ready) + " is ready to be decided", time.Time{}, plain
	}
	return m.phase(st), m.since(st), plain
}

// since returns when the phase began: as the log says, and where it does not say,
// when the run did.
func (m *Model) since(st display.Status) time.Time {
	if st.Since.IsZero() {
		return st.Run
	}
	return st.Since
}

func (m *Model) phase(st display.Status) string {
	switch st.Phase {
	case display.Thinking, display.Error, display.Idle:
		if st.Hint != "" {
			return "writing a call of " + cell.Clean(st.Hint)
		}
		if items := m.log.source.Items(); len(items) > 0 && items[len(items)-1].Open && items[len(items)-1].Kind == display.KindThought {
			return "thinking"
		}
		if name := m.session.modelName(); name != "" {
			return "waiting for " + name
		}
		return "waiting for the model"
	case display.StreamingText:
		return "writing"
	case display.ToolExecuting:
		if st.What != "" {
			return "running " + cell.Clean(st.What)
		}
		return "running a tool"
	}
	return "working"
}

// retry returns the retry that is waited for, or nil.
func (m *Model) retry() *display.Item {
	for _, it := range m.log.source.Items() {
		if it.Kind == display.KindRetry && it.Open {
			return it
		}
	}
	return nil
}

// whens say when a steer takes over, in full and in short.
var whens = map[event.When][2]string{
	event.WhenPause: {"steer", "steer"},
	event.WhenAfter: {"steer after this step", "steer after"},
	event.WhenNow:   {"steer now", "steer now"},
}

// keys are the keys that matter, the fullest account first.
func (m *Model) keys() []string {
	steer := whens[m.when]
	switch {
	case !m.lost.IsZero(), m.log.source.Status().Aborting:
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
