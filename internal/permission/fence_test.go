package permission

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func policy(t *testing.T, rules ...string) Policy {
	t.Helper()
	var p Policy
	for _, text := range rules {
		effect, rule, _ := strings.Cut(text, " ")
		p = p.With(Scoped{Rule: Grammar{}.MustRule(rule), Effect: Effect(effect), Scope: ScopeUser})
	}
	return p
}

// A command leaves the fence by a rule of its own kind or an answer, and never past a deny rule on the command.
func TestOutside(t *testing.T) {
	for _, c := range []struct {
		rules []string
		want  string
	}{
		{nil, "Ask"},
		{[]string{"allow bash"}, "Ask"},
		{[]string{"allow bash(make install)"}, "Ask"},
		{[]string{"allow outside(make install)"}, "Allow"},
		{[]string{"allow outside"}, "Allow"},
		{[]string{"allow *"}, "Allow"},
		{[]string{"allow outside", "deny bash(make:*)"}, "Deny"},
		{[]string{"allow bash", "deny outside"}, "Deny"},
		{[]string{"allow *", "deny outside(make:*)"}, "Deny"},
		{[]string{"allow outside", "deny edit(out)"}, "Allow"},
	} {
		v := Decide(policy(t, c.rules...), Call{Tool: Shell, Kind: KindCommand, Command: "make install", Root: "/w", Shell: testWorld, Outside: true, Fence: "full"})
		if got := strings.TrimPrefix(fmt.Sprintf("%T", v), "permission."); got != c.want {
			t.Errorf("%q: %s, want %s: %+v", c.rules, got, c.want, v)
		}
		ask, ok := v.(Ask)
		if !ok {
			continue
		}
		for _, o := range ask.Options {
			if o.Outside != (o.Effect == EffectAllow) || slices.ContainsFunc(o.Rules, func(r Rule) bool { return r.Tool() != Outside }) {
				t.Errorf("%q: %+v", c.rules, o)
			}
		}
	}
}

// Where there is a fence, one answer runs the command outside of it, unless nothing may.
func TestOutsideAnswer(t *testing.T) {
	for _, c := range []struct {
		fence string
		rules []string
		want  bool
	}{
		{"full", nil, true}, {"files", nil, true}, {"", nil, false}, {"full", []string{"deny outside"}, false}, {"full", []string{"deny outside(make:*)"}, false},
	} {
		v := Decide(policy(t, c.rules...), Call{Tool: Shell, Kind: KindCommand, Command: "make install", Root: "/w", Shell: testWorld, Fence: c.fence})
		got := slices.ContainsFunc(v.(Ask).Options, func(o Option) bool { return o.Key == "o" && o.Outside && o.Scope == ScopeOnce && len(o.Rules) == 0 })
		if got != c.want {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}

// A host is asked about by its name and port; package registries are offered as one.
func TestConnect(t *testing.T) {
	for _, c := range []struct {
		rules      []string
		host, want string
	}{
		{nil, "example.org:443", "Ask y r a p u n d"},
		{nil, "proxy.golang.org:443", "Ask y r a p u g G n d"},
		{[]string{"allow connect(example.org)"}, "example.org:443", "Allow"},
		{[]string{"allow connect(example.org:80)"}, "example.org:443", "Ask y r a p u n d"},
		{[]string{"allow connect(*.example.org)"}, "a.example.org:22", "Allow"},
		{[]string{"allow fetch(example.org)"}, "example.org:443", "Ask y r a p u n d"},
		{[]string{"allow connect", "deny connect(example.org)"}, "example.org:443", "Deny"},
	} {
		v := Decide(policy(t, c.rules...), Call{Root: "/w"}.Connecting(c.host))
		got := strings.TrimPrefix(fmt.Sprintf("%T", v), "permission.")
		if ask, ok := v.(Ask); ok {
			for _, o := range ask.Options {
				got += " " + o.Key
			}
		}
		if got != c.want {
			t.Errorf("%q %s: %s, want %s", c.rules, c.host, got, c.want)
		}
	}
	for _, o := range registryAnswers(Call{Tool: Connect, Host: "pypi.org:443"}) {
		for _, r := range o.Rules {
			if again, err := (Grammar{}).Rule(r.String()); err != nil || again != r {
				t.Errorf("%s does not survive: %v", r, err)
			}
		}
	}
}

// What deny rules name outright is a path; the rest are patterns, each below the folder that it names.
func TestDenied(t *testing.T) {
	p := policy(t, "deny read(.env)", "deny read(secrets/**)", "deny read(**/*.pem)", "deny read(src/*/keys)", "deny read(~/notes/**)", "deny read(/etc/*.conf)",
		"deny read", "deny edit(Makefile)", "allow read(/x)")
	named, patterns := p.Denied(FamilyRead, "/w", "/home/u")
	if d := cmp.Diff([]string{"/w/.env", "/w/secrets", "/home/u/notes"}, named); d != "" {
		t.Error(d)
	}
	var got []string
	for _, pattern := range patterns {
		got = append(got, fmt.Sprintf("%s %s %t %t", pattern.Below, pattern.Rule, pattern.Match("a/b.pem"), pattern.Match("x/keys")))
	}
	want := []string{"/w read(**/*.pem) true false", "/w/src read(src/*/keys) false true", "/etc read(/etc/*.conf) false false"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if named, _ = p.Denied(FamilyEdit, "/w", "/home/u"); !slices.Equal(named, []string{"/w/Makefile"}) {
		t.Error(named)
	}
}
