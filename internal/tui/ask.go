package tui

import (
	"encoding/json"
	"fmt"
	"slices"
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
	since time.Time        // when it was asked
	drawn time.Time        // when a frame with it was written; zero: not yet
	keys  map[string]bool  // which of its answers that frame told in full
	typed time.Time        // when the last key was swallowed
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
	return asking{phase: ConfirmPending, ask: ask.Opened, tool: ask.Tool, since: first.Began, form: newForm(ask.Opened), mine: a.mine, more: a.more}
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
	if _, ok := optionBy(a.ask.Options, k.Name); ok && a.ask.Kind == event.AskPermission && a.form.mode == formChoose && !a.keys[k.Name] {
		return a, nil // nobody can have read what it would store
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
func (a asking) view(width, limit int, now time.Time) (rows []cell.Line, told int) {
	right := "waiting for you · " + clock(now.Sub(a.since))
	if a.more > 0 {
		right = fmt.Sprintf("1 of %d · ", a.more+1) + right
	}
	if a.sent {
		right = "sent"
	}
	question := (&lineBuilder{}).add(needed, "▲ ").add(plain.With(cell.Bold), a.title()).line
	end := cell.Styled(right, dim)
	if question.Width()+end.Width()+3 > width {
		end = cell.Styled(clock(now.Sub(a.since)), dim)
	}
	room := max(width-1-end.Width()-2, 8)
	rows = []cell.Line{justify(cell.Truncate(question, room), end, width)}
	body, told := a.body(width-1, limit-1)
	warnings := a.warnings(width - 1)
	if left := limit - 1 - len(body); left < len(warnings) {
		warnings = warnings[len(warnings)-max(left, 0):]
	}
	return append(append(rows, warnings...), body...), told
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

var levels = map[event.Level]cell.Style{event.LevelDanger: bad, event.LevelWarn: needed, event.LevelInfo: dim}

func (a asking) warnings(width int) []cell.Line {
	var rows []cell.Line
	if head, _ := oneLine(a.ask.Text, 400); head != "" {
		rows = append(rows, cell.Truncate(cell.Styled("  "+head, dim), width))
	}
	for _, w := range a.ask.Warnings {
		head, _ := oneLine(w.Text, 400)
		rows = append(rows, cell.Truncate((&lineBuilder{}).add(levels[w.Level], "  ! ", head).line, width))
	}
	return rows
}

// A choice is a key, what it does, and what it would store to what effect.
type choice struct {
	key, text, rules string
	effect           event.Effect
	marked           bool
}

// choices are the keys that answer, with what each would do and store.
func (a asking) choices() []choice {
	var out []choice
	if a.ask.Kind == event.AskPermission {
		switch a.form.mode {
		case formReason:
			return []choice{{key: "enter", text: "deny and say this"}, {key: "esc", text: "back"}}
		case formChange:
			return []choice{{key: "enter", text: "allow this once"}, {key: "esc", text: "back"}}
		}
		for i, o := range a.ask.Options {
			key := o.Key
			if len(key) > 1 {
				key = fmt.Sprint(i + 1)
			}
			text, rules := optionText(o)
			out = append(out, choice{key: key, text: text, rules: rules, effect: o.Effect})
		}
		if _, ok := denyKey(a.ask.Options); ok {
			out = append(out, choice{key: keyBecause, text: "no, because …"})
		}
		return append(out, choice{key: keyChange, text: "change it first"})
	}
	q := questions(a.ask)[a.form.question]
	for i, o := range q.Options {
		text, _ := optionText(o)
		out = append(out, choice{key: fmt.Sprint(i + 1), text: text, marked: a.form.chosen[o.Key]})
	}
	return out
}

// body are the choices in at most limit rows, and what else can be typed.
func (a asking) body(width, limit int) (rows []cell.Line, told int) {
	if a.ask.Kind == event.AskPermission {
		return a.permission(width, limit)
	}
	for _, c := range a.choices() {
		rows = append(rows, cell.Wrap(a.choice(c), max(width, 2), choiceIndent)...)
	}
	rows = append(rows, cell.Truncate(cell.Styled("  "+a.hint(), dim), width))
	return rows[:min(len(rows), max(limit, 0))], 0
}

// permission sets the answers to a call: first those for this once, then those
// that would store something, each with what that is. Where there is no room,
// answers that store the same are told so together; where there is less they are
// one paragraph, and where there is none for all of it those that store something
// are left out from the end; what is told of one is told in full. It returns how
// many groups are told.
func (a asking) permission(width, limit int) (rows []cell.Line, told int) {
	groups := a.groups(false)
	told = len(groups)
	rows = stack(groups, width)
	if len(rows)+len(a.warnings(width)) > limit {
		groups = a.groups(true)
		rows = stack(groups, width)
	}
	for n := len(groups); len(rows) > limit && n > 0; n-- {
		told = n
		rest := groups[:n:n]
		if left := len(groups) - n; left > 0 {
			rest = append(rest, []cell.Line{cell.Styled("  …", dim)})
		}
		rows = pack(slices.Concat(rest...), width)
	}
	return rows[:min(len(rows), max(limit, 0))], told
}

// told returns the keys of those answers that would store something, of the first
// n groups: what is not told may not be stored.
func (a asking) told(n int) map[string]bool {
	keys, seen := map[string]bool{}, []choice{{}}
	for _, c := range a.choices() {
		i := slices.IndexFunc(seen, c.together)
		if i < 0 {
			i, seen = len(seen), append(seen, c)
		}
		keys[c.key] = i < n
	}
	return keys
}

// together reports whether two answers store the same, to the same effect.
func (c choice) together(o choice) bool {
	return o.rules == c.rules && (o.effect == c.effect || c.rules == "")
}

// groups are the choices by what they would store. Each says what, or, together,
// the last of a group does.
func (a asking) groups(together bool) [][]cell.Line {
	groups, stored := [][]cell.Line{nil}, []choice{{}}
	for _, c := range a.choices() {
		i := slices.IndexFunc(stored, c.together)
		if i < 0 {
			i, groups, stored = len(groups), append(groups, nil), append(stored, c)
		}
		if !together && c.rules != "" {
			c.text += ": " + c.rules
		}
		groups[i] = append(groups[i], a.choice(c))
	}
	if !together {
		return groups
	}
	for i, c := range stored[1:] {
		g := groups[i+1]
		g[len(g)-1] = cell.Join(g[len(g)-1], cell.Plain(": "+c.rules))
	}
	return groups
}

// choiceIndent is where the further rows of a choice begin.
var choiceIndent = cell.Indent{Rest: cell.Plain("     ")}

// stack sets each group of pieces below the one before.
func stack(groups [][]cell.Line, width int) []cell.Line {
	var rows []cell.Line
	for _, g := range groups {
		rows = append(rows, pack(g, width)...)
	}
	return rows
}

// pack sets pieces behind each other, as many in a row as fit.
func pack(pieces []cell.Line, width int) []cell.Line {
	var rows []cell.Line
	var row cell.Line
	for _, p := range pieces {
		if row != nil && row.Width()+1+p.Width() > width {
			rows = append(rows, cell.Wrap(row, max(width, 2), choiceIndent)...)
			row = nil
		} else if row != nil {
			row = cell.Join(row, cell.Plain(" "))
		}
		row = cell.Join(row, p)
	}
	return append(rows, cell.Wrap(row, max(width, 2), choiceIndent)...)
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
	return (&lineBuilder{}).add(style, "  "+key).add(plain, "  ").add(good, mark).add(plain, c.text).line
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }
