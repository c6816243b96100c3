package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/internal/config"
)

func (a *app) man() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long:  "Print the manual page of all commands as roff, made from the commands themselves.",
		Example: `  parley man | man -l -
  parley man > /usr/local/share/man/man1/parley.1`,
		Args:              cobra.NoArgs,
		Hidden:            true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE:              func(c *cobra.Command, _ []string) error { return manual(a.out, c.Root(), a.providers.Kinds()) },
	}
}

// A pair is a term of a manual and what it means.
type pair struct{ term, text string }

var exitCodes = []pair{
	{"0", "Done."},
	{"1", "Failed, or something that was looked for is not there or is broken."},
	{"2", "The command line or the configuration is wrong. Nothing was run."},
	{"3", "A call was denied because nobody could be asked."},
	{"129", "The terminal hung up (SIGHUP); a run that was started here was ended."},
	{"130", "Interrupted."},
	{"143", "Told to end (SIGTERM); a run that was started here was ended."},
}

// environment are the variables that count.
func environment(kinds config.Kinds) []pair {
	return []pair{
		{strings.Join(kinds.KeyVariables(), ", "), "Keys of the built-in providers. Commands that the model runs do not see them."},
		{strings.Join(kinds.BaseVariables(), ", "), "Other servers for the built-in providers."},
		{"PARLEY_CONFIG", "Your configuration file, in place of config.jsonc."},
		{"PARLEY_STORE", "Where sessions are kept: sqlite:PATH or memory:."},
		{"PARLEY_SOCKET", "The daemon's socket."},
		{"PARLEY_DEBUG", "1 asks for checks that cost time, and for more in the log."},
		{"NO_COLOR", "Not empty: no colours."},
		{"XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR", "Where the files below are."},
	}
}

var files = []pair{
	{"$XDG_CONFIG_HOME/parley/config.jsonc", "Your configuration; XDG_CONFIG_HOME is ~/.config where it is not set."},
	{".parley/config.jsonc", "A workspace's own configuration. Until 'parley config trust' it may choose among your models, deny and ask, and nothing else."},
	{"AGENTS.md", "Instructions of a project, sent to the model; from the root of the workspace down to the folder of the session."},
	{"$XDG_DATA_HOME/parley/", "Sessions, rules, what is trusted; XDG_DATA_HOME is ~/.local/share where it is not set."},
	{"$XDG_STATE_HOME/parley/daemon.log", "The daemon's log; XDG_STATE_HOME is ~/.local/state where it is not set."},
	{"$XDG_RUNTIME_DIR/parley/parley.sock", "The daemon's socket; without XDG_RUNTIME_DIR it is in a folder of yours in TMPDIR."},
}

// documented are the commands of a manual, each before those below it.
func documented(root *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		out = append(append(out, c), documented(c)...)
	}
	return out
}

// flagsOf are a command's own flags.
func flagsOf(c *cobra.Command) []pair { return flagsIn(c.LocalNonPersistentFlags()) }

// everywhere are the flags that every command has.
func everywhere(root *cobra.Command) []pair {
	return append(flagsIn(root.PersistentFlags()), pair{"-h, --help", "help for the command"})
}

func flagsIn(set *pflag.FlagSet) []pair {
	var out []pair
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		switch name {
		case "":
		case "string", "stringArray", "stringSlice": // the usage names nothing
			term += " VALUE"
		default:
			term += " " + name
		}
		if value := f.DefValue; value != "" && value != "[]" && value != "false" && value != "0" {
			usage += " (default " + value + ")"
		}
		out = append(out, pair{term, usage})
	})
	return out
}

// manual writes the page for a command and all below it, in the macros of
// man(7).
func manual(out io.Writer, root *cobra.Command, kinds config.Kinds) error {
	w := roff{bufio.NewWriter(out)}
	w.macro(".TH", strings.ToUpper(root.Name()), "1", "", root.Name()+" "+version, "")
	w.section("NAME")
	w.line(root.Name() + " - " + lowerFirst(root.Short))
	w.section("SYNOPSIS")
	w.bold(root.Name())
	w.line("[COMMAND] [ARGUMENTS] [FLAGS]")
	w.section("DESCRIPTION")
	w.prose(cmp.Or(root.Long, root.Short))
	for _, f := range flagsOf(root) {
		w.tagged(f)
	}
	w.section("FLAGS OF EVERY COMMAND")
	for _, f := range everywhere(root) {
		w.tagged(f)
	}
	w.section("COMMANDS")
	for _, c := range documented(root) {
		w.command(c)
	}
	for _, s := range []struct {
		name  string
		pairs []pair
	}{{"EXIT STATUS", exitCodes}, {"ENVIRONMENT", environment(kinds)}, {"FILES", files}} {
		w.section(s.name)
		for _, p := range s.pairs {
			w.tagged(p)
		}
	}
	return w.Flush()
}

// lowerFirst is how a page is listed: without a capital.
func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// roff writes lines of man(7). An error shows at Flush.
type roff struct{ *bufio.Writer }

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// escape makes text that roff prints as it is. What is not ASCII is named by
// its code point, as groff_char(7) and mandoc_char(7) have it.
func escape(s string) string {
	var b strings.Builder
	for _, r := range roffEscapes.Replace(s) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}

// line writes one line of text. What begins with a period or a quote would be a
// request otherwise.
func (w roff) line(s string) {
	s = escape(strings.TrimRight(s, " "))
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	fmt.Fprintln(w, s)
}

// macro writes a request with arguments in quotes.
func (w roff) macro(name string, args ...string) {
	fmt.Fprint(w, name)
	for _, arg := range args {
		fmt.Fprintf(w, ` "%s"`, strings.ReplaceAll(escape(arg), `"`, `\(dq`))
	}
	fmt.Fprintln(w)
}

func (w roff) section(name string) { w.macro(".SH", name) }
func (w roff) bold(text string)    { w.macro(".B", text) }

func (w roff) tagged(p pair) {
	fmt.Fprintln(w, ".TP")
	w.bold(p.term)
	w.line(p.text)
}

// prose writes paragraphs, which an empty line parts; indented lines stay as
// they are.
func (w roff) prose(text string) {
	asIs := false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		switch indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); {
		case line == "":
			if !asIs {
				fmt.Fprintln(w, ".PP")
			}
			continue
		case indented && !asIs:
			fmt.Fprintln(w, ".nf")
			asIs = true
		case !indented && asIs:
			fmt.Fprint(w, ".fi\n.PP\n")
			asIs = false
		}
		w.line(line)
	}
	if asIs {
		fmt.Fprintln(w, ".fi")
	}
}

func (w roff) command(c *cobra.Command) {
	w.macro(".SS", c.UseLine())
	w.prose(cmp.Or(c.Long, c.Short+"."))
	for _, f := range flagsOf(c) {
		w.tagged(f)
	}
	if c.Example == "" {
		return
	}
	fmt.Fprint(w, ".PP\nExamples:\n.PP\n.nf\n")
	for line := range strings.SplitSeq(strings.TrimRight(c.Example, "\n"), "\n") {
		w.line(line)
	}
	fmt.Fprintln(w, ".fi")
}
