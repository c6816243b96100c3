package refresh

import (
	"slices"
	"strings"

	"parley/internal/catalog"
)

// noEffort are the providers of chat completions that take no reasoning_effort unless an entry says so: detectCompat in
// openai-completions.js of the package.
var noEffort = []string{"xai", "zai", "zai-coding-cn", "moonshotai", "moonshotai-cn", "together", "nvidia", "ant-ling"}

func (e entry) thinking(key catalogKey) catalog.Thinking {
	t := catalog.Thinking{Way: e.way(key)}
	if t.Way == catalog.Never {
		return t
	}
	t.Between = e.between(key, t.Way)
	if t.Way == catalog.Fixed {
		return t
	}
	for _, name := range catalog.EffortNames {
		word, told := e.Efforts[name]
		switch {
		case told && word != nil:
			t.Efforts = append(t.Efforts, catalog.Effort{Name: name, Word: *word})
		case told:
		case name == "low" || name == "medium" || name == "high":
			t.Efforts = append(t.Efforts, catalog.Effort{Name: name, Word: name})
		case name == "off" && key.wire == "anthropic":
			// Messages whose thinking is not asked for have none; other wires have it then too.
			t.Efforts = append(t.Efforts, catalog.Effort{Name: name})
		}
	}
	return t
}

func (e entry) way(key catalogKey) catalog.Way {
	switch {
	case !e.Reasoning:
		return catalog.Never
	case e.Compat.Adaptive:
		return catalog.Adaptive
	case key.wire == "anthropic", key.wire == "gemini" && e.Efforts == nil:
		return catalog.Budget
	case key.wire == "openai-chat" && e.Compat.Effort == nil && slices.Contains(noEffort, key.provider),
		e.Compat.Effort != nil && !*e.Compat.Effort:
		return catalog.Fixed
	}
	return catalog.Words
}

// between is told of models that are known to have it; the package does not tell it of the others.
func (e entry) between(key catalogKey, way catalog.Way) catalog.Between {
	claude := strings.Contains(e.ID, "claude")
	switch {
	case key.wire == "openai-responses", key.wire == "gemini", claude && way == catalog.Adaptive:
		return catalog.Native
	// https://platform.claude.com/docs/en/build-with-claude/extended-thinking: those before 4 do not.
	case key.wire == "anthropic" && claude && !strings.Contains(e.ID, "claude-3"):
		return catalog.Asked
	case e.Compat.Echo != nil && *e.Compat.Echo, key.provider == "deepseek" && e.Compat.Echo == nil:
		return catalog.Echo
	}
	return ""
}
