package permission

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/shell"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A row of a decision table, with the policy of its section.
type row struct {
	line   int
	policy Policy
	want   string
	input  string
}

var effects = map[string]Effect{"+": EffectAllow, "-": EffectDeny, "?": EffectAsk}

// readTable reads a table like testdata/bash.txt.
func readTable(t testing.TB, name string) []row {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	var policy Policy
	scan := bufio.NewScanner(f)
	for n := 1; scan.Scan(); n++ {
		first, rest, _ := strings.Cut(scan.Text(), " ")
		rest = strings.TrimLeft(rest, " ")
		switch effect, isRule := effects[first]; {
		case first == "", strings.HasPrefix(first, "#"):
			if first == "" {
				policy = Policy{}
			}
		case isRule:
			rules, err := tools.Rules(effect, ScopeConfig, "", rest)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, n, err)
			}
			policy = policy.With(rules...)
		default:
			input := strings.NewReplacer("⏎", "\n", "␍", "\r\n", "␀", "\x00").Replace(rest)
			rows = append(rows, row{n, policy, first, input})
		}
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// tools are those of the tables.
var tools = Grammar{
	"bash": {Kind: KindCommand}, "fetch": {Kind: KindHost}, "task": {},
	"read": {Kind: KindPath, Family: FamilyRead}, "ls": {Kind: KindPath, Family: FamilyRead},
	"glob": {Kind: KindPath, Family: FamilyRead}, "grep": {Kind: KindPath, Family: FamilyRead},
	"edit": {Kind: KindPath, Family: FamilyEdit}, "write": {Kind: KindPath, Family: FamilyEdit},
}

func bashCall(command string) Call {
	return Call{Tool: "bash", Kind: KindCommand, Command: command, Dir: "/w", Root: "/w", Home: "/home/u", Shell: testWorld}
}

// testWorld has any program on its PATH, the folders and scripts of the tables, and a program that rules may let be replaced.
func testWorld(writable func(string) bool) shell.World {
	folders := strings.Fields(". src src/sub lib out out/sub sub ci tools secret")
	files := strings.Fields("build.sh ci/test.sh tools/gen.py go.mod src/list src/a.go src/b.go .env sub/build.sh sub/ci/test.sh .venv/bin/pytest secret/x")
	return shell.World{
		Root: "/w", Env: []string{"PATH=/home/u/bin:/w/.venv/bin:/usr/bin"},
		Kind: func(name string) (shell.Kind, error) {
			switch {
			case slices.Contains(folders, name):
				return shell.KindFolder, nil
			case slices.Contains(files, name):
				return shell.KindFile, nil
			case strings.HasPrefix(name, "link"):
				return shell.KindLink, nil
			}
			return shell.KindMissing, nil
		},
		List: func(folder string, _ int) ([]string, error) {
			var names []string
			for _, f := range files {
				if path.Dir(f) == folder {
					names = append(names, path.Base(f))
				}
			}
			return names, nil
		},
		Follow: func(name string) (string, shell.Kind, []string) {
			file, inside := strings.CutPrefix(name, "/w/")
			if path.Dir(name) == "/usr/bin" || name == "/bin/sh" || name == "/home/u/bin/tool" || name == "/home/u/bin/mine" || inside && slices.Contains(files, file) {
				return name, shell.KindProgram, []string{"/", path.Dir(name)}
			}
			return "", shell.KindMissing, nil
		},
		Writable: func(name string) bool { return below("/w", name) || writable(name) },
	}
}

func effectOf(v Verdict) Effect {
	switch v.(type) {
	case Allow:
		return EffectAllow
	case Deny:
		return EffectDeny
	}
	return EffectAsk
}

// The table is the documentation of what rules mean on a command line.
func TestDecideBash(t *testing.T) {
	rows := readTable(t, "testdata/bash.txt")
	if len(rows) < 100 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		v := Decide(row.policy, bashCall(row.input))
		if got := string(effectOf(v)); got != row.want {
			t.Errorf("testdata/bash.txt:%d: %s: %s, want %s (%+v)", row.line, row.input, got, row.want, v)
		}
	}
}

// toolCall makes a call from a line such as "edit src/a.go".
func toolCall(input string) Call {
	name, arg, _ := strings.Cut(input, " ")
	tool := tools[name]
	c := Call{Tool: name, Kind: tool.Kind, Family: tool.Family, Root: "/w", Home: "/home/u"}
	switch {
	case tool.Kind == KindCommand:
		return bashCall(arg)
	case arg == "":
	case tool.Kind == KindPath:
		abs := arg
		if rest, ok := strings.CutPrefix(arg, "~"); ok {
			abs = "/home/u" + rest
		} else if !strings.HasPrefix(arg, "/") {
			abs = "/w/" + arg
		}
		p := lexical(path.Clean(abs), "/w")
		p.Name = ""
		p.Write, p.Below = tool.Family == FamilyEdit, tool.Family == FamilyRead && name != "read"
		c.Paths = []Path{p}
	case tool.Kind == KindHost:
		c.Host = arg
	default:
		c.Name = arg
	}
	return c
}

// The table says what rules mean for files, hosts and names.
func TestDecideCall(t *testing.T) {
	for _, row := range readTable(t, "testdata/call.txt") {
		v := Decide(row.policy, toolCall(row.input))
		if got := string(effectOf(v)); got != row.want {
			t.Errorf("testdata/call.txt:%d: %s: %s, want %s (%+v)", row.line, row.input, got, row.want, v)
		}
	}
}

// The golden file shows what a person is told and offered, and what a headless
// run names as the rules that would do.
func TestAsk(t *testing.T) {
	const name = "testdata/ask.golden"
	input, err := os.ReadFile("testdata/ask.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(input)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			fmt.Fprintln(&b, line)
			continue
		}
		call := toolCall(strings.ReplaceAll(line, "⏎", "\n"))
		fmt.Fprintln(&b, line)
		switch v := Decide(Policy{}, call).(type) {
		case Ask:
			for _, w := range v.Warnings {
				fmt.Fprintf(&b, "\t%s: %s\n", w.Level, w.Text)
			}
			for _, o := range v.Options {
				fmt.Fprintf(&b, "\t%s %s\n", o.Key, o.Label)
			}
		default:
			fmt.Fprintf(&b, "\t%s\n", effectOf(v))
		}
		fmt.Fprintf(&b, "\t=> %s\n", joinRules(Policy{}.Suggest(call)))
	}
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
