package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/internal/cell"
	"parley/internal/config"
	"parley/internal/runtime"
)

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

// sources are where the configuration is read from here.
func (a *app) sources() config.Sources { return a.providers.Sources(a.env, a.paths, a.dir) }

// loadConfig reads the configuration as it holds here. Errors in it are the
// user's to correct.
func (a *app) loadConfig() (config.Config, config.Origins, error) {
	cfg, origins, err := config.Load(a.sources())
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
	choices, preset := a.providers.Choices(ctx, cfg, a.env, a.waits.models)
	choices = slices.DeleteFunc(choices, func(c runtime.Choice) bool {
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
		fmt.Fprintf(a.err, "parley: %s: %s\n", config.ErrNoModel, cfg.Advice())
	}
	return nil
}

func (a *app) modelTable(choices []runtime.Choice) error {
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
		if _, err := fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, cell.Escape(c.Name), size, cell.Escape(state)); err != nil {
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
