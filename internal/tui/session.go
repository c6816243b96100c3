package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/internal/cell"
	"parley/internal/event"
	"parley/internal/transcript"
)

// A session is what is known of the session beside its story: the settings, who
// watches, what waits in the queue.
type session struct {
	id        event.SessionID
	client    event.ClientID
	model     string
	expected  string // to answer, before it is known what does
	workspace string
	run       int // its number, of the last one that began
	usage     event.UsageChanged
	clients   []event.ClientID
	queue     []queued
	ready     string // the tool whose permission can be decided now
}

// A queued input waits for its turn.
type queued struct {
	id   event.InputID
	lane event.Lane
	text string
}

// open takes what is known of a session at the begin of its story.
func (s session) open(st *transcript.State, client event.ClientID) session {
	s = session{id: st.Session, client: client, expected: s.expected, model: modelOf(st), workspace: st.Workspace, usage: st.Usage}
	if st.Run != nil {
		s.run = st.Run.Number
	}
	for _, c := range st.Clients {
		s.clients = append(s.clients, c.Client)
	}
	for _, in := range st.Queue {
		if !in.Taken {
			s.queue = append(s.queue, queued{in.Input, in.Lane, in.Text})
		}
	}
	return s
}

// modelOf is the model that was set, or else the one that answers, or did last.
func modelOf(st *transcript.State) string {
	if st.Settings.Model != "" {
		return st.Settings.Model
	}
	if st.Step != nil && st.Step.Response != nil {
		return st.Step.Response.Model
	}
	for _, e := range slices.Backward(st.Entries) {
		if e.Content != nil && len(e.Content.Parts) > 0 {
			return e.Content.Parts[len(e.Content.Parts)-1].Model
		}
	}
	return ""
}

// happened takes an event that is state. Events of sub-agents are not about this
// session.
func (s session) happened(e event.Event) session {
	if s.id == "" {
		s.id = e.Session
	}
	if e.Session != s.id {
		return s
	}
	switch b := e.Body.(type) {
	case event.SessionOpened:
		s.workspace = b.Workspace
	case event.SettingChanged:
		if b.Model != nil {
			s.model = *b.Model
		}
	case event.RunStarted:
		s.run = b.Number
	case event.ResponseStarted:
		if s.model == "" {
			s.model = b.Model
		}
	case event.UsageChanged:
		s.usage = b
	case event.ClientJoined:
		s.clients = append(slices.Clip(s.clients), b.Client)
	case event.ClientLeft:
		s.clients = slices.DeleteFunc(slices.Clone(s.clients), func(c event.ClientID) bool { return c == b.Client })
	case event.InputQueued:
		s.queue = append(slices.Clip(s.queue), queued{b.Input, b.Lane, b.Text})
	case event.InputChanged:
		s.queue = s.changed(b)
	case event.InputTaken:
		s = s.without(b.Inputs...)
	case event.TurnStarted:
		s = s.without(b.Inputs...)
	case event.InputDropped:
		s = s.without(b.Input)
	case event.PermissionReady:
		s.ready = b.Tool
	case event.AskOpened, event.PermissionDecided, event.RunEnded:
		s.ready = ""
	}
	return s
}

// differs reports whether something changed that is worth a frame of its own. The
// tokens are not: they go with the next one.
func (s session) differs(o session) bool {
	return s.model != o.model || s.workspace != o.workspace || s.ready != o.ready ||
		len(s.clients) != len(o.clients) || !slices.Equal(s.queue, o.queue)
}

func (s session) changed(b event.InputChanged) []queued {
	out := slices.Clone(s.queue)
	i := slices.IndexFunc(out, func(q queued) bool { return q.id == b.Input })
	if i < 0 {
		return out
	}
	if b.Text != nil {
		out[i].text = *b.Text
	}
	if b.Position != nil {
		moved := out[i]
		out = slices.Delete(out, i, i+1)
		at, n := len(out), 0
		for k, q := range out {
			if q.lane == moved.lane {
				if n == *b.Position {
					at = k
					break
				}
				n++
			}
		}
		out = slices.Insert(out, at, moved)
	}
	return out
}

func (s session) without(ids ...event.InputID) session {
	s.queue = slices.DeleteFunc(slices.Clone(s.queue), func(q queued) bool { return slices.Contains(ids, q.id) })
	return s
}

// waiting are the queued inputs that are worth a row: a prompt that is about to
// begin is not.
func (s session) waiting(running bool) []queued {
	if !running {
		return nil
	}
	return s.queue
}

var lanes = map[event.Lane]string{event.LaneSteer: "steers", event.LaneFollowUp: "queued", event.LanePrompt: "next run"}

// queueRow shows what is queued.
func (s session) queueRow(width int, running bool) cell.Line {
	waiting := s.waiting(running)
	if len(waiting) == 0 {
		return nil
	}
	last := waiting[len(waiting)-1]
	text, _ := oneLine(last.text, titleBytes)
	left := (&setter{}).add(dim, "  "+lanes[last.lane]+"  ↳ ").add(plain, text)
	if n := len(waiting) - 1; n > 0 {
		left.add(dim, fmt.Sprintf("  and %d more", n))
	}
	right := cell.Styled("alt+↑ edit", dim)
	return spread(cell.Truncate(left.line, max(width-1-right.Width()-2, width/2)), right, width)
}

// modelName is the model without its provider.
func (s session) modelName() string {
	name := cmp.Or(s.model, s.expected)
	return cell.Clean(name[strings.LastIndexByte(name, '/')+1:])
}

// scant is the width up to which the context is told in percent only.
const scant = 48

// statusRow is the last row: what answers, how full its memory is, where, and
// who else is there. What does not fit is left out from the right.
func (s session) statusRow(width int, title string) cell.Line {
	facts := []string{"parley"}
	if name := s.modelName(); name != "" {
		facts = append(facts, name)
	}
	if u := s.usage; u.ContextLimit > 0 {
		full := fmt.Sprintf("%d %%", (u.ContextUsed*100+u.ContextLimit/2)/u.ContextLimit)
		if width > scant {
			full = fmt.Sprintf("%s of %s (%s)", short(u.ContextUsed), short(u.ContextLimit), full)
		}
		facts = append(facts, full)
	}
	if s.run > 0 {
		facts = append(facts, fmt.Sprintf("run %d", s.run))
	}
	if b := base(s.workspace); b != "" {
		facts = append(facts, cell.Clean(b))
	}
	if n := len(s.clients); n > 1 {
		facts = append(facts, fmt.Sprintf("%d watching", n))
	}
	if head, _ := oneLine(title, 48); head != "" {
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
