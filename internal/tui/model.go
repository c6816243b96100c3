package tui

import (
	"fmt"
	"time"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/term"
	"parley/internal/transcript"
)

// A Model is all that the screen is made of. It is used linearly: after Reduce
// only the model that it returned may be used.
type Model struct {
	size       term.Size
	now        time.Time
	can        term.Abilities
	state      *transcript.State // of the session, after all that is in the log
	show       *display.Controller
	shows      *commands // of show, that log does not have yet
	log        *log
	composer   composer
	asking     asking
	client     event.ClientID // of this connection
	expected   string         // to answer, before any model has
	edited     event.InputID  // the queued input that the composer edits
	when       event.When     // of a steer
	agents     map[event.SessionID]bool
	counted    counted
	lost       time.Time // when the connection was lost; zero: it is there
	notice     notice
	typedAt    time.Time         // when the last key came
	leaving    time.Time         // when Ctrl+C or Ctrl+D was pressed first
	sent       map[string]string // texts on their way, by the id of their command
	commands   int
	sync       SyncPhase
	urgency    Urgency
	blankBelow blankBelow
	redraw     bool // the next frame begins anew
	last       bool // there will be no further frame
	bell       bool
	words      bool // finished lines are broken between words, not by the terminal
	blurred    bool // the user looks elsewhere: an ask rings
}

// A notice is said for a moment, in the place of the state.
type notice struct {
	text  string
	style cell.Style
	at    time.Time
	lasts time.Duration
	aged  bool // it says how long ago it was
}

// An Urgency says how soon a change is to be seen.
type Urgency int

// The urgencies.
const (
	UrgencyNone Urgency = iota // nothing changed
	UrgencyLow                 // with the next frame, whenever that is
	UrgencySoon                // at the pace of streamed text; see pace
	UrgencyNow                 // at once
)

// commands are what the display yields, until the model has taken it.
type commands struct{ yielded []display.RenderCommand }

// Render takes a command.
func (c *commands) Render(cmd display.RenderCommand) error {
	c.yielded = append(c.yielded, cmd)
	return nil
}

// take returns what was yielded. It is the caller's until the next Render.
func (c *commands) take() []display.RenderCommand {
	out := c.yielded
	c.yielded = c.yielded[:0]
	return out
}

// counted is how much the model had written at a point of time, for a number that
// is to change no more often than the seconds do.
type counted struct {
	second int64 // of the last event
	bytes  int   // before its first event
}

// New returns the model of a screen of this size on which nothing happened yet.
func New(size term.Size, now time.Time) Model {
	shows := &commands{}
	return Model{size: size, now: now, state: transcript.New(), show: display.New(shows), shows: shows, log: newLog(), when: event.WhenPause, agents: map[event.SessionID]bool{}, sent: map[string]string{}, urgency: UrgencyNow}
}

// Urgency returns how soon the changes since the last frame are to be seen.
func (m Model) Urgency() Urgency { return m.urgency }

func (m *Model) urge(u Urgency) { m.urgency = max(m.urgency, u) }

// running reports whether a run is open.
func (m *Model) running() bool {
	phase, _ := display.PhaseOf(m.state)
	return m.state.Run != nil || phase != display.Idle && phase != display.Error
}

// aborting reports whether the open run is being stopped.
func (m *Model) aborting() bool { return m.state.Run != nil && m.state.Run.Aborting }

// busy reports whether frames come that nobody's keys asked for: then the
// cursor is painted, and the terminal's own rests hidden.
func (m *Model) busy() bool { return m.running() || !m.lost.IsZero() }

func (m *Model) viewContext() *viewContext {
	return &viewContext{now: m.now, agent: m.agents}
}

// say shows a notice.
func (m *Model) say(text string, style cell.Style, d time.Duration) {
	m.notice = notice{text: text, style: style, at: m.now, lasts: d}
	m.urge(UrgencyNow)
}

func (n notice) row(now time.Time) cell.Line {
	if n.text == "" {
		return nil
	}
	text := "  " + n.text
	if n.aged {
		text += fmt.Sprintf(", %s ago", seconds(now.Sub(n.at)))
	}
	return cell.Styled(text, n.style)
}

// Wake returns when the screen changes by itself, for the clock to tell; the
// zero time is never.
func (m Model) Wake() time.Time {
	var at time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if m.busy() || m.asking.phase != ConfirmNone || m.notice.aged && m.notice.text != "" {
		sooner(m.now.Truncate(time.Second).Add(time.Second))
	}
	if m.asking.phase == ConfirmPending && !m.asking.drawn.IsZero() && m.asking.wanted(&m) {
		sooner(m.asking.armed(&m))
	}
	if m.notice.text != "" {
		sooner(m.notice.at.Add(m.notice.lasts))
	}
	return at
}
