package permission

import (
	"path"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"parley/internal/shell"
)

// corpus is every command line of the tables, and some of their rules.
func corpus(t testing.TB) (inputs []string, rules []Rule) {
	for _, row := range readTable(t, "testdata/bash.txt") {
		inputs = append(inputs, row.input)
		for _, s := range row.policy.Rules {
			if !slices.Contains(rules, s.Rule) {
				rules = append(rules, s.Rule)
			}
		}
	}
	return inputs, rules
}

func policyOf(effect Effect, rules ...Rule) Policy {
	return Policy{}.with(effect, ScopeConfig, rules)
}

// checkLaws holds the laws of the package doc against one call and two rules.
func checkLaws(t *testing.T, c Call, one, two Rule) {
	t.Helper()
	Files(c)
	base := policyOf(EffectAllow, one)
	before := strictness(effectOf(Decide(base, c)))
	for _, effect := range []Effect{EffectDeny, EffectAsk} {
		if after := strictness(effectOf(Decide(base.With(Scoped{Rule: two, Effect: effect}), c))); after < before {
			t.Errorf("%q: adding %s %s to allow %s allows more", c.Command, effect, two, one)
		}
	}
	if after := strictness(effectOf(Decide(base.With(Scoped{Rule: two, Effect: EffectAllow}), c))); after > before {
		t.Errorf("%q: adding allow %s to allow %s allows less", c.Command, two, one)
	}
	suggested := Policy{}.Suggest(c)
	if v := Decide(policyOf(EffectAllow, suggested...), c); effectOf(v) != EffectAllow {
		t.Errorf("%q: suggested %s, which does not allow it: %+v", c.Command, joinRules(suggested), v)
	}
	for _, r := range suggested {
		again, err := tools.Rule(r.String())
		if again.unread = false; err != nil || again != r { // the table has calls of tools that its grammar does not know
			t.Errorf("%q: suggested %s, which reads back as %s, %v", c.Command, r, again, err)
		}
	}
	if ask, ok := Decide(base, c).(Ask); ok {
		if ask.Reason == "" || len(ask.Options) < 2 {
			t.Errorf("%q: asks without a reason or answers: %+v", c.Command, ask)
		}
		for _, o := range ask.Options {
			if o.Scope == ScopeOnce {
				continue
			}
			if v := Decide(base.with(o.Effect, o.Scope, o.Rules), c); effectOf(v) != o.Effect {
				t.Errorf("%q: the answer %q stores what gives %+v", c.Command, o.Label, v)
			}
		}
	}
	if v, ok := Decide(base, c).(Allow); ok && one.tool == "bash" && !one.Bare() {
		if _, err := shell.Read(c.Command); err != nil || v.Plan == nil {
			t.Errorf("%q: %s allowed what is not read whole: %v", c.Command, one, err)
		}
		checkCovered(t, c.Command, one)
	}
}

// What the second opinion lets pass: words that are done without a program or that only filter, wrappers that run one command, and
// variables that change nothing of what runs.
var (
	ours     = set("cd echo pwd true false head tail wc sort uniq cut tr grep")
	wholes   = set("env ionice nice nohup stdbuf timeout")
	harmless = set("CI NO_COLOR CGO_ENABLED GOOS GOARCH RUST_BACKTRACE NODE_ENV TZ LANG LC_ALL")
)

// checkCovered is a second opinion on a line that a rule with a pattern
// allowed: a plain walk over the syntax tree finds no expansion that runs
// something, no function, no assignment, and in each simple command the words
// of the rule, at its start or behind wrappers.
func checkCovered(t *testing.T, line string, rule Rule) {
	t.Helper()
	want, err := parseWords(rule.pattern)
	if err != nil {
		t.Fatal(err)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		t.Errorf("%q: %s allowed what no parser reads: %v", line, rule, err)
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if !harmless[n.Name.Value] {
				t.Errorf("%q: %s allowed a line that sets %s", line, rule, n.Name.Value)
			}
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl, *syntax.CoprocClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.ExtGlob:
			t.Errorf("%q: %s allowed a line with %T", line, rule, n)
		case *syntax.CallExpr:
			if ours[n.Args[0].Lit()] {
				return true
			}
			texts := make([]string, len(n.Args))
			for i, arg := range n.Args {
				texts[i] = plainText(arg)
			}
			found := false
			wraps := wholes[path.Base(texts[0])]
			for i := range texts {
				if (i == 0 || wraps) && len(texts)-i >= len(want) && slices.EqualFunc(texts[i:i+len(want)], want, func(a string, b word) bool { return a == b.text }) {
					found = true
				}
			}
			if !found {
				t.Errorf("%q: %s allowed the command %q", line, rule, texts)
			}
		}
		return true
	})
}

