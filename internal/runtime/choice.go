package runtime

import (
	"context"
	"maps"
	"slices"
	"time"

	"parley/internal/config"
	"parley/internal/llm"
)

// A Choice is a model that can be asked for.
type Choice struct {
	Name      string `json:"name"` // provider/model
	Context   int    `json:"context,omitempty"`
	MaxOutput int    `json:"max_output,omitempty"`
	Default   bool   `json:"default,omitempty"`
	Ready     bool   `json:"ready"`
	Reason    string `json:"reason,omitempty"` // why it is not ready
	// Placeholder says that the name stands for those of the user's own.
	Placeholder bool `json:"-"`
}

// Choices are the models of all providers, and the name of the one that is used
// where nobody names one; empty: there is none. Servers whose models the
// configuration does not know, or that want no key, are asked for no longer than
// wait.
func (ps Providers) Choices(ctx context.Context, cfg config.Config, env config.Env, wait time.Duration) ([]Choice, string) {
	var ask []config.Resolved
	for _, name := range cfg.Names() {
		// A provider that is asked has no key to miss, or has it.
		if p, err := cfg.Provider(name, env); err == nil && p.Ready() && !p.Local && (len(p.Models) == 0 || p.KeyEnv == "") {
			ask = append(ask, p)
		}
	}
	listings := ps.List(ctx, env, wait, ask)
	preset, err := cfg.DefaultModel(env, func(p config.Resolved) ([]string, bool) {
		l := listings[p.Name]
		return l.Models, l.Status == llm.Listed
	})
	if err != nil {
		preset = ""
	}
	var out []Choice
	for _, name := range cfg.Names() {
		out = append(out, ps.choicesOf(cfg, env, name, listings)...)
	}
	if preset != "" && !slices.ContainsFunc(out, func(c Choice) bool { return c.Name == preset }) {
		out = append(out, choiceOf(cfg, env, preset, listings))
	}
	for i := range out {
		out[i].Default = out[i].Name == preset
	}
	return out, preset
}

// choicesOf are the models of one provider.
func (ps Providers) choicesOf(cfg config.Config, env config.Env, provider string, listings map[string]llm.Listing) []Choice {
	p, err := cfg.Provider(provider, env)
	switch {
	case err != nil:
		return []Choice{{Name: provider + "/MODEL", Reason: err.Error(), Placeholder: true}}
	case p.Local:
		kind, _ := ps.of(p.Type)
		return []Choice{{Name: provider + "/" + kind.Local.Name, Ready: true, Reason: kind.Local.About, Placeholder: true}}
	}
	names := slices.Sorted(maps.Keys(p.Models))
	if len(names) == 0 {
		names = listings[provider].Models
	}
	if len(names) == 0 {
		names = []string{"MODEL"}
	}
	out := make([]Choice, len(names))
	for i, name := range names {
		out[i] = choiceOf(cfg, env, provider+"/"+name, listings)
		if name == "MODEL" {
			out[i].Context, out[i].Placeholder = 0, true
		}
	}
	return out
}

// choiceOf is what is known of one model.
func choiceOf(cfg config.Config, env config.Env, full string, listings map[string]llm.Listing) Choice {
	provider, name, err := cfg.Find(full)
	if err != nil {
		return Choice{Name: full, Reason: err.Error()}
	}
	p, err := cfg.Provider(provider, env)
	if err != nil {
		return Choice{Name: full, Reason: err.Error()}
	}
	m := p.Model(name)
	c := Choice{Name: full, Context: m.Context, MaxOutput: m.MaxOutput, Ready: p.Ready()}
	if !c.Ready {
		c.Reason = p.KeyEnv + " is not set"
	}
	if l, asked := listings[provider]; asked && l.Status != llm.Listed {
		// A server without a list may well have models.
		c.Ready = l.Status == llm.Unlisted
		c.Reason = l.Reason
	}
	if p.Local {
		c.Context = 0
	}
	return c
}
