package permission

import (
	"bufio"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var gap = regexp.MustCompile(`  +`)

func readRules(t testing.TB) []row {
	t.Helper()
	f, err := os.Open("testdata/rule.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	scan := bufio.NewScanner(f)
	for n := 1; scan.Scan(); n++ {
		text := scan.Text()
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		at := gap.FindAllStringIndex(text, -1)
		last := at[len(at)-1]
		rows = append(rows, row{line: n, input: text[:last[0]], want: text[last[1]:]})
	}
	return rows
}

// The table says how rules are written, and what a wrong one is told.
func TestParseRule(t *testing.T) {
	for _, row := range readRules(t) {
		r, err := tools.Rule(row.input)
		got := r.String()
		if err != nil {
			got = "! " + strings.Replace(err.Error(), strings.TrimSpace(row.input), strings.TrimSpace(row.input), 1)
		}
		if got != row.want {
			t.Errorf("testdata/rule.txt:%d: %s\n got %s\nwant %s", row.line, row.input, got, row.want)
		}
	}
}

// All rule texts of a list are checked, and the errors say where they are.
func TestRules(t *testing.T) {
	got, err := tools.Rules(EffectAllow, ScopeConfig, "config.jsonc:3", "read", "bash(", "edit(a)", "")
	want := []Scoped{
		{tools.MustRule("read"), EffectAllow, ScopeConfig, "config.jsonc:3"},
		{tools.MustRule("edit(a)"), EffectAllow, ScopeConfig, "config.jsonc:3"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Rule{})); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	const text = "config.jsonc:3: rule \"bash(\": the closing parenthesis is missing; an example: bash(go test:*)\n" +
		"config.jsonc:3: rule \"\": it is empty; an example: bash(git status:*)"
	if err == nil || err.Error() != text {
		t.Errorf("error %v, want %s", err, text)
	}
}
