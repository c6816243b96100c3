package cli

import (
	"testing"

	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/permission"
	"parley/internal/session"
)

// What the daemon's flags allow is for clients that nobody can ask; what they
// deny holds for all, and a flag of the prompt cannot lift it.
func TestDaemonFlags(t *testing.T) {
	e := &engine{store: config.NewStore(t.TempDir()), allow: []string{"fetch"}, deny: []string{"fetch(example.com)"}}
	for _, c := range []struct {
		canAsk bool
		allow  []string
		host   string
		want   permission.Effect
	}{
		{false, nil, "example.org", permission.EffectAllow},
		{true, nil, "example.org", permission.EffectAsk},
		{true, []string{"fetch"}, "example.org", permission.EffectAllow},
		{false, []string{"fetch"}, "example.com", permission.EffectDeny},
		{true, []string{"*"}, "example.com", permission.EffectDeny},
	} {
		p, err := e.policy(config.Config{}, config.Origins{}, "/project", session.Client{CanAsk: c.canAsk}, command.Prompt{Allow: c.allow})
		if err != nil {
			t.Fatal(err)
		}
		got := permission.EffectAsk
		switch permission.Decide(p, permission.Call{Tool: "fetch", Host: c.host, Root: "/project"}).(type) {
		case permission.Allow:
			got = permission.EffectAllow
		case permission.Deny:
			got = permission.EffectDeny
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
