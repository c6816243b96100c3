package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/internal/cell"
	"parley/internal/config"
	"parley/internal/runtime"
)

// workspaceConfig is the file of a workspace's own configuration.
var workspaceConfig = filepath.Join(".parley", "config.jsonc")

func (a *app) configTrust() *cobra.Command {
	var yes, dry bool
	c := &cobra.Command{
		Use:   "trust [FILE]",
		Short: "Let a workspace's own configuration count",
		Long: `Show what a workspace's .parley/config.jsonc would allow, and trust it. Without FILE these are the
files from this folder up to the root of the workspace that are not trusted yet; FILE may be such a
file or the folder it is for. A file is trusted as it is now: when it changes, it has to be trusted
again. On a terminal there is a question first; elsewhere the command is the answer.

Exit code 1: there is no such file, or the answer was no; 2: it has errors.`,
		Example: `  parley config trust --dry-run
  parley config trust
  parley config trust --yes ~/src/project`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.trust(args, yes, dry) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVarP(&dry, "dry-run", "n", false, "only show")
	return c
}

func (a *app) configDistrust() *cobra.Command {
	return &cobra.Command{
		Use:   "distrust [FILE]",
		Short: "No longer let a workspace's own configuration count",
		Long: `Forget that a workspace's .parley/config.jsonc is trusted; without FILE, all files from this folder
up to the root of the workspace. The file need not be there any more.

Exit code 1: it was not trusted.`,
		Example: "  parley config distrust\n  parley config distrust ~/src/project",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.distrust(args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			sums, err := config.NewStore(a.paths.Data).Sums()
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return beginning(typed, slices.Sorted(maps.Keys(sums))), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// workspaceSources are the sources for a named file or, without one, for the
// folder where the program is.
func (a *app) workspaceSources(args []string) (config.Sources, error) {
	s := a.sources()
	if len(args) == 0 {
		return s, nil
	}
	path := args[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.dir, path)
	}
	path = filepath.Clean(path)
	if stat, err := os.Stat(path); err == nil && stat.IsDir() && filepath.Base(path) != ".parley" {
		path = filepath.Join(path, workspaceConfig)
	} else if err == nil && stat.IsDir() {
		path = filepath.Join(path, filepath.Base(workspaceConfig))
	}
	dir := filepath.Dir(filepath.Dir(path))
	if filepath.Join(dir, workspaceConfig) != path {
		return s, usage("%s is not the configuration of a workspace: that is FOLDER/%s", args[0], workspaceConfig)
	}
	s.Root, s.Dir = dir, dir
	return s, nil
}

func (a *app) trust(args []string, yes, dry bool) error {
	s, err := a.workspaceSources(args)
	if err != nil {
		return err
	}
	store := config.NewStore(a.paths.Data)
	sums, err := store.Sums()
	if err != nil {
		return err
	}
	_, origins, err := config.Load(s)
	var problems config.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	all := s
	all.Trusted = func(string, string) (bool, error) { return true, nil }
	trusted, again, _ := config.Load(all)
	for i, file := range origins.Files {
		if again.Files[i].Sum != file.Sum {
			return exit{1, fmt.Errorf("%s changed while it was read", cell.Escape(file.Path))}
		}
	}
	found := 0
	for _, file := range origins.Files {
		if file.Layer != config.LayerWorkspace || !file.Found {
			continue
		}
		found++
		if i := slices.IndexFunc(problems, func(p config.Problem) bool { return p.Place == file.Path }); i >= 0 {
			return usage("not trusted: %s", cell.Escape(problems[i].String()))
		}
		if file.Trusted {
			fmt.Fprintf(a.out, "%s is trusted already\n", cell.Escape(file.Path))
			continue
		}
		if old := sums[file.Path]; old != "" && old != file.Sum {
			fmt.Fprintf(a.out, "%s has changed since you trusted it.\n", cell.Escape(file.Path))
		}
		if err := a.review(file, origins.Withheld, trusted); err != nil {
			return err
		}
		if dry {
			continue
		}
		if err := a.confirm(yes, file.Path); err != nil {
			return err
		}
		if err := store.Trust(file.Path, file.Sum); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "trusted %s\n", cell.Escape(file.Path))
	}
	if found == 0 {
		return exit{1, fmt.Errorf("there is no %s from %s up to %s", workspaceConfig, s.Dir, s.Root)}
	}
	return nil
}

// confirm asks on a terminal; elsewhere the command itself is the answer.
func (a *app) confirm(yes bool, path string) error {
	_, in := terminal(a.in)
	_, out := terminal(a.err)
	if yes || !in || !out {
		return nil
	}
	fmt.Fprintf(a.err, "Trust %s? [y/N] ", cell.Escape(path))
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return exit{1, errors.New("not trusted")}
}

// review shows what a file would do once it counts.
func (a *app) review(file config.File, withheld []config.Entry, trusted config.Config) error {
	var of []config.Entry
	for _, e := range withheld {
		if e.Origin.File == file.Path {
			of = append(of, e)
		}
	}
	if len(of) == 0 {
		_, err := fmt.Fprintf(a.out, "%s asks for nothing that needs trust.\n", cell.Escape(file.Path))
		return err
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 8, 2, ' ', 0)
	for _, e := range of {
		fmt.Fprintf(w, "  %d:\t%s\t%s\t%s\n", e.Origin.Line, cell.Escape(e.Key), cell.Escape(e.Value), cell.Escape(consequence(e, trusted)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	text := cell.Escape(file.Path) + " would set:\n"
	for line := range strings.Lines(table.String()) {
		text += strings.TrimRight(line, " \n") + "\n"
	}
	_, err := io.WriteString(a.out, text)
	return err
}

var variableReference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// consequence says what a withheld value would mean, where that is not plain.
func consequence(e config.Entry, trusted config.Config) string {
	path, err := config.ParseKey(e.Key)
	if err != nil {
		return ""
	}
	var text string
	// Values that are no texts have no consequence here.
	_ = json.Unmarshal([]byte(e.Value), &text)
	switch {
	case e.Key == "permission.allow":
		rule, err := runtime.Grammar().Rule(text)
		switch {
		case err != nil:
			return ""
		case rule.Tool() == "*":
			return "everything runs without a question"
		case rule.Bare():
			return "every " + rule.Tool() + " call runs without a question"
		}
		return "runs without a question"
	case e.Key == "model":
		return "the model that answers you"
	case e.Key == "fetch.private":
		return "fetch reaches your own network"
	case path[0] != "providers" || len(path) < 3:
		return ""
	case path[2] == "base_url":
		return "what is said in sessions goes there, with the provider's key"
	case path[2] == "api_key_env":
		return "the value of that variable is sent to the server"
	case path[2] == "headers" && len(path) > 3:
		var names []string
		for _, m := range variableReference.FindAllStringSubmatch(trusted.Providers[path[1]].Headers[path[3]].Reveal(), -1) {
			names = append(names, m[1])
		}
		if len(names) > 0 {
			return "sends the value of " + strings.Join(names, ", ") + " to the server"
		}
	}
	return ""
}

func (a *app) distrust(args []string) error {
	s, err := a.workspaceSources(args)
	if err != nil {
		return err
	}
	store := config.NewStore(a.paths.Data)
	sums, err := store.Sums()
	if err != nil {
		return err
	}
	_, origins, _ := config.Load(s)
	gone := 0
	for _, file := range origins.Files {
		if file.Layer != config.LayerWorkspace || sums[file.Path] == "" {
			continue
		}
		if err := store.Distrust(file.Path); err != nil {
			return err
		}
		gone++
		fmt.Fprintf(a.out, "no longer trusted: %s\n", cell.Escape(file.Path))
	}
	if gone == 0 {
		return exit{1, fmt.Errorf("nothing is trusted from %s up to %s", s.Dir, s.Root)}
	}
	return nil
}

// parseRule is the canonical text of a permission rule.
func parseRule(text string) (string, error) {
	rule, err := runtime.Grammar().Rule(text)
	return rule.String(), err
}
