package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/catalog"
	"parley/internal/cell"
	"parley/internal/config"
	"parley/internal/runtime"
)

func (a *app) models() *cobra.Command {
	var asJSON, refresh bool
	var registry string
	c := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List the models that can be asked for, and what is known of them",
		Long: `List the models that can be asked for here: those that the servers of providers list, and those of the
configuration. Of each it shows the window and the longest answer in tokens (~ is a guess: nobody tells), how
hard it can be asked to think, whether it takes images, what a million tokens cost in US dollars (sent, received,
read from the cache), and whether it is ready: its key is set, and its server answers. A * marks the model that
is used where nobody names one.

PROVIDER/default and PROVIDER/fast stand for the newest models that suit a day's work and small questions; it
is shown what they are now, and why. Any other model of a provider can be named, too. Of a vendor without PROVIDER
only those are shown that the catalog knows.

What is known is from a catalog that is built in. --refresh gets a newer one, by way of npm or from the registry
that is named, keeps it beside the sessions, and says what is different.

No daemon is needed, and none is started. Exit code 1: there is no newer catalog to be had; 2: the configuration
has an error.`,
		Example: `  parley models
  parley models ollama
  parley models --json | jq -r 'select(.ready).name'
  parley models --refresh
  parley run --model anthropic/fast "what is this project?"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if refresh || registry != "" {
				return a.refreshModels(c.Context(), registry)
			}
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
	f := c.Flags()
	f.BoolVar(&asJSON, "json", false, "a JSON object a line: name, is, why, context, context_from, max_output, efforts, images, price, retires, known, listed, default, ready, reason; and one of the catalog")
	f.BoolVar(&refresh, "refresh", false, "get a newer catalog of models, and say what is different")
	f.StringVar(&registry, "registry", "", "refresh from the npm registry at this `URL`")
	return c
}

// sources are where the configuration is read from here.
func (a *app) sources() config.Sources { return a.providers.Sources(a.env, a.paths, a.dir) }

// known is what can be known of models here.
func (a *app) known() *runtime.Models { return runtime.NewModels(a.providers, a.paths.Catalog, a.now) }

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
	if provider != "" && !cfg.Has(provider) {
		return usage("%w", cfg.Unknown(provider))
	}
	models := a.known()
	cat, word := models.Catalog()
	choices, preset := models.In(cfg, a.env, a.waits.models).Choices(ctx, true)
	choices = slices.DeleteFunc(choices, func(c runtime.Choice) bool {
		return provider != "" && !strings.HasPrefix(c.Name, provider+"/")
	})
	if asJSON {
		err = a.modelLines(choices, cat.Header)
	} else {
		err = a.modelTable(choices, provider != "")
		fmt.Fprintf(a.err, "parley: the catalog of models is of %s, %s\n", cat.Dated.Format(time.DateOnly), cat.Age(a.now()))
	}
	if err != nil {
		return err
	}
	if word != "" {
		fmt.Fprintf(a.err, "parley: %s\n", word)
	}
	if preset == "" {
		fmt.Fprintf(a.err, "parley: no model: %s\n", cfg.Advice())
	}
	return nil
}

// modelLines writes the models as JSON, and the catalog last.
func (a *app) modelLines(choices []runtime.Choice, h catalog.Header) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	for _, c := range choices {
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	age := h.Age(a.now())
	return enc.Encode(map[string]any{"catalog": h.Dated.Format(time.DateOnly), "package": h.Package + " " + h.Version, "days": age.Days, "old": age.Old})
}

// modelTable writes the models a line each. Those of a vendor of which nothing is known may be embeddings or voices, and
// are only counted unless all are asked for.
func (a *app) modelTable(choices []runtime.Choice, all bool) error {
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "  MODEL\tWINDOW\tOUTPUT\tEFFORT\tIMAGES\tPRICE\tSTATE")
	hidden := map[string]int{}
	for _, c := range choices {
		if provider, _, _ := strings.Cut(c.Name, "/"); c.Obscure && !c.Default && !all {
			hidden[provider]++
			continue
		}
		mark := " "
		if c.Default {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\t%s\t%s\t%s\n", mark, cell.Escape(c.Name), windowOf(c), outputOf(c), span(c.Efforts), imagesOf(c), priceOf(c.Price), cell.Escape(stateOf(c)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for provider, n := range hidden {
		fmt.Fprintf(a.err, "parley: %s lists %d more, of which the catalog knows nothing; 'parley models %[1]s' shows them\n", provider, n)
	}
	return nil
}

func windowOf(c runtime.Choice) string {
	switch {
	case c.Context == 0:
		return ""
	case c.Guess:
		return "~" + catalog.Tokens(c.Context)
	}
	return catalog.Tokens(c.Context)
}

func outputOf(c runtime.Choice) string {
	if c.MaxOutput == 0 {
		return ""
	}
	return catalog.Tokens(c.MaxOutput)
}

// span is from the least to the most of some efforts.
func span(efforts []string) string {
	if len(efforts) <= 3 {
		return strings.Join(efforts, ",")
	}
	return efforts[0] + "…" + efforts[len(efforts)-1]
}

func imagesOf(c runtime.Choice) string {
	switch {
	case c.Images == nil:
		return ""
	case *c.Images:
		return "yes"
	}
	return "no"
}

// priceOf is what a million tokens cost: sent, received, read from the cache.
func priceOf(p *runtime.Price) string {
	if p == nil {
		return ""
	}
	dollars := func(d *float64) string {
		if d == nil {
			return "?"
		}
		return "$" + strconv.FormatFloat(*d, 'f', -1, 64)
	}
	text := dollars(p.Input) + " " + dollars(p.Output)
	if p.CachedRead != nil {
		text += " " + dollars(p.CachedRead)
	}
	return text
}

// stateOf says whether a model is ready, what a word stands for, and what else there is to be said.
func stateOf(c runtime.Choice) string {
	state := []string{"ready"}
	if !c.Ready {
		state = nil
	}
	if c.Is != "" {
		_, model, _ := strings.Cut(c.Is, "/")
		state = []string{model}
		if c.Ready {
			state = []string{model + ", " + c.Why}
		}
	}
	if c.Reason != "" {
		state = append(state, c.Reason)
	}
	if c.Retires != "" {
		state = append(state, "its vendor ends it on "+c.Retires)
	}
	return strings.Join(state, "; ")
}
