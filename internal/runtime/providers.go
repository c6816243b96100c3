package runtime

import (
	"slices"

	"parley/internal/config"
	"parley/internal/llm"
	"parley/internal/llm/anthropic"
	"parley/internal/llm/gemini"
	"parley/internal/llm/mock"
	"parley/internal/llm/openaichat"
	"parley/internal/llm/openairesponses"
	"parley/internal/llm/script"
)

// Providers are the types of models that there are. Whatever depends on them follows from the list: what a
// configuration may say and what is built into it, which variables hold keys, how servers are asked for their models.
type Providers []llm.Provider

// Builtin are the program's own. Another one is a folder below llm, and a line here.
var Builtin = Providers{
	openairesponses.Provider,
	openaichat.Provider,
	anthropic.Provider,
	gemini.Provider,
	script.Provider,
	mock.Provider,
}

// of is the provider of a type.
func (ps Providers) of(kind string) (llm.Provider, bool) {
	i := slices.IndexFunc(ps, func(p llm.Provider) bool { return p.Type == kind })
	if i < 0 {
		return llm.Provider{}, false
	}
	return ps[i], true
}

// Kinds are the providers as the configuration takes them.
func (ps Providers) Kinds() config.Kinds {
	var out config.Kinds
	for _, p := range ps {
		kind := config.Kind{Type: p.Type, Local: p.Local != nil}
		for _, s := range p.Servers {
			server := config.Server{Name: s.Name, BaseURL: s.BaseURL, KeyEnv: s.KeyEnv, BaseEnv: s.BaseEnv, ReadBase: s.ReadBase}
			if server.BaseURL == "" && p.Wire != nil {
				server.BaseURL = p.Wire.Base
			}
			kind.Servers = append(kind.Servers, server)
		}
		out = append(out, kind)
	}
	return out
}
