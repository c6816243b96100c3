package tui

import (
	"encoding/json"
	"strings"

	"parley/internal/cell"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
)

// A rowID names an answer of a permission ask: the key of its option.
type rowID string

// An answerRow is an answer as it is offered: in a person's words, with the rules
// that it would store.
type answerRow struct {
	id     rowID
	key    string // that chooses it
	option event.Option
	text   string
	rules  string
	rare   bool // behind ?
}

// stores reports whether the answer lasts longer than the call.
func (r answerRow) stores() bool { return len(r.option.Rules) > 0 }

// answers are all answers of a permission ask, the usual one first.
func (a asking) answers() []answerRow {
	if a.ask.Kind != event.AskPermission {
		return nil
	}
	var rows []answerRow
	for i, o := range a.ask.Options {
		r := answerRow{id: rowID(o.Key), key: o.Key, option: o, text: answerText(o), rules: oneRow(strings.Join(o.Rules, ", "))}
		if len(o.Key) > 1 && i < 9 {
			r.key = string(rune('1' + i)) // keys that are words are chosen by their number
		}
		if r.text == "" {
			r.text = oneRow(o.Label)
		}
		if o.Detail != "" {
			r.text += " · " + oneRow(o.Detail)
		}
		r.rare = r.stores() && (o.Effect == event.EffectDeny || o.Scope == event.ScopeRun || o.Scope == event.ScopeUser)
		rows = append(rows, r)
	}
	return rows
}

// offered are the answers that are shown.
func (a asking) offered() []answerRow {
	var rows []answerRow
	for _, r := range a.answers() {
		if a.all || !r.rare {
			rows = append(rows, r)
		}
	}
	return rows
}

// choose takes a key for the answers: an answer that stores nothing acts at once,
// one that stores something is marked by its key and taken by enter.
func (a asking) choose(k term.Key, arguments json.RawMessage) (asking, []command.Answer, bool) {
	switch k.Name {
	case "up", "ctrl+p":
		return a.move(-1), nil, true
	case "down", "ctrl+n":
		return a.move(1), nil, true
	case "?":
		a.all = !a.all
		return a.move(0), nil, true
	case "enter":
		for _, r := range a.offered() {
			if r.id == a.row && a.told == a.row {
				return a.take(r)
			}
		}
		return a, nil, true
	case keyBecause:
		if _, ok := denyKey(a.ask.Options); ok {
			a.form.mode, a.form.field = formReason, composer{}
			return a, nil, true
		}
	case keyChange:
		if a.read || a.diff {
			a.form = a.form.change(arguments)
		}
		return a, nil, true
	case "tab", "esc":
		return a, nil, true
	}
	for _, r := range a.answers() {
		if r.key != k.Name {
			continue
		}
		if !r.stores() {
			return a.take(r)
		}
		a.row, a.all = r.id, a.all || r.rare
		return a, nil, true
	}
	return a, nil, false
}

// move marks another answer; by none it makes sure that one is marked.
func (a asking) move(by int) asking {
	rows, at := a.offered(), 0
	for i, r := range rows {
		if r.id == a.row {
			at = i
		}
	}
	if len(rows) > 0 {
		a.row = rows[min(max(at+by, 0), len(rows)-1)].id
	}
	return a
}

// granted reports whether an answer may count: what it allows was on the screen
// whole. A change may be allowed once from its beginning.
func (a asking) granted(r answerRow) bool {
	return r.option.Effect != event.EffectAllow || a.read || a.diff && !r.stores()
}

func (a asking) take(r answerRow) (asking, []command.Answer, bool) {
	if !a.granted(r) {
		return a, nil, true
	}
	return a, []command.Answer{{Ask: a.ask.Ask, Keys: []string{r.option.Key}, Stop: r.option.Stop}}, true
}

