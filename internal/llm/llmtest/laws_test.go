package llmtest_test

import (
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// Each law is one that an answer can break.
func TestLaws(t *testing.T) {
	end := func(reason llm.StopReason) llm.End { return llm.End{Reason: reason} }
	fault := func(code llm.Code) *llm.Fault { return &llm.Fault{Code: code, Message: "m"} }
	call := llm.ToolCall{ID: "c", Name: "n", Arguments: []byte("{}")}
	start := llm.ToolCallStart{ID: "c", Name: "n"}
	r := llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.Assistant, Parts: []llm.Content{llm.ToolCall{ID: "old"}}}}}
	for name, parts := range map[string][]llm.Part{
		"":                                           {llm.TextDelta{Text: "a"}, start, call, end(llm.ToolCalls)},
		"no part at all":                             {},
		"the last part is llm.TextDelta":             {llm.TextDelta{Text: "a"}},
		"an end before the last part":                {end(llm.Stop), end(llm.Stop)},
		"an empty text delta":                        {llm.TextDelta{}, end(llm.Stop)},
		"an empty thinking delta":                    {llm.ThinkingDelta{}, end(llm.Stop)},
		`call id "old" is empty or was used`:         {llm.ToolCallStart{ID: "old"}, end(llm.Stop)},
		`call id "c" is empty or was used`:           {start, start, end(llm.Stop)},
		`call id "" is empty or was used`:            {llm.ToolCallStart{}, end(llm.Stop)},
		`call "c" did not start as "n"`:              {call, end(llm.ToolCalls)},
		"calls that never finished: map[c:n]":        {start, end(llm.Stop)},
		`call "c": arguments "[]" are not an object`: {start, llm.ToolCall{ID: "c", Name: "n", Arguments: []byte("[]")}, end(llm.ToolCalls)},
		`opaque data of "p" "x": "1"`:                {llm.Opaque{Provider: "p", Model: "x", Data: []byte("1")}, end(llm.Stop)},
		`reason "error" without a fault`:             {end(llm.Failed)},
		`reason "stop" with 1 calls`:                 {start, call, end(llm.Stop)},
		`reason "tool_calls" with 0 calls`:           {end(llm.ToolCalls)},
		`unknown reason "odd"`:                       {end("odd")},
		`reason "error" with fault m`:                {llm.End{Reason: llm.Failed, Fault: fault(llm.CodeCanceled)}},
		`an answer that says "nothing", not ""`:      {end(llm.Stop)},
		`an answer that says "thoughts", not ""`:     {llm.ThinkingDelta{Text: "a"}, llm.TextDelta{Text: " "}, end(llm.Length)},
		`an answer that says "", not "nothing"`:      {llm.TextDelta{Text: "a"}, llm.End{Reason: llm.Stop, Said: llm.Nothing}},
		"an overflow that passes: m":                 {llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: llm.CodeLimit, Message: "m", Overflow: true}}},
		`reason "canceled" with fault m`:             {llm.End{Reason: llm.Canceled, Fault: fault(llm.CodeProvider)}},
	} {
		got := ""
		if err := llmtest.Laws(r, parts); err != nil {
			got = err.Error()
		}
		if got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
}
