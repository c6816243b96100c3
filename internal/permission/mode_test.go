package permission

import (
	"fmt"
	"strings"
	"testing"
)

// What each mode lets run without a question, with and without a full fence, and where it is asked all the same.
func TestMode(t *testing.T) {
	inside := func(rel string, write bool) []Path {
		return []Path{{Abs: "/w/" + rel, Rel: rel, Inside: true, Write: write}}
	}
	calls := map[string]Call{
		"read":      {Tool: "read", Family: FamilyRead, Kind: KindPath, Paths: inside("a", false), ReadOnly: true},
		"edit":      {Tool: "edit", Family: FamilyEdit, Kind: KindPath, Paths: inside("a", true)},
		"guarded":   {Tool: "edit", Family: FamilyEdit, Kind: KindPath, Paths: inside(".git/config", true)},
		"elsewhere": {Tool: "edit", Family: FamilyEdit, Kind: KindPath, Paths: []Path{{Abs: "/etc/x", Write: true}}},
		"fenced":    {Tool: Shell, Kind: KindCommand, Command: "make", Fence: "full"},
		"dynamic":   {Tool: Shell, Kind: KindCommand, Command: `eval "$X"`, Fence: "full"},
		"files":     {Tool: Shell, Kind: KindCommand, Command: "make", Fence: "files"},
		"free":      {Tool: Shell, Kind: KindCommand, Command: "make"},
		"outside":   {Tool: Shell, Kind: KindCommand, Command: "make", Fence: "full", Outside: true},
		"host":      Call{}.Connecting("example.org:443"),
		"fetch":     {Tool: "fetch", Kind: KindHost, Host: "example.org", ReadOnly: true},
		"agent":     {Tool: "task", Name: "research"},
	}
	for _, c := range []struct {
		mode  Mode
		rules []string
		allow string // those that run; the others ask, but for what is denied
		deny  string
	}{
		{"", nil, "read", ""},
		{ModeAsk, nil, "read", ""},
		{ModeEdits, nil, "read edit fenced dynamic", ""},
		{ModeEdits, []string{"ask bash(make:*)"}, "read edit", ""},
		{ModeEdits, []string{"deny bash(rm:*)"}, "read edit fenced", ""},
		{ModeEdits, []string{"deny edit(a)"}, "read fenced dynamic", "edit"},
		{ModeAll, nil, "read edit guarded elsewhere fenced dynamic files free outside host fetch agent", ""},
		{ModeAll, []string{"ask bash(make:*)"}, "read edit guarded elsewhere fenced dynamic files free outside host fetch agent", ""},
		{ModeAll, []string{"deny bash(make:*)", "deny connect"}, "read edit guarded elsewhere fetch agent", "fenced files free outside host"},
		{ModeAll, []string{"deny outside"}, "read edit guarded elsewhere fenced dynamic files free host fetch agent", "outside"},
	} {
		p := policy(t, c.rules...)
		p.Mode = c.mode
		for name, call := range calls {
			call.Root, call.Shell = "/w", testWorld
			want := "Ask"
			switch {
			case strings.Contains(" "+c.allow+" ", " "+name+" "):
				want = "Allow"
			case strings.Contains(" "+c.deny+" ", " "+name+" "):
				want = "Deny"
			}
			v := Decide(p, call)
			if got := strings.TrimPrefix(fmt.Sprintf("%T", v), "permission."); got != want {
				t.Errorf("%s %q %s: %s, want %s: %+v", c.mode, c.rules, name, got, want, v)
			}
			if a, ok := v.(Allow); ok && a.Mode != "" && (a.Mode != c.mode || a.Rule != "" || a.Reason == "") {
				t.Errorf("%s %s: %+v", c.mode, name, a)
			}
		}
	}
}
