package tui

import (
	"parley/internal/cell"
	"parley/internal/command"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/term"
)

// recallScreens is how much of the past is shown when a session is opened.
const recallScreens = 3

// Reduce takes an input into the model and returns what the model wants of the
// world. It reads no clock and touches no terminal.
func Reduce(m Model, in Input) (Model, []Intent) {
	var out []Intent
	switch in := in.(type) {
	case Ticked:
		m.ticked(in)
	case Typed:
		out = m.typed(in.Event)
	case Opened:
		m.opened(in)
	case Happened:
		m.happened(in.Event)
	case Answered:
		out = m.answered(in.Result)
	case Inputs:
		m.composer = m.composer.earlier(in.Texts)
	case Warned:
		m.say(cell.Clean(in.Fault.Message), bad, faultTime)
	case Lost:
		if m.lost.IsZero() {
			m.lost = m.now
		}
		m.urge(UrgencyNow)
	case Laid:
		m.urgency = UrgencyNone
		if in.Page.more {
			m.urgency = UrgencyNow
		}
		if len(in.Page.Commit) > 0 {
			m.sync = NeedsInsert
		}
		m.redraw, m.bell = false, false
		m.blankBelow = m.blankBelow.laid(in.Page, in.Page.log.leaving)
	case Committed:
		m.log.commit(in.To, m.width(), m.viewContext())
		m.sync = InsertedNeedsRedraw
	case Drawn:
		m.drawn(in.Page)
	case Read:
		if m.asking.phase != ConfirmNone && in.Ask == m.asking.ask.Ask {
			m.asking.read = true
			m.urge(UrgencyNow)
		}
	case Cleared:
		m.log.clear()
		m.redraw = true
		m.urge(UrgencyNow)
	}
	m.asking = m.asking.follow(m.log.source.OpenAsks(), m.client)
	if _, call := m.subjectOf(m.asking.ask.Call); call != nil {
		m.asking.diff = call.Preview != nil && call.Preview.Diff != ""
	}
	m.asking = m.asking.arm(&m)
	return m, out
}

// ticked moves the clock. What counts seconds is seen to do so.
func (m *Model) ticked(in Ticked) {
	before := m.now
	m.now = in.Now
	if m.notice.text != "" && !m.now.Before(m.notice.at.Add(m.notice.lasts)) {
		m.notice = notice{}
		m.urge(UrgencySoon)
	}
	if m.now.Unix() != before.Unix() && (m.busy() || m.asking.phase != ConfirmNone || m.notice.aged) {
		m.urge(UrgencySoon)
	}
	if a := m.asking.arm(m); a.phase != m.asking.phase {
		m.asking = a
		m.urge(UrgencyNow)
	}
}

func (m *Model) drawn(p Page) {
	m.sync = SyncIdle
	if p.Ask == "" || p.Ask != m.asking.ask.Ask {
		return
	}
	m.asking.told = p.told
	if p.read && !m.asking.read {
		m.asking.read = true
		m.urge(UrgencyNow)
	}
	if m.asking.drawn.IsZero() {
		m.asking.drawn = m.now
	}
}

// opened takes the session over, with its past, or goes on after the connection
// was lost.
func (m *Model) opened(in Opened) {
	if !m.lost.IsZero() {
		m.say("connected again", dim, noticeTime)
		m.lost = zeroTime
	}
	m.client = in.Client
	m.urge(UrgencyNow)
	if in.State == nil {
		return
	}
	m.state, m.counted = in.State, counted{}
	if len(in.Past) == 0 {
		m.show.Attach(m.state) // the log takes everything
		m.take(true)
		return
	}
	past := m.state.Resume(0)
	for _, e := range in.Past {
		m.show.Apply(past, e)
		m.take(true)
	}
	m.log.trimPast(recallScreens*m.size.Height, m.size.Width, in.More, m.viewContext())
}

// happened folds an event in and takes the commands that show it.
func (m *Model) happened(e event.Event) {
	if second := e.Time.Unix(); second > m.counted.second && m.state.Run != nil {
		m.counted = counted{second, m.state.Run.Written}
	}
	m.show.Apply(m.state, e)
	m.take(false)
	if e.Session == m.state.Session {
		m.urge(urgencyOf(e))
	}
}

