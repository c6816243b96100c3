package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/permission"
	"parley/internal/session"
	"parley/internal/shell"
	"parley/internal/tool"
)

// listener plays a script and keeps what it was sent.
type listener struct {
	llm.Model
	mu   sync.Mutex // guards the fields below
	sent []llm.Request
}

func (l *listener) Stream(ctx context.Context, r llm.Request) iter.Seq[llm.Part] {
	l.mu.Lock()
	l.sent = append(l.sent, r)
	l.mu.Unlock()
	return l.Model.Stream(ctx, r)
}

// listen gives the bed's setups a model that is heard.
func (b *bed) listen(change func(*agent.Setup)) *listener {
	made := b.setup
	heard := &listener{}
	b.setup = func() *agent.Setup {
		setup := made()
		heard.Model, setup.Model = setup.Model, heard
		if change != nil {
			change(setup)
		}
		return setup
	}
	return heard
}

// answers answers each ask with the next key.
func (b *bed) answers(keys ...string) {
	b.t.Helper()
	after := event.Seq(0)
	for _, key := range keys {
		e := b.until(after, kind("ask.opened"))
		after = e.Seq
		b.must(command.Answer{Ask: e.Body.(event.AskOpened).Ask, Keys: []string{key}})
	}
}

const twoWaits = `
{"order": "count"}
{"call": {"id": "call_1", "name": "wait", "arguments": {"ms": 1}}}
{"stop": "tool_calls"}
{"call": {"id": "call_2", "name": "wait", "arguments": {"ms": 2}}}
{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}`

// An answer that holds for the project or for the user holds from then on, also
// where it cannot be kept; it is handed over to be kept once.
func TestAnswerHoldsAtOnce(t *testing.T) {
	for _, c := range []struct {
		key   string
		scope permission.Scope
		fails error
	}{{"p", permission.ScopeProject, nil}, {"u", permission.ScopeUser, nil}, {"p", permission.ScopeProject, errors.New("disk full")}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, twoWaits)
			var kept []string
			b.listen(func(s *agent.Setup) {
				s.Store = func(scope permission.Scope, effect permission.Effect, rules []string) error {
					kept = append(kept, string(scope)+" "+string(effect)+" "+strings.Join(rules, ","))
					return c.fails
				}
			})
			defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
			b.must(command.Prompt{Text: "Wait twice"})
			b.answers(c.key)
			b.until(0, kind("run.ended"))
			got := b.kinds()
			if !strings.Contains(got, "permission.decided call_2 true rule") || strings.Count(got, "ask.opened") != 1 {
				t.Error(got)
			}
			if d := cmp.Diff([]string{string(c.scope) + " allow wait"}, kept); d != "" {
				t.Error(d)
			}
			if strings.Contains(got, "note.added") != (c.fails != nil) {
				t.Errorf("a rule that could not be kept, %v:\n%s", c.fails, got)
			}
		})
	}
}

// What is allowed for the session in a sub-agent holds in its parent, in later
// sub-agents, and in the next run.
func TestAnswerInAgentHoldsEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, `
{"when": "please wait", "in": "new"}
{"call": {"id": "w1", "name": "wait", "arguments": {"ms": 1}}}
{"stop": "tool_calls"}
{"when": "waiting over", "in": "new"}
{"text": "Waited."}
{"stop": "stop"}
{"when": "Waited.", "in": "new"}
{"call": {"id": "call_2", "name": "wait", "arguments": {"ms": 2}}}
{"stop": "tool_calls"}
{"when": "Let", "in": "new"}
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "wait", "prompt": "please wait"}}}
{"stop": "tool_calls"}`, "task")
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Let somebody wait"})
		b.answers("a")
		end := b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		b.must(command.Prompt{Text: "Let somebody wait again"})
		b.until(end.Seq, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		got := b.kinds()
		if strings.Count(got, "ask.opened") != 1 || strings.Count(got, "permission.decided w1 true rule") != 1 ||
			strings.Count(got, "call.ended call_2 success") != 1 {
			t.Error(got)
		}
	})
}

