package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/permission"
	"parley/internal/session"
	"parley/internal/tool"
)

// doing is a tool that does to its session what a test says.
func doing(name string, f func(ctx context.Context, w tool.World) (string, error)) tool.Tool {
	return tool.Definition[struct{}]{
		Spec:    tool.Spec{Name: name, Description: "does", Concurrent: true, Schema: json.RawMessage(`{"type":"object"}`)},
		Targets: func(tool.World, struct{}) (tool.Targets, error) { return tool.Targets{}, nil },
		Run: func(ctx context.Context, w tool.World, _ tool.Call, _ struct{}, _ tool.Grow) tool.Result {
			text, err := f(ctx, w)
			if err != nil {
				return tool.Failed(err)
			}
			return tool.Result{Status: tool.Success, Text: text}
		},
	}.Tool()
}

// effectsBed is a session with these tools, which may all run, and a model that calls each once.
func effectsBed(t *testing.T, tools ...tool.Tool) *bed {
	var calls strings.Builder
	for i, tl := range tools {
		fmt.Fprintf(&calls, `{"call": {"id": "call_%d", "name": %q, "arguments": {}}}`+"\n", i+1, tl.Spec().Name)
	}
	b := newBed(t, calls.String()+`{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}`)
	b.listen(func(s *agent.Setup) {
		s.Tools = tool.NewSet(tools...)
		s.Policy = permission.Policy{Default: permission.EffectAllow}
	})
	return b
}

func question(text string) event.AskOpened {
	return event.AskOpened{Kind: event.AskQuestions, Title: text, Questions: []event.Question{{Text: text}}}
}

// Two calls ask at the same time: one question is open at a time, each gets its own answer, and what was answered of a
// question is known also where a person then takes it back.
func TestToolsAskInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := func(name string) tool.Tool {
			return doing(name, func(ctx context.Context, w tool.World) (string, error) {
				q := question(name + "?")
				q.Questions = append(q.Questions, event.Question{Text: "and?"})
				r, err := w.Ask(ctx, q)
				if err != nil {
					return "", err
				}
				text := string(r.Outcome)
				for _, a := range r.Answers {
					text += fmt.Sprintf(" %d:%s", a.Question, a.Text)
				}
				return text, nil
			})
		}
		b := effectsBed(t, ask("left"), ask("right"))
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Ask"})
		asked := b.until(0, kind("ask.opened"))
		one := asked.Body.(event.AskOpened)
		synctest.Wait()
		if n := len(b.log.State().Asks); n != 1 {
			t.Fatalf("%d asks are open", n)
		}
		b.must(command.Answer{Ask: one.Ask, Question: 0, Text: "yes"})
		b.must(command.Answer{Ask: one.Ask, Question: 1, Text: "no"})
		two := b.until(asked.Seq, kind("ask.opened")).Body.(event.AskOpened)
		b.must(command.Answer{Ask: two.Ask, Question: 0, Text: "maybe"})
		b.must(command.Answer{Ask: two.Ask, Cancel: true})
		b.until(0, kind("run.ended"))
		got := b.kinds()
		if !strings.Contains(got, `success "answered 0:yes 1:no"`) || !strings.Contains(got, `success "cancelled 0:maybe"`) {
			t.Error(got)
		}
	})
}