// urgencyOf says how soon an event must be seen in the rows that read the state, such
// as the status. What it adds to the log comes as commands, with their own urgency.
func urgencyOf(e event.Event) Urgency {
	switch e.Body.(type) {
	case event.RunAborting, event.PlanChanged, event.PlanCleared, event.CallAnnounced:
		return UrgencyNow
	case event.SessionOpened, event.SettingChanged, event.ClientJoined, event.ClientLeft, event.InputQueued, event.InputChanged,
		event.InputTaken, event.InputDropped, event.TurnStarted, event.ResponseStarted, event.PermissionReady, event.PermissionDecided:
		return UrgencySoon
	case event.SessionTitled, event.UsageChanged:
		return UrgencyLow
	}
	return UrgencyNone
}

// take takes what the display has yielded.
func (m *Model) take(old bool) {
	for _, c := range m.shows.take() {
		m.shown(c, old)
	}
}

// shown takes a command of the display, an old one of the past that is shown at
// the start.
func (m *Model) shown(c display.RenderCommand, old bool) {
	m.log.source.Render(c)
	urgency := UrgencyNow
	switch c := c.(type) {
	case display.AppendText, display.AppendThought, display.AppendCall:
		urgency = UrgencySoon
	case display.StartRun:
		m.when, m.counted = event.WhenPause, counted{second: c.At.Time.Unix()}
	case display.OpenAgent:
		agents := map[event.SessionID]bool{c.At.Session: true}
		for id := range m.agents {
			agents[id] = true
		}
		m.agents = agents
	case display.OpenAsk:
		m.bell = !old && m.blurred
	case display.CloseAsk:
		m.closed(c)
	}
	if old {
		urgency = UrgencySoon
	}
	m.urge(urgency)
}

// closed shows who answered an ask that this terminal did not answer.
func (m *Model) closed(c display.CloseAsk) {
	if m.asking.mine[c.Closed.Ask] || !m.now.Before(c.At.Time.Add(closedTime)) {
		return
	}
	text := cell.Clean(string(c.Closed.Outcome))
	switch c.Closed.Method {
	case event.MethodTimeout:
		text = "nobody answered in time"
	case event.MethodAbort:
		text = "not answered: the run was stopped"
	case event.MethodRecovery:
		text = "not answered: the daemon stopped"
	default:
		if c.Closed.Who != "" {
			text += " on " + cell.Clean(c.Closed.Who)
		}
	}
	m.say(text, dim, closedTime)
	m.notice.at, m.notice.aged = c.At.Time, true
}

// answered takes the result of a command. What was refused is said, and its text
// comes back where it can.
func (m *Model) answered(r command.Result) []Intent {
	text, mine := m.sent[r.ID]
	if mine {
		sent := map[string]string{}
		for id, t := range m.sent {
			if id != r.ID {
				sent[id] = t
			}
		}
		m.sent = sent
	}
	answer := r.Name == command.Name(command.Answer{})
	if r.Fault == nil {
		if answer && len(m.asking.rest) > 0 {
			next := m.asking.rest[0]
			m.asking.rest = m.asking.rest[1:]
			return []Intent{m.send(next, "")}
		}
		return nil
	}
	if answer {
		m.asking.sent, m.asking.rest = false, nil
	}
	if text != "" && m.composer.text == "" {
		m.composer = m.composer.set(text)
	}
	m.say(cell.Clean(r.Fault.Message), bad, faultTime)
	return nil
}

// typed takes what the terminal reports.
func (m *Model) typed(e term.Event) []Intent {
	switch e := e.(type) {
	case term.Key:
		m.urge(UrgencyNow)
		out := m.key(e)
		m.typedAt = m.now
		return out
	case term.Paste:
		m.urge(UrgencyNow)
		a, taken := m.asking.paste(e.Text)
		if m.asking = a; !taken {
			m.draft()
			m.composer = m.composer.paste(e.Text)
		}
		m.typedAt = m.now
	case term.Size:
		if e != m.size {
			m.blankBelow = m.blankBelow.resized(m.size, e, m.can.Reflow)
			m.size = e
			m.urge(UrgencyNow)
		}
	case term.Capable:
		if e.Reflow != m.can.Reflow && e.Reflow != term.ReflowUnknown {
			m.urge(UrgencyNow) // a terminal that says nothing is not written to for that
		}
		m.can = e.Abilities
	case term.Resumed:
		m.redraw = true
		m.urge(UrgencyNow)
	case term.Signal:
		return []Intent{Quit{Signal: e.Signal}}
	case term.Gone:
		return []Intent{Quit{Err: e.Err}}
	case term.Focus:
		m.blurred = !e.Gained
	}
	return nil
}
