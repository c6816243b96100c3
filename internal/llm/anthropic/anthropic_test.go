package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/anthropic"
	"parley/internal/llm/llmtest"
)

func wire(t testing.TB) llmtest.Wire {
	return llmtest.Wire{
		Provider: anthropic.Provider,
		Text:     llmtest.File(t, "text.sse"),
		Calls:    llmtest.File(t, "calls.sse"),
		Thinks:   llmtest.File(t, "thinks.sse"),
		Empty:    llmtest.File(t, "empty.sse"),
		Error: func(message, code string) string {
			return fmt.Sprintf("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":%q,\"message\":%s}}\n\n", code, llmtest.Quote(message))
		},
		Ping:      "event: ping\ndata: {\"type\": \"ping\"}\n\n",
		KeyHeader: "X-Api-Key", KeyValue: llmtest.Secret,
		Environment: []string{
			"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE",
			"ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_WEBHOOK_SIGNING_KEY",
		},
	}
}

func TestSuite(t *testing.T)        { llmtest.Run(t, wire(t)) }
func FuzzStream(f *testing.F)       { llmtest.Fuzz(f, wire(f)) }
func BenchmarkDeltas(b *testing.B)  { llmtest.Bench(b, wire(b)) }
func BenchmarkRequest(b *testing.B) { llmtest.BenchRequest(b, wire(b)) }

func ask(t testing.TB, s *llmtest.Server, r llm.Request) llmtest.Heard {
	t.Helper()
	m := llmtest.Open(anthropic.Provider, llm.Options{BaseURL: s.URL, Key: llm.Secret(llmtest.Secret), HTTP: s.Client()})
	h, parts := llmtest.Hear(m.Stream(context.Background(), r))
	if err := llmtest.Laws(r, parts); err != nil {
		t.Fatalf("%v in %#v", err, parts)
	}
	return h
}

// The request after a run of calls is the documented one:
// https://platform.claude.com/docs/en/build-with-claude/extended-thinking#extended-thinking-with-tool-use.
func TestSecondRequest(t *testing.T) {
	w := wire(t)
	s := llmtest.Serve(t, llmtest.Reply{Body: w.Calls}, llmtest.Reply{Body: w.Text})
	r := llmtest.Second(ask(t, s, llmtest.First()))
	r.Thinker = llm.Thinker{Way: llm.Budget, Between: llm.Asked}
	ask(t, s, r)
	q := s.Queries()[1]
	if q.Header.Get("Anthropic-Beta") != "interleaved-thinking-2025-05-14" || s.Queries()[0].Header.Get("Anthropic-Beta") != "" {
		t.Errorf("thinking between calls is not asked for, or where it is not wanted: %v", q.Header)
	}
	if q.Method != http.MethodPost || q.Path != "/v1/messages" || q.Header.Get("Anthropic-Version") != "2023-06-01" {
		t.Errorf("%s %s %v", q.Method, q.Path, q.Header)
	}
	llmtest.SameJSON(t, "second.json", q.Body)
}

// A model that thinks between its calls gets each thought back where it was, signed, and a thought whose words the server
// keeps to itself too: https://platform.claude.com/docs/en/build-with-claude/extended-thinking#interleaved-thinking.
func TestInterleavedThinking(t *testing.T) {
	s := llmtest.Serve(t, llmtest.Reply{Body: llmtest.File(t, "interleaved.sse")}, llmtest.Reply{Body: wire(t).Text})
	r := llmtest.First()
	r.Model, r.Tools, r.System = "claude-opus-5-5", nil, ""
	h := ask(t, s, r)
	if h.Thinking != "First a, then b." || h.Text != "Reading.\nAnd b." {
		t.Errorf("thinking %q, text %q", h.Thinking, h.Text)
	}
	r.Messages = append(r.Messages, h.Message(), llm.Message{Role: llm.Tool, Parts: []llm.Content{
		llm.ToolResult{CallID: h.Calls[0].ID, Name: "read", Text: "A"}, llm.ToolResult{CallID: h.Calls[1].ID, Name: "read", Text: "B"},
	}})
	ask(t, s, r)
	llmtest.SameJSON(t, "interleaved.json", s.Queries()[1].Body)
}