// What sub-agents cost is counted in the run and in the session, once, whether
// they were waited for or worked in the background.
func TestAgentsAreCounted(t *testing.T) {
	for _, background := range []string{"false", "true"} {
		synctest.Test(t, func(t *testing.T) {
			b := agentsBed(t, `
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "count", "prompt": "count the files", "background": `+background+`}}}
{"call": {"id": "call_2", "name": "task", "arguments": {"description": "look", "prompt": "look around", "background": `+background+`}}}
{"stop": "tool_calls", "usage": {"input": 1, "output": 10}}
{"text": "Good."}
{"stop": "stop", "usage": {"input": 2, "output": 20}}
{"text": "Better."}
{"stop": "stop", "usage": {"input": 4, "output": 40}}
{"text": "Best."}
{"stop": "stop", "usage": {"input": 8, "output": 80}}
{"when": "count the files", "in": "new"}
{"text": "There are 3.", "chunk": 1, "rate": 10}
{"stop": "stop", "usage": {"input": 100, "output": 1000, "cached_read": 5}}
{"when": "look around", "in": "new"}
{"text": "Nothing.", "chunk": 1, "rate": 10}
{"stop": "stop", "usage": {"input": 200, "output": 2000}}`, "task")
			b.must(command.Prompt{Text: "Ask"})
			ended := b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
			own := event.Usage{}
			page, err := b.log.Page(t.Context(), 0, 1000)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page {
				if r, ok := e.Body.(event.ResponseEnded); ok && e.Session == id {
					own = own.Plus(r.Usage)
				}
			}
			want := own.Plus(event.Usage{Input: 300, Output: 3000, CachedRead: 5})
			if d := cmp.Diff(want, ended.Body.(event.RunEnded).Usage); d != "" {
				t.Errorf("background %s (-want +got):\n%s", background, d)
			}
			if d := cmp.Diff(want, b.log.State().Usage.Session); d != "" {
				t.Errorf("the session, background %s (-want +got):\n%s", background, d)
			}
			b.kinds()
		})
	}
}

// What happened beside a run is said before its next request, once.
func TestReminderIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, twoWaits, "wait")
		asked := 0
		heard := b.listen(func(s *agent.Setup) {
			s.Reminders = func() []event.DeveloperSaid {
				if asked++; asked == 2 {
					return []event.DeveloperSaid{{Origin: event.ReminderJob, Text: "The server has stopped."}, {Origin: event.ReminderJob, Text: "So has the watcher."}}
				}
				return nil
			}
		})
		b.must(command.Prompt{Text: "Wait twice"})
		b.until(0, kind("run.ended"))
		var with []int
		for i, r := range heard.sent {
			if strings.Contains(said(r), "The server has stopped.\nSo has the watcher.\n") {
				with = append(with, i)
			}
		}
		got := b.kinds()
		if !slices.Equal(with, []int{1, 2}) || strings.Count(got, "developer.said") != 2 {
			t.Errorf("in requests %v\n%s", with, got)
		}
	})
}

// An answer that is shorter than the model meant it to be says so.
func TestTruncatedAnswerSaysSo(t *testing.T) {
	for _, stop := range []string{"length", "content_filter"} {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, `{"text": "It begi"}
{"stop": "`+stop+`"}`)
			b.must(command.Prompt{Text: "Say much"})
			b.until(0, kind("run.ended"))
			if got := b.kinds(); !strings.Contains(got, "note.added\nstep.ended\nturn.ended done") {
				t.Errorf("%s: %s", stop, got)
			}
		})
	}
}

