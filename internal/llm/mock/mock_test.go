package mock_test

import (
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/mock"
)

// The answer is the conversation.
func TestAnswerIsTheConversation(t *testing.T) {
	user := func(text string) llm.Message {
		return llm.Message{Role: llm.User, Parts: []llm.Content{llm.Text{Text: text}}}
	}
	first := mock.Answer([]llm.Message{user("first")})
	if first != "mock response: user: first" {
		t.Error(first)
	}
	second := mock.Answer([]llm.Message{user("first"), {Role: llm.Assistant, Parts: []llm.Content{llm.Text{Text: first}}}, user("second")})
	if want := "mock response: user: Conversation so far:\nuser: first\nassistant: mock response: user: first\nuser: second"; second != want {
		t.Error(second)
	}
}

// The stream ends once, also when it was cancelled before it began.
func TestStreamEndsOnce(t *testing.T) {
	ends := 0
	for p := range llmtest.Open(mock.Provider, llm.Options{}).Stream(t.Context(), llm.Request{}) {
		if _, ok := p.(llm.End); ok {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("%d ends", ends)
	}
}
