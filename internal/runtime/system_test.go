package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/config"
)

// AGENTS.md is read from the root of the project down, each as far as its limit;
// never through a link that leads out of the project, and never what is no file.
func TestSystemPrompt(t *testing.T) {
	dir := t.TempDir()
	root, at := filepath.Join(dir, "project"), filepath.Join(dir, "project", "a", "b", "c", "d", "e")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("secret.txt", "a secret")
	put("project/AGENTS.md", "from the root")
	put("project/CLAUDE.md", "from a link")
	put("project/a/b/c/AGENTS.md", strings.Repeat("long ", agentsLimit))
	for link, to := range map[string]string{"project/a/AGENTS.md": "../CLAUDE.md", "project/a/b/AGENTS.md": "../../../secret.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(at, "AGENTS.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, budget := systemPrompt(at, root, config.Env{})
	for want, there := range map[string]bool{"from the root": true, "from a link": true, "a secret": false, "(cut here)": true} {
		if strings.Contains(text, want) != there {
			t.Errorf("%q is there: %t", want, !there)
		}
	}
	if len(text) > agentsLimit+4096 {
		t.Errorf("the prompt has %d bytes", len(text))
	}
	var names []string
	for _, source := range budget {
		names = append(names, source.Name)
	}
	if d := cmp.Diff([]string{"system", "AGENTS.md", "a/AGENTS.md", "a/b/c/AGENTS.md"}, names); d != "" {
		t.Error(d)
	}
}