// A server that asks for a longer wait than anybody would sit through is not
// waited for; what it asks for is said.
func TestLongWaitIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, `{"fail": {"status": 429, "retry_after": 150, "message": "slow down"}}`)
		b.must(command.Prompt{Text: "Go"})
		fault := b.until(0, kind("fault.raised")).Body.(event.FaultRaised)
		want := event.FaultRaised{Code: event.CodeLimit, Message: "script: 429 Too Many Requests: slow down; it asks for a wait of 2m30s", RetryMS: 150_000}
		if d := cmp.Diff(want, fault); d != "" {
			t.Error(d)
		}
		b.until(0, kind("run.ended"))
	})
}

// A stream that is cut goes on in a new step, from the text that was seen, also
// where a call had been announced: that call never was.
func TestBrokenStreamGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		first string
		last  string // what the second request ends with
	}{
		"text":              {`{"text": "Half a"}`, "Your answer was cut off. Go on exactly where it stops; repeat nothing.\n"},
		"text and a call":   {`{"text": "Half a"}` + "\n" + `{"call": {"id": "call_1", "name": "wait", "arguments": {}}}`, "Your answer was cut off. Go on exactly where it stops; repeat nothing.\n"},
		"a call, no letter": {`{"call": {"id": "call_1", "name": "wait", "arguments": {}}}`, "Say it\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t, "{\"order\": \"count\"}\n"+c.first+`
{"fail": {"cut": true}}
{"text": " word."}
{"stop": "stop"}`)
				heard := b.listen(nil)
				b.must(command.Prompt{Text: "Say it"})
				b.until(0, kind("run.ended"))
				got := b.kinds()
				if !strings.Contains(got, "response.interrupted provider\nnote.added\n") || !strings.HasSuffix(got, "turn.ended done\nrun.ended done") || strings.Contains(got, "call.started") {
					t.Fatal(got)
				}
				if text := said(heard.sent[1]); !strings.HasSuffix(text, c.last) {
					t.Errorf("the second request says %q", text)
				}
			})
		})
	}
}

// The answer of a sub-agent that was cut is the whole of it.
func TestCutAgentAnswersWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, `
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "count", "prompt": "count the files"}}}
{"stop": "tool_calls"}
{"text": "Thanks."}
{"stop": "stop"}
{"when": "count the files", "in": "new"}
{"text": "There are th"}
{"fail": {"cut": true}}
{"when": "Go on exactly", "in": "new"}
{"text": "ree."}
{"stop": "stop"}`, "task")
		b.must(command.Prompt{Text: "Ask"})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		if got := b.kinds(); !strings.Contains(got, `call.ended call_1 success "There are three."`) {
			t.Error(got)
		}
	})
}

// A picture that the model made is kept, named by its block, and shown to the
// model again; one that is gone leaves a word, and the session goes on.
func TestModelImageIsKeptAndSentAgain(t *testing.T) {
	for _, gone := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, `{"text": "Here."}
{"image": {"media_type": "image/gif", "data": "R0lG"}}
{"stop": "stop"}
{"text": "A dot."}
{"stop": "stop"}`)
			heard := b.listen(func(s *agent.Setup) {
				s.Save = func(kind string, data []byte) (event.Attachment, error) {
					return event.Attachment{MediaType: kind, Blob: "abc", Path: "/data/blobs/abc", Size: int64(len(data))}, nil
				}
				s.Load = func(a event.Attachment) ([]byte, error) {
					if gone || a.Blob != "abc" {
						return nil, errors.New("no such file")
					}
					return []byte("GIF"), nil
				}
			})
			b.must(command.Prompt{Text: "Draw"})
			end := b.until(0, kind("run.ended"))
			b.must(command.Prompt{Text: "What is it?", Attachments: []event.Attachment{{Name: "other.png", MediaType: "image/png", Blob: "abc"}}})
			b.until(end.Seq, kind("run.ended"))
			if got := b.kinds(); !strings.HasSuffix(got, "run.ended done") {
				t.Fatal(got)
			}
			want := []llm.Content{
				llm.Text{Text: "Draw"}, llm.Text{Text: "Here."}, llm.Image{MediaType: "image/gif", Data: []byte("GIF")},
				llm.Text{Text: "What is it?"}, llm.Image{MediaType: "image/png", Data: []byte("GIF")},
			}
			if gone {
				want[2], want[4] = llm.Text{Text: "[a picture that is no longer kept]"}, llm.Text{Text: "[a picture that is no longer kept other.png]"}
			}
			var got []llm.Content
			for _, m := range heard.sent[1].Messages {
				got = append(got, m.Parts...)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("gone %t (-want +got):\n%s", gone, d)
			}
		})
	}
}

