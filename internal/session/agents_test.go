package session_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm/script"
	"parley/internal/permission"
	"parley/internal/session"
	"parley/internal/tool"
	"parley/internal/tool/task"
)

func agentsBed(t *testing.T, lines string, rules ...string) *bed {
	b := newBed(t, lines)
	model, err := script.Parse("agents.ndjson", strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	b.setup = func() *agent.Setup {
		setup := &agent.Setup{Model: model, Provider: "script", ModelName: "test", ContextLimit: 128000, Tools: tool.NewSet(wait, note, task.New(task.Profiles...)), Steps: 20,
			NewID: func() event.SessionID { return event.SessionID(fmt.Sprintf("sess-child%d", n.Add(1))) }}
		for _, r := range rules {
			setup.Policy = setup.Policy.With(permission.Scoped{Rule: agent.Grammar(setup.Tools).MustRule(r), Effect: permission.EffectAllow, Scope: permission.ScopeFlag})
		}
		return setup
	}
	return b
}

const twoAgents = `
{"text": "I ask two."}
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "count", "prompt": "count the files"}}}
{"call": {"id": "call_2", "name": "task", "arguments": {"description": "look", "prompt": "look around"}}}
{"stop": "tool_calls"}
{"text": "Both answered."}
{"stop": "stop"}
{"when": "count the files", "in": "new"}
{"text": "There are 3.", "chunk": 1, "rate": 100}
{"stop": "stop"}
{"when": "look around", "in": "new"}
{"text": "Nothing to see.", "chunk": 1, "rate": 100}
{"stop": "stop"}
`

// Two sub-agents work at the same time: their events interleave in the root's
// log under their own ids, each legal by itself, and their answers come back.
func TestTwoAgentsInterleave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, twoAgents, "task")
		b.must(command.Prompt{Text: "Ask two"})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		got := b.kinds()
		for _, want := range []string{`call.ended call_1 success "There are 3."`, `call.ended call_2 success "Nothing to see."`} {
			if !strings.Contains(got, want) {
				t.Errorf("no %s in\n%s", want, got)
			}
		}
		page, err := b.log.Page(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		open, most := map[event.SessionID]bool{}, 0
		for _, e := range page {
			switch e.Body.(type) {
			case event.SessionOpened:
				open[e.Session] = e.Session != id
			case event.SessionClosed:
				delete(open, e.Session)
			}
			most = max(most, len(open)-1)
			if c, ok := e.Body.(event.CallEnded); ok && (c.Display == nil || c.Display.Agent == "") {
				t.Errorf("%s does not name its sub-agent", c.Call)
			}
		}
		if most != 2 {
			t.Errorf("%d at once", most)
		}
	})
}

// An abort reaches the sub-agents: they are closed, and then the run.
func TestAbortReachesAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, strings.ReplaceAll(twoAgents, `"rate": 100`, `"rate": 1`), "task")
		b.must(command.Prompt{Text: "Ask two"})
		speak := map[event.SessionID]bool{}
		b.until(0, func(e event.Event) bool {
			if e.Kind() == "block.grew" && e.Session != id {
				speak[e.Session] = true
			}
			return len(speak) == 2
		})
		b.must(command.Abort{})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		got := b.kinds()
		if strings.Count(got, "session.closed") != 2 || strings.Count(got, "run.ended aborted") != 3 || strings.Contains(got, "Both answered.") {
			t.Error(got)
		}
		if s := b.log.State(); len(s.Children) > 0 {
			t.Errorf("%d sub-agents are open", len(s.Children))
		}
	})
}

// A sub-agent in the background lets its parent go on, and its answer comes by
// itself before the run ends.
func TestBackgroundAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, `
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "count", "prompt": "count the files", "background": true}}}
{"stop": "tool_calls"}
{"text": "I go on meanwhile."}
{"stop": "stop"}
{"text": "Now I know."}
{"stop": "stop"}
{"when": "count the files", "in": "new"}
{"text": "There are 3.", "chunk": 1, "rate": 10}
{"stop": "stop"}`, "task")
		b.must(command.Prompt{Text: "Ask in the background"})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		got := b.kinds()
		meanwhile, said, now := strings.Index(got, `"I go on meanwhile."`), strings.Index(got, "developer.said"), strings.Index(got, `"Now I know."`)
		if meanwhile < 0 || said < meanwhile || now < said || !strings.HasSuffix(got, "run.ended done") {
			t.Error(got)
		}
	})
}

