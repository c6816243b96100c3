package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/cell"
	"parley/internal/command"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/term"
)

// quiet is how long no key may come, after an ask was drawn, before keys answer
// it. Who writes leaves shorter gaps, and nobody reads a question in less: what
// comes sooner was typed for the draft, and goes there.
const quiet = time.Second

// An asking is the ask that stands before the user, on its way from being known
// to being answered. Further ones wait behind it.
type asking struct {
	phase ConfirmPhase
	ask   event.AskOpened
	tool  string
	diff  bool             // it is about a change that is shown as a diff
	since time.Time        // when it was asked
	drawn time.Time        // when a frame with it was written; zero: not yet
	focus bool             // the user left the draft for it
	read  bool             // all that it is about was on the screen
	row   rowID            // of the marked answer
	told  rowID            // the marked answer that the last frame told in full
	all   bool             // the rare answers are shown too
	sent  bool             // the answer is on its way
	rest  []command.Answer // to further questions: one is sent when the one before was taken
	form  form
	mine  map[event.AskID]bool // asks that were answered here
	more  int                  // asks that wait behind it
}

// follow looks at which asks are open, after anything happened.
func (a asking) follow(open []*display.Item, client event.ClientID) asking {
	var first *display.Item
	a.more = 0
	for _, it := range open {
		if to := it.Ask.Opened.To; to != "" && to != client {
			continue
		}
		if first == nil {
			first = it
		} else {
			a.more++
		}
	}
	switch {
	case first == nil:
		return asking{mine: a.mine}
	case a.phase != ConfirmNone && first.Ask.Opened.Ask == a.ask.Ask:
		return a
	}
	ask := first.Ask
	a = asking{phase: ConfirmPending, ask: ask.Opened, tool: ask.Tool, since: first.Began, form: newForm(ask.Opened), mine: a.mine, more: a.more}
	if rows := a.answers(); len(rows) > 0 {
		a.row = rows[0].id
	}
	return a
}

// arm lets keys answer once the ask was drawn and no key came for a while, and
// only where there is no draft that they could be meant for, or the user left it.
func (a asking) arm(m *Model) asking {
	if a.phase == ConfirmPending && m.sync != NeedsInsert && !a.drawn.IsZero() && a.wanted(m) && !m.now.Before(a.armed(m)) {
		a.phase = ConfirmActive
	}
	return a
}

// wanted reports whether keys are for the ask, and not for a draft.
func (a asking) wanted(m *Model) bool { return m.composer.text == "" || a.focus }

// armed returns when keys will answer, if no further one comes.
func (a asking) armed(m *Model) time.Time {
	at := a.drawn
	if m.typedAt.After(at) {
		at = m.typedAt
	}
	return at.Add(quiet)
}

// key takes a key that is for the ask. It reports false where the ask has no use
// for it.
func (a asking) key(k term.Key, arguments json.RawMessage, width int) (_ asking, answers []command.Answer, ok bool) {
	if a.sent {
		return a, nil, true
	}
	if a.ask.Kind == event.AskPermission && a.form.mode == formChoose {
		a, answers, ok = a.choose(k, arguments)
	} else {
		a.form, answers = a.form.key(a.ask, arguments, k, width)
		ok = true
	}
	if len(answers) > 0 {
		a.sent, a.rest = true, answers[1:]
		answers = answers[:1]
		mine := map[event.AskID]bool{a.ask.Ask: true}
		for id := range a.mine {
			mine[id] = true
		}
		a.mine = mine
	}
	return a, answers, ok
}

// paste takes pasted text, which is text for a field and nothing else. It reports
// false where there is no field.
func (a asking) paste(text string) (asking, bool) {
	if a.phase != ConfirmActive || a.sent || a.ask.Kind == event.AskPermission && a.form.mode == formChoose {
		return a, false
	}
	a.form.field = a.form.field.paste(text)
	return a, true
}

