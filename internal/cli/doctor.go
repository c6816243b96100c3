package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/config"
	"parley/internal/permission"
)

// A condition is how well something is.
type condition string

const (
	good   condition = "ok"
	poor   condition = "warning"
	broken condition = "broken"
)

// A finding is what the doctor says of one thing.
type finding struct {
	Name  string    `json:"name"`
	State condition `json:"state"`
	What  string    `json:"what"`
	Do    string    `json:"do,omitempty"`
}

// doctor looks at the program's world and changes nothing in it. What it
// cannot bring about in a test is a field.
type doctor struct {
	*app
	wait  time.Duration // for one server, and for the daemon
	deep  bool
	uid   int
	space func(path string) (space, error)
	look  func(program string) (string, error)

	cfg     config.Config
	origins config.Origins
	loaded  bool // the configuration has no errors
	lost    bool // the paths are not known
	found   []finding
}

func newDoctor(a *app) *doctor {
	return &doctor{app: a, wait: 5 * time.Second, uid: os.Getuid(), space: diskSpace, look: exec.LookPath}
}

func (d *doctor) say(name string, state condition, do, format string, args ...any) {
	d.found = append(d.found, finding{Name: name, State: state, What: fmt.Sprintf(format, args...), Do: do})
}

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
			d := newDoctor(a)
			d.deep = deep
			d.examine(c.Context(), astray)
			return d.report(asJSON)
		},
	}
	f := c.Flags()
	f.BoolVar(&asJSON, "json", false, "a JSON object a line: name, state (ok, warning or broken), what, do")
	f.BoolVar(&deep, "deep", false, "read every session's file whole")
	return c
}

// examine makes all findings. A world that has no paths, say why in astray, is
// looked at as far as that goes.
func (d *doctor) examine(ctx context.Context, astray error) {
	if astray != nil {
		d.lost = true
		d.say("paths", broken, "correct the variable", "%s", astray)
	}
	if !d.lost {
		d.configuration()
		if d.loaded {
			d.models(ctx)
		}
		d.storage()
		d.socketFile()
		d.daemon(ctx)
	}
	d.terminal()
	d.programs()
}

// configuration looks at the files, and at what the user decided for good.
func (d *doctor) configuration() {
	store := config.NewStore(d.paths.Data)
	var err error
	d.cfg, d.origins, err = config.Load(sources(d.env, d.paths, store, d.dir))
	d.loaded = err == nil
	var problems config.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			d.say("config", broken, "correct it; until then no prompt is taken", "%s", p)
		}
	} else if err != nil {
		d.say("config", broken, "", "%s", err)
	}
	for _, file := range d.origins.Files {
		d.configFile(file)
	}
	d.rules(store)
}

func (d *doctor) configFile(file config.File) {
	held := map[string]bool{}
	for _, e := range d.origins.Withheld {
		if e.Origin.File == file.Path {
			held[e.Key] = true
		}
	}
	switch {
	case !file.Found && file.Layer == config.LayerUser && d.env["PARLEY_CONFIG"] != "":
		d.say("config", poor, "write it, or unset PARLEY_CONFIG", "%s, which PARLEY_CONFIG names, is not there", file.Path)
	case !file.Found && file.Layer == config.LayerUser:
		d.say("config", good, "", "no %s; the built-in values hold", file.Path)
	case !file.Found:
	case len(held) > 0:
		d.say("config", poor, "read it, then: parley config trust "+file.Path,
			"%s is not trusted; what it says of %s does not count", file.Path, some(held))
	default:
		d.say("config", good, "", "%s", file.Path)
	}
	if !file.Found || file.Layer != config.LayerUser {
		return
	}
	stat, err := os.Stat(file.Path)
	switch {
	case err != nil:
	case stat.Mode().Perm()&0o002 != 0:
		d.say("config", broken, "chmod 600 "+file.Path, "%s can be written by any user (mode %04o)", file.Path, stat.Mode().Perm())
	case stat.Mode().Perm()&0o044 != 0 && d.literalHeader(file.Path):
		d.say("config", poor, "chmod 600 "+file.Path+", or write ${NAME} and set that variable",
			"%s holds a header's value and can be read by others (mode %04o)", file.Path, stat.Mode().Perm())
	}
}

// literalHeader reports whether a file holds the value of a header itself.
func (d *doctor) literalHeader(path string) bool {
	for name, p := range d.cfg.Providers {
		for header, value := range p.Headers {
			if !strings.Contains(value.Reveal(), "${") && d.origins.Of(config.Key("providers", name, "headers", header)).File == path {
				return true
			}
		}
	}
	return false
}

// some lists a few names.
func some(names map[string]bool) string {
	const most = 4
	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(list, ", ")
}

// rules looks at the permission rules that were answered for good.
func (d *doctor) rules(store config.Store) {
	user, err := store.UserRules()
	if err != nil {
		d.say("rules", broken, "move the file away; its rules have to be answered again", "%s", err)
		return
	}
	project, err := store.ProjectRules(projectRoot(d.dir))
	if err != nil {
		d.say("rules", broken, "", "%s", err)
		return
	}
	for _, p := range []config.Permission{user, project} {
		for _, text := range slices.Concat(p.Allow, p.Deny, p.Ask) {
			if _, err := permission.ParseRule(text); err != nil {
				d.say("rules", broken, "parley config rules rm '"+text+"'", "%s", err)
			}
		}
	}
}

// report prints the findings; its error is the exit code.
func (d *doctor) report(asJSON bool) error {
	w := bufio.NewWriter(d.out)
	count := map[condition]int{}
	_, tty := terminal(d.out)
	marks := marksOf(tty && d.env["NO_COLOR"] == "" && d.env["TERM"] != "dumb")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, f := range d.found {
		count[f.State]++
		if asJSON {
			if err := enc.Encode(f); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s %s: %s\n", marks[f.State], f.Name, strings.ReplaceAll(f.What, "\n", "\n  "))
		if f.Do != "" {
			fmt.Fprintf(w, "  → %s\n", f.Do)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch n := count[broken]; n {
	case 0:
		return nil
	case 1:
		return exit{1, errors.New("one thing is broken")}
	default:
		return exit{1, fmt.Errorf("%d things are broken", n)}
	}
}

func marksOf(color bool) map[condition]string {
	if color {
		return map[condition]string{good: "\x1b[32m✓\x1b[0m", poor: "\x1b[33m!\x1b[0m", broken: "\x1b[31m✗\x1b[0m"}
	}
	return map[condition]string{good: "✓", poor: "!", broken: "✗"}
}