// running is a tool whose commands are judged as commands are.
var running = tool.Definition[struct{}]{
	Spec: tool.Spec{Name: "bash", Description: "runs", Schema: json.RawMessage(`{"type":"object","properties":{}}`), Pattern: tool.PatternCommand},
	Targets: func(tool.World, struct{}) (tool.Targets, error) {
		return tool.Targets{Command: "cat keys/a", Dir: "/w"}, nil
	},
	Run: func(context.Context, tool.World, tool.Call, struct{}, tool.Grow) tool.Result {
		return tool.Result{Status: tool.Success, Text: "a key"}
	},
}.Tool()

// A denial because nobody could be asked names the flags that would help, and
// where none would, what stands against the call.
func TestUnaskedNamesWhatHelps(t *testing.T) {
	for _, c := range []struct{ deny, want string }{
		{"read(other/**)", "nobody is there to ask: no rule allows: cat keys/a. --allow 'bash(cat:*)' would allow it.\""},
		{"read(keys/**)", "nobody is there to ask: whether the rule read(keys/**) (flag) denies it only shows when it runs. No --allow would help.\""},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, `{"call": {"id": "call_1", "name": "bash", "arguments": {}}}
{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}`)
			b.listen(func(s *agent.Setup) {
				s.Tools, s.World.Root = tool.NewSet(running), "/w"
				s.World.Shell = func(func(string) bool) shell.World {
					return shell.World{
						Root: "/w", Env: []string{"PATH=/bin"}, Writable: func(string) bool { return false },
						Kind:   func(string) (shell.Kind, error) { return shell.KindMissing, nil },
						Follow: func(name string) (string, shell.Kind, []string) { return name, shell.KindProgram, nil },
					}
				}
				s.Policy = s.Policy.With(permission.Scoped{Rule: agent.Grammar(s.Tools).MustRule(c.deny), Effect: permission.EffectDeny, Scope: permission.ScopeFlag})
			})
			b.must(command.Prompt{Text: "Read it"})
			b.until(0, kind("run.ended"))
			if got := b.kinds(); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s", c.deny, got)
			}
		})
	}
}

// What the instructions cost is recorded where it has changed.
func TestBudgetIsRecordedWhenItChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, `{"text": "Hi."}
{"stop": "stop"}
{"text": "Hi."}
{"stop": "stop"}
{"text": "Hi."}
{"stop": "stop"}`)
		tokens := 100
		b.listen(func(s *agent.Setup) {
			s.Budget = []event.BudgetSource{{Name: "system", Tokens: 200}, {Name: "AGENTS.md", Tokens: tokens}}
		})
		var seq event.Seq
		for _, n := range []int{100, 100, 120} {
			tokens = n
			b.must(command.Prompt{Text: "Hello"})
			seq = b.until(seq, kind("run.ended")).Seq
		}
		page, err := b.log.Page(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var got [][]event.BudgetSource
		for _, e := range page {
			if c, ok := e.Body.(event.BudgetChanged); ok {
				got = append(got, c.Sources)
			}
		}
		want := [][]event.BudgetSource{{{Name: "system", Tokens: 200}, {Name: "AGENTS.md", Tokens: 100}, {Name: "tools", Tokens: 26}}, {{Name: "AGENTS.md", Tokens: 120}}}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		b.kinds()
	})
}