// view sets the ask into at most limit rows, the question first. It returns which
// marked answer is told in full.
func (a asking) view(m *Model, width, limit int) (rows []cell.Line, told rowID) {
	right := "waiting for you · " + clock(m.now.Sub(a.since))
	if a.more > 0 {
		right = fmt.Sprintf("1 of %d · ", a.more+1) + right
	}
	if a.sent {
		right = "sent"
	}
	question := (&lineBuilder{}).add(needed, "▲ ").add(plain.With(cell.Bold), a.title()).line
	end := cell.Styled(right, dim)
	if question.Width()+end.Width()+3 > width {
		end = cell.Styled(clock(m.now.Sub(a.since)), dim)
	}
	room := max(width-1-end.Width()-2, 8)
	rows = []cell.Line{justify(cell.Truncate(question, room), end, width)}
	if a.ask.Kind == event.AskPermission && a.form.mode == formChoose {
		body, told := a.permission(m, width-1, limit-1)
		return append(rows, body...), told
	}
	body := a.body(width-1, limit-1)
	warnings := a.warnings(width - 1)
	if left := limit - 1 - len(body); left < len(warnings) {
		warnings = warnings[len(warnings)-max(left, 0):]
	}
	return append(append(rows, warnings...), body...), ""
}

// title is the question itself.
func (a asking) title() string {
	text := a.ask.Title
	if all := a.ask.Questions; len(all) > 0 {
		text = all[a.form.question].Text
		if len(all) > 1 {
			text = fmt.Sprintf("Question %d of %d: %s", a.form.question+1, len(all), text)
		}
	}
	return oneRow(text)
}

// oneRow is what stands in an ask in one row, and may be cut at the edge. Nothing
// is left out of it before that.
func oneRow(text string) string { return cell.Escape(strings.TrimSpace(text)) }

var levels = map[event.Level]cell.Style{event.LevelDanger: bad, event.LevelWarn: needed, event.LevelInfo: dim}

func (a asking) warnings(width int) []cell.Line {
	var rows []cell.Line
	if head := oneRow(a.ask.Text); head != "" {
		rows = append(rows, cell.Truncate(cell.Styled("  "+head, dim), width))
	}
	for _, w := range a.ask.Warnings {
		rows = append(rows, cell.Truncate((&lineBuilder{}).add(levels[w.Level], "  ! ", oneRow(w.Text)).line, width))
	}
	return rows
}

// A choice is a key of a field or a question, and what it does.
type choice struct {
	key, text string
	marked    bool
}

// choices are the keys that answer a question, or end a field.
func (a asking) choices() []choice {
	switch a.form.mode {
	case formReason:
		return []choice{{key: "enter", text: "deny and say this"}, {key: "esc", text: "back"}}
	case formChange:
		return []choice{{key: "enter", text: "allow this once"}, {key: "esc", text: "back"}}
	case formChoose, formText:
	}
	var out []choice
	q := questions(a.ask)[a.form.question]
	for i, o := range q.Options {
		text := oneRow(o.Label)
		if o.Detail != "" {
			text += " · " + oneRow(o.Detail)
		}
		out = append(out, choice{key: fmt.Sprint(i + 1), text: text, marked: a.form.chosen[o.Key]})
	}
	return out
}

// body are the choices in at most limit rows, and what else can be typed.
func (a asking) body(width, limit int) (rows []cell.Line) {
	var pieces []cell.Line
	for _, c := range a.choices() {
		pieces = append(pieces, a.choice(c))
	}
	switch {
	case a.ask.Kind == event.AskPermission:
		rows = cell.Wrap(cell.Join(pieces...), max(width, 2), choiceIndent)
	default:
		for _, p := range pieces {
			rows = append(rows, cell.Wrap(p, max(width, 2), choiceIndent)...)
		}
		rows = append(rows, cell.Truncate(cell.Styled("  "+a.hint(), dim), width))
	}
	if a.ask.Kind == event.AskPermission && a.form.escaped {
		rows = append(rows, cell.Truncate(cell.Styled(`  \\\\ is a backslash here, \u and \x are what cannot be seen`, dim), width))
	}
	return rows[:min(len(rows), max(limit, 0))]
}

// choiceIndent is where the further rows of a choice begin.
var choiceIndent = cell.Indent{Rest: cell.Plain("     ")}

// hint names the other keys of a question.
func (a asking) hint() string {
	q := questions(a.ask)[a.form.question]
	hint := "type an answer · enter sends"
	switch {
	case q.Multi:
		hint = "numbers mark · enter sends"
	case len(q.Options) > 0:
		hint = "or type an answer"
	}
	if a.form.question > 0 {
		hint += " · ← back"
	}
	return hint + " · esc cancel"
}

// choice sets one choice. Its key is named once it works.
func (a asking) choice(c choice) cell.Line {
	key, style := c.key, accent
	if a.phase != ConfirmActive || a.sent {
		key, style = "·", dim
	}
	mark := ""
	if c.marked {
		mark = "✓ "
	}
	return (&lineBuilder{}).add(style, "  "+key).add(plain, "  ").add(good, mark).add(plain, c.text).line
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }
