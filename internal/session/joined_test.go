package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/permission"
	"parley/internal/tool"
)

// guest is a tool that a server of tools brings, which is asked for.
func guest(name string) tool.Tool {
	t, err := tool.Definition[json.RawMessage]{
		Spec:    tool.Spec{Name: name, Description: "a guest", Schema: json.RawMessage(`{"type":"object"}`)},
		Targets: func(tool.World, json.RawMessage) (tool.Targets, error) { return tool.Targets{Name: "a b"}, nil },
		Run: func(context.Context, tool.World, tool.Call, json.RawMessage, tool.Grow) tool.Result {
			return tool.Result{Status: tool.Success, Text: name + " ran"}
		},
	}.New()
	if err != nil {
		panic(err)
	}
	return t
}

func from(origin string, names ...string) (out []agent.JoinedTool) {
	for _, name := range names {
		out = append(out, agent.JoinedTool{Tool: guest(name), Origin: origin})
	}
	return out
}

func toolNames(r llm.Request) (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// changes are the tools.changed of the log.
func (b *bed) changes() (out []string) {
	b.t.Helper()
	page, err := b.log.Page(b.t.Context(), 0, 10000)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range page {
		if c, ok := e.Body.(event.ToolsChanged); ok {
			out = append(out, fmt.Sprintf("%s: +%v -%v", e.Session, c.Joined, c.Left))
		}
	}
	return out
}

const fourCalls = `
{"order": "count"}
{"call": {"id": "c1", "name": "wait", "arguments": {}}}
{"stop": "tool_calls"}
{"call": {"id": "c2", "name": "find", "arguments": {"deep": [1]}}}
{"stop": "tool_calls"}
{"call": {"id": "c3", "name": "put", "arguments": {}}}
{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}
{"text": "Again."}
{"stop": "stop"}`

// Tools that come and go between steps are in the next request, after all that was there and in a stable order; the log
// says so, once, and only where something is different. A tool that left is unknown. Rules that were there before it
// hold for it.
func TestToolsJoinAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, fourCalls, "wait", "put", "find(a b)")
		steps := [][]agent.JoinedTool{
			nil,
			from("mcp:web", "zoom", "find", "wait", "find", "no name", "\x1b[2J"),
			slices.Concat(from("mcp:web", "find"), from("mcp:notes", "put")),
			slices.Concat(from("mcp:notes", "put", "add"), from("mcp:new", "find")),
			slices.Concat(from("mcp:notes", "put", "add"), from("mcp:new", "find")),
			nil,
		}
		n := 0
		heard := b.listen(func(s *agent.Setup) {
			s.Joined = func() []agent.JoinedTool { n++; return steps[n-1] }
		})
		b.must(command.Prompt{Text: "Go"})
		first := b.until(0, kind("run.ended"))
		b.must(command.Prompt{Text: "Again"})
		b.until(first.Seq, kind("run.ended"))
		var asked [][]string
		for _, r := range heard.sent {
			asked = append(asked, toolNames(r))
		}
		if d := cmp.Diff([][]string{
			{"note", "wait"}, {"note", "wait", "zoom", "find"}, {"note", "wait", "find", "put"},
			{"note", "wait", "put", "add", "find"}, {"note", "wait", "put", "add", "find"},
		}, asked); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{
			"sess-test: +[{zoom mcp:web} {find mcp:web}] -[]",
			"sess-test: +[{put mcp:notes}] -[zoom]",
			"sess-test: +[{add mcp:notes} {find mcp:new}] -[find]",
		}, b.changes()); d != "" {
			t.Error(d)
		}
		got := b.kinds()
		for _, want := range []string{`call.ended c2 success "find ran"`, `call.ended c3 success "put ran"`} {
			if !strings.Contains(got, want) {
				t.Errorf("no %s in\n%s", want, got)
			}
		}
		// The next daemon's session has none of them.
		b.session.Close()
		b.open()
		head := b.log.Head()
		b.must(command.Prompt{Text: "And again"})
		b.until(head, kind("run.ended"))
		if all := b.changes(); all[len(all)-1] != "sess-test: +[] -[put add find]" || len(b.log.State().Tools) > 0 {
			t.Errorf("%v, left are %v", all, b.log.State().Tools)
		}
		b.kinds()
	})
}

// A sub-agent keeps the tools that it began with, those that had joined among them; a tool that its parent lost is its
// own affair. Nothing of it is in the log.
func TestAgentKeepsItsTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agentsBed(t, `
{"call": {"id": "call_1", "name": "task", "arguments": {"description": "look", "prompt": "look around"}}}
{"call": {"id": "call_2", "name": "task", "arguments": {"description": "read", "prompt": "only read", "profile": "research"}}}
{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}
{"when": "look around", "in": "new"}
{"call": {"id": "f1", "name": "find", "arguments": {}}}
{"stop": "tool_calls"}
{"when": "only read", "in": "new"}
{"text": "Read."}
{"stop": "stop"}
{"when": "find ran", "in": "new"}
{"text": "Looked."}
{"stop": "stop"}`, "task", "find")
		heard := b.listen(func(s *agent.Setup) { s.Joined = func() []agent.JoinedTool { return from("mcp:web", "find") } })
		b.must(command.Prompt{Text: "Go"})
		b.until(0, func(e event.Event) bool { return e.Kind() == "run.ended" && e.Session == id })
		if got := b.kinds(); !strings.Contains(got, `call.ended call_1 success "Looked."`) || !strings.Contains(got, `call.ended call_2 success "Read."`) {
			t.Error(got)
		}
		if d := cmp.Diff([]string{"sess-test: +[{find mcp:web}] -[]"}, b.changes()); d != "" {
			t.Error(d)
		}
		var all []string
		for _, r := range heard.sent {
			all = append(all, strings.Join(toolNames(r), " "))
		}
		slices.Sort(all)
		if d := cmp.Diff([]string{"note", "note task wait find", "note task wait find", "note task wait find", "note task wait find"}, all); d != "" {
			t.Error(d)
		}
	})
}

// Who decides is a value, asked at each place; a setup is not changed by the runs that are given it.
func TestDecideIsAValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, twoWaits)
		var asked []string
		given := map[*agent.Setup]agent.Setup{}
		b.listen(func(s *agent.Setup) {
			s.Decide = func(p permission.Policy, c permission.Call) permission.Verdict {
				asked = append(asked, c.Tool)
				if len(asked) == 1 {
					return permission.Deny{Reason: "by the hook: not now"}
				}
				return permission.Decide(p, c)
			}
			given[s] = *s
		})
		b.must(command.Prompt{Text: "Wait twice"})
		b.until(0, kind("run.ended"))
		got := b.kinds()
		if !strings.Contains(got, `call.ended call_1 denied "Permission denied: by the hook: not now"`) || !strings.Contains(got, "permission.decided call_2 false unasked") {
			t.Error(got)
		}
		if len(asked) != 4 { // the second call: as it came, after waiting for its turn, and whether flags would help
			t.Errorf("asked for %v", asked)
		}
		for s, before := range given {
			if s.Tools.Names()[0] != before.Tools.Names()[0] || s.Now != nil || s.Grammar != nil || s.StartAfter != before.StartAfter {
				t.Error("the setup was changed")
			}
		}
	})
}