// Where nobody can answer a tool is told so at once; whether a call may run is not a tool's to ask; a tool that stops
// waiting takes its question back, and the next one is asked.
func TestToolAskWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := effectsBed(t, doing("ask", func(ctx context.Context, w tool.World) (string, error) {
			_, err := w.Ask(ctx, question("who?"))
			if !errors.Is(err, tool.ErrNobody) {
				return "", fmt.Errorf("nobody: %w", err)
			}
			_, err = w.Ask(ctx, event.AskOpened{Kind: event.AskPermission, Title: "Allow bash?"})
			if !errors.Is(err, tool.ErrRefused) {
				return "", fmt.Errorf("permission: %w", err)
			}
			return "as it should", nil
		}))
		b.must(command.Prompt{Text: "Ask"})
		b.until(0, kind("run.ended"))
		if got := b.kinds(); !strings.Contains(got, `success "as it should"`) || strings.Contains(got, "ask.opened") {
			t.Error(got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := effectsBed(t, doing("ask", func(ctx context.Context, w tool.World) (string, error) {
			brief, cancel := context.WithCancel(ctx)
			opened := make(chan error)
			go func() {
				_, err := w.Ask(brief, question("first?"))
				opened <- err
			}()
			synctest.Wait() // the question is open
			cancel()
			if err := <-opened; !errors.Is(err, context.Canceled) {
				return "", fmt.Errorf("first: %w", err)
			}
			r, err := w.Ask(ctx, question("second?"))
			return string(r.Outcome), err
		}))
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Ask"})
		b.until(0, kind("ask.closed"))
		second := b.until(b.until(0, kind("ask.closed")).Seq, kind("ask.opened")).Body.(event.AskOpened)
		b.must(command.Answer{Ask: second.Ask, Text: "yes"})
		b.until(0, kind("run.ended"))
		if got := b.kinds(); !strings.Contains(got, "ask.closed aborted\nask.opened\nask.answered\nask.closed answered") || !strings.Contains(got, `success "answered"`) {
			t.Error(got)
		}
	})
}

// What a tool leaves running when it returns can do nothing any more: its question is taken back before the call ends,
// and every later effect is refused.
func TestEffectsEndWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan []error)
		b := effectsBed(t, doing("leave", func(ctx context.Context, w tool.World) (string, error) {
			go func() {
				_, asked := w.Ask(context.Background(), question("still there?"))
				_, again := w.Ask(context.Background(), question("hello?"))
				_, spawned := w.Spawn(context.Background(), tool.Agent{Prompt: "x"})
				late <- []error{asked, again, spawned, w.Plan(context.Background(), event.PlanChanged{}),
					w.Title(context.Background(), event.SessionTitled{Title: "x"})}
			}()
			synctest.Wait()
			return "gone", nil
		}))
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Go"})
		for i, err := range <-late {
			if err == nil {
				t.Errorf("effect %d was carried out", i)
			}
		}
		b.until(0, kind("run.ended"))
		got := b.kinds()
		if !strings.Contains(got, "ask.opened\nask.closed aborted\ncall.ended call_1 success \"gone\"") || strings.Count(got, "session.titled") != 1 || strings.Contains(got, "plan.") {
			t.Error(got)
		}
	})
}

// A plan is replaced and removed, a title is one clean line and never none; a sub-agent cannot be started where the
// session has no way to name it.
func TestPlanTitleSpawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := effectsBed(t, doing("do", func(ctx context.Context, w tool.World) (string, error) {
			_, spawned := w.Spawn(ctx, tool.Agent{Prompt: "x"})
			if !errors.Is(spawned, tool.ErrRefused) {
				return "", fmt.Errorf("spawn: %w", spawned)
			}
			if w.Title(ctx, event.SessionTitled{Title: " \n "}) == nil {
				return "", errors.New("no title is a title")
			}
			return "done", errors.Join(
				w.Plan(ctx, event.PlanChanged{Steps: []event.PlanStep{{Text: "one", Status: event.PlanPending}}}),
				w.Title(ctx, event.SessionTitled{Title: "Two\x1b[31m\nlines"}))
		}))
		b.must(command.Prompt{Text: "Go"})
		b.until(0, kind("run.ended"))
		synctest.Wait() // the list is told after the log
		s := b.log.State()
		if len(s.Plan) != 1 || s.Title != "Two[31m …" || !strings.Contains(b.kinds(), `success "done"`) {
			t.Errorf("plan %v, title %q\n%s", s.Plan, s.Title, b.kinds())
		}
		if last := b.listed[len(b.listed)-1]; last.Title != s.Title {
			t.Errorf("the list shows %q", last.Title)
		}
	})
}
