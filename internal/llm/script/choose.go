package script

import (
	"fmt"
	"strings"

	"parley/internal/llm"
)

// next chooses the answer.
func (m *Model) next(r llm.Request) (answer, error) {
	for _, a := range m.conditional {
		if a.when.holds(r) {
			return a, a.expected(m.name, r)
		}
	}
	n := 0
	if m.counted {
		n = int(m.asked.Add(1)) - 1
	} else {
		n = due(m.ordered, r)
	}
	if n >= len(m.ordered) {
		return answer{}, &llm.Fault{Code: llm.CodeInvalid, Message: fmt.Sprintf(
			"script %s has %d answers, and this request is number %d", m.name, len(m.ordered), n+1)}
	}
	return m.ordered[n], m.ordered[n].expected(m.name, r)
}

// retries is how many requests a retry makes of one, at the most.
const retries = 5

// due is the number of answers that the conversation has used up.
func due(answers []answer, r llm.Request) int {
	n := 0
	mute := func() bool { return n < len(answers) && !answers[n].spoken }
	heard := func() {
		for mute() {
			n++
		}
		n++
	}
	for range r.Answered {
		heard()
	}
	prompts := 0
	for _, message := range r.Messages {
		switch message.Role {
		case llm.Assistant:
			heard()
			prompts = 0
		case llm.Tool:
			prompts = 0
		case llm.User:
			for _, part := range message.Parts {
				if _, ok := part.(llm.Text); !ok {
					continue
				}
				if prompts++; prompts == 1 {
					continue
				}
				for tried, again := 0, true; again && mute() && tried < retries; tried++ {
					again = answers[n].fail != nil && answers[n].fail.fault().Retryable
					n++
				}
			}
		}
	}
	for tried := 0; tried < r.Attempt && mute() && answers[n].fail != nil; tried++ {
		n++
	}
	return n
}

// expected is the Fault of a request that lacks what the answer expects.
func (a answer) expected(name string, r llm.Request) error {
	for _, c := range a.expects {
		if !c.holds(r) {
			return &llm.Fault{Code: llm.CodeInvalid, Message: fmt.Sprintf(
				"script %s: the request does not have the expected %q (in %s)", name, c.text, c.in)}
		}
	}
	return nil
}

// holds tells whether the request has the text where the condition looks.
func (c condition) holds(r llm.Request) bool {
	messages := r.Messages
	switch c.in {
	case "system":
		return strings.Contains(r.System, c.text)
	case "tools":
		return hasTool(r, c.text)
	case "new":
		for i := len(messages) - 1; i >= 0; i-- {
			if messages[i].Role == llm.Assistant {
				messages = messages[i+1:]
				break
			}
		}
	default:
		if strings.Contains(r.System, c.text) || hasTool(r, c.text) {
			return true
		}
	}
	for _, m := range messages {
		for _, part := range m.Parts {
			switch part := part.(type) {
			case llm.Text:
				if strings.Contains(part.Text, c.text) {
					return true
				}
			case llm.ToolResult:
				if strings.Contains(part.Text, c.text) {
					return true
				}
			case llm.ToolCall:
				if strings.Contains(string(part.Arguments), c.text) {
					return true
				}
			}
		}
	}
	return false
}

func hasTool(r llm.Request, name string) bool {
	for _, t := range r.Tools {
		if strings.Contains(t.Name, name) {
			return true
		}
	}
	return false
}
