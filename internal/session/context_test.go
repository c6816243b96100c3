package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/session"
	"parley/internal/tool"
)

// long is a model that makes one call a step for many steps, and summarises when
// it is asked to. It records what it was sent.
type long struct {
	steps    int
	limit    int // tokens, at four bytes each, that it takes
	sent     []llm.Request
	made     int
	refused  int
	summarys int
}

func (m *long) Stream(_ context.Context, r llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		m.sent = append(m.sent, r)
		if m.limit > 0 && bytes(r)/4 > m.limit {
			m.refused++
			yield(llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "invalid", Message: "400 Bad Request: maximum context length is exceeded", Overflow: true}})
			return
		}
		last := r.Messages[len(r.Messages)-1]
		if text, ok := last.Parts[len(last.Parts)-1].(llm.Text); ok && strings.HasPrefix(text.Text, "Summarise the conversation") {
			m.summarys++
			_ = yield(llm.TextDelta{Text: fmt.Sprintf("Summary %d: keep going.", m.summarys)}) && yield(llm.End{Reason: llm.Stop})
			return
		}
		if m.made == m.steps {
			_ = yield(llm.TextDelta{Text: "Finished."}) && yield(llm.End{Reason: llm.Stop})
			return
		}
		m.made++
		id := fmt.Sprintf("call_%d", m.made)
		_ = yield(llm.TextDelta{Text: fmt.Sprintf("Step %d, which I explain at some length. ", m.made)}) &&
			yield(llm.ToolCallStart{ID: id, Name: "long"}) &&
			yield(llm.ToolCall{ID: id, Name: "long", Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, m.made))}) &&
			yield(llm.End{Reason: llm.ToolCalls})
	}
}

func bytes(r llm.Request) int {
	n := len(r.System)
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				n += len(p.Text)
			case llm.ToolResult:
				n += len(p.Text)
			case llm.ToolCall:
				n += len(p.Arguments)
			}
		}
	}
	return n
}

type longArgs struct {
	N int `json:"n"`
}

// printer is a tool that reads and prints a lot.
var printer = tool.Definition[longArgs]{
	Spec:    tool.Spec{Name: "long", Description: "prints", ReadOnly: true, Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
	Targets: func(tool.World, longArgs) (tool.Targets, error) { return tool.Targets{}, nil },
	Run: func(_ context.Context, _ tool.World, _ tool.Call, a longArgs, _ tool.Grow) tool.Result {
		return tool.Result{Status: tool.Success, Text: fmt.Sprintf("result %d ", a.N) + strings.Repeat("x", 2000)}
	},
}.Tool()

func longBed(t *testing.T, m *long, threshold float64) *bed {
	b := newBed(t, `{"stop":"stop"}`)
	b.setup = func() *agent.Setup {
		return &agent.Setup{Model: m, Provider: "long", ModelName: "long", ContextLimit: 8000, Tools: tool.NewSet(printer), Steps: 1000,
			System: "You are Parley.\nInstructions of the project, from AGENTS.md:\n\nAlways run the tests.", Threshold: threshold, Target: 0.4}
	}
	return b
}

// A run of 200 steps against a window of 8,000 tokens ends: no request is larger
// than the window, AGENTS.md is in the last one, and so are the task and the
// latest result; and no result is taken out a second time.
func TestLongRunFitsASmallWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &long{steps: 200, limit: 8000}
		b := longBed(t, m, 0.8)
		b.must(command.Prompt{Text: "Do two hundred steps."})
		elided := make(map[event.CallID]int)
		b.until(0, func(e event.Event) bool {
			if c, ok := e.Body.(event.ContextCompacted); ok {
				for _, id := range c.Elided {
					elided[id]++
				}
			}
			return e.Kind() == "run.ended"
		})
		got := b.kinds()
		if !strings.HasSuffix(got, "turn.ended done\nrun.ended done") || strings.Count(got, "call.ended") != 200 {
			t.Fatalf("%s", got[max(0, len(got)-500):])
		}
		if m.refused > 0 {
			t.Errorf("%d requests were too large", m.refused)
		}
		if m.summarys == 0 || !strings.Contains(got, "context.compacted") {
			t.Error("nothing was compacted")
		}
		for id, n := range elided {
			if n > 1 {
				t.Errorf("%s was elided %d times", id, n)
			}
		}
		last := m.sent[len(m.sent)-1]
		if !strings.Contains(last.System, "Always run the tests.") {
			t.Error("AGENTS.md is gone")
		}
		text := said(last)
		for _, want := range []string{"Summary", "Do two hundred steps.", "result 200 "} {
			if !strings.Contains(text, want) {
				t.Errorf("the last request has no %q", want)
			}
		}
		for i, r := range m.sent {
			if n := bytes(r) / 4; n > 8000 {
				t.Errorf("request %d has %d tokens", i, n)
			}
		}
	})
}

func said(r llm.Request) string {
	var out strings.Builder
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				out.WriteString(p.Text + "\n")
			case llm.ToolResult:
				out.WriteString(p.Text + "\n")
			}
		}
	}
	return out.String()
}

// A server that refuses a request as too large gets a smaller one.
func TestOverflowIsCompacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &long{steps: 12, limit: 3000}
		b := longBed(t, m, 0)
		b.must(command.Prompt{Text: "Do twelve steps."})
		b.until(0, kind("run.ended"))
		got := b.kinds()
		if !strings.HasSuffix(got, "run.ended done") || m.refused == 0 {
			t.Errorf("refused %d\n%s", m.refused, got[max(0, len(got)-800):])
		}
	})
}

// Compaction on request is refused where there is nothing to compact, and while
// a run is open.
func TestCompactOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &long{steps: 12}
		b := longBed(t, m, 0)
		compact := func() *command.Fault {
			_, fault := b.session.Compact(t.Context(), session.Client{}, command.Compact{}, agent.Summarize)
			return fault
		}
		if f := compact(); f == nil || !strings.HasPrefix(f.Message, "there is nothing to compact yet") {
			t.Errorf("an empty session: %v", f)
		}
		b.must(command.Prompt{Text: "Do twelve steps."})
		end := b.until(0, kind("run.ended"))
		m.steps = 24
		b.must(command.Prompt{Text: "And twelve more."})
		b.until(end.Seq, kind("run.ended"))
		synctest.Wait()
		if f := compact(); f != nil {
			t.Fatal(f)
		}
		s := b.log.State()
		if s.Summary == nil || s.Summary.FirstKept == "" && len(s.Path(s.Leaf)) == 0 {
			t.Errorf("%+v", s.Summary)
		}
		m.steps = 25
		head := b.log.Head()
		b.must(command.Prompt{Text: "One more."})
		b.until(head, kind("run.ended"))
		if last := m.sent[len(m.sent)-1]; !strings.Contains(said(last), "Summary") || strings.Contains(said(last), "result 1 ") {
			t.Error("the summary does not stand for what it replaced")
		}
		b.kinds()
	})
}
