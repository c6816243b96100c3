package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/gemini"
	"parley/internal/llm/llmtest"
)

func wire(t testing.TB) llmtest.Wire {
	return llmtest.Wire{
		Provider: gemini.Provider,
		Text:     llmtest.File(t, "text.sse"),
		Calls:    llmtest.File(t, "calls.sse"),
		Thinks:   llmtest.File(t, "thinks.sse"),
		Empty:    llmtest.File(t, "empty.sse"),
		Error: func(message, code string) string {
			return fmt.Sprintf("data: {\"error\":{\"status\":%q,\"message\":%s}}\r\n\r\n", code, llmtest.Quote(message))
		},
		KeyHeader: "X-Goog-Api-Key", KeyValue: llmtest.Secret,
		Environment: []string{
			"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI",
		},
	}
}

func TestSuite(t *testing.T)        { llmtest.Run(t, wire(t)) }
func FuzzStream(f *testing.F)       { llmtest.Fuzz(f, wire(f)) }
func BenchmarkDeltas(b *testing.B)  { llmtest.Bench(b, wire(b)) }
func BenchmarkRequest(b *testing.B) { llmtest.BenchRequest(b, wire(b)) }

func ask(t testing.TB, s *llmtest.Server, r llm.Request) llmtest.Heard {
	t.Helper()
	m := llmtest.Open(gemini.Provider, llm.Options{BaseURL: s.URL, Key: llm.Secret(llmtest.Secret), HTTP: s.Client()})
	h, parts := llmtest.Hear(m.Stream(context.Background(), r))
	if err := llmtest.Laws(r, parts); err != nil {
		t.Fatalf("%v in %#v", err, parts)
	}
	return h
}

// The request after a run of calls is the documented one: https://ai.google.dev/gemini-api/docs/function-calling.
func TestSecondRequest(t *testing.T) {
	w := wire(t)
	s := llmtest.Serve(t, llmtest.Reply{Body: w.Calls}, llmtest.Reply{Body: w.Text})
	r := llmtest.Second(ask(t, s, llmtest.First()))
	r.Thinker.Way = llm.Budget
	ask(t, s, r)
	q := s.Queries()[1]
	if q.Method != http.MethodPost || q.Path != "/v1beta/models/model-1:streamGenerateContent?alt=sse" {
		t.Errorf("%s %s", q.Method, q.Path)
	}
	llmtest.SameJSON(t, "second.json", q.Body)
}

func event(data string) string { return "data: " + data + "\r\n\r\n" }

func parts(list string) string {
	return event(`{"candidates":[{"content":{"role":"model","parts":[` + list + `]}}]}`)
}

func finish(reason string) string { return event(`{"candidates":[{"finishReason":"` + reason + `"}]}`) }

// The third generation takes levels, pictures inside results, and its signatures back where they were: on calls, with
// the server's ids, on the piece of text that had one, and alone.
func TestThirdGeneration(t *testing.T) {
	body := parts(`{"text":"One. "},{"text":"Two.","thoughtSignature":"s-two"},{"text":" Three."}`) +
		parts(`{"functionCall":{"id":"fc1","name":"read","args":{"path":"a"}},"thoughtSignature":"s-call"}`) +
		parts(`{"functionCall":{"id":"fc2","name":"read","args":{"path":"b"}}},{"text":"","thoughtSignature":"s-end"}`) + finish("STOP")
	s := llmtest.Serve(t, llmtest.Reply{Body: body}, llmtest.Reply{Body: body})
	r := llmtest.First()
	r.Model, r.System, r.Tools, r.MaxOutput = "gemini-3-pro-preview", "", nil, 0
	h := ask(t, s, r)
	r.Messages = append(r.Messages, h.Message(), llm.Message{Role: llm.Tool, Parts: []llm.Content{
		llm.ToolResult{CallID: h.Calls[0].ID, Name: "read", Text: "x", Images: []llm.Image{llmtest.Pixel}},
		llm.ToolResult{CallID: h.Calls[1].ID, Name: "read", Text: "y"},
	}})
	ask(t, s, r)
	llmtest.SameJSON(t, "third.json", s.Queries()[1].Body)
}

// A conversation that another model began is one the third generation takes.
func TestForeignRun(t *testing.T) {
	s := llmtest.Serve(t, llmtest.Reply{Body: wire(t).Calls}, llmtest.Reply{Body: wire(t).Text})
	r := llmtest.Second(ask(t, s, llmtest.First()))
	r.Model = "gemini-3-flash"
	ask(t, s, r)
	body := string(s.Queries()[1].Body)
	if strings.Contains(body, "CiQBVKhc7sig") || strings.Count(body, "skip_thought_signature_validator") != 1 {
		t.Errorf("signatures in %s", body)
	}
}

