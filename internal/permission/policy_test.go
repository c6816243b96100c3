package permission

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func scoped(effect Effect, scope Scope, rule string) Scoped {
	return Scoped{Rule: tools.MustRule(rule), Effect: effect, Scope: scope}
}

// A policy's default answers for calls that no rule covers; deny and ask rules
// come before it, and reading inside the workspace stays free.
func TestDefault(t *testing.T) {
	rules := []Scoped{scoped(EffectDeny, ScopeUser, "bash(rm:*)"), scoped(EffectAsk, ScopeUser, "bash(make:*)")}
	for _, test := range []struct {
		byDefault Effect
		input     string
		want      Effect
	}{
		{EffectAllow, "bash ls", EffectAllow},
		{EffectAllow, "bash $x", EffectAsk},
		{EffectAllow, "bash rm x", EffectDeny},
		{EffectAllow, "bash make x", EffectAsk},
		{EffectAllow, "edit /etc/hosts", EffectAllow},
		{EffectDeny, "bash ls", EffectDeny},
		{EffectDeny, "bash make x", EffectDeny},
		{EffectDeny, "read a.go", EffectAllow},
		{EffectDeny, "read /etc/hosts", EffectDeny},
		{"", "bash ls", EffectAsk},
	} {
		got := effectOf(Decide(Policy{Rules: rules, Default: test.byDefault}, toolCall(test.input)))
		if got != test.want {
			t.Errorf("default %q: %s: %s, want %s", test.byDefault, test.input, got, test.want)
		}
	}
}

// An answer given for a nearer scope than the ask rule's stands.
func TestAskScope(t *testing.T) {
	p := Policy{}.With(scoped(EffectAsk, ScopeUser, "bash(go test -v)"))
	for scope, want := range map[Scope]Effect{
		ScopeRun: EffectAllow, ScopeSession: EffectAllow, ScopeFlag: EffectAllow, ScopeUser: EffectAsk, ScopeConfig: EffectAsk,
	} {
		if got := effectOf(Decide(p.With(scoped(EffectAllow, scope, "bash(go test:*)")), bashCall("go test -v"))); got != want {
			t.Errorf("allowed by %s: %s, want %s", scope, got, want)
		}
	}
}