// An ask of a sub-agent is answered like any other, by its id.
func TestAgentAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, `
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "wait", "prompt": "please wait"}}}
{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}
{"when": "please wait", "in": "new"}
{"call": {"id": "w1", "name": "wait", "arguments": {"ms": 5}}}
{"stop": "tool_calls"}
{"when": "waiting over", "in": "new"}
{"text": "Waited."}
{"stop": "stop"}`, "task")
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Let somebody wait"})
		asked := b.until(0, kind("ask.opened"))
		opened := asked.Body.(event.AskOpened)
		if asked.Session == id {
			t.Fatal("the ask is not the sub-agent's")
		}
		b.must(command.Answer{Ask: opened.Ask, Keys: []string{opened.Options[0].Key}})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		if got := b.kinds(); !strings.Contains(got, `call.ended call_1 success "Waited."`) {
			t.Error(got)
		}
	})
}

// A sub-agent has no more than its parent: a profile's tools, and of those only
// what the parent has; what the parent is refused, it is refused.
func TestAgentIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, `
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "wait", "prompt": "please wait", "profile": "research"}}}
{"call": {"id": "call_2", "name": "task", "arguments": {"description": "wait", "prompt": "please wait too"}}}
{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}
{"when": "please wait", "in": "new"}
{"call": {"id": "w1", "name": "wait", "arguments": {"ms": 5}}}
{"stop": "tool_calls"}
{"when": "There is no tool", "in": "new"}
{"text": "No such tool."}
{"stop": "stop"}
{"when": "denied", "in": "new"}
{"text": "Refused."}
{"stop": "stop"}`, "task")
		b.must(command.Prompt{Text: "Let them wait"})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		got := b.kinds()
		if !strings.Contains(got, `call.ended call_1 success "No such tool."`) || !strings.Contains(got, `call.ended call_2 success "Refused."`) || strings.Contains(got, "waiting over") {
			t.Error(got)
		}
	})
}

// A run starts so many sub-agents and no more, and those of sub-agents have
// none: what is too much is an error that the model reads.
func TestAgentLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls strings.Builder
		for i := range 18 {
			fmt.Fprintf(&calls, `{"call": {"id": "call_%d", "name": "task", "arguments": {"description": "one", "prompt": "do your part"}}}`+"\n", i)
		}
		b := agentsBed(t, calls.String()+`
{"stop": "tool_calls"}
{"text": "Enough."}
{"stop": "stop"}
{"when": "do your part", "in": "new"}
{"text": "Done."}
{"stop": "stop"}`, "task")
		b.must(command.Prompt{Text: "Ask many"})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		got := b.kinds()
		if strings.Count(got, `success "Done."`) != 16 || strings.Count(got, `error "a run may start 16 sub-agents, and did"`) != 2 {
			t.Error(got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, `
{"when": "go down", "in": "new"}
{"call": {"name": "task", "arguments": {"description": "down", "prompt": "go down"}}}
{"stop": "tool_calls"}
{"when": "There is no tool", "in": "new"}
{"text": "This is the ground."}
{"stop": "stop"}
{"when": "the ground", "in": "new"}
{"text": "They say this is the ground."}
{"stop": "stop"}`, "task")
		b.must(command.Prompt{Text: "go down"})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		if got := b.kinds(); strings.Count(got, "session.opened") != 3 || !strings.Contains(got, "This is the ground.") || !strings.HasSuffix(got, "run.ended done") {
			t.Error(got)
		}
	})
}

// A sub-agent may have a model of its own; one that is not there is an error.
func TestAgentModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, `
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "small", "prompt": "think small", "model": "other/small"}}}
{"call": {"id": "call_2", "name": "task", "arguments": {"description": "none", "prompt": "think small", "model": "nobody/none"}}}
{"stop": "tool_calls"}
{"text": "So be it."}
{"stop": "stop"}`, "task")
		small, err := script.Parse("small.ndjson", strings.NewReader(`{"text": "Small thoughts."}
{"stop": "stop"}`))
		if err != nil {
			t.Fatal(err)
		}
		b.listen(func(s *agent.Setup) {
			s.Choose = func(to *agent.Setup, model string) *command.Fault {
				if model != "other/small" {
					return command.Faultf(command.Invalid, "there is no provider %q", "nobody")
				}
				to.Model, to.Provider, to.ModelName = small, "other", "small"
				return nil
			}
		})
		b.must(command.Prompt{Text: "Ask"})
		started := b.until(0, func(e event.Event) bool { return e.Kind() == "response.started" && e.Session != id })
		if r := started.Body.(event.ResponseStarted); r.Provider != "other" || r.Model != "small" {
			t.Errorf("%+v answers", r)
		}
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		if got := b.kinds(); !strings.Contains(got, `call.ended call_1 success "Small thoughts."`) || !strings.Contains(got, `call.ended call_2 error "there is no provider \"nobody\""`) {
			t.Error(got)
		}
	})
}
