package openaichat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/openaichat"
)

func wire(t testing.TB) llmtest.Wire {
	return llmtest.Wire{
		Provider: openaichat.Provider,
		Text:     llmtest.File(t, "text.sse"),
		Calls:    llmtest.File(t, "calls.sse"),
		Thinks:   llmtest.File(t, "thinks.sse"),
		Empty:    llmtest.File(t, "empty.sse"),
		Error: func(message, code string) string {
			return fmt.Sprintf("data: {\"error\":{\"code\":%q,\"message\":%s}}\n\n", code, llmtest.Quote(message))
		},
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
	m := llmtest.Open(openaichat.Provider, llm.Options{BaseURL: s.URL + "/v1/", Key: llm.Secret(llmtest.Secret), HTTP: s.Client()})
	h, parts := llmtest.Hear(m.Stream(context.Background(), r))
	if err := llmtest.Laws(r, parts); err != nil {
		t.Fatalf("%v in %#v", err, parts)
	}
	return h
}

// The request after a run of calls is the documented one: https://platform.openai.com/docs/guides/function-calling.
func TestSecondRequest(t *testing.T) {
	w := wire(t)
	s := llmtest.Serve(t, llmtest.Reply{Body: w.Calls}, llmtest.Reply{Body: w.Text})
	ask(t, s, llmtest.Second(ask(t, s, llmtest.First())))
	q := s.Queries()[1]
	if q.Method != http.MethodPost || q.Path != "/v1/chat/completions" {
		t.Errorf("%s %s", q.Method, q.Path)
	}
	llmtest.SameJSON(t, "second.json", q.Body)
}

// Thinking goes back only within its own run of calls, and only to the provider and model it came from.
func TestThinkingGoesBack(t *testing.T) {
	s := llmtest.Serve(t, llmtest.Reply{Body: wire(t).Calls}, llmtest.Reply{Body: wire(t).Text}, llmtest.Reply{Body: wire(t).Text})
	second := llmtest.Second(ask(t, s, llmtest.First()))
	later := second
	later.Messages = append(later.Messages, llm.Message{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "Thanks."}}})
	ask(t, s, later)
	other := second
	other.Model = "model-2"
	ask(t, s, other)
	for _, q := range s.Queries() {
		if strings.Contains(string(q.Body), "briefly") {
			t.Errorf("thinking in %s", q.Body)
		}
	}
}

// Thinking goes back in the field that it came in.
func TestThinkingField(t *testing.T) {
	for _, field := range []string{"reasoning_content", "reasoning"} {
		body := event(`{"`+field+`":"Hm."}`) + event(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"now","arguments":"{}"}}]}`) + finish("tool_calls")
		s := llmtest.Serve(t, llmtest.Reply{Body: body}, llmtest.Reply{Body: wire(t).Text})
		ask(t, s, llmtest.Second(ask(t, s, llmtest.First())))
		var sent struct{ Messages []map[string]any }
		if err := json.Unmarshal(s.Queries()[1].Body, &sent); err != nil {
			t.Fatal(err)
		}
		got := sent.Messages[2]
		if got[field] != "Hm." || len(got) != 3 {
			t.Errorf("%s: %v", field, got)
		}
	}
}

// event is one chunk with the given delta.
func event(delta string) string {
	return `data: {"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
}

func finish(reason string) string {
	return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\ndata: [DONE]\n\n"
}

