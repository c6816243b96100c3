package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/internal/cell"
	"parley/internal/config"
	"parley/internal/runtime"
)

func (a *app) config() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration: each value and where it is from",
		Long: `Show the values that hold in this folder, each with the file and line, the environment variable or
the built-in default it is from. Of a workspace's own file (.parley/config.jsonc) only the model and
rules that deny or ask count until it is trusted; the rest is marked as withheld. Values of headers
are never shown.

Exit code 2: a file has errors. They are on stderr; what is right is shown.`,
		Example: `  parley config
  parley config get permission.allow
  parley config trust
  $EDITOR "$(parley config path)"`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.printConfig(asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "a JSON object a line: key, value, layer, file, line, name, withheld")
	c.AddCommand(a.configGet(), a.configPath(), a.configTrust(), a.configDistrust(), a.configRules())
	return c
}

// A shown value is one line of `parley config --json`.
type shownValue struct {
	Key      string          `json:"key"`
	Value    json.RawMessage `json:"value"`
	Layer    config.Layer    `json:"layer"`
	Name     string          `json:"name,omitempty"`
	File     string          `json:"file,omitempty"`
	Line     int             `json:"line,omitempty"`
	Withheld bool            `json:"withheld,omitempty"`
}

func (a *app) printConfig(asJSON bool) error {
	_, origins, wrong := a.loadConfig()
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	line := func(e config.Entry, withheld bool) error {
		if asJSON {
			enc := json.NewEncoder(a.out)
			enc.SetEscapeHTML(false)
			return enc.Encode(shownValue{e.Key, json.RawMessage(e.Value), e.Origin.Layer, e.Origin.Name, e.Origin.File, e.Origin.Line, withheld})
		}
		origin := e.Origin.String()
		if withheld {
			origin += " (withheld: not trusted)"
		}
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", cell.Escape(e.Key), cell.Escape(e.Value), cell.Escape(origin))
		return err
	}
	for _, e := range origins.Entries {
		if err := line(e, false); err != nil {
			return err
		}
	}
	for _, e := range origins.Withheld {
		if err := line(e, true); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(origins.Withheld) > 0 {
		fmt.Fprintf(a.err, "parley: what is withheld waits for your trust; 'parley config trust' shows what it would do\n")
	}
	return wrong
}

func (a *app) configGet() *cobra.Command {
	return &cobra.Command{
		Use:   "get KEY",
		Short: "Print one value",
		Long: `Print the value of a key: a text as it is, anything else as JSON, a list with an element a line.
For a key that has parts, each part is a line: its key, a tab, its value.

Exit code 1: the key has no value; 2: there is no such key.`,
		Example: `  parley config get model
  parley config get 'providers.mine.models["qwen-3.8"].context'
  parley config get limits`,
		Args:              cobra.ExactArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return a.getValue(args[0]) },
		ValidArgsFunction: a.completeKeys,
	}
}

func (a *app) getValue(text string) error {
	path, err := config.ParseKey(text)
	if err == nil {
		err = config.CheckKey(path...)
	}
	if err != nil {
		return usage("%w", err)
	}
	_, origins, err := a.loadConfig()
	if err != nil {
		return err
	}
	key, found := config.Key(path...), false
	for _, e := range origins.Entries {
		part := strings.HasPrefix(e.Key, key+".") || strings.HasPrefix(e.Key, key+"[")
		if e.Key != key && !part {
			continue
		}
		found = true
		value := e.Value
		if plain := ""; json.Unmarshal([]byte(value), &plain) == nil {
			value = plain
		}
		if part {
			value = e.Key + "\t" + value
		}
		if _, err := fmt.Fprintln(a.out, value); err != nil {
			return err
		}
	}
	if !found {
		return exit{1, fmt.Errorf("%s is not set", key)}
	}
	return nil
}

