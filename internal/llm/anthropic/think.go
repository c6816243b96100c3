package anthropic

import (
	"regexp"
	"strconv"

	"parley/internal/llm"
)

// version finds the version in a model's name: claude-sonnet-4-5-20250929, claude-3-7-sonnet-latest, claude-opus-5. A
// number of eight digits is a date.
var version = regexp.MustCompile(`claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)`)

// generation is the model's version as major*100+minor, 0 for models that are not Claude.
func generation(model string) int {
	m := version.FindStringSubmatch(model)
	if m == nil {
		return 0
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major*100 + minor
}

// adaptive is the first generation that takes an effort instead of a budget.
const adaptive = 406

// budgets are the tokens an effort is worth where a budget is asked for.
var budgets = map[llm.Effort]int{llm.Low: 4_000, llm.Medium: 10_000, llm.High: 24_000}

// maxTokens is the limit on the answer, which the API insists on. Without one of the request it is what every model of
// the generation allows.
func maxTokens(r llm.Request) int {
	g := generation(r.Model)
	switch {
	case r.MaxOutput > 0:
		return r.MaxOutput
	case g >= 307:
		return 32_000
	case g > 0 && g < 305:
		return 4_096
	}
	return 8_192
}

// thinking and output are how an effort is asked for: the one with a budget, both without.
type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type output struct {
	Effort llm.Effort `json:"effort"`
}

// think asks for the effort in the way the model knows; most is the limit on the whole answer.
func think(r llm.Request, most int, provider string) (*thinking, *output) {
	budget, ok := budgets[r.Reasoning]
	if !ok {
		return nil, nil
	}
	if generation(r.Model) >= adaptive {
		return &thinking{Type: "adaptive", Display: "summarized"}, &output{r.Reasoning}
	}
	// At least 1,024, and less than the whole answer.
	budget = min(budget, most*3/4)
	if budget < 1024 || unsigned(r, provider) {
		return nil, nil
	}
	return &thinking{Type: "enabled", Budget: budget}, nil
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
