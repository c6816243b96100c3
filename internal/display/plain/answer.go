package plain

import (
	"strconv"
	"strings"

	"parley/internal/command"
	"parley/internal/event"
)

// Answer reads what a person typed for a question of an ask; [Renderer.Asked]
// says which. A problem is a sentence for that person, such as for
// [Renderer.Remark]; then there is no answer.
//
// An option is named by its key in any case, by its place counted from 1 where
// no key is a digit, or by its whole label. A key may be followed by a reason:
// "n use the other file". A question that takes several options takes them apart
// by commas or blanks. Where there are options, other text answers a question
// but no permission. Nothing typed is the default, where there is one.
func Answer(ask event.AskOpened, question int, typed string) (a command.Answer, problem string) {
	typed = strings.TrimSpace(typed)
	a = command.Answer{Ask: ask.Ask, Question: question}
	q := event.Question{Options: ask.Options}
	asked := question < len(ask.Questions)
	if asked {
		q = ask.Questions[question]
	}
	if typed == "" {
		typed = q.Default
	}
	if typed == "" {
		return a, wanted(q.Options)
	}
	if q.Multi {
		if keys, ok := several(q.Options, typed); ok {
			a.Keys = keys
			return a, ""
		}
	}
	if o := option(q.Options, typed); o != nil {
		a.Keys = []string{o.Key}
		return a, ""
	}
	if asked || len(q.Options) == 0 {
		a.Text = typed
		return a, ""
	}
	first, reason, _ := strings.Cut(typed, " ")
	if o := option(q.Options, strings.TrimRight(first, ",:")); o != nil {
		a.Keys, a.Reason = []string{o.Key}, strings.TrimSpace(reason)
		return a, ""
	}
	return a, wanted(q.Options)
}

func wanted(options []event.Option) string {
	if len(options) == 0 {
		return "Type an answer and Enter."
	}
	keys := make([]string, len(options))
	for i, o := range options {
		keys[i] = o.Key
	}
	return "Type one of " + strings.Join(keys, ", ") + " and Enter."
}

// option returns the option that a text names, nil for none.
func option(options []event.Option, text string) *event.Option {
	for i := range options {
		if strings.EqualFold(options[i].Key, text) || strings.EqualFold(options[i].Label, text) {
			return &options[i]
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(options) {
		return nil
	}
	for _, o := range options {
		if _, err := strconv.Atoi(o.Key); err == nil {
			return nil
		}
	}
	return &options[n-1]
}

func several(options []event.Option, text string) ([]string, bool) {
	var keys []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		o := option(options, part)
		if o == nil {
			return nil, false
		}
		keys = append(keys, o.Key)
	}
	return keys, len(keys) > 0
}
