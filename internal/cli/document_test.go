package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"parley/internal/config"
	"parley/internal/runtime"
	"parley/test/need"
)

// tree is the program's commands as a person sees them, without the machine's
// own environment.
func tree(t *testing.T) *cobra.Command {
	t.Helper()
	a := &app{in: os.Stdin, out: new(bytes.Buffer), err: new(bytes.Buffer), env: config.Env{}, providers: runtime.Builtin, dialects: dialects}
	root := a.root()
	root.InitDefaultCompletionCmd()
	return root
}

// docs/cli.md says what the commands say of themselves.
func TestCommandReference(t *testing.T) {
	const file = "../../docs/cli.md"
	want := reference(tree(t))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the commands say; go test ./internal/cli -run Reference -update writes it (%v)", file, err)
	}
}

func reference(root *cobra.Command) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Commands\n\nGenerated from the commands by `go test ./internal/cli -run Reference -update`; do not edit.\n\n%s\n\n", root.Long)
	for _, c := range documented(root) {
		fmt.Fprintf(&out, "- [%s](#%s): %s\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	out.WriteString("\nResults go to stdout, all else to stderr.\n")
	pairs(&out, "Flags of every command", everywhere(root))
	pairs(&out, "Exit codes", exitCodes)
	pairs(&out, "Environment", environment(runtime.Builtin.Kinds()))
	pairs(&out, "Files", files)
	for _, c := range append([]*cobra.Command{root}, documented(root)...) {
		fmt.Fprintf(&out, "\n## %s\n\n    %s\n\n", c.CommandPath(), c.UseLine())
		if c.Parent() != nil && c.Parent().Name() == "completion" {
			fmt.Fprintf(&out, "%s. `%s --help` says how to load it.\n", c.Short, c.CommandPath())
			continue
		}
		out.WriteString(paragraphs(cmp.Or(c.Long, c.Short+".")))
		if flags := flagsOf(c); len(flags) > 0 {
			out.WriteString("\n| flag | |\n|---|---|\n")
			for _, f := range flags {
				fmt.Fprintf(&out, "| `%s` | %s |\n", cellText(f.term), cellText(f.text))
			}
		}
		if c.Example != "" {
			fmt.Fprintf(&out, "\n```sh\n%s\n```\n", unindented(c.Example))
		}
	}
	return out.String()
}

func pairs(out *strings.Builder, title string, list []pair) {
	fmt.Fprintf(out, "\n## %s\n\n| | |\n|---|---|\n", title)
	for _, p := range list {
		fmt.Fprintf(out, "| `%s` | %s |\n", cellText(p.term), cellText(p.text))
	}
}

func cellText(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// paragraphs keeps what is indented as it is, and what only looks like markup.
func paragraphs(text string) string {
	return strings.NewReplacer("*", `\*`, "<", `\<`, "_", `\_`).Replace(strings.TrimSpace(text)) + "\n"
}

func unindented(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}

// Every command says what it is for; those with something to try have examples,
// and every example is a command that there is.
func TestCommandsAreDocumented(t *testing.T) {
	root := tree(t)
	for _, c := range documented(root) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") && c.Parent().Name() != "completion" {
			t.Errorf("%s: Short is %q: a phrase without a period", c.CommandPath(), c.Short)
		}
		for line := range strings.SplitSeq(c.Example, "\n") {
			_, rest, found := strings.Cut(line, "parley ")
			if !found {
				continue
			}
			name, _, _ := strings.Cut(rest, " ")
			if at, _, err := root.Find([]string{name}); err != nil || at == root {
				t.Errorf("%s: the example %q is no command: %v", c.CommandPath(), line, err)
			}
		}
	}
	for _, name := range []string{"models", "doctor", "config", "config get", "config path", "config rules", "config rules rm", "config trust", "config distrust"} {
		c, _, err := root.Find(strings.Fields(name))
		if err != nil || c.Example == "" || c.Long == "" || !strings.Contains(c.Long, "xit code") && c.Name() != "path" && c.Name() != "rules" {
			t.Errorf("%s: no example, or no word on exit codes: %v", name, err)
		}
	}
}

// The manual page is roff that prints as what was written: no line of text is
// taken for a request, and no quote or dash becomes another character.
func TestManual(t *testing.T) {
	c := &cobra.Command{Use: "tool", Short: "A tool", Long: "First.\n.SH of text\n'quoted' and \\fB\n\n  $ tool --a-b ~/x ^ `y`\n\nÜber – alles", Version: "1"}
	c.Flags().BoolP("yes", "y", false, `say "yes"`)
	sub := &cobra.Command{Use: "sub FILE", Short: "Do it", Run: func(*cobra.Command, []string) {}, Example: "  tool sub .x"}
	sub.Flags().String("mode", "fast", "`MODE` of it")
	hidden := &cobra.Command{Use: "gone", Hidden: true, Run: sub.Run}
	c.AddCommand(sub, hidden)
	var out bytes.Buffer
	if err := manual(&out, c, nil); err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(out.String(), ".SH \"EXIT STATUS\"\n")
	want := `.TH "TOOL" "1" "" "tool ` + escape(version) + `" ""
.SH "NAME"
tool \- a tool
.SH "SYNOPSIS"
.B "tool"
[COMMAND] [ARGUMENTS] [FLAGS]
.SH "DESCRIPTION"
First.
\&.SH of text
\(aqquoted\(aq and \efB
.PP
.nf
  $ tool \-\-a\-b \(ti/x \(ha \(gay\(ga
.fi
.PP
\[u00DC]ber \[u2013] alles
.TP
.B "\-y, \-\-yes"
say "yes"
.SH "FLAGS OF EVERY COMMAND"
.TP
.B "\-h, \-\-help"
help for the command
.SH "COMMANDS"
.SS "tool sub FILE [flags]"
Do it.
.TP
.B "\-\-mode MODE"
MODE of it (default fast)
.PP
Examples:
.PP
.nf
  tool sub .x
.fi
`
	if got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

// groff has nothing to say against the whole page.
func TestManualReads(t *testing.T) {
	groff := need.Program(t, "groff")
	var page bytes.Buffer
	if err := manual(&page, tree(t), runtime.Builtin.Kinds()); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-P-cbou")
	cmd.Stdin = &page
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil || said.Len() > 0 {
		t.Errorf("groff: %v\n%s", err, said.String())
	}
	for _, want := range []string{"parley - a coding agent that lives in a daemon", "parley config trust [FILE]", "--dry-run", "EXIT STATUS"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}
