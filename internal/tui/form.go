package tui

import (
	"encoding/json"
	"strings"

	"parley/internal/cell"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
)

// A formMode says what the keys of a form do.
type formMode int

const (
	formChoose formMode = iota
	formReason          // permission: why not
	formChange          // permission: other arguments
	formText            // a question that is answered in words
)

// A form is the answer to an ask while it is being made.
type form struct {
	mode     formMode
	question int
	chosen   map[string]bool // keys of the options that are marked, of a question with several
	answers  []command.Answer
	field    composer
	escaped  bool // the field has what is changed as cell.Escape writes it
}

// The keys of a permission ask that are not one of its options.
const (
	keyBecause = "b"
	keyChange  = "e"
)

// questions returns the questions of an ask; one without is its own.
func questions(a event.AskOpened) []event.Question {
	if len(a.Questions) > 0 {
		return a.Questions
	}
	return []event.Question{{Text: a.Title, Options: a.Options, Multi: a.Kind == event.AskReferences}}
}

// newForm returns the form for an ask.
func newForm(a event.AskOpened) form {
	f := form{chosen: map[string]bool{}}
	if a.Kind != event.AskPermission {
		f.ask(questions(a)[0])
	}
	return f
}

// ask turns to a question.
func (f *form) ask(q event.Question) {
	f.mode, f.chosen, f.field = formChoose, map[string]bool{}, composer{secret: q.Secret}
	if len(q.Options) == 0 {
		f.mode = formText
	}
	if q.Default != "" && len(q.Options) == 0 {
		f.field = f.field.set(q.Default)
	}
}

// key takes a key; answer is what is to be sent, if the form is complete.
func (f form) key(a event.AskOpened, tool json.RawMessage, k term.Key, width int) (_ form, answer []command.Answer) {
	if a.Kind == event.AskPermission {
		return f.permit(a, tool, k, width)
	}
	return f.reply(a, k, width)
}

// change begins to write other arguments. What cannot be seen is written out.
func (f form) change(arguments json.RawMessage) form {
	text := changeable(arguments)
	if text == "" {
		return f
	}
	f.mode, f.escaped = formChange, false
	if text != cell.Clean(text) || strings.ReplaceAll(strings.Join(cell.EscapeLines(text), "\n"), `\\`, `\`) != text {
		f.escaped = true
		text = strings.Join(cell.EscapeLines(text), "\n")
	}
	f.field = composer{}.set(text)
	return f
}

// changed is what was written in place of the arguments.
func (f form) changed() (string, bool) {
	if !f.escaped {
		return f.field.text, true
	}
	var lines []string
	for line := range strings.SplitSeq(f.field.text, "\n") {
		text, ok := cell.Unescape(line)
		if !ok {
			return "", false
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), true
}

// permit takes a key for the field of a permission ask.
func (f form) permit(a event.AskOpened, arguments json.RawMessage, k term.Key, width int) (form, []command.Answer) {
	switch k.Name {
	case "esc":
		f.mode, f.field = formChoose, composer{}
		return f, nil
	case "enter":
		if f.mode == formReason {
			if key, ok := denyKey(a.Options); ok && strings.TrimSpace(f.field.text) != "" {
				return f, []command.Answer{{Ask: a.Ask, Keys: []string{key}, Reason: strings.TrimSpace(f.field.text)}}
			}
			return f, nil
		}
		text, ok := f.changed()
		if !ok {
			return f, nil
		}
		if changed, ok := change(arguments, text); ok && len(a.Options) > 0 {
			return f, []command.Answer{{Ask: a.Ask, Keys: []string{a.Options[0].Key}, Arguments: changed}}
		}
		return f, nil
	}
	f.field, _ = f.field.key(k, width)
	return f, nil
}

// reply takes a key for a question.
func (f form) reply(a event.AskOpened, k term.Key, width int) (form, []command.Answer) {
	all := questions(a)
	q := all[f.question]
	empty := f.field.text == ""
	switch {
	case k.Name == "esc":
		return f, []command.Answer{{Ask: a.Ask, Cancel: true}}
	case k.Name == "left" && empty && f.question > 0:
		f.question--
		f.answers = f.answers[:f.question]
		f.ask(all[f.question])
		return f, nil
	case k.Name == "enter":
		if !empty {
			return f.next(a, command.Answer{Text: f.field.text})
		}
		return f.submit(a, q)
	case empty && len(k.Name) == 1 && k.Name[0] >= '1' && int(k.Name[0]-'1') < len(q.Options):
		key := q.Options[k.Name[0]-'1'].Key
		if !q.Multi {
			return f.next(a, command.Answer{Keys: []string{key}})
		}
		chosen := map[string]bool{key: !f.chosen[key]}
		for other, on := range f.chosen {
			if other != key {
				chosen[other] = on
			}
		}
		f.chosen = chosen
		return f, nil
	}
	f.field, _ = f.field.key(k, width)
	return f, nil
}

// submit answers with what is marked, or with the default.
func (f form) submit(a event.AskOpened, q event.Question) (form, []command.Answer) {
	var keys []string
	for _, o := range q.Options {
		if f.chosen[o.Key] {
			keys = append(keys, o.Key)
		}
	}
	switch {
	case len(keys) > 0 || q.Multi:
		return f.next(a, command.Answer{Keys: keys})
	case q.Default != "":
		return f.next(a, command.Answer{Keys: []string{q.Default}})
	}
	return f, nil
}

// next keeps an answer and turns to the next question; after the last one all
// are returned.
func (f form) next(a event.AskOpened, answer command.Answer) (form, []command.Answer) {
	answer.Ask, answer.Question = a.Ask, f.question
	f.answers = append(f.answers[:f.question:f.question], answer)
	all := questions(a)
	if f.question+1 < len(all) {
		f.question++
		f.ask(all[f.question])
		return f, nil
	}
	return f, f.answers
}

// denyKey returns the mildest option that denies: without an end of the turn,
// and without a rule to keep.
func denyKey(options []event.Option) (string, bool) {
	best, found := "", false
	for _, o := range options {
		if o.Effect == event.EffectDeny && (!found || len(o.Rules) == 0 && !o.Stop) {
			best, found = o.Key, true
		}
	}
	return best, found
}

// changeable returns the arguments as a person edits them: the command of a
// shell, or the object.
func changeable(arguments json.RawMessage) string {
	var a map[string]json.RawMessage
	if json.Unmarshal(arguments, &a) != nil {
		return ""
	}
	var command string
	if json.Unmarshal(a["command"], &command) == nil && command != "" {
		return command
	}
	return cell.EscapeJSON(string(arguments))
}

// change puts what a person edited back into the arguments.
func change(arguments json.RawMessage, text string) (json.RawMessage, bool) {
	var a map[string]json.RawMessage
	if json.Unmarshal(arguments, &a) != nil {
		return nil, false
	}
	var command string
	if json.Unmarshal(a["command"], &command) == nil && command != "" {
		if strings.TrimSpace(text) == "" {
			return nil, false
		}
		changed, err := json.Marshal(text)
		if err != nil {
			return nil, false
		}
		a["command"] = changed
		out, err := json.Marshal(a)
		return out, err == nil
	}
	var check map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &check) != nil {
		return nil, false
	}
	return json.RawMessage(text), true
}
