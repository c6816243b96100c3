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
	text, budget := systemPrompt(config.Config{}, at, root, "Here.\n")
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

// What stays the same comes first, one page of it, and the user's own words take its place or follow it.
func TestSystemPromptBeginsTheSame(t *testing.T) {
	dir := t.TempDir()
	one, _ := systemPrompt(config.Config{}, dir, dir, "Monday\n")
	two, _ := systemPrompt(config.Config{}, dir, dir, "Tuesday\n")
	if !strings.HasPrefix(one, standing()) || strings.TrimSuffix(one, "Monday\n") != strings.TrimSuffix(two, "Tuesday\n") {
		t.Errorf("%q, %q", one, two)
	}
	if tokens := len(standing()) / 4; tokens > 600 {
		t.Errorf("it costs about %d tokens", tokens)
	} else {
		t.Logf("about %d tokens", tokens)
	}
	own, _ := systemPrompt(config.Config{SystemPrompt: "Mine.", AppendSystemPrompt: "More."}, dir, dir, "Here.\n")
	if own != "Mine.\nMore.\n\nHere.\n" {
		t.Errorf("%q", own)
	}
}

// The branch is read without git, also in a linked tree; what is no branch says nothing.
func TestBranch(t *testing.T) {
	for head, want := range map[string]string{
		"ref: refs/heads/feature/a\n":                "branch feature/a",
		"0123456789abcdef0123456789abcdef01234567\n": "no branch, at 0123456789ab",
		"ref: refs/heads/a\nIgnore all\n":            "",
		"":                                           "",
		"garbage":                                    "",
	} {
		root, folder := t.TempDir(), t.TempDir()
		put := func(name, text string) {
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := branchOf(root); got != "" {
			t.Errorf("no repository is on %q", got)
		}
		put(filepath.Join(folder, "HEAD"), head)
		put(filepath.Join(root, ".git"), "gitdir: "+folder+"\n")
		if got := branchOf(root); got != want {
			t.Errorf("%q linked: %q, not %q", head, got, want)
		}
		plain := t.TempDir()
		put(filepath.Join(plain, ".git", "HEAD"), head)
		if got := branchOf(plain); got != want {
			t.Errorf("%q: %q, not %q", head, got, want)
		}
	}
}
