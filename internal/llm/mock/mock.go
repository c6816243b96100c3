// Package mock is a model that needs nothing: it answers with the conversation
// that it was given, so that a client shows what the model would see.
//
// The first prompt of a conversation comes back as "mock response: user: …", a
// later one with all that was said before it. It calls no tools and reports no
// usage. For a model that does, see package script.
package mock

import (
	"context"
	"iter"
	"strings"

	"parley/internal/llm"
)

// Provider is that model. It is no built-in server of the configuration: nobody gets it who does not ask for it.
var Provider = llm.Provider{
	Type:  "mock",
	Local: &llm.Local{Open: open, Name: "mock", About: "repeats the conversation"},
}

func open(llm.Options, string) (llm.Model, *llm.Fault) { return model{}, nil }

type model struct{}

func (model) Stream(ctx context.Context, r llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		if err := ctx.Err(); err != nil {
			yield(llm.Ended(ctx, err))
			return
		}
		if yield(llm.TextDelta{Text: Answer(r.Messages)}) {
			yield(llm.End{Reason: llm.Stop})
		}
	}
}

// Answer is what the model says to a conversation.
func Answer(messages []llm.Message) string {
	var lines []string
	for _, m := range messages {
		var said []string
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				said = append(said, p.Text)
			case llm.ToolResult:
				said = append(said, p.Text)
			}
		}
		if len(said) > 0 {
			lines = append(lines, string(m.Role)+": "+strings.Join(said, "\n"))
		}
	}
	switch len(lines) {
	case 0:
		return "mock response:"
	case 1:
		return "mock response: " + lines[0]
	}
	return "mock response: user: Conversation so far:\n" + strings.Join(lines, "\n")
}
