package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/cell"
	"parley/internal/doctor"
)

func (a *app) doctor() *cobra.Command {
	var asJSON, deep bool
	var astray error
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is broken, and say what to do",
		Long: `Look at everything that Parley needs: configuration, keys and servers of models, the store and its
disk, the socket, the daemon, the terminal, the programs it calls. Each finding is a line: ✓ fine,
! a warning, ✗ broken; what to do follows below it. Keys are tried by asking for the list of models,
which costs nothing. Nothing is changed and no daemon is started.

Exit code 0: nothing is broken, perhaps with warnings; 1: something is.`,
		Example: `  parley doctor
  parley doctor --deep
  parley doctor --json | jq -r 'select(.state == "broken") | .name + ": " + .do'`,
		Args: cobra.NoArgs,
		// A world without paths is a finding, not the end.
		PersistentPreRunE: func(*cobra.Command, []string) error { astray = a.resolve(); return nil },
		RunE: func(c *cobra.Command, _ []string) error {
			out, tty := terminal(a.out)
			if !tty {
				out = nil
			}
			return a.report(doctor.Examine(c.Context(), doctor.Options{
				Env: a.env, Dir: a.dir, Paths: a.paths, NoPaths: astray, Deep: deep, Models: a.known(), Providers: a.providers, Now: a.now,
				Socket: a.options(helloNone).Socket, Chosen: a.socket != "", Build: build(), Find: a.find, In: a.in, Out: out,
			}), asJSON)
		},
	}
	f := c.Flags()
	f.BoolVar(&asJSON, "json", false, "a JSON object a line: name, state (ok, warning or broken), what, do")
	f.BoolVar(&deep, "deep", false, "read every session's file whole")
	return c
}

// report prints the findings; its error is the exit code.
func (a *app) report(findings []doctor.Finding, asJSON bool) error {
	w := bufio.NewWriter(bare(a.out))
	text := cell.NewGuard(w) // the marks have colours
	count := map[doctor.Condition]int{}
	_, tty := terminal(a.out)
	marks := marksOf(tty && a.env["NO_COLOR"] == "" && a.env["TERM"] != "dumb")
	enc := json.NewEncoder(text)
	enc.SetEscapeHTML(false)
	for _, f := range findings {
		count[f.State]++
		if asJSON {
			if err := enc.Encode(f); err != nil {
				return err
			}
			continue
		}
		fmt.Fprint(w, marks[f.State])
		fmt.Fprintf(text, " %s: %s\n", f.Name, strings.ReplaceAll(f.What, "\n", "\n  "))
		if f.Do != "" {
			fmt.Fprintf(text, "  → %s\n", f.Do)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch n := count[doctor.Broken]; n {
	case 0:
		return nil
	case 1:
		return exit{1, errors.New("one thing is broken")}
	default:
		return exit{1, fmt.Errorf("%d things are broken", n)}
	}
}

func marksOf(color bool) map[doctor.Condition]string {
	if color {
		return map[doctor.Condition]string{doctor.Good: "\x1b[32m✓\x1b[0m", doctor.Poor: "\x1b[33m!\x1b[0m", doctor.Broken: "\x1b[31m✗\x1b[0m"}
	}
	return map[doctor.Condition]string{doctor.Good: "✓", doctor.Poor: "!", doctor.Broken: "✗"}
}
