package plain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/display/plain"
	"parley/internal/event"
)

// What a person may type, and what it means.
func TestTypedAnswers(t *testing.T) {
	allow := event.AskOpened{Ask: "a1", Kind: event.AskPermission, Options: []event.Option{
		{Key: "y", Label: "yes, once"}, {Key: "a", Label: "for this session"}, {Key: "n", Label: "no"}}}
	ask := event.AskOpened{Ask: "a2", Kind: event.AskQuestions, Questions: []event.Question{
		{Text: "Which?", Options: []event.Option{{Key: "red", Label: "Red"}, {Key: "blue", Label: "Blue"}}, Default: "blue"},
		{Text: "Which ones?", Multi: true, Options: []event.Option{{Key: "1", Label: "one"}, {Key: "2", Label: "two"}, {Key: "3", Label: "three"}}},
		{Text: "Name?"},
	}}
	for _, c := range []struct {
		ask      event.AskOpened
		question int
		typed    string
		want     command.Answer
		problem  string
	}{
		{allow, 0, "y", command.Answer{Keys: []string{"y"}}, ""},
		{allow, 0, "  A ", command.Answer{Keys: []string{"a"}}, ""},
		{allow, 0, "2", command.Answer{Keys: []string{"a"}}, ""},
		{allow, 0, "Yes, once", command.Answer{Keys: []string{"y"}}, ""},
		{allow, 0, "n: use the other file", command.Answer{Keys: []string{"n"}, Reason: "use the other file"}, ""},
		{allow, 0, "", command.Answer{}, "Type one of y, a, n and Enter."},
		{allow, 0, "4", command.Answer{}, "Type one of y, a, n and Enter."},
		{allow, 0, "maybe later", command.Answer{}, "Type one of y, a, n and Enter."},
		{ask, 0, "", command.Answer{Keys: []string{"blue"}}, ""},
		{ask, 0, "1", command.Answer{Keys: []string{"red"}}, ""},
		{ask, 0, "green, rather", command.Answer{Text: "green, rather"}, ""},
		{ask, 1, "1, 3", command.Answer{Keys: []string{"1", "3"}}, ""},
		{ask, 1, "two 3", command.Answer{Keys: []string{"2", "3"}}, ""},
		{ask, 1, "1 and 9", command.Answer{Text: "1 and 9"}, ""},
		{ask, 2, "Ann", command.Answer{Text: "Ann"}, ""},
		{ask, 2, "", command.Answer{}, "Type an answer and Enter."},
		{event.AskOpened{Ask: "a3", Kind: event.AskPrompt}, 0, "free text", command.Answer{Text: "free text"}, ""},
	} {
		got, problem := plain.Answer(c.ask, c.question, c.typed)
		if problem != c.problem {
			t.Errorf("%q: %q, want %q", c.typed, problem, c.problem)
		}
		c.want.Ask, c.want.Question = c.ask.Ask, c.question
		if d := cmp.Diff(c.want, got); problem == "" && d != "" {
			t.Errorf("%q: %s", c.typed, d)
		}
	}
}