// permission sets the answers into at most limit rows. Where there is no room for
// all, the marked one stays, then the warnings, then the others from the top. It
// returns the marked one if it is there whole: no other can be taken by enter.
func (a asking) permission(m *Model, width, limit int) (rows []cell.Line, told rowID) {
	offered, left := a.offered(), limit
	sets := make([][]cell.Line, len(offered))
	keep := make([]bool, len(offered))
	for i, r := range offered {
		sets[i] = a.set(r, width)
		if r.id == a.row {
			if keep[i] = len(sets[i]) <= left; keep[i] {
				told = r.id
			} else {
				sets[i], keep[i] = sets[i][:max(left, 0)], true
			}
			left -= len(sets[i])
		}
	}
	var why []cell.Line
	for _, w := range a.warnings(width) {
		why = append(why, w)
	}
	why = why[len(why)-min(len(a.ask.Warnings), max(left, 0)):]
	left -= len(why)
	for i, set := range sets {
		if !keep[i] && len(set) <= left {
			keep[i] = true
			left -= len(set)
		}
	}
	if left > 1 {
		if all := a.warnings(width); len(all) > len(a.ask.Warnings) {
			why = append(all[:1:1], why...)
			left--
		}
	}
	rows = why
	for i, set := range sets {
		if keep[i] {
			rows = append(rows, set...)
		}
	}
	if left > 0 {
		rows = append(rows, cell.Truncate(cell.Styled("  "+a.keys(m, width), dim), width))
	}
	return rows, told
}

// set is one answer: what it does, exactly what it would store, and its key once
// that works.
func (a asking) set(r answerRow, width int) []cell.Line {
	l := (&lineBuilder{}).add(plain, "    ", r.text)
	marked := r.id == a.row
	if marked {
		l = (&lineBuilder{}).add(accent, "  ▸ ").add(plain.With(cell.Bold), r.text)
	}
	if r.rules != "" {
		l.add(dim, "   "+r.rules)
	}
	var key cell.Line
	if a.phase == ConfirmActive && !a.sent && a.granted(r) {
		key = cell.Styled(r.key, accent)
		if marked {
			key = cell.Join(cell.Styled("enter  ", dim), key)
		}
	}
	const column = len("enter  y") + 1
	rows := cell.Wrap(l.line, max(width-column, 8), cell.Indent{Rest: cell.Plain("      ")})
	rows[0] = justify(rows[0], key, width)
	return rows
}

// keys names the other keys, and says what is missing before a yes counts.
func (a asking) keys(m *Model, width int) string {
	switch {
	case a.sent:
		return ""
	case !a.read && !a.diff:
		return "ctrl+o first: yes counts once you saw all of it"
	case !a.wanted(m):
		return "tab leads here from what you write"
	case a.phase != ConfirmActive:
		return "…"
	case !a.read:
		return "ctrl+o first, to allow more than this once: all of it"
	}
	all := "↑↓ choose · b no, because … · e change it · esc stop · ? more"
	if a.all {
		all = strings.TrimSuffix(all, "more") + "fewer"
	}
	if cell.Width(all)+3 > width {
		return strings.NewReplacer("↑↓ choose · ", "", " it", "", "no, because …", "because …", " · esc stop", "").Replace(all)
	}
	return all
}

// answerText is an option of a permission ask in as few words as answer its
// question; empty where its own are to be used.
func answerText(o event.Option) string {
	switch {
	case o.Effect == event.EffectAllow && o.Scope == event.ScopeOnce:
		return "yes"
	case o.Effect == event.EffectDeny && o.Scope == event.ScopeOnce && o.Stop:
		return "no, and stop"
	case o.Effect == event.EffectDeny && o.Scope == event.ScopeOnce:
		return "no"
	}
	scope, ok := map[event.Scope]string{event.ScopeRun: "in this run", event.ScopeSession: "in this session",
		event.ScopeProject: "in this project from now on", event.ScopeUser: "everywhere from now on"}[o.Scope]
	switch {
	case !ok:
		return ""
	case o.Effect == event.EffectAllow:
		return "yes, " + scope
	case o.Effect == event.EffectDeny:
		return "no, never " + scope
	}
	return ""
}
