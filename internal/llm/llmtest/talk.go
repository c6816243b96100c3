package llmtest

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
)

// What every wire's testdata says, in its own shape.
const (
	// Thought and Said are the thinking and the text of text.sse; calls.sse thinks the same and says Announced.
	Thought   = "Let me think — briefly."
	Said      = "Hello, wörld! 🌍 Two\nlines."
	Announced = "I will look."
	// Secret is the key that the suite lets a wire in with.
	Secret = "sk-planted-4f9c2a7e51d80b36"
)

// Usage is what text.sse and calls.sse report; a wire that has no word for one of its members leaves that 0.
var Usage = llm.Usage{Input: 120, Output: 34, CachedRead: 100, Reasoning: 7}

// Calls are the two parallel calls of calls.sse, in the order in which they begin; ids are the wire's.
var Calls = []llm.ToolCall{
	{Name: "read", Arguments: json.RawMessage(`{"path":"a.txt"}`)},
	{Name: "bash", Arguments: json.RawMessage(`{"command":"echo \"ü\""}`)},
}

// First is the request that text.sse and calls.sse answer.
func First() llm.Request {
	return llm.Request{
		Model:  "model-1",
		System: "You are terse.",
		Messages: []llm.Message{
			{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "Look at a.txt."}}},
		},
		Tools: []llm.ToolSpec{
			{
				Name: "read", Description: "Reads a file.",
				Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
			},
			{
				Name: "bash", Description: "Runs a command.",
				Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`),
			},
		},
		MaxOutput: 2000,
		Reasoning: "medium",
		Session:   "sess-1",
	}
}

// Second is the request after the calls of an answer to [First]: the first result is text with a picture, the second
// an error.
func Second(h Heard) llm.Request {
	r := First()
	results := llm.Message{Role: llm.Tool}
	for i, c := range h.Calls {
		result := llm.ToolResult{CallID: c.ID, Name: c.Name, Text: "one line", Images: []llm.Image{Pixel}}
		if i > 0 {
			result.Text, result.Error, result.Images = "no such command", true, nil
		}
		results.Parts = append(results.Parts, result)
	}
	r.Messages = append(r.Messages, h.Message(), results)
	return r
}

// Pixel is the smallest picture.
var Pixel = llm.Image{MediaType: "image/png", Data: pixel()}

func pixel() []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Quote is a text as a JSON string.
func Quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// File is the text of a file in the calling package's testdata.
func File(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// SameJSON compares a body with the JSON in a file of the calling package's testdata, value by value.
func SameJSON(t testing.TB, name string, body []byte) {
	t.Helper()
	var want, got any
	if err := json.Unmarshal([]byte(File(t, name)), &want); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("the body is not JSON: %v: %s", err, body)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request body (-%s +sent):\n%s", name, diff)
	}
}