func (a *app) completeKeys(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, origins, _ := a.loadConfig()
	var keys []string
	for _, key := range config.Keys() {
		if !strings.Contains(key, "NAME") {
			keys = append(keys, key)
		}
	}
	for _, e := range origins.Entries {
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	return beginning(typed, slices.Compact(keys)), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) configPath() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "path",
		Short: "Print where your configuration file is, or would be",
		Long: `Print the path of your configuration file, whether or not it is there. --all prints every file that
was looked for here, the strongest first: its path, a tab, and what it is.`,
		Example: `  $EDITOR "$(parley config path)"
  parley config path --all`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !all {
				_, err := fmt.Fprintln(a.out, a.paths.Config)
				return err
			}
			_, origins, _ := a.loadConfig()
			for _, f := range origins.Files {
				if _, err := fmt.Fprintf(a.out, "%s\t%s\n", f.Path, standing(f)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "those of the workspace too, and whether they are there and trusted")
	return c
}

// standing is what a configuration file is, in a few words.
func standing(f config.File) string {
	text := string(f.Layer)
	switch {
	case !f.Found:
		return text + ", not there"
	case !f.Trusted:
		return text + ", not trusted"
	}
	return text
}

func (a *app) configRules() *cobra.Command {
	var project, user bool
	c := &cobra.Command{
		Use:   "rules",
		Short: "List the permission rules that hold here",
		Long: `List the permission rules that hold in this folder: those that were answered for this project or for
everywhere, and those of the configuration. A line is the effect, the rule and its scope, with tabs
between. A rule that denies is stronger than one that allows.`,
		Example: `  parley config rules
  parley config rules --project
  parley config rules rm 'bash(go test:*)'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listRules(project, user) },
	}
	c.Flags().BoolVar(&project, "project", false, "only those that were answered for this project")
	c.Flags().BoolVar(&user, "user", false, "only those that were answered for everywhere")
	c.MarkFlagsMutuallyExclusive("project", "user")
	c.AddCommand(a.configRulesRemove())
	return c
}

func (a *app) listRules(project, user bool) error {
	store := config.NewStore(a.paths.Data)
	print := func(scope string, rules config.Permission) error {
		for _, part := range []struct {
			effect string
			rules  []string
		}{{"deny", rules.Deny}, {"allow", rules.Allow}, {"ask", rules.Ask}} {
			for _, rule := range part.rules {
				if _, err := fmt.Fprintf(a.out, "%s\t%s\t%s\n", part.effect, cell.Escape(rule), scope); err != nil {
					return err
				}
			}
		}
		return nil
	}
	ofProject, err := store.ProjectRules(runtime.ProjectRoot(a.dir))
	ofUser, err2 := store.UserRules()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if !user {
		if err := print("project", ofProject); err != nil {
			return err
		}
	}
	if !project {
		if err := print("user", ofUser); err != nil {
			return err
		}
	}
	if project || user {
		return nil
	}
	_, origins, err := a.loadConfig()
	if err != nil {
		return err
	}
	return configuredRules(a.out, origins)
}

// configuredRules prints the rules of the files, each with its place.
func configuredRules(out io.Writer, origins config.Origins) error {
	for _, effect := range []string{"deny", "allow", "ask"} {
		for _, e := range origins.Entries {
			if e.Key != "permission."+effect {
				continue
			}
			var rule string
			if err := json.Unmarshal([]byte(e.Value), &rule); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%s\t%s\t%s\n", effect, cell.Escape(rule), cell.Escape(e.Origin.String())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) configRulesRemove() *cobra.Command {
	var project, user bool
	c := &cobra.Command{
		Use:   "rm RULE",
		Short: "Forget a rule that was answered for good",
		Long: `Forget a permission rule that was answered for this project or for everywhere, whatever its effect.
A rule of a configuration file is taken out there.

Exit code 1: no such rule was answered.`,
		Example: "  parley config rules rm 'bash(go test:*)'\n  parley config rules rm --user 'fetch(*.example.org)'",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.removeRule(args[0], project, user) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			store := config.NewStore(a.paths.Data)
			ofProject, err := store.ProjectRules(runtime.ProjectRoot(a.dir))
			ofUser, err2 := store.UserRules()
			if err != nil || err2 != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return beginning(typed, slices.Concat(ofProject.Deny, ofProject.Allow, ofProject.Ask, ofUser.Deny, ofUser.Allow, ofUser.Ask)), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&project, "project", false, "only the project's")
	c.Flags().BoolVar(&user, "user", false, "only the one for everywhere")
	c.MarkFlagsMutuallyExclusive("project", "user")
	return c
}

func (a *app) removeRule(text string, project, user bool) error {
	store := config.NewStore(a.paths.Data)
	texts := []string{text}
	if rule, err := parseRule(text); err == nil && rule != text {
		texts = append(texts, rule)
	}
	found := false
	for _, text := range texts {
		if !user {
			ok, err := store.RemoveProjectRule(runtime.ProjectRoot(a.dir), text)
			if err != nil {
				return err
			}
			if found = found || ok; ok {
				fmt.Fprintf(a.out, "forgot %s of this project\n", cell.Escape(text))
			}
		}
		if !project {
			ok, err := store.RemoveUserRule(text)
			if err != nil {
				return err
			}
			if found = found || ok; ok {
				fmt.Fprintf(a.out, "forgot %s of everywhere\n", cell.Escape(text))
			}
		}
	}
	if !found {
		return exit{1, fmt.Errorf("there is no such rule: %s; 'parley config rules' lists them", cell.Escape(text))}
	}
	return nil
}