// plainText is the value of a word of plain quotes and escapes, or a text
// that no rule has.
func plainText(w *syntax.Word) string {
	var b strings.Builder
	var parts func([]syntax.WordPart, bool)
	parts = func(list []syntax.WordPart, quoted bool) {
		for _, p := range list {
			switch p := p.(type) {
			case *syntax.Lit:
				escaped := false
				for i, c := range p.Value {
					switch {
					case escaped:
						escaped = false
						if quoted && !strings.ContainsRune("$`\"\\\n", c) {
							b.WriteByte('\\')
						}
						if c == '\n' {
							continue
						}
					case c == '\\' && i < len(p.Value)-1:
						escaped = true
						continue
					}
					b.WriteRune(c)
				}
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
				if p.Dollar {
					b.WriteString("\x00")
				}
			case *syntax.DblQuoted:
				parts(p.Parts, true)
			default:
				b.WriteString("\x00")
			}
		}
	}
	parts(w.Parts, false)
	return b.String()
}

// The laws hold for every command line of the table under every rule of it.
func TestLaws(t *testing.T) {
	inputs, rules := corpus(t)
	for i, input := range inputs {
		checkLaws(t, bashCall(input), rules[(7*i)%len(rules)], rules[(i*3+1)%len(rules)])
	}
	for _, row := range readTable(t, "testdata/call.txt") {
		for _, s := range row.policy.Rules {
			checkLaws(t, toolCall(row.input), s.Rule, s.Rule)
		}
	}
}

// Whatever the bytes of a command line, the laws hold.
func FuzzBash(f *testing.F) {
	inputs, rules := corpus(f)
	for i, input := range inputs {
		f.Add(input, rules[i%len(rules)].String(), rules[(i+5)%len(rules)].String())
	}
	f.Fuzz(func(t *testing.T, command, one, two string) {
		a, errA := tools.Rule(one)
		b, errB := tools.Rule(two)
		if errA != nil || errB != nil || len(command) > 4<<10 {
			t.Skip()
		}
		checkLaws(t, bashCall(command), a, b)
	})
}

// Whatever the bytes of a path, a host or a name, the laws hold.
func FuzzCall(f *testing.F) {
	for _, row := range readTable(f, "testdata/call.txt") {
		for _, s := range row.policy.Rules {
			f.Add(row.input, s.Rule.String(), s.Rule.String())
		}
	}
	f.Fuzz(func(t *testing.T, input, one, two string) {
		a, errA := tools.Rule(one)
		b, errB := tools.Rule(two)
		if errA != nil || errB != nil || strings.HasPrefix(input, "bash") || strings.HasPrefix(input, "(") {
			t.Skip()
		}
		if tool, _, _ := strings.Cut(input, " "); !toolName.MatchString(tool) || strings.ToLower(tool) != tool {
			t.Skip() // a tool that no rule can name
		}
		c := toolCall(input)
		if _, err := tools.Rule(c.Tool); err != nil {
			t.Skip()
		}
		checkLaws(t, c, a, b)
	})
}

// A rule that parses prints as text that parses to the same rule, and the
// text of an error shows a rule that parses.
func FuzzRule(f *testing.F) {
	_, rules := corpus(f)
	for _, r := range rules {
		f.Add(r.String())
	}
	for _, row := range readRules(f) {
		f.Add(row.input)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := tools.Rule(text)
		if err != nil {
			_, shown, ok := strings.Cut(err.Error(), "an example: ")
			if ok {
				if _, err := tools.Rule(shown); err != nil {
					t.Errorf("the example of an error: %v", err)
				}
			}
			return
		}
		again, err := tools.Rule(r.String())
		if err != nil || again != r {
			t.Errorf("%q reads as %#v, prints as %q, and reads as %#v, %v", text, r, r, again, err)
		}
	})
}

func strictness(e Effect) int {
	switch e {
	case EffectAllow:
		return 0
	case EffectDeny:
		return 2
	}
	return 1
}
