package llm_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/anthropic"
	"parley/internal/llm/gemini"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/openaichat"
	"parley/internal/llm/openairesponses"
	"parley/test/need"
)

// The four wires against a fake server that others wrote: text, thinking, two calls in one answer and their results, a
// picture, a failure. It runs where PARLEY_AIMOCK is the address of one started with
//
//	npx -p @copilotkit/aimock@1.43.0 llmock --strict --port 4010 --fixtures internal/llm/testdata/aimock
//
// and PARLEY_AIMOCK=http://127.0.0.1:4010.
func TestAIMock(t *testing.T) {
	address := os.Getenv("PARLEY_AIMOCK")
	need.Asked(t, address != "", "test/mock.sh")
	for _, w := range []struct {
		name, model string
		provider    llm.Provider
	}{
		{"openaichat", "deepseek-reasoner", openaichat.Provider},
		{"openairesponses", "gpt-5", openairesponses.Provider},
		{"anthropic", "claude-sonnet-4-5", anthropic.Provider},
		{"gemini", "gemini-2.5-pro", gemini.Provider},
	} {
		t.Run(w.name, func(t *testing.T) {
			m := llmtest.Open(w.provider, llm.Options{BaseURL: address, Key: llm.Secret("test-key-1234")})
			talk := func(messages ...llm.Message) (llm.Request, llmtest.Heard) {
				t.Helper()
				r := llm.Request{Model: w.model, System: "You are terse.", Tools: llmtest.First().Tools, Reasoning: "low", Messages: messages}
				h, parts := llmtest.Hear(m.Stream(context.Background(), r))
				if err := llmtest.Laws(r, parts); err != nil {
					t.Fatalf("%v in %#v", err, parts)
				}
				return r, h
			}
			user := func(parts ...llm.Content) llm.Message { return llm.Message{Role: llm.User, Parts: parts} }

			_, h := talk(user(llm.Text{Text: "Say hello."}))
			if want := "Hello, wörld! 🌍 This answer is long enough to come in several pieces."; h.Text != want || h.End.Reason != llm.Stop {
				t.Errorf("text %q, %+v", h.Text, h.End)
			}
			if want := "A greeting is asked for, and nothing else."; h.Thinking != want {
				t.Errorf("thinking %q", h.Thinking)
			}

			r, h := talk(user(llm.Text{Text: "Look twice."}))
			want := []llm.ToolCall{
				{Name: "read", Arguments: json.RawMessage(`{"path":"a.txt"}`)}, {Name: "read", Arguments: json.RawMessage(`{"path":"b.txt"}`)},
			}
			got := append([]llm.ToolCall(nil), h.Calls...)
			for i := range got {
				got[i].ID = ""
			}
			if diff := cmp.Diff(want, got); diff != "" || h.Text != "I will look." || h.End.Reason != llm.ToolCalls {
				t.Fatalf("text %q, %+v, calls (-want +got):\n%s", h.Text, h.End, diff)
			}
			results := llm.Message{Role: llm.Tool}
			for i, text := range []string{"first line", "second line"} {
				results.Parts = append(results.Parts, llm.ToolResult{CallID: h.Calls[i].ID, Name: "read", Text: text})
			}
			if _, h := talk(append(r.Messages, h.Message(), results)...); h.Text != "Both files have one line." {
				t.Errorf("after the results: %q %+v %+v", h.Text, h.End, h.End.Fault)
			}

			if _, h := talk(user(llm.Text{Text: "What is this?"}, llmtest.Pixel)); h.Text != "A picture." {
				t.Errorf("picture: %q %+v", h.Text, h.End.Fault)
			}
			// Of the other wires' messages the server keeps the text alone.
			if seen := journal(t, address); w.name == "openaichat" && !strings.Contains(seen, base64.StdEncoding.EncodeToString(llmtest.Pixel.Data)) {
				t.Error("the server did not get the picture")
			}

			_, h = talk(user(llm.Text{Text: "Fail."}))
			if f := h.End.Fault; f == nil || f.Code != llm.CodeLimit || f.Status != 429 || !strings.Contains(f.Message, "slow down") {
				t.Errorf("failure: %+v", f)
			}
		})
	}
}

// journal is the server's last request.
func journal(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get(strings.TrimSuffix(address, "/") + "/__aimock/journal")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var entries []json.RawMessage
	if json.Unmarshal(text, &entries) != nil || len(entries) == 0 {
		t.Fatalf("journal: %.300s", text)
	}
	return string(entries[len(entries)-1])
}