// What an effort becomes depends on what the model takes.
func TestEffortOfModel(t *testing.T) {
	budget := llm.Thinker{Way: llm.Budget}
	levels := llm.Thinker{Way: llm.Words, Levels: llm.Same(llm.Minimal, llm.Low, llm.High)}
	for _, c := range []struct {
		thinker llm.Thinker
		effort  llm.Effort
		want    string
	}{
		{budget, "low", `{"includeThoughts":true,"thinkingBudget":4000}`},
		{budget, "max", `{"includeThoughts":true,"thinkingBudget":24576}`},
		{budget, "9000", `{"includeThoughts":true,"thinkingBudget":9000}`},
		{budget, "none", `{"includeThoughts":false,"thinkingBudget":0}`},
		{levels, "none", `{"includeThoughts":true,"thinkingLevel":"minimal"}`},
		{levels, "medium", `{"includeThoughts":true,"thinkingLevel":"low"}`},
		{levels, "3000", `{"includeThoughts":true,"thinkingLevel":"low"}`},
		{llm.Thinker{}, "high", `{"includeThoughts":true,"thinkingLevel":"high"}`},
		{llm.Thinker{}, "max", `{"includeThoughts":true,"thinkingLevel":"high"}`},
		{llm.Thinker{Way: llm.Never}, "high", ``},
		{llm.Thinker{Way: llm.Fixed}, "high", ``},
		{budget, "", ``},
	} {
		s := llmtest.Serve(t, llmtest.Reply{Body: wire(t).Text})
		r := llmtest.First()
		r.Thinker, r.Reasoning = c.thinker, c.effort
		ask(t, s, r)
		var body struct {
			Config struct {
				Thinking json.RawMessage `json:"thinkingConfig"`
			} `json:"generationConfig"`
		}
		if err := json.Unmarshal(s.Queries()[0].Body, &body); err != nil {
			t.Fatal(err)
		}
		if got := string(body.Config.Thinking); got != c.want {
			t.Errorf("%v %s: %s, want %s", c.thinker, c.effort, got, c.want)
		}
	}
}

// A model's name cannot leave its place in the address.
func TestModelName(t *testing.T) {
	for name, want := range map[string]string{
		"a b?c":                "/v1beta/models/a%20b%3Fc:streamGenerateContent?alt=sse",
		"tunedModels/x":        "/v1beta/tunedModels/x:streamGenerateContent?alt=sse",
		"../secrets":           "",
		"models/../../secrets": "",
		"":                     "",
	} {
		var replies []llmtest.Reply
		if want != "" {
			replies = append(replies, llmtest.Reply{Body: wire(t).Text})
		}
		s := llmtest.Serve(t, replies...)
		r := llmtest.First()
		r.Model = name
		h := ask(t, s, r)
		if want == "" {
			if h.End.Fault == nil || h.End.Fault.Code != llm.CodeInvalid {
				t.Errorf("%q: %+v", name, h.End)
			}
			continue
		}
		if got := s.Queries()[0].Path; got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// The ends and parts that the standard answers do not have.
func TestRareEnds(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       llmtest.Heard
	}{
		{"token limit", parts(`{"text":"a"}`) + finish("MAX_TOKENS"), llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Length}}},
		{"blocked prompt", event(`{"promptFeedback":{"blockReason":"SAFETY"}}`),
			llmtest.Heard{End: llm.End{Reason: llm.Filtered, Fault: &llm.Fault{Code: "denied", Message: "the prompt was blocked: SAFETY"}}}},
		{"blocked answer", parts(`{"text":"a"}`) + finish("RECITATION"),
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Filtered, Fault: &llm.Fault{Code: "denied", Message: "the answer was blocked: RECITATION"}}}},
		{"malformed call", event(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"bad"}]}`),
			llmtest.Heard{End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "provider", Retryable: true,
				Message: "the answer ended with MALFORMED_FUNCTION_CALL (bad)"}}}},
		{"error in the stream", parts(`{"text":"a"}`) + event(`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`),
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: "provider", Status: 503, Retryable: true,
				Message: "503 Service Unavailable: The model is overloaded."}}}},
		{"picture", parts(`{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGJiAAQAAP//AAYAA/rQWa4AAAAASUVORK5CYII="}}`) + finish("STOP"),
			llmtest.Heard{Images: []llm.Image{llmtest.Pixel}, End: llm.End{Reason: llm.Stop}}},
		{"call without arguments", parts(`{"functionCall":{"name":"now"}}`) + finish("STOP"),
			llmtest.Heard{Calls: []llm.ToolCall{{Name: "now", Arguments: []byte("{}")}}, End: llm.End{Reason: llm.ToolCalls}}},
		{"data on two lines", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\ndata: \"finishReason\":\"STOP\"}]}\n\n",
			llmtest.Heard{Text: "a", End: llm.End{Reason: llm.Stop}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, llmtest.Serve(t, llmtest.Reply{Body: c.body}), llmtest.First())
			for i := range got.Calls {
				got.Calls[i].ID = ""
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// Google says how long to wait in the error's details.
func TestRetryInfo(t *testing.T) {
	body := `[{"error":{"code":429,"message":"Quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}]`
	for _, text := range []string{body, strings.TrimSuffix(strings.TrimPrefix(body, "["), "]")} {
		got := ask(t, llmtest.Serve(t, llmtest.Reply{Status: 429, Type: "application/json", Body: text}), llmtest.First())
		if f := got.End.Fault; f == nil || f.Retry.Seconds() != 34.5 || f.Message != "429 Too Many Requests: Quota." {
			t.Errorf("%s: %+v", text, f)
		}
	}
}
