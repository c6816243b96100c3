package session_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/retry"
)

// noted is a chat answer that calls the tool note.
const noted = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_%d","function":{"name":"note","arguments":"{\"text\":\"%s\"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"

// down is a server that is out.
var down = llmtest.Reply{Status: 503, Type: "application/json", Body: `{"error":{"message":"down"}}`}

// What an outage ended goes on from what is there, also where the first word had not come: nothing is said twice, the calls
// that ran are not run again, and a text that was cut is gone on with.
func TestContinue(t *testing.T) {
	call := llmtest.Reply{Body: fmt.Sprintf(noted, 1, "kept")}
	half := llmtest.Reply{Body: answer("Half", "data: {\"error\":{\"message\":\"down\"}}\n\n")}
	for name, c := range map[string]struct {
		before []llmtest.Reply
		want   []string // in the request that goes on
		not    string
	}{
		"before a word":      {[]llmtest.Reply{down}, []string{`"Go"`}, "Half"},
		"after a call":       {[]llmtest.Reply{call, down}, []string{`"Go"`, "kept", `"role":"tool"`}, "Half"},
		"in the middle":      {[]llmtest.Reply{half}, []string{`"Go"`, "Half", "Go on exactly where it stops"}, "kept"},
		"twice in a row out": {[]llmtest.Reply{call, down, down}, []string{`"Go"`, "kept"}, "Half"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := served(t, retry.Never, nil, append(c.before, llmtest.Reply{Body: answer("There.", stops)})...)
				first, _ := b.run("Go")
				if ended(first) != event.ReasonError || !b.log.State().Unfinished() {
					t.Fatal(b.kinds())
				}
				last := first[len(first)-1].Seq
				for range 2 {
					if !b.log.State().Unfinished() {
						break
					}
					b.must(command.Prompt{Continue: true})
					last = b.until(last, kind("run.ended")).Seq
				}
				queries := s.Queries()
				body := string(queries[len(queries)-1].Body)
				for _, want := range c.want {
					if strings.Count(body, want) != 1 {
						t.Errorf("%d times %s in %s", strings.Count(body, want), want, body)
					}
				}
				if strings.Contains(body, c.not) || b.log.State().Unfinished() || strings.Count(b.kinds(), "user.said") != 1 {
					t.Errorf("%s\n%s", body, b.kinds())
				}
			})
		})
	}
}

// What came to its end does not go on, and neither does what is open; a prompt that continues says nothing itself.
func TestContinueIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := served(t, retry.Forever, nil, llmtest.Reply{Body: answer("There.", stops)}, llmtest.Reply{Status: 503, Header: map[string]string{"Retry-After": "60"}})
		leaf := event.EntryID("e1")
		refused := func(p command.Prompt, want command.Code) {
			t.Helper()
			if r := b.do(p); r.Fault == nil || r.Fault.Code != want {
				t.Errorf("%+v: %v", p, r.Fault)
			}
		}
		refused(command.Prompt{Continue: true}, command.Invalid)
		b.run("Go")
		refused(command.Prompt{Continue: true}, command.Invalid)
		refused(command.Prompt{Continue: true, Text: "and more"}, command.Invalid)
		refused(command.Prompt{Continue: true, Leaf: &leaf}, command.Invalid)
		b.must(command.Prompt{Text: "Again"})
		b.until(0, kind("retry.scheduled"))
		refused(command.Prompt{Continue: true}, command.Busy)
		b.must(command.Abort{})
		b.until(0, func(e event.Event) bool {
			r, ok := e.Body.(event.RunEnded)
			return ok && r.Reason == event.ReasonAborted
		})
	})
}
