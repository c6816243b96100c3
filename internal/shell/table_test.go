package shell

import (
	"fmt"
	"strings"
	"testing"
)

// argsOf reads the words of a line of a data file. A word that ends in … only shows when it runs.
func argsOf(t *testing.T, input string) []Arg {
	t.Helper()
	l, err := Read("x " + strings.ReplaceAll(input, "…", "@@"))
	if err != nil {
		t.Fatalf("%q: %v", input, err)
	}
	var args []Arg
	for _, w := range l.list[0][0].pipe[0].words[1:] {
		text, open := strings.CutSuffix(w.String(), "@@")
		args = append(args, Arg{text, !open})
	}
	return args
}

func textsOf(args []Arg) []string {
	var list []string
	for _, a := range args {
		list = append(list, a.Text)
	}
	return list
}

// describedArgs writes words, those that only show when they run with a mark.
func describedArgs(args []Arg) string {
	words := make([]string, len(args))
	for i, a := range args {
		if words[i] = fmt.Sprintf("%q", a.Text); !a.Fixed {
			words[i] += "…"
		}
	}
	return strings.Join(words, " ")
}

// What programs may run in their turn.
func TestInside(t *testing.T) {
	golden(t, "testdata/within.txt", func(input string) []string {
		in := Inside(argsOf(t, input))
		var lines []string
		if in.whole > 0 {
			lines = append(lines, fmt.Sprintf("= whole from word %d", in.whole))
		}
		for _, c := range in.Commands {
			lines = append(lines, "= command "+describedArgs(c))
		}
		for _, text := range in.Texts {
			lines = append(lines, fmt.Sprintf("= text %q", text))
		}
		if in.Unknown {
			lines = append(lines, "= unknown")
		}
		switch {
		case in.Need == Exactly:
			lines = append(lines, "= needs a rule with all the words")
		case in.Need > 1:
			lines = append(lines, fmt.Sprintf("= needs a rule with %d words", in.Need))
		}
		return lines
	})
}

// Which commands a remembered answer X:* covers.
func TestPrefix(t *testing.T) {
	golden(t, "testdata/use.txt", func(input string) []string {
		args := textsOf(argsOf(t, input))
		n, unknown := Prefix(args)
		switch {
		case n == 0:
			return []string{"! no table"}
		case unknown != "":
			return []string{fmt.Sprintf("! %s:* does not have %q", strings.Join(args[:n], " "), unknown)}
		}
		return []string{"= " + strings.Join(args[:n], " ") + ":*"}
	})
}

// Which commands after a pipe need no rule.
func TestFilters(t *testing.T) {
	golden(t, "testdata/filter.txt", func(input string) []string {
		if filters(textsOf(argsOf(t, input))) {
			return []string{"= filter"}
		}
		return []string{"! needs a rule"}
	})
}

// What a person should know before the answer, and how many words name what a command does.
func TestRisks(t *testing.T) {
	golden(t, "testdata/risk.txt", func(input string) []string {
		args := argsOf(t, input)
		return []string{strings.TrimRight(fmt.Sprintf("= %s: %v", strings.Join(textsOf(args)[:Depth(textsOf(args))], " "), Risks(args)), " ")}
	})
}

// The rows of the tables hold together: names are given once, options once a row, and values are of a known kind.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	rows := append([]use(nil), uses...)
	for name, f := range filterUses {
		rows = append(rows, use{names: "| " + name, options: f.use.options})
	}
	for _, u := range rows {
		for name := range strings.SplitSeq(u.names, "|") {
			if seen[name] && name != "" {
				t.Errorf("%s has two rows", name)
			}
			seen[name] = true
		}
		for text, o := range readOptions(u.options) {
			long := strings.HasPrefix(text, "--")
			if !strings.HasPrefix(text, "-") || !long && !u.single && len(text) != 2 || strings.ContainsAny(text, "=:?") || o.value != 0 && o.value != 'f' && o.value != 'w' {
				t.Errorf("%s: %q is no option: %+v", u.names, text, o)
			}
		}
	}
}