// A decision names its rules, where they are from, and the nearest scope.
func TestReasonNamesItsRules(t *testing.T) {
	p := Policy{}.With(
		Scoped{tools.MustRule("bash(git status:*)"), EffectAllow, ScopeUser, "/home/u/.config/parley/config.jsonc:3"},
		Scoped{tools.MustRule("bash(head:*)"), EffectAllow, ScopeSession, ""},
		Scoped{tools.MustRule("bash(rm:*)"), EffectDeny, ScopeFlag, "--deny"},
	)
	want := []Verdict{
		Allow{
			Rule: "bash(git status:*), bash(head:*)", Scope: ScopeSession,
			Reason: "allowed by the rule bash(git status:*) (/home/u/.config/parley/config.jsonc:3) and the rule bash(head:*) (session)",
		},
		Deny{Rule: "bash(rm:*)", Scope: ScopeFlag, Reason: "denied by the rule bash(rm:*) (--deny): rm -rf x"},
		Allow{Scope: ScopeBuiltin, Reason: "reading inside the workspace needs no permission"},
	}
	got := []Verdict{
		Decide(p, bashCall("git status | head")),
		Decide(p, bashCall("ls && sudo rm -rf x")),
		Decide(p, toolCall("read a.go")),
	}
	if a := got[0].(Allow); a.Plan == nil {
		t.Error("rules with a pattern allowed a line that has no plan")
	} else {
		got[0] = Allow{Rule: a.Rule, Scope: a.Scope, Reason: a.Reason}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

// The caller resolves links in the files that bash would redirect into: a deny rule is about what is behind them, and so is
// what a person is told.
func TestRedirectedLinksAreResolved(t *testing.T) {
	c := bashCall("cd sub && echo $x > link/x 2> /dev/null < ~/in && cd /tmp")
	if diff := cmp.Diff([]string{"/home/u/in", "/w/sub/link/x"}, Files(c)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	c = bashCall("echo $x > link/x")
	c.Paths = []Path{{Name: "/w/link/x", Abs: "/etc/x"}}
	if v, ok := Decide(Policy{}, c).(Ask); !ok || v.Warnings[0].Text != "outside the workspace: writes /etc/x" {
		t.Errorf("a link out of the workspace: %+v", v)
	}
	deny := Policy{}.With(scoped(EffectAllow, ScopeUser, "bash"), scoped(EffectDeny, ScopeUser, "edit(/etc/**)"))
	if got := effectOf(Decide(deny, c)); got != EffectDeny {
		t.Errorf("a denied file behind a link: %s", got)
	}
}

// A command may start outside of the workspace only by leave of bash or *.
func TestStartOutsideTheWorkspace(t *testing.T) {
	c := bashCall("git status")
	c.Dir = "/etc"
	if got := effectOf(Decide(policyOf(EffectAllow, tools.MustRule("bash(git status:*)")), c)); got != EffectAsk {
		t.Errorf("in /etc: %s, want ask", got)
	}
	if got := effectOf(Decide(policyOf(EffectAllow, tools.MustRule("bash")), c)); got != EffectAllow {
		t.Errorf("in /etc under bash: %s, want allow", got)
	}
}

// Hostile sizes cost a question, not the time of the session.
func TestHugeInputIsAsked(t *testing.T) {
	p := policyOf(EffectAllow, tools.MustRule("bash(git status:*)"), tools.MustRule("bash(true)")).With(scoped(EffectDeny, ScopeUser, "bash(git a b push:*)"))
	for _, input := range []string{
		strings.Repeat("(", 60000), strings.Repeat("$(", 30000), strings.Repeat("`", 20000),
		strings.Repeat("{ ", 8000), strings.Repeat("nohup ", 2000) + "git status",
		strings.Repeat("git -x a ", 2000), "git" + strings.Repeat(" -x a b", 2000),
		strings.Repeat("sudo -z ", 8000), "sh -c '" + strings.Repeat("sh -c ", 10000) + "'",
		strings.Repeat("cd a;", 3000), strings.Repeat("true;", 3000), strings.Repeat("x", 100000),
	} {
		if got := effectOf(Decide(p, bashCall(input))); got != EffectAsk {
			t.Errorf("%.20q…: %s, want ask", input, got)
		}
	}
}

// A tool that walks over files leaves out those that it may not read alone.
func TestForbidden(t *testing.T) {
	p := Policy{}.With(scoped(EffectDeny, ScopeUser, "read(**/.env)"), scoped(EffectDeny, ScopeUser, "edit(a.go)"), scoped(EffectDeny, ScopeUser, "grep(secret/**)"))
	forbidden := p.Forbidden(FamilyRead, "/home/u")
	for _, file := range []string{"a.go", "x/.env", ".ENV", "secret/x", "secrets"} {
		c := toolCall("read " + file)
		want := effectOf(Decide(p, c)) == EffectDeny
		if got := forbidden(c.Paths[0]); got != want {
			t.Errorf("%s: forbidden %t, Decide denies %t", file, got, want)
		}
	}
	if (Policy{}).With(scoped(EffectDeny, ScopeUser, "bash")).Forbidden(FamilyRead, "") != nil {
		t.Errorf("a filter without a rule on files")
	}
}

// A rule that was read before its tool was known means what the tool says once it is called. Where its pattern is none
// for the tool, an allow rule covers nothing, and one that takes away covers all.
func TestRuleBeforeItsTool(t *testing.T) {
	put := func(path string) Call {
		p := lexical(path, "/w")
		p.Write = true
		return Call{Tool: "notes_put", Kind: KindPath, Family: FamilyEdit, Paths: []Path{p}, Root: "/w"}
	}
	run := Call{Tool: "remote_run", Kind: KindCommand, Command: "rm -rf x", Root: "/w", Dir: "/w", Shell: testWorld}
	for _, c := range []struct {
		effect Effect
		rule   string
		call   Call
		want   Effect
	}{
		{EffectAllow, "notes_put(a/**)", put("/w/a/b"), EffectAllow},
		{EffectAllow, "notes_put(a/**)", put("/w/b"), EffectAsk},
		{EffectAllow, "edit(a/**)", put("/w/a/b"), EffectAllow},
		{EffectAllow, "write(a/**)", put("/w/a/b"), EffectAsk},
		{EffectDeny, "notes_put(a/**)", put("/w/a/b"), EffectDeny},
		{EffectDeny, "notes_put(../x)", put("/w/b"), EffectDeny},
		{EffectAllow, "notes_put(../x)", put("/w/b"), EffectAsk},
		{EffectAllow, "remote_run(rm:*)", run, EffectAllow},
		{EffectAllow, "bash(rm:*)", run, EffectAsk},
		{EffectDeny, "remote_run(rm:*)", run, EffectDeny},
		{EffectDeny, "remote_run(a | b)", run, EffectDeny},
	} {
		if got := effectOf(Decide(Policy{}.With(scoped(c.effect, ScopeConfig, c.rule)), c.call)); got != c.want {
			t.Errorf("%s %s: %s %s, want %s", c.effect, c.rule, c.call.Tool, got, c.want)
		}
	}
	ask := Policy{}.With(scoped(EffectAllow, ScopeUser, "edit(**)"), scoped(EffectAsk, ScopeUser, "notes_put(a/**)"))
	if got := effectOf(Decide(ask, put("/w/a/b"))); got != EffectAsk {
		t.Errorf("an ask rule that is narrower than the family's allow rule: %s", got)
	}
	suggested := []string{joinRules(Policy{}.Suggest(put("/w/a/b"))), joinRules(Policy{}.Suggest(run))}
	if diff := cmp.Diff([]string{"edit(a/b)", "remote_run(rm -rf x)"}, suggested); diff != "" {
		t.Error(diff)
	}
}

// A remembered answer covers what it was given for and what a table knows to do no more; the same rule in a configuration
// says what it says.
func TestRememberedAnswers(t *testing.T) {
	for _, c := range []struct{ rule, seen, wider string }{
		{"bash(git log:*)", "git log -5", "git log --output=/tmp/x"},
		{"bash(git diff:*)", "git diff HEAD", "git diff --output=x --no-index a b"},
		{"bash(git grep:*)", "git grep x", "git grep -O./x y"},
		{"bash(git fetch:*)", "git fetch origin", "git fetch --upload-pack=./x origin"},
		{"bash(sort:*)", "sort src/a.go", "sort -o src/b.go src/a.go"},
		{"bash(make test:*)", "make test", "make test --eval=x"},
		{"bash(make:*)", "make", "make deploy"},
		{"bash(go vet:*)", "go vet ./...", "go vet -vettool=./x ./..."},
		{"bash(go build:*)", "go build ./...", "go build -toolexec ./x ./..."},
		{"bash(cat:*)", "cat src/a.go", "cat /home/u/.ssh/id_rsa"},
		{"bash(sed -n:*)", "sed -n 1,5p go.mod", "sed -n 1,5w/tmp/x go.mod"},
		{"bash(find:*)", "find . -name x", "find . -delete"},
		{"bash(git:*)", "", "git push --force"},
	} {
		for scope, want := range map[Scope]Effect{ScopeRun: EffectAsk, ScopeSession: EffectAsk, ScopeProject: EffectAsk, ScopeUser: EffectAsk, ScopeConfig: EffectAllow} {
			p := Policy{}.With(scoped(EffectAllow, scope, c.rule))
			if got := effectOf(Decide(p, bashCall(c.wider))); got != want && c.wider != "" {
				if scope == ScopeConfig && strings.HasPrefix(c.rule, "bash(find") || strings.HasPrefix(c.rule, "bash(git grep") || strings.HasPrefix(c.rule, "bash(git fetch") {
					continue // what runs another program, or deletes, has to be named by all of its words
				}
				t.Errorf("%s of %s: %s: %s, want %s", c.rule, scope, c.wider, got, want)
			}
			if got := effectOf(Decide(p, bashCall(c.seen))); got != EffectAllow && c.seen != "" {
				t.Errorf("%s of %s: %s: %s", c.rule, scope, c.seen, got)
			}
		}
	}
	for _, command := range []string{"uniq a b", "split --filter=x a", "zip -TT x a b", "go run ./cmd/x", "npx x", "./build.sh"} {
		ask, ok := Decide(Policy{}, bashCall(command)).(Ask)
		if !ok {
			t.Fatalf("%s does not ask", command)
		}
		for _, o := range ask.Options {
			if o.Effect == EffectAllow && slices.ContainsFunc(o.Rules, func(r Rule) bool { return r.prefix }) {
				t.Errorf("%s: no table has it, and the answer is %s", command, o.Label)
			}
		}
	}
}

// A program that rules let be replaced is not what a rule on its name means, nor is one of the workspace.
func TestProgramThatMayBeWritten(t *testing.T) {
	allow := func(rules ...string) Policy {
		var p Policy
		for _, r := range rules {
			p = p.With(scoped(EffectAllow, ScopeConfig, r))
		}
		return p
	}
	for _, c := range []struct {
		policy  Policy
		command string
		want    Effect
	}{
		{allow("bash(mine:*)"), "mine x", EffectAllow},
		{allow("bash(mine:*)", "edit(~/bin/**)"), "mine x", EffectAsk},
		{allow("bash(mine:*)", "edit(~/bin/*)"), "mine x", EffectAsk},
		{allow("bash(mine:*)", "edit(/home/u/bin/mine)"), "mine x", EffectAsk},
		{allow("bash(mine:*)", "edit"), "mine x", EffectAsk},
		{allow("bash(pytest:*)"), "pytest -q", EffectAsk},
		{allow("bash(bash ci/test.sh:*)"), "bash ci/test.sh", EffectAllow},
		{allow("bash(bash ci/test.sh:*)"), "cd sub && bash ci/test.sh", EffectAsk},
		{allow("bash(./build.sh:*)"), "./build.sh x", EffectAllow},
		{allow("bash(./build.sh:*)"), "cd sub && ./build.sh x", EffectAsk},
		{allow("bash(./build.sh:*)"), "cd sub && ../build.sh x", EffectAllow},
	} {
		if v := Decide(c.policy, bashCall(c.command)); effectOf(v) != c.want {
			t.Errorf("%s under %s: %+v, want %s", c.command, describe(c.policy.Rules), v, c.want)
		}
	}
}
