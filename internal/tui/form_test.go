package tui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
)

// What the keys of an open ask answer.
func TestAskKeys(t *testing.T) {
	permission := asked("a1", "c1").(event.AskOpened)
	question := event.AskOpened{Ask: "a1", Kind: event.AskQuestions, Title: "Tokens", Questions: []event.Question{
		{Text: "Which?", Options: []event.Option{{Key: "x", Label: "X"}, {Key: "y", Label: "Y"}}, Default: "y"},
		{Text: "Why?"},
		{Text: "Which of all?", Options: []event.Option{{Key: "p", Label: "P"}, {Key: "q", Label: "Q"}}, Multi: true},
	}}
	pick := event.AskOpened{Ask: "a1", Kind: event.AskPick, Title: "Pick", Options: []event.Option{{Key: "one", Label: "One"}, {Key: "two", Label: "Two"}}}
	prompt := event.AskOpened{Ask: "a1", Kind: event.AskPrompt, Title: "Name?", Questions: []event.Question{{Text: "Name?", Secret: true}}}
	for _, c := range []struct {
		name string
		ask  event.AskOpened
		keys []string
		want []command.Answer
	}{
		{"allow", permission, []string{"y"}, []command.Answer{{Ask: "a1", Keys: []string{"y"}}}},
		{"deny ends the turn", permission, []string{"n"}, []command.Answer{{Ask: "a1", Keys: []string{"n"}, Stop: true}}},
		{"enter takes the marked answer", permission, []string{"enter"}, []command.Answer{{Ask: "a1", Keys: []string{"y"}}}},
		{"an answer that stores takes two keys", permission, []string{"a"}, nil},
		{"an answer that stores", permission, []string{"a", "enter"}, []command.Answer{{Ask: "a1", Keys: []string{"a"}}}},
		{"the last answer", permission, []string{"down", "down", "down", "enter"}, []command.Answer{{Ask: "a1", Keys: []string{"n"}, Stop: true}}},
		{"up and down", permission, []string{"down", "up", "enter"}, []command.Answer{{Ask: "a1", Keys: []string{"y"}}}},
		{"numbers choose nothing", permission, []string{"1", "space", "tab"}, nil},
		{"no, because", permission, []string{"b", "n", "o", "enter"}, []command.Answer{{Ask: "a1", Keys: []string{"n"}, Reason: "no"}}},
		{"no, because of nothing", permission, []string{"b", "enter"}, nil},
		{"back from because", permission, []string{"b", "y", "esc", "y"}, []command.Answer{{Ask: "a1", Keys: []string{"y"}}}},
		{"change it first", permission, []string{"e", "ctrl+u", "l", "s", "enter"}, []command.Answer{{Ask: "a1", Keys: []string{"y"}, Arguments: json.RawMessage(`{"command":"ls"}`)}}},
		{"change it to nothing", permission, []string{"e", "ctrl+u", "enter"}, nil},
		{"the first of three", question, []string{"1"}, nil},
		{"all three", question, []string{"1", "s", "o", "enter", "1", "2", "1", "enter"}, []command.Answer{
			{Ask: "a1", Keys: []string{"x"}}, {Ask: "a1", Question: 1, Text: "so"}, {Ask: "a1", Question: 2, Keys: []string{"q"}}}},
		{"the default, and none of many", question, []string{"enter", "s", "enter", "enter"}, []command.Answer{
			{Ask: "a1", Keys: []string{"y"}}, {Ask: "a1", Question: 1, Text: "s"}, {Ask: "a1", Question: 2}}},
		{"words in place of an option, and back", question, []string{"1", "left", "n", "o", "enter", "s", "enter", "enter"}, []command.Answer{
			{Ask: "a1", Text: "no"}, {Ask: "a1", Question: 1, Text: "s"}, {Ask: "a1", Question: 2}}},
		{"cancel", question, []string{"1", "esc"}, []command.Answer{{Ask: "a1", Cancel: true}}},
		{"pick", pick, []string{"2"}, []command.Answer{{Ask: "a1", Keys: []string{"two"}}}},
		{"prompt", prompt, []string{"m", "e", "enter"}, []command.Answer{{Ask: "a1", Text: "me"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := asking{phase: ConfirmActive, ask: c.ask, form: newForm(c.ask), read: true}.move(0)
			var got []command.Answer
			for _, name := range c.keys {
				k := term.Key{Name: name}
				if len(name) == 1 {
					k.Text = name
				}
				var answers []command.Answer
				a.told, a.sent = a.row, false // a frame has told it
				a, answers, _ = a.key(k, json.RawMessage(`{"command":"rm x"}`), 60)
				got = append(append(got, answers...), a.rest...)
				a.rest = nil
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// The answers to several questions go out one after the other, each when the one
// before was taken, so that the last, which closes the ask, comes last.
func TestAnswersInOrder(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.happen(event.AskOpened{Ask: "a1", Kind: event.AskQuestions, Questions: []event.Question{{Text: "A?"}, {Text: "B?"}}})
	s.draw()
	s.pass(quiet)
	s.press("a", "enter", "b", "enter")
	if d := cmp.Diff([]command.Body{command.Answer{Ask: "a1", Text: "a"}}, s.sent()); d != "" {
		t.Error(d)
	}
	s.reduce(Answered{command.Result{ID: "1", Name: "answer"}})
	if d := cmp.Diff([]command.Body{command.Answer{Ask: "a1", Question: 1, Text: "b"}}, s.sent()); d != "" {
		t.Error(d)
	}
}

// An answer that stores is taken by enter only after a frame has told it in full:
// also on a screen too small for all answers, and never where it has no room at all.
func TestHiddenAnswerStoresNothing(t *testing.T) {
	for _, c := range []struct {
		height int
		rules  []string
		keys   []string
		sent   int
	}{
		{40, []string{"bash(go test:*)"}, []string{"p", "draw", "enter"}, 1},
		{40, []string{"bash(go test:*)"}, []string{"p", "enter"}, 0},
		{40, []string{"bash(go test:*)"}, []string{"p", "p", "p"}, 0},
		{10, []string{"bash(go test:*)"}, []string{"p", "draw", "enter"}, 1},
		{10, []string{strings.Repeat("bash(go test ./internal:*) ", 9)}, []string{"p", "draw", "enter"}, 0},
	} {
		s := newHarness(t, 40, c.height, term.ReflowLogical)
		s.draw()
		s.happen(startEdit()...)
		ask := asked("a1", "c1").(event.AskOpened)
		ask.Options = append(ask.Options, event.Option{Key: "p", Effect: event.EffectAllow, Scope: event.ScopeProject, Rules: c.rules})
		s.happen(ask)
		s.draw()
		s.reduce(Read{"a1"})
		s.pass(2 * quiet)
		s.draw()
		s.intents = nil
		for _, k := range c.keys {
			if k == "draw" {
				s.draw()
			} else {
				s.press(k)
			}
		}
		if len(s.intents) != c.sent {
			t.Errorf("%d rows, %v: sent %+v", c.height, c.keys, s.intents)
		}
	}
}
