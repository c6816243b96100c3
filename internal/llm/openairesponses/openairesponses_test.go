package openairesponses_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/openairesponses"
)

func wire(t testing.TB) llmtest.Wire {
	return llmtest.Wire{
		Provider: openairesponses.Provider,
		Text:     llmtest.File(t, "text.sse"),
		Calls:    llmtest.File(t, "calls.sse"),
		Thinks:   llmtest.File(t, "thinks.sse"),
		Empty:    llmtest.File(t, "empty.sse"),
		Error: func(message, code string) string {
			return fmt.Sprintf("data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":%q,\"message\":%s}}}\n\n", code, llmtest.Quote(message))
		},
		Ping:      "data: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n",
		KeyHeader: "Authorization", KeyValue: "Bearer " + llmtest.Secret,
		Environment: []string{
			"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY",
			"OPENAI_CUSTOM_HEADERS",
		},
	}
}

func TestSuite(t *testing.T)        { llmtest.Run(t, wire(t)) }
func FuzzStream(f *testing.F)       { llmtest.Fuzz(f, wire(f)) }
func BenchmarkDeltas(b *testing.B)  { llmtest.Bench(b, wire(b)) }
func BenchmarkRequest(b *testing.B) { llmtest.BenchRequest(b, wire(b)) }

func ask(t testing.TB, s *llmtest.Server, r llm.Request) llmtest.Heard {
	t.Helper()
	m := llmtest.Open(openairesponses.Provider, llm.Options{BaseURL: s.URL + "/v1/", Key: llm.Secret(llmtest.Secret), HTTP: s.Client()})
	h, parts := llmtest.Hear(m.Stream(context.Background(), r))
	if err := llmtest.Laws(r, parts); err != nil {
		t.Fatalf("%v in %#v", err, parts)
	}
	return h
}

// The request after a run of calls is the documented one:
// https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context.
func TestSecondRequest(t *testing.T) {
	w := wire(t)
	s := llmtest.Serve(t, llmtest.Reply{Body: w.Calls}, llmtest.Reply{Body: w.Text})
	ask(t, s, llmtest.Second(ask(t, s, llmtest.First())))
	q := s.Queries()[1]
	if q.Method != http.MethodPost || q.Path != "/v1/responses" {
		t.Errorf("%s %s", q.Method, q.Path)
	}
	llmtest.SameJSON(t, "second.json", q.Body)
}

// A model that thinks between its calls gets each reasoning item back where it was, and the phase of each message.
func TestInterleavedReasoning(t *testing.T) {
	s := llmtest.Serve(t, llmtest.Reply{Body: llmtest.File(t, "interleaved.sse")}, llmtest.Reply{Body: wire(t).Text})
	r := llmtest.First()
	r.Tools, r.System, r.Session, r.MaxOutput = nil, "", "", 0
	h := ask(t, s, r)
	r.Messages = append(r.Messages, h.Message(), llm.Message{Role: llm.Tool, Parts: []llm.Content{
		llm.ToolResult{CallID: h.Calls[0].ID, Name: "read", Text: "A"}, llm.ToolResult{CallID: h.Calls[1].ID, Name: "read", Text: "B"},
	}})
	ask(t, s, r)
	llmtest.SameJSON(t, "interleaved.json", s.Queries()[1].Body)
}

// Encrypted reasoning goes to no other model and to no other provider.
func TestReasoningStaysHome(t *testing.T) {
	w := wire(t)
	s := llmtest.Serve(t, llmtest.Reply{Body: w.Calls}, llmtest.Reply{Body: w.Text}, llmtest.Reply{Body: w.Text})
	second := llmtest.Second(ask(t, s, llmtest.First()))
	other := second
	other.Model = "model-2"
	ask(t, s, other)
	named := llmtest.Open(openairesponses.Provider, llm.Options{Provider: "azure", BaseURL: s.URL, HTTP: s.Client()})
	llmtest.Hear(named.Stream(t.Context(), second))
	for _, q := range s.Queries() {
		if strings.Contains(string(q.Body), "secret-thoughts") {
			t.Errorf("reasoning in %s", q.Body)
		}
	}
}

// What is asked for depends on what the model takes; one that never reasons is not asked for its reasoning.
func TestReasoning(t *testing.T) {
	levels := llm.Thinker{Way: llm.Words, Levels: []llm.Level{{Effort: llm.None, Word: "none"}, {Effort: llm.High, Word: "hard"}}}
	for _, c := range []struct {
		thinker llm.Thinker
		effort  llm.Effort
		want    string
		include bool
	}{
		{llm.Thinker{Way: llm.Never}, "high", ``, false}, {llm.Thinker{}, "", ``, true}, {llm.Thinker{Way: llm.Fixed}, "low", ``, true},
		{llm.Thinker{}, "low", `{"effort":"low","summary":"auto"}`, true},
		{llm.Thinker{}, "minimal", `{"effort":"low","summary":"auto"}`, true},
		{levels, "none", `{"effort":"none"}`, true}, {levels, "low", `{"effort":"hard","summary":"auto"}`, true},
		{levels, "30000", `{"effort":"hard","summary":"auto"}`, true},
	} {
		s := llmtest.Serve(t, llmtest.Reply{Body: wire(t).Text})
		r := llmtest.First()
		r.Thinker, r.Reasoning = c.thinker, c.effort
		ask(t, s, r)
		var body map[string]json.RawMessage
		if err := json.Unmarshal(s.Queries()[0].Body, &body); err != nil {
			t.Fatal(err)
		}
		if _, got := body["include"]; got != c.include {
			t.Errorf("%v %s: include %v", c.thinker, c.effort, got)
		}
		if got := string(body["reasoning"]); got != c.want {
			t.Errorf("%v %s: reasoning %s", c.thinker, c.effort, got)
		}
	}
}

