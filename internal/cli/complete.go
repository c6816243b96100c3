package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/internal/catalog"
	"parley/internal/cell"
	"parley/internal/client"
	"parley/internal/command"
)

// completing gives commands and those below them what the shell offers: for
// arguments that are sessions, and for flags by their name.
func (a *app) completing(commands ...*cobra.Command) []*cobra.Command {
	flags := map[string]cobra.CompletionFunc{
		"reasoning": fixed(append([]string{asConfigured}, catalog.EffortNames...)...),
		"model":     a.completeModel,
		"session":   a.completeSession,
		"format":    fixed(a.formatNames()...),
		"color":     fixed("auto", "always", "never"),
		"mode":      fixed("ask", "edits", "all"),
		"listen":    a.completeListen,
		"store":     ahead("sqlite:", "memory:"),
	}
	for _, c := range commands {
		if c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 {
			switch {
			case strings.Contains(c.Use, "SESSION..."):
				c.ValidArgsFunction = a.completeSession
			case strings.Contains(c.Use, "SESSION"):
				c.ValidArgsFunction = a.completeFirst(strings.Contains(c.Use, "FILE"))
			case !strings.Contains(c.Use, "FILE") && !strings.Contains(c.Use, "["):
				c.ValidArgsFunction = cobra.NoFileCompletions
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if complete, ok := flags[f.Name]; ok {
				if _, has := c.GetFlagCompletionFunc(f.Name); !has {
					// It fails only for a flag that is not there.
					_ = c.RegisterFlagCompletionFunc(f.Name, complete)
				}
			}
		})
		a.completing(c.Commands()...)
	}
	return commands
}

func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// ahead offers what a word begins with; files follow.
func ahead(starts ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(starts, cobra.ShellCompDirectiveNoSpace)
}

// beginning keeps the words that begin as typed.
func beginning(typed string, words []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, typed) })
}

// completeModel offers provider/model.
func (a *app) completeModel(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	cfg, _, err := a.loadConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var local []string
	for _, name := range cfg.Names() {
		if p, err := cfg.Provider(name, a.env); err == nil && p.Local {
			local = append(local, name+"/")
		}
	}
	if slices.ContainsFunc(local, func(start string) bool { return strings.HasPrefix(typed, start) && typed != start }) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	choices, _ := a.known().In(cfg, a.env, a.waits.key).Choices(c.Context(), false)
	var ready, rest []string
	for _, m := range choices {
		if m.Placeholder {
			continue
		}
		if m.Ready {
			ready = append(ready, m.Name)
		} else {
			rest = append(rest, m.Name+"\t"+m.Reason)
		}
	}
	words := beginning(typed, append(ready, rest...))
	if len(words) == 0 {
		words = beginning(typed, local)
		return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// completeFirst offers sessions for the first argument only, and files beside
// them where a file does as well.
func (a *app) completeFirst(files bool) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		words, directive := a.completeSession(c, args, typed)
		if files {
			directive = cobra.ShellCompDirectiveDefault
		}
		return words, directive
	}
}

// completeSession offers the sessions of a daemon that runs, those of this
// folder first. It never starts one.
func (a *app) completeSession(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(c.Context(), a.waits.key)
	defer cancel()
	words := []string{"last\tthe newest of this folder"}
	var elsewhere []string
	for _, l := range a.runningSessions(ctx) {
		word := string(l.Session) + "\t" + cell.Escape(l.Title)
		switch {
		case slices.Contains(args, string(l.Session)):
		case l.Workspace == a.dir:
			words = append(words, word)
		default:
			elsewhere = append(elsewhere, word)
		}
	}
	return beginning(typed, append(words, elsewhere...)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// runningSessions lists the sessions of a daemon that runs; none where there is
// no daemon, or it is slow.
func (a *app) runningSessions(ctx context.Context) []command.Listing {
	conn, err := a.find(ctx)
	if err != nil {
		return nil
	}
	defer conn.Close()
	got, err := client.Ask[command.Sessions](ctx, conn, "", command.Read{What: command.ReadSessions})
	if err != nil {
		return nil
	}
	return got.Sessions
}

// completeListen offers DIALECT+TRANSPORT: in front of an address.
func (a *app) completeListen(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(typed, ":") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var words []string
	for _, name := range a.listenable() {
		words = append(words, name+":")
	}
	return beginning(typed, words), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
