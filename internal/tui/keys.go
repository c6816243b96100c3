package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
)

// How long notices stay, and how long a second Ctrl+C counts.
const (
	noticeTime = 3 * time.Second
	closedTime = 10 * time.Second
	faultTime  = 12 * time.Second
	leaveTime  = 2 * time.Second
)

var zeroTime time.Time

// key takes a key press: what is meant for the program, then for an open ask,
// then for the run, then for the composer.
func (m *Model) key(k term.Key) []Intent {
	if k.Name != "ctrl+c" && k.Name != "ctrl+d" {
		m.leaving = zeroTime
	}
	switch k.Name {
	case "ctrl+c":
		return m.interrupt()
	case "ctrl+z":
		return []Intent{Suspend{}}
	case "ctrl+l":
		m.log.clear()
		m.redraw = true
		return nil
	case "ctrl+o":
		return m.open()
	case "ctrl+r":
		return m.resume()
	case "pgup":
		return []Intent{Browse{}}
	}
	switch m.asking.phase {
	case ConfirmActive:
		if out, taken := m.answer(k); taken {
			return out
		}
		m.draft()
	case ConfirmPending:
		if m.asking.focus = k.Name == "tab"; m.asking.focus {
			return nil
		}
	case ConfirmNone:
	}
	switch k.Name {
	case "ctrl+d":
		if m.composer.text == "" {
			return m.leave("ctrl+d")
		}
	case "esc":
		return m.escape()
	case "enter":
		return m.enter(false)
	case "alt+enter":
		if m.running() {
			return m.enter(true)
		}
		k.Name = "ctrl+j"
	case "tab":
		if m.running() {
			m.when = next[m.when]
			return nil
		}
	case "alt+up":
		m.edit()
		return nil
	}
	m.composer, _ = m.composer.key(k, m.width())
	return nil
}

var next = map[event.When]event.When{event.WhenPause: event.WhenAfter, event.WhenAfter: event.WhenNow, event.WhenNow: event.WhenPause}

// send makes the intent of a command, and keeps the text that it carries until
// it was taken.
func (m *Model) send(b command.Body, text string) Intent {
	m.commands++
	id := fmt.Sprint(m.commands)
	if text != "" {
		sent := map[string]string{id: text}
		for other, t := range m.sent {
			sent[other] = t
		}
		m.sent = sent
	}
	return Send{ID: id, Body: b}
}

// enter sends what the composer holds: a prompt, a steer, a follow-up, or the
// new text of a queued input.
func (m *Model) enter(queue bool) []Intent {
	text := strings.TrimSpace(m.composer.text)
	if m.edited != "" {
		id := m.edited
		m.edited = ""
		m.composer = m.composer.remember()
		if text == "" {
			return []Intent{m.send(command.QueueRemove{Input: id}, "")}
		}
		return []Intent{m.send(command.QueueEdit{Input: id, Text: text}, text)}
	}
	if text == "" {
		return nil
	}
	if !m.lost.IsZero() {
		m.say("not connected: what you wrote stays here", needed, noticeTime)
		return nil
	}
	m.composer = m.composer.remember()
	switch {
	case !m.running():
		return []Intent{m.send(command.Prompt{Text: text}, text)}
	case queue:
		return []Intent{m.send(command.FollowUp{Text: text}, text)}
	}
	return []Intent{m.send(command.Steer{Text: text, When: m.when}, text)}
}

// resume goes on with what failed or was stopped.
func (m *Model) resume() []Intent {
	switch {
	case !m.lost.IsZero():
		m.say("not connected", needed, noticeTime)
	case m.running():
		m.say("the run goes on already", dim, noticeTime)
	case !m.state.Unfinished():
		m.say("there is nothing to go on with: the last run came to its end", dim, noticeTime)
	default:
		return []Intent{m.send(command.Prompt{Continue: true}, "")}
	}
	return nil
}

// escape leaves the edit of a queued input, or interrupts the run.
func (m *Model) escape() []Intent {
	if m.edited != "" {
		m.edited = ""
		m.composer = m.composer.set("")
		return nil
	}
	if m.running() && !m.aborting() {
		return []Intent{m.send(command.Abort{}, "")}
	}
	return nil
}

// interrupt is Ctrl+C: it empties the composer, else stops the run; twice in a
// row it leaves.
func (m *Model) interrupt() []Intent {
	var out []Intent
	switch {
	case m.composer.text != "" && m.asking.phase != ConfirmActive:
		m.composer, m.edited = m.composer.remember(), ""
		m.leaving = zeroTime
		return nil
	case m.running() && m.leaving.IsZero():
		if !m.aborting() {
			out = append(out, m.send(command.Abort{}, ""))
		}
	}
	return append(out, m.leave("ctrl+c")...)
}

// leave quits on the second press.
func (m *Model) leave(key string) []Intent {
	if key == "ctrl+d" && !m.running() || !m.leaving.IsZero() && m.now.Sub(m.leaving) <= leaveTime {
		return []Intent{Quit{}}
	}
	m.leaving = m.now
	m.say(key+" again leaves; the session stays", dim, leaveTime)
	return nil
}

// edit takes the queued input that waits longest at the end into the composer.
func (m *Model) edit() {
	waiting := m.waiting()
	if len(waiting) == 0 || m.composer.text != "" && m.edited == "" {
		return
	}
	at := len(waiting) - 1
	for i, q := range waiting {
		if q.Input == m.edited && i > 0 {
			at = i - 1
		}
	}
	m.edited = waiting[at].Input
	m.composer = m.composer.set(waiting[at].Text)
}

// answer takes a key while an ask is open. Esc and Ctrl+C still stop the run
// where the ask itself has no use for them.
func (m *Model) answer(k term.Key) (out []Intent, taken bool) {
	a := m.asking
	if k.Name == "esc" && a.ask.Kind == event.AskPermission && a.form.mode == formChoose {
		return m.escape(), true
	}
	if !m.lost.IsZero() {
		m.say("not connected", needed, noticeTime)
		return nil, true
	}
	next, answers, taken := a.key(k, m.arguments(a.ask.Call), m.width())
	m.asking = next
	for _, answer := range answers {
		out = append(out, m.send(answer, ""))
	}
	return out, taken
}

// draft gives the keys back to the draft: they are for the ask again once they
// rest, or by tab.
func (m *Model) draft() {
	if m.asking.phase == ConfirmActive {
		m.asking.phase, m.asking.focus = ConfirmPending, false
	}
}

// arguments are those of the call that an ask is about.
func (m *Model) arguments(id event.CallID) json.RawMessage {
	if _, call := m.subjectOf(id); call != nil {
		return call.Arguments
	}
	return nil
}

// open shows in a pager what the last lines left out.
func (m *Model) open() []Intent {
	if m.asking.phase != ConfirmNone && m.asking.ask.Call != "" {
		if p, ok := m.sheetOf(); ok {
			return []Intent{Browse{Pager: p}}
		}
	}
	items := m.log.source.Items()
	for i := len(items) - 1; i >= 0; i-- {
		if p, ok := whole(items[i]); ok {
			return []Intent{Browse{Pager: p}}
		}
	}
	for i := len(m.log.shortened) - 1; i >= 0; i-- {
		if p, ok := whole(m.log.shortened[i]); ok {
			return []Intent{Browse{Pager: p}}
		}
	}
	m.say("nothing was left out", dim, noticeTime)
	return nil
}