// body is the request a server gets, as JSON members.
func body(t *testing.T, r llm.Request) map[string]any {
	t.Helper()
	s := llmtest.Serve(t, llmtest.Reply{Body: wire(t).Text})
	ask(t, s, r)
	var members map[string]any
	if err := json.Unmarshal(s.Queries()[0].Body, &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// How the effort is asked for, and how long an answer may be, depends on what the model takes.
func TestEffortOfModel(t *testing.T) {
	budget := func(n float64) any { return map[string]any{"type": "enabled", "budget_tokens": n} }
	adaptive := any(map[string]any{"type": "adaptive", "display": "summarized"})
	effort := func(e string) any { return map[string]any{"effort": e} }
	unknown := llm.Thinker{}
	today := llm.Thinker{Way: llm.Adaptive, Levels: append([]llm.Level{{Effort: llm.None}}, llm.Same(llm.Low, llm.High, llm.Max)...)}
	always := llm.Thinker{Way: llm.Adaptive, Levels: llm.Same(llm.Low, llm.Medium, llm.High)}
	older := llm.Thinker{Way: llm.Budget, Levels: append([]llm.Level{{Effort: llm.None}}, llm.Same(llm.Low, llm.High)...)}
	other := llm.Thinker{Way: llm.Words, Levels: []llm.Level{{Effort: llm.None, Word: "disabled"}, {Effort: llm.High, Word: "hard"}}}
	for _, c := range []struct {
		name          string
		thinker       llm.Thinker
		effort        llm.Effort
		limit, window int
		max           float64
		thinking, out any
	}{
		{"nobody knows it", unknown, "high", 0, 0, 32000, adaptive, effort("high")},
		{"nobody knows it", unknown, "minimal", 0, 0, 32000, adaptive, effort("low")},
		{"nobody knows it", unknown, "none", 0, 0, 32000, nil, nil},
		{"small window", unknown, "", 0, 8192, 2048, nil, nil},
		{"today", today, "medium", 0, 0, 32000, adaptive, effort("low")},
		{"today", today, "xhigh", 0, 0, 32000, adaptive, effort("high")},
		{"today", today, "none", 0, 0, 32000, nil, nil},
		{"today", today, "2000", 0, 0, 32000, adaptive, effort("low")},
		{"always", always, "none", 0, 0, 32000, adaptive, effort("low")},
		{"always", always, "max", 0, 0, 32000, adaptive, effort("high")},
		{"older", older, "medium", 0, 0, 32000, budget(10000), nil},
		{"older", older, "max", 0, 0, 32000, budget(24000), nil},
		{"older", older, "5000", 0, 0, 32000, budget(5000), nil},
		{"older", older, "none", 0, 0, 32000, nil, nil},
		{"older", older, "high", 1000, 0, 1000, nil, nil},
		{"other", other, "low", 0, 0, 32000, nil, effort("hard")},
		{"other", other, "none", 0, 0, 32000, map[string]any{"type": "disabled"}, nil},
		{"never", llm.Thinker{Way: llm.Never}, "high", 0, 0, 32000, nil, nil},
		{"fixed", llm.Thinker{Way: llm.Fixed}, "high", 0, 0, 32000, nil, nil},
	} {
		t.Run(c.name+" "+string(c.effort), func(t *testing.T) {
			r := llmtest.First()
			r.Thinker, r.Reasoning, r.MaxOutput, r.Window = c.thinker, c.effort, c.limit, c.window
			got := body(t, r)
			want := map[string]any{"max_tokens": c.max, "thinking": c.thinking, "output_config": c.out}
			have := map[string]any{"max_tokens": got["max_tokens"], "thinking": got["thinking"], "output_config": got["output_config"]}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// A run of calls that another model began goes on without a budget, and without that model's signatures.
func TestForeignRun(t *testing.T) {
	s := llmtest.Serve(t, llmtest.Reply{Body: wire(t).Calls})
	r := llmtest.Second(ask(t, s, llmtest.First()))
	r.Model, r.Thinker.Way = "claude-sonnet-4-5", llm.Budget
	got := body(t, r)
	if got["thinking"] != nil {
		t.Errorf("thinking %v", got["thinking"])
	}
	if text, _ := json.Marshal(got); strings.Contains(string(text), "EqQBCgIYAhIM") {
		t.Errorf("a foreign signature in %s", text)
	}
	r.Messages = append(r.Messages,
		llm.Message{Role: llm.Assistant, Parts: []llm.Content{llm.Text{Text: "Done."}}},
		llm.Message{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "And now?"}}})
	if got := body(t, r); got["thinking"] == nil {
		t.Error("no thinking in the next turn")
	}
}

// What the API refuses never goes out: empty texts, foreign ids, results apart from their call.
func TestInvalidRequestNeverGoesOut(t *testing.T) {
	s := llmtest.Serve(t, llmtest.Reply{Body: wire(t).Text})
	ask(t, s, llm.Request{
		Model:     "m",
		MaxOutput: 5,
		Tools:     []llm.ToolSpec{{Name: "now"}},
		Messages: []llm.Message{
			{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "a"}, llm.Text{Text: " \n"}, llmtest.Pixel}},
			{Role: llm.Assistant, Parts: []llm.Content{llm.Thinking{Text: "t"}, llm.Text{Text: ""}, llm.ToolCall{ID: "functions.now:0", Name: "now", Arguments: []byte("{}")}}},
			{Role: llm.Tool, Parts: []llm.Content{llm.ToolResult{CallID: "functions.now:0", Name: "now"}}},
			{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "b"}}},
			{Role: llm.Assistant, Parts: []llm.Content{llm.Thinking{Text: "t"}}},
			{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "c"}}},
		},
	})
	llmtest.SameJSON(t, "shape.json", s.Queries()[0].Body)
}