// What compatible servers send that OpenAI does not.
func TestServers(t *testing.T) {
	read := llm.ToolCall{Name: "read", Arguments: []byte(`{"path":"a"}`)}
	bash := llm.ToolCall{Name: "bash", Arguments: []byte(`{}`)}
	calls := func(list ...string) string { return event(`{"tool_calls":[` + strings.Join(list, ",") + `]}`) }
	whole := func(index, id, name, arguments string) string {
		if id != "" {
			id = `"id":"` + id + `",`
		}
		return fmt.Sprintf(`{%s%s"function":{"name":%q,"arguments":%q}}`, index, id, name, arguments)
	}
	for _, c := range []struct {
		name, body string
		want       llmtest.Heard
	}{
		{"whole calls in one chunk", calls(whole(`"index":0,`, "a", "read", `{"path":"a"}`), whole(`"index":1,`, "b", "bash", "{}")) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{read, bash}}},
		{"every call has index 0", calls(whole(`"index":0,`, "a", "read", `{"path":"a"}`)) + calls(whole(`"index":0,`, "b", "bash", "{}")) + finish("stop"),
			llmtest.Heard{Calls: []llm.ToolCall{read, bash}}},
		{"no index", calls(whole("", "a", "read", `{"path":"a"}`), whole("", "b", "bash", "")) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{read, bash}}},
		{"no id and no index", calls(whole("", "", "read", `{"path":"a"}`), whole("", "", "read", `{"path":"a"}`)) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{read, read}}},
		{"same id twice", calls(whole(`"index":0,`, "a", "read", `{"path":"a"}`), whole(`"index":1,`, "a", "bash", "")) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{read, bash}}},
		{"name and id in every piece", calls(whole(`"index":0,`, "a", "read", `{"pa`)) + calls(whole(`"index":0,`, "a", "read", `th":"a"}`)) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{read}}},
		{"name in every piece, no id", calls(whole(`"index":0,`, "", "read", `{"pa`)) + calls(whole(`"index":0,`, "", "read", `th":"a"}`)) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{read}}},
		{"arguments as an object", event(`{"tool_calls":[{"index":0,"function":{"name":"read","arguments":{"path":"a"}}}]}`) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{read}}},
		{"arguments null", event(`{"tool_calls":[{"index":0,"function":{"name":"bash","arguments":null}}]}`) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{bash}}},
		{"arguments that are not JSON", calls(whole(`"index":0,`, "", "bash", `{"a":`)) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{{Name: "bash", Arguments: []byte("{}"), Malformed: `{"a":`}}}},
		{"arguments that are no object", calls(whole(`"index":0,`, "", "bash", `["a"]`)) + finish("tool_calls"),
			llmtest.Heard{Calls: []llm.ToolCall{{Name: "bash", Arguments: []byte("{}"), Malformed: `["a"]`}}}},
		{"call cut at the limit", calls(whole(`"index":0,`, "", "bash", `{"command":"ec`)) + finish("length"),
			llmtest.Heard{Calls: []llm.ToolCall{{Name: "bash", Arguments: []byte("{}"), Malformed: `{"command":"ec`}}, End: llm.End{Reason: llm.Length}}},
		{"reasoning", event(`{"reasoning":"hm","content":""}`) + event(`{"content":"ok"}`) + finish("stop"),
			llmtest.Heard{Thinking: "hm", Text: "ok"}},
		{"both reasonings", event(`{"reasoning":"hm","reasoning_content":"hm"}`) + event(`{"content":"ok"}`) + finish("stop"),
			llmtest.Heard{Thinking: "hm", Text: "ok"}},
		{"content in parts", event(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`) + event(`{"content":[{"type":"text","text":"ok"}]}`) + finish("stop"),
			llmtest.Heard{Thinking: "hm", Text: "ok"}},
		{"pictures", event(`{"content":"Here.","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}`) + finish("stop"),
			llmtest.Heard{Text: "Here.", Images: []llm.Image{{MediaType: "image/png", Data: []byte("PNG")}}}},
		{"refusal", event(`{"refusal":"I can"}`) + event(`{"refusal":"not."}`) + finish("stop"),
			llmtest.Heard{Text: "I cannot."}},
		{"filter", event(`{"content":"a"}`) + finish("content_filter"),
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Filtered}}},
		{"error null", `data: {"error":null,"choices":[{"delta":{"content":"ok"}}]}` + "\n\n" + finish("stop"),
			llmtest.Heard{Text: "ok"}},
		{"no finish reason", event(`{"content":"ok"}`) + "data: [DONE]\n\n", llmtest.Heard{Text: "ok"}},
		{"no done", event(`{"content":"ok"}`) + strings.TrimSuffix(finish("stop"), "data: [DONE]\n\n"), llmtest.Heard{Text: "ok"}},
		{"usage in every chunk", `data: {"choices":[{"delta":{"content":"o"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"k"}}],"usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_cache_hit_tokens":1}}` + "\n\n" + finish("stop"),
			llmtest.Heard{Text: "ok", End: llm.End{Usage: llm.Usage{Input: 3, Output: 2, CachedRead: 1}}}},
		{"second choice", `data: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"ok"}}]}` + "\n\n" + finish("stop"),
			llmtest.Heard{Text: "ok"}},
		{"empty", finish("stop"), llmtest.Heard{End: llm.End{Said: llm.Nothing}}},
		{"window full", event(`{"content":"a"}`) + finish("model_length"), llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Length, Room: llm.Full}}},
		{"error in the stream", event(`{"content":"a"}`) + `data: {"error":{"message":"the queue is full","type":"server_error","code":503}}` + "\n\n",
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "provider", Status: 503, Retryable: true,
				Message: "503 Service Unavailable: the queue is full"}}}},
		{"error as text", `data: {"error":"model crashed"}` + "\n\n",
			llmtest.Heard{End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "provider", Message: "model crashed"}}}},
		{"error as finish", event(`{"content":"a"}`) + finish("error"),
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "provider", Retryable: true,
				Message: "the server ended the answer with an error"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, llmtest.Serve(t, llmtest.Reply{Body: c.body}), llmtest.First())
			got.Opaque, got.End.Opaque, got.End.ResponseModel = nil, nil, ""
			if c.want.End.Reason == "" {
				c.want.End.Reason = llm.Stop
				if c.want.Calls != nil {
					c.want.End.Reason = llm.ToolCalls
				}
			}
			if c.name == "refusal" {
				c.want.End.Reason = llm.Filtered
			}
			for i := range got.Calls {
				got.Calls[i].ID = ""
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// A picture that the model drew is shown to it again after its answer, behind the results of its calls: an assistant's
// message takes none.
func TestDrawnPicture(t *testing.T) {
	s := llmtest.Serve(t, llmtest.Reply{Body: finish("stop")})
	r := llmtest.First()
	r.System, r.Tools = "", nil
	r.Messages = []llm.Message{
		{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "Draw."}}},
		{Role: llm.Assistant, Parts: []llm.Content{llm.Text{Text: "Here."}, llmtest.Pixel,
			llm.ToolCall{ID: "c1", Name: "now", Arguments: []byte("{}")}}},
		{Role: llm.Tool, Parts: []llm.Content{llm.ToolResult{CallID: "c1", Name: "now", Text: "noon"}}},
	}
	ask(t, s, r)
	llmtest.SameJSON(t, "drawn.json", s.Queries()[0].Body)
}

