package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/config"
)

// modelsWait is how long `parley models` waits for a server.
const modelsWait = 2 * time.Second

// A choice is a model that can be asked for.
type choice struct {
	Name      string `json:"name"` // provider/model
	Context   int    `json:"context,omitempty"`
	MaxOutput int    `json:"max_output,omitempty"`
	Default   bool   `json:"default,omitempty"`
	Ready     bool   `json:"ready"`
	Reason    string `json:"reason,omitempty"` // why it is not ready
}

func (a *app) models() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List the models that can be asked for",
		Long: `List the models that can be asked for here, the size of their context window in tokens, and whether
their provider is ready: its key is set, or its server answers. A * marks the model that is used
where nobody names one. Any other model of a provider works too: the names are those that the
configuration knows; a server whose models it does not know is asked for them.

No daemon is needed, and none is started. Exit code 2: the configuration has an error.`,
		Example: `  parley models
  parley models ollama
  parley models --json | jq -r 'select(.ready).name'
  parley run --model anthropic/claude-haiku-4-5 "what is this project?"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.printModels(c.Context(), strings.Join(args, ""), asJSON)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			cfg, _, err := a.loadConfig()
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return cfg.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "a JSON object a line: name, context, max_output, default, ready, reason")
	return c
}

// loadConfig reads the configuration as it holds here. Errors in it are the
// user's to correct.
func (a *app) loadConfig() (config.Config, config.Origins, error) {
	cfg, origins, err := config.Load(sources(a.env, a.paths, config.NewStore(a.paths.Data), a.dir))
	if err != nil {
		return cfg, origins, usage("the configuration has errors:\n%w", err)
	}
	return cfg, origins, nil
}

func (a *app) printModels(ctx context.Context, provider string, asJSON bool) error {
	cfg, _, err := a.loadConfig()
	if err != nil {
		return err
	}
	if provider != "" {
		if _, err := cfg.Provider(provider, a.env); err != nil && !slices.Contains(cfg.Names(), provider) {
			return usage("%w", err)
		}
	}
	choices, preset := a.choices(ctx, cfg, modelsWait)
	choices = slices.DeleteFunc(choices, func(c choice) bool {
		return provider != "" && !strings.HasPrefix(c.Name, provider+"/")
	})
	if asJSON {
		enc := json.NewEncoder(a.out)
		enc.SetEscapeHTML(false)
		for _, c := range choices {
			if err := enc.Encode(c); err != nil {
				return err
			}
		}
	} else if err := a.modelTable(choices); err != nil {
		return err
	}
	if preset == "" {
		fmt.Fprintln(a.err, "parley: "+config.ErrNoModel.Error())
	}
	return nil
}

func (a *app) modelTable(choices []choice) error {
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	for _, c := range choices {
		mark, size, state := " ", "", "ready"
		if c.Default {
			mark = "*"
		}
		if c.Context > 0 {
			size = tokens(c.Context)
		}
		if !c.Ready {
			state = c.Reason
		} else if c.Reason != "" {
			state += ": " + c.Reason
		}
		if _, err := fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, c.Name, size, state); err != nil {
			return err
		}
	}
	return w.Flush()
}

// tokens is a number of tokens as people say it: 128k, 1.0M.
func tokens(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// choices are the models of all providers, and the name of the one that is used
// where nobody names one; empty: there is none.
func (a *app) choices(ctx context.Context, cfg config.Config, wait time.Duration) ([]choice, string) {
	var ask []config.Resolved
	for _, name := range cfg.Names() {
		// A provider that is asked has no key to miss, or has it.
		if p, err := cfg.Provider(name, a.env); err == nil && p.Ready() && p.Type != "script" && (len(p.Models) == 0 || p.KeyEnv == "") {
			ask = append(ask, p)
		}
	}
	heard := newAsking(a.env, wait).all(ctx, ask)
	preset, err := cfg.DefaultModel(a.env, func(p config.Resolved) ([]string, bool) {
		l := heard[p.Name]
		return l.models, l.ok
	})
	if err != nil {
		preset = ""
	}
	var out []choice
	for _, name := range cfg.Names() {
		out = append(out, a.choicesOf(cfg, name, heard)...)
	}
	if preset != "" && !slices.ContainsFunc(out, func(c choice) bool { return c.Name == preset }) {
		out = append(out, a.named(cfg, preset, heard))
	}
	for i := range out {
		out[i].Default = out[i].Name == preset
	}
	return out, preset
}

func (a *app) choicesOf(cfg config.Config, provider string, heard map[string]listing) []choice {
	p, err := cfg.Provider(provider, a.env)
	switch {
	case err != nil:
		return []choice{{Name: provider + "/MODEL", Reason: err.Error()}}
	case p.Type == "script":
		return []choice{{Name: provider + "/FILE", Ready: true, Reason: "plays a file"}}
	}
	names := slices.Sorted(maps.Keys(p.Models))
	if len(names) == 0 {
		names = heard[provider].models
	}
	if len(names) == 0 {
		names = []string{"MODEL"}
	}
	out := make([]choice, len(names))
	for i, name := range names {
		out[i] = a.named(cfg, provider+"/"+name, heard)
		if name == "MODEL" {
			out[i].Context = 0
		}
	}
	return out
}

// named is what is known of one model.
func (a *app) named(cfg config.Config, full string, heard map[string]listing) choice {
	provider, name, err := cfg.Find(full)
	if err != nil {
		return choice{Name: full, Reason: err.Error()}
	}
	p, err := cfg.Provider(provider, a.env)
	if err != nil {
		return choice{Name: full, Reason: err.Error()}
	}
	m := p.Model(name)
	c := choice{Name: full, Context: m.Context, MaxOutput: m.MaxOutput, Ready: p.Ready()}
	if !c.Ready {
		c.Reason = p.KeyEnv + " is not set"
	}
	if l, asked := heard[provider]; asked && !l.ok {
		// A server without a list may well have models.
		c.Ready = !l.silent && !l.refused
		c.Reason = l.reason
	}
	if p.Type == "script" {
		c.Context = 0
	}
	return c
}