func event(data string) string { return "event: x\ndata: " + data + "\n\n" }

// The ends that the standard answers do not have.
func TestRareEnds(t *testing.T) {
	text := event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) +
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`)
	end := func(reason string) string {
		return event(`{"type":"message_delta","delta":{"stop_reason":"`+reason+`"},"usage":{"output_tokens":2}}`) + event(`{"type":"message_stop"}`)
	}
	usage := llm.Usage{Output: 2}
	for _, c := range []struct {
		name, body string
		want       llmtest.Heard
	}{
		{"token limit", text + end("max_tokens"), llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Length, Usage: usage}}},
		{"window full", text + end("model_context_window_exceeded"), llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Length, Room: llm.Full, Usage: usage}}},
		{"refusal", text + end("refusal"), llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Filtered, Usage: usage}}},
		{"pause", text + end("pause_turn"), llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Stop, Usage: usage}}},
		{"no stop event", text + event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`),
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Stop, Usage: usage}}},
		{"overloaded", event(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			llmtest.Heard{End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "provider", Status: 529, Retryable: true, Message: "529 Overloaded: Overloaded"}}}},
		{"error of no known type", text + event(`{"type":"error","error":{"type":"odd","message":"hm"}}`),
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "provider", Message: "hm"}}}},
		{"whole input at the start", event(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"bash","input":{"command":"ls"}}}`) +
			event(`{"type":"content_block_stop","index":0}`) + end("tool_use"),
			llmtest.Heard{Calls: []llm.ToolCall{{ID: "t", Name: "bash", Arguments: []byte(`{"command":"ls"}`)}}, End: llm.End{Reason: llm.ToolCalls, Usage: usage}}},
		{"call cut at the limit", event(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"bash","input":{}}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"comm"}}`) + end("max_tokens"),
			llmtest.Heard{Calls: []llm.ToolCall{{ID: "t", Name: "bash", Arguments: []byte(`{}`), Malformed: `{"comm`}}, End: llm.End{Reason: llm.Length, Usage: usage}}},
		{"blocks of no known type", event(`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web","input":{}}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`) +
			event(`{"type":"content_block_stop","index":0}`) + event(`{"type":"hello"}`) + text + end("end_turn"),
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Stop, Usage: usage}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, llmtest.Serve(t, llmtest.Reply{Body: c.body}), llmtest.First())
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}
