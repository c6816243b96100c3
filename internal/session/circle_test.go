package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/retry"
	"parley/internal/session"
	"parley/internal/tool"
)

// polled counts its calls and says so.
func polled() tool.Tool {
	n := 0
	return tool.Definition[struct{}]{
		Spec:    tool.Spec{Name: "poll", Description: "polls", ReadOnly: true},
		Targets: func(tool.World, struct{}) (tool.Targets, error) { return tool.Targets{}, nil },
		Run: func(context.Context, tool.World, tool.Call, struct{}, tool.Grow) tool.Result {
			n++
			return tool.Result{Status: tool.Success, Text: fmt.Sprint(n)}
		},
	}.Tool()
}

// steps are answers that call these tools, one each.
func steps(names ...string) (out []llmtest.Reply) {
	for i, name := range names {
		out = append(out, llmtest.Reply{Body: fmt.Sprintf(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_%d","function":{"name":%q,"arguments":%q}}]},"finish_reason":"tool_calls"}]}`,
			i, strings.TrimRight(name, "0123456789"), fmt.Sprintf(`{"n":%q}`, strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"))) + "\n\ndata: [DONE]\n\n"})
	}
	return out
}

// Calls that come around with the same results are a circle, one or several by turns; what changes is none. Without
// somebody to ask, the model is told once, and the run ends when it goes on.
func TestCircle(t *testing.T) {
	again := func(n int, names ...string) []string { return slices.Repeat(names, n) }
	for name, c := range map[string]struct {
		steps  []string
		told   int
		reason event.Reason
	}{
		"one call":                   {again(3, "note"), 1, event.ReasonDone},
		"not often enough":           {again(2, "note"), 0, event.ReasonDone},
		"two by turns":               {again(3, "note1", "note2"), 1, event.ReasonDone},
		"three by turns, after some": {append([]string{"note7", "note8"}, again(3, "note1", "note2", "note3")...), 1, event.ReasonDone},
		"broken in the middle":       {[]string{"note1", "note1", "note2", "note1", "note1", "note2", "note1"}, 0, event.ReasonDone},
		"polling that changes":       {again(8, "poll"), 0, event.ReasonDone},
		"a poll between":             {again(4, "note1", "poll"), 0, event.ReasonDone},
		"told and better":            {append(again(3, "note"), again(2, "note")...), 1, event.ReasonDone},
		"told and not better":        {again(6, "note"), 1, event.ReasonLimit},
		"told and in another one":    {append(again(3, "note"), again(3, "note1", "note2")...), 1, event.ReasonLimit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := circling(t, c.steps)
				events, _ := b.run("Go")
				if told := strings.Count(b.kinds(), "developer.said"); told != c.told || ended(events) != c.reason {
					t.Errorf("told %d times, %s\n%s", told, ended(events), b.kinds())
				}
			})
		})
	}
}

// circling is a bed whose model takes these steps and then is done.
func circling(t *testing.T, names []string) *bed {
	b, _ := served(t, retry.Forever, nil, append(steps(names...), llmtest.Reply{Body: answer("Done.", stops)})...)
	plain, poll := b.setup, polled()
	b.setup = func() *agent.Setup {
		setup := plain()
		setup.Tools = tool.NewSet(wait, note, poll)
		return setup
	}
	return b
}

// A person who is there is asked what to do about a circle, and again when it goes on.
func TestCircleAsks(t *testing.T) {
	for name, c := range map[string]struct {
		answers []command.Answer
		reason  event.Reason
		said    string
	}{
		"go on, twice":   {[]command.Answer{{Keys: []string{"go_on"}}, {Keys: []string{"go_on"}}}, event.ReasonDone, ""},
		"stop":           {[]command.Answer{{Keys: []string{"stop"}}}, event.ReasonDenied, ""},
		"tell the model": {[]command.Answer{{Text: "look in go.mod"}, {Keys: []string{"go_on"}}}, event.ReasonDone, "The user was asked about it and says: look in go.mod"},
		"no answer":      {[]command.Answer{{Cancel: true}, {Cancel: true}}, event.ReasonLimit, "Do not make them again"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := circling(t, slices.Repeat([]string{"note"}, 6))
				defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
				b.must(command.Prompt{Text: "Go"})
				after := event.Seq(0)
				for _, answer := range c.answers {
					e := b.until(after, kind("ask.opened"))
					opened := e.Body.(event.AskOpened)
					if len(opened.Questions) != 1 || !strings.Contains(opened.Questions[0].Text, "the same calls 3 times, with the same results each time (note") {
						t.Errorf("%+v", opened)
					}
					after, answer.Ask = e.Seq, opened.Ask
					b.must(answer)
				}
				end := b.until(after, kind("run.ended"))
				said := ""
				for e, err := range b.log.After(t.Context(), 0) {
					if d, ok := e.Body.(event.DeveloperSaid); ok {
						said = d.Text
					}
					if err != nil || e.Seq == end.Seq {
						break
					}
				}
				if got := end.Body.(event.RunEnded).Reason; got != c.reason || !strings.Contains(said, c.said) {
					t.Errorf("%s, told %q\n%s", got, said, b.kinds())
				}
			})
		})
	}
}

// A run that is stopped while it is asked about a circle ends.
func TestCircleStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := circling(t, slices.Repeat([]string{"note"}, 3))
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Go"})
		b.until(0, kind("ask.opened"))
		b.must(command.Abort{})
		if end := b.until(0, kind("run.ended")); end.Body.(event.RunEnded).Reason != event.ReasonAborted {
			t.Error(b.kinds())
		}
	})
}