func event(data string) string { return "data: " + data + "\n\n" }

const completed = `{"type":"response.completed","response":{"model":"m","status":"completed"}}`

// The ends and items that the standard answers do not have.
func TestRareEnds(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString([]byte("JPEG"))
	for _, c := range []struct {
		name, body string
		want       llmtest.Heard
	}{
		{"token limit", event(`{"type":"response.output_text.delta","delta":"a"}`) +
			event(`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`),
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Length}}},
		{"filter", event(`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`),
			llmtest.Heard{End: llm.End{Reason: llm.Filtered}}},
		{"refusal", event(`{"type":"response.refusal.delta","delta":"No."}`) + event(completed),
			llmtest.Heard{Text: "No.", End: llm.End{Reason: llm.Filtered, ResponseModel: "m"}}},
		{"failed", event(`{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"slow down"}}}`),
			llmtest.Heard{End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "limit", Status: 429, Retryable: true,
				Message: "429 Too Many Requests: slow down"}}}},
		{"error", event(`{"type":"error","code":"server_error","message":"oh","param":null}`),
			llmtest.Heard{End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "provider", Status: 500, Retryable: true,
				Message: "500 Internal Server Error: oh"}}}},
		{"picture", event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"image_generation_call","id":"ig","result":"`+picture+`","output_format":"jpeg"}}`) + event(completed),
			llmtest.Heard{Images: []llm.Image{{MediaType: "image/jpeg", Data: []byte("JPEG")}}, End: llm.End{Reason: llm.Stop, ResponseModel: "m"}}},
		{"no deltas", event(`{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","call_id":"c","name":"bash","arguments":"{}"}]}}`),
			llmtest.Heard{Text: "Hi", Calls: []llm.ToolCall{{ID: "c", Name: "bash", Arguments: []byte("{}")}}, End: llm.End{Reason: llm.ToolCalls}}},
		{"call cut at the limit", event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"bash"}}`) +
			event(`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"comm"}`) +
			event(`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`),
			llmtest.Heard{Calls: []llm.ToolCall{{ID: "c", Name: "bash", Arguments: []byte("{}"), Malformed: `{"comm`}}, End: llm.End{Reason: llm.Length}}},
		{"two messages", event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}`) +
			event(`{"type":"response.output_text.delta","delta":"a"}`) + event(`{"type":"response.output_text.delta","delta":"b"}`) +
			event(`{"type":"response.output_item.added","output_index":1,"item":{"type":"message"}}`) +
			event(`{"type":"response.output_text.delta","delta":"c"}`) + event(completed),
			llmtest.Heard{Text: "ab\n\nc", End: llm.End{Reason: llm.Stop, ResponseModel: "m"}}},
		{"two summaries", event(`{"type":"response.reasoning_summary_text.delta","summary_index":0,"delta":"a"}`) +
			event(`{"type":"response.reasoning_summary_text.delta","summary_index":1,"delta":"b"}`) + event(completed),
			llmtest.Heard{Thinking: "a\n\nb", End: llm.End{Reason: llm.Stop, Said: llm.Thoughts, ResponseModel: "m"}}},
		{"reasoning of open models", event(`{"type":"response.reasoning_text.delta","delta":"a"}`) + event(completed),
			llmtest.Heard{Thinking: "a", End: llm.End{Reason: llm.Stop, Said: llm.Thoughts, ResponseModel: "m"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, llmtest.Serve(t, llmtest.Reply{Body: c.body}), llmtest.First())
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// The server's own image tool is asked for by its name; what it made is shown to it again.
func TestImageTool(t *testing.T) {
	s := llmtest.Serve(t, llmtest.Reply{Body: wire(t).Text})
	ask(t, s, llm.Request{
		Model: "gpt-4o", Thinker: llm.Thinker{Way: llm.Never},
		Tools: []llm.ToolSpec{{Name: openairesponses.ImageTool}, {Name: "now"}},
		Messages: []llm.Message{
			{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "What is this?"}, llmtest.Pixel}},
			{Role: llm.Assistant, Parts: []llm.Content{llmtest.Pixel}},
			{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "More."}}},
		},
	})
	llmtest.SameJSON(t, "image.json", s.Queries()[0].Body)
}
