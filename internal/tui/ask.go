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
// it. Nobody reads a question in less; what comes sooner was typed for the
// composer.
const quiet = 200 * time.Millisecond

// An asking is the ask that stands before the user, on its way from being known
// to being answered. Further ones wait behind it.
type asking struct {
	phase ConfirmPhase
	ask   event.AskOpened
	tool  string
	since time.Time        // when it came here
	drawn time.Time        // when a frame with it was written; zero: not yet
	typed time.Time        // when the last key was swallowed
	sent  bool             // the answer is on its way
	rest  []command.Answer // to further questions: one is sent when the one before was taken
	form  form
	mine  map[event.AskID]bool // asks that were answered here
	more  int                  // asks that wait behind it
}

// follow looks at which asks are open, after anything happened.
func (a asking) follow(open []*display.Item, client event.ClientID, now time.Time) asking {
	var first *display.Ask
	a.more = 0
	for _, it := range open {
		if to := it.Ask.Opened.To; to != "" && to != client {
			continue
		}
		if first == nil {
			first = it.Ask
		} else {
			a.more++
		}
	}
	switch {
	case first == nil:
		return asking{mine: a.mine}
	case a.phase != ConfirmNone && first.Opened.Ask == a.ask.Ask:
		return a
	}
	return asking{phase: ConfirmPending, ask: first.Opened, tool: first.Tool, since: now, form: newForm(first.Opened), mine: a.mine, more: a.more}
}

// arm lets keys answer once the ask was drawn and nothing was typed for a while.
func (a asking) arm(now time.Time, sync SyncPhase) asking {
	if a.phase == ConfirmPending && sync != NeedsInsert && !a.drawn.IsZero() && !now.Before(a.armed()) {
		a.phase = ConfirmActive
	}
	return a
}

// armed returns when keys will answer, if no further one comes.
func (a asking) armed() time.Time {
	at := a.drawn
	if a.typed.After(at) {
		at = a.typed
	}
	return at.Add(quiet)
}

// key takes a key while an ask is open.
func (a asking) key(k term.Key, arguments json.RawMessage, width int, now time.Time) (asking, []command.Answer) {
	if a.phase == ConfirmPending {
		a.typed = now
		return a, nil
	}
	if a.sent {
		return a, nil
	}
	var answers []command.Answer
	a.form, answers = a.form.key(a.ask, arguments, k, width)
	if len(answers) > 0 {
		a.sent, a.rest = true, answers[1:]
		answers = answers[:1]
		mine := map[event.AskID]bool{a.ask.Ask: true}
		for id := range a.mine {
			mine[id] = true
		}
		a.mine = mine
	}
	return a, answers
}

// paste takes pasted text, which is text for a field and nothing else.
func (a asking) paste(text string, now time.Time) asking {
	switch {
	case a.phase == ConfirmPending:
		a.typed = now
	case !a.sent && (a.ask.Kind != event.AskPermission || a.form.mode != formChoose):
		a.form.field = a.form.field.paste(text)
	}
	return a
}

// view sets the ask into at most limit rows, the question first.
func (a asking) view(width, limit int, now time.Time) []cell.Line {
	right := "waiting for you · " + clock(now.Sub(a.since))
	if a.more > 0 {
		right = fmt.Sprintf("1 of %d · ", a.more+1) + right
	}
	if a.sent {
		right = "sent"
	}
	question := (&setter{}).add(needed, "▲ ").add(plain.With(cell.Bold), a.title()).line
	end := cell.Styled(right, dim)
	if question.Width()+end.Width()+3 > width {
		end = cell.Styled(clock(now.Sub(a.since)), dim)
	}
	room := max(width-1-end.Width()-2, 8)
	rows := []cell.Line{spread(cell.Truncate(question, room), end, width)}
	// Whatever else has no room, what an answer would store is told in full.
	body := a.body(width - 1)
	if 1+len(body) > limit {
		body = a.flow(width-1, limit-1)
	}
	warnings := a.warnings(width - 1)
	if left := limit - 1 - len(body); left < len(warnings) {
		warnings = warnings[len(warnings)-max(left, 0):]
	}
	return append(append(rows, warnings...), body...)
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
	head, _ := oneLine(text, 400)
	return head
}

var levels = map[string]cell.Style{"danger": bad, "warn": needed, "info": dim}

func (a asking) warnings(width int) []cell.Line {
	var rows []cell.Line
	if head, _ := oneLine(a.ask.Text, 400); head != "" {
		rows = append(rows, cell.Truncate(cell.Styled("  "+head, dim), width))
	}
	for _, w := range a.ask.Warnings {
		head, _ := oneLine(w.Text, 400)
		rows = append(rows, cell.Truncate((&setter{}).add(levels[w.Level], "  ! ", head).line, width))
	}
	return rows
}

// A choice is a key and what it does.
type choice struct {
	key, text string
	marked    bool
}

// choices are the keys that answer, with what each would do and store.
func (a asking) choices() []choice {
	var out []choice
	if a.ask.Kind == event.AskPermission {
		switch a.form.mode {
		case formReason:
			return []choice{{"enter", "deny and say this", false}, {"esc", "back", false}}
		case formChange:
			return []choice{{"enter", "allow this once", false}, {"esc", "back", false}}
		}
		for i, o := range a.ask.Options {
			key := o.Key
			if len(key) > 1 {
				key = fmt.Sprint(i + 1)
			}
			out = append(out, choice{key, optionText(o), false})
		}
		if _, ok := denyKey(a.ask.Options); ok {
			out = append(out, choice{keyBecause, "no, because …", false})
		}
		return append(out, choice{keyChange, "change it first", false})
	}
	q := questions(a.ask)[a.form.question]
	for i, o := range q.Options {
		out = append(out, choice{fmt.Sprint(i + 1), optionText(o), a.form.chosen[o.Key]})
	}
	return out
}

// body are the choices, two in a row where all fit, and what else can be typed.
func (a asking) body(width int) []cell.Line {
	all := a.choices()
	var rows []cell.Line
	half := width / 2
	wide := false
	for _, c := range all {
		wide = wide || cell.Width(c.text)+8 > half
	}
	if wide || len(all) < 3 || a.ask.Kind != event.AskPermission {
		for _, c := range all {
			rows = append(rows, cell.Wrap(a.choice(c), max(width, 2), cell.Indent{Rest: cell.Plain("     ")})...)
		}
	} else {
		for i := 0; i < len(all); i += 2 {
			r := a.choice(all[i])
			if i+1 < len(all) {
				r = cell.Join(r, cell.Plain(spaces(max(half-r.Width(), 2))), a.choice(all[i+1]))
			}
			rows = append(rows, cell.Truncate(r, width))
		}
	}
	if a.ask.Kind != event.AskPermission {
		rows = append(rows, cell.Truncate(cell.Styled("  "+a.hint(), dim), width))
	}
	return rows
}

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
	return (&setter{}).add(style, "  "+key).add(plain, "  ").add(good, mark).add(plain, c.text).line
}

// flow sets the choices one behind the other, for a small screen.
func (a asking) flow(width, limit int) []cell.Line {
	var all []cell.Line
	for _, c := range a.choices() {
		all = append(all, a.choice(c))
	}
	rows := cell.Wrap(cell.Join(all...), max(width, 2), cell.Indent{Rest: cell.Plain("  ")})
	return rows[:min(len(rows), max(limit, 0))]
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }
