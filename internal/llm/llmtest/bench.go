package llmtest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/internal/llm"
)

// Bench measures the wire's share of a text delta, the loopback connection included: the event of the first text, many
// times over.
func Bench(b *testing.B, w Wire) {
	const deltas = 20_000
	events := Events(w.Text)
	var body strings.Builder
	for _, e := range events {
		times := 1
		if strings.Contains(e, `"`+Said[:5]+`"`) {
			times = deltas
		}
		body.WriteString(strings.Repeat(e, times))
	}
	for b.Loop() {
		s := Serve(b, Reply{Body: body.String()})
		n := 0
		m := w.open(llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client()})
		for range m.Stream(b.Context(), First()) {
			n++
		}
		if n < deltas {
			b.Fatalf("%d parts", n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*deltas), "ns/delta")
}

// BenchRequest measures how long it takes to write a request of 1,000 messages and 1.3 MB, an answer of one word
// included.
func BenchRequest(b *testing.B, w Wire) {
	r := First()
	r.Messages = nil
	text := strings.Repeat("Some words of a conversation, with <tags> & \"quotes\".\n", 10)
	for i := range 250 {
		call := llm.ToolCall{ID: fmt.Sprintf("call_%d", i), Name: "read", Arguments: []byte(`{"path":"a.txt","limit":200}`)}
		r.Messages = append(r.Messages,
			llm.Message{Role: llm.User, Parts: []llm.Content{llm.Text{Text: text}}},
			llm.Message{Role: llm.Assistant, Parts: []llm.Content{llm.Thinking{Text: text}, llm.Text{Text: text}, call}},
			llm.Message{Role: llm.Tool, Parts: []llm.Content{llm.ToolResult{CallID: call.ID, Name: "read", Text: strings.Repeat(text, 4)}}},
			llm.Message{Role: llm.Assistant, Parts: []llm.Content{llm.Text{Text: text}}})
	}
	m := w.open(llm.Options{Key: llm.Secret(Secret), HTTP: &http.Client{Transport: canned(w.Text)}})
	for b.Loop() {
		if h, _ := Hear(m.Stream(b.Context(), r)); h.Text != Said {
			b.Fatalf("%+v", h.End)
		}
	}
}
