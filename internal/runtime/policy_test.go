package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/permission"
	"parley/internal/session"
	"parley/internal/shell"
)

// What the daemon's flags allow is for clients that nobody can ask; what they
// deny holds for all, and a flag of the prompt cannot lift it.
func TestDaemonFlags(t *testing.T) {
	r := New(Options{Paths: config.Paths{Data: t.TempDir()}, Allow: []string{"fetch"}, Deny: []string{"fetch(example.com)"}})
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
		p, err := r.policy(config.Config{}, config.Origins{}, "/project", session.Client{CanAsk: c.canAsk}, command.Prompt{Allow: c.allow})
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

// A rule of the configuration is named with the file and line that it stands in,
// also where several files add to one list, and in a question as in a decision.
func TestConfiguredOrigin(t *testing.T) {
	dir := t.TempDir()
	user, own := filepath.Join(dir, "user.jsonc"), filepath.Join(dir, ".parley", "config.jsonc")
	for path, text := range map[string]string{
		user: "{\"permission\": {\n\"allow\": [\"fetch\",\n\"bash(git:*)\"],\n\"ask\": [\"bash(git push:*)\"],\n\"deny\": [\"bash(rm x:*)\"]}}",
		own:  "{\n\n\"permission\": {\"allow\": [\"bash(go:*)\"]}}",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, origins, err := config.Load(config.Sources{User: user, Root: dir, Dir: dir, Trusted: func(string, string) (bool, error) { return true, nil }})
	if err != nil {
		t.Fatal(err)
	}
	r := New(Options{Paths: config.Paths{Data: t.TempDir()}})
	p, err := r.policy(cfg, origins, dir, session.Client{}, command.Prompt{})
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"go test":     own + ":3",
		"git status":  user + ":3",
		"git push":    user + ":4",
		"rm x":        user + ":5",
		"rm $(cat y)": user + ":5", // whether it denies only shows when it runs
	} {
		got := fmt.Sprintf("%+v", permission.Decide(p, permission.Call{Tool: "bash", Command: command, Dir: dir, Root: dir, Shell: anyProgram(dir)}))
		if !strings.Contains(got, "("+want+")") {
			t.Errorf("%s: %s\ndoes not name %s", command, got, want)
		}
	}
}

// anyProgram is a world that has every program and no file.
func anyProgram(root string) func(func(string) bool) shell.World {
	return func(writable func(string) bool) shell.World {
		return shell.World{
			Root: root, Env: []string{"PATH=/bin"}, Writable: writable,
			Kind:   func(string) (shell.Kind, error) { return shell.KindMissing, nil },
			Follow: func(name string) (string, shell.Kind, []string) { return name, shell.KindProgram, nil },
		}
	}
}