// An account without money is not a passing limit, though OpenAI says 429 for both.
func TestQuota(t *testing.T) {
	body := `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`
	got := ask(t, llmtest.Serve(t, llmtest.Reply{Status: 429, Type: "application/json", Body: body}), llmtest.First())
	want := &llm.Fault{Code: llm.CodeLimit, Status: 429, Message: "429 Too Many Requests: You exceeded your current quota"}
	if diff := cmp.Diff(want, got.End.Fault); diff != "" {
		t.Errorf("fault (-want +got):\n%s", diff)
	}
}

// OpenRouter's reasoning_details come in pieces and go back as the whole they were.
func TestReasoningDetails(t *testing.T) {
	body := event(`{"reasoning":"He","reasoning_details":[{"type":"reasoning.text","text":"He","format":"f","index":0}]}`) +
		event(`{"reasoning":"llo","reasoning_details":[{"type":"reasoning.text","text":"llo","index":0}]}`) +
		event(`{"reasoning_details":[{"type":"reasoning.text","signature":"sig","text":null,"index":0}]}`) +
		event(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"xyz","index":1}]}`) +
		event(`{"content":"Hi"}`) + finish("stop")
	s := llmtest.Serve(t, llmtest.Reply{Body: body}, llmtest.Reply{Body: body})
	h := ask(t, s, llmtest.First())
	r := llmtest.First()
	r.System, r.Tools = "", nil
	r.Messages = append(r.Messages, h.Message(), llm.Message{Role: llm.User, Parts: []llm.Content{llmtest.Pixel, llm.Text{Text: "And?"}}})
	ask(t, s, r)
	llmtest.SameJSON(t, "details.json", s.Queries()[1].Body)
}

// Wherever the version stands, or not, the path is right.
func TestBaseURL(t *testing.T) {
	body := wire(t).Text
	for suffix, want := range map[string]string{
		"": "/v1/chat/completions", "/": "/v1/chat/completions", "/v1": "/v1/chat/completions", "/v1/": "/v1/chat/completions",
		"/api/v1": "/api/v1/chat/completions", "/v1beta/openai/": "/v1beta/openai/chat/completions",
	} {
		s := llmtest.Serve(t, llmtest.Reply{Body: body})
		h, _ := llmtest.Hear(llmtest.Open(openaichat.Provider, llm.Options{BaseURL: s.URL + suffix, HTTP: s.Client()}).Stream(t.Context(), llmtest.First()))
		if got := s.Queries()[0].Path; got != want || h.Text != llmtest.Said {
			t.Errorf("%q: path %s, want %s", suffix, got, want)
		}
	}
}

// OLLAMA_HOST is read as its own client reads it.
func TestOllamaURL(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0":             "http://127.0.0.1:11434/v1",
		"0.0.0.0:80":          "http://127.0.0.1:80/v1",
		":9000":               "http://127.0.0.1:9000/v1",
		"box":                 "http://box:11434/v1",
		"box:9000":            "http://box:9000/v1",
		"http://box":          "http://box:11434/v1",
		"https://box":         "https://box/v1",
		"https://box/ollama/": "https://box/ollama/v1",
		"http://box:1/v1":     "http://box:1/v1",
		"[::1]:9000":          "http://[::1]:9000/v1",
		" http://box:11434/ ": "http://box:11434/v1",
	} {
		if got := openaichat.Provider.Servers[1].ReadBase(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
