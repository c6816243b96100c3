package anthropic

import (
	"net/http"

	"parley/internal/llm"
)

// standard is the limit on the answer where the request has none: the API insists on one. It is what every model of today
// allows; of an older one the catalog says what it does.
const standard = 32_000

func maxTokens(r llm.Request) int {
	switch {
	case r.MaxOutput > 0:
		return r.MaxOutput
	case r.Window > 0:
		return min(standard, r.Window/4)
	}
	return standard
}

// today is how a model is asked that nobody knows: it chooses for itself within an effort
// (https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking).
var today = llm.Thinker{Way: llm.Adaptive, Levels: llm.Same(llm.Low, llm.Medium, llm.High, llm.XHigh, llm.Max)}

// thinking and output are how an effort is asked for.
type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type output struct {
	Effort string `json:"effort"`
}

// interleaved asks a model that does not do so by itself to think again between its calls
// (https://platform.claude.com/docs/en/build-with-claude/extended-thinking#interleaved-thinking).
const interleaved = "interleaved-thinking-2025-05-14"

// think asks for the effort in the way that the model knows; most is the limit on the whole answer.
func think(r llm.Request, most int, provider string) (*thinking, *output, http.Header) {
	if r.Reasoning == llm.None && r.Thinker.Way == llm.Unknown {
		return nil, nil, nil
	}
	thinker := r.Thinker.Or(today)
	level, ok := thinker.Asks(r.Reasoning)
	switch {
	// A model that can do without thinking does so where it is not asked to; some servers have a word for it.
	case !ok, level.Effort == llm.None && level.Word == "":
		return nil, nil, nil
	case level.Effort == llm.None:
		return &thinking{Type: level.Word}, nil, nil
	case thinker.Way == llm.Budget:
		return budgeted(r, level.Effort, most, provider)
	case thinker.Way == llm.Words:
		return nil, &output{level.Word}, nil
	}
	return &thinking{Type: "adaptive", Display: "summarized"}, &output{level.Word}, nil
}

// budgeted asks for thinking by a number of tokens: at least 1,024, and less than the whole answer.
func budgeted(r llm.Request, e llm.Effort, most int, provider string) (*thinking, *output, http.Header) {
	budget := min(e.Budget(), most*3/4)
	if budget < 1024 || unsigned(r, provider) {
		return nil, nil, nil
	}
	var header http.Header
	if r.Thinker.Between == llm.Asked && len(r.Tools) > 0 {
		header = http.Header{"Anthropic-Beta": {interleaved}}
	}
	return &thinking{Type: "enabled", Budget: budget}, nil, header
}

// unsigned tells whether the run of calls that is going on began without thinking, as when another model began it: the
// API then refuses a budget until the user's next turn.
func unsigned(r llm.Request, provider string) bool {
	for i := len(r.Messages) - 1; i > 0; i-- {
		m := r.Messages[i]
		switch {
		case m.Role == llm.User && r.Messages[i-1].Role != llm.Tool:
			return false
		case m.Role == llm.Assistant:
			parts := llm.Arrange(m.Parts, provider, r.Model)
			if len(parts) == 0 {
				continue
			}
			if _, signed := parts[0].(llm.Opaque); !signed && parts[0] != nil {
				return true
			}
		}
	}
	return false
}
