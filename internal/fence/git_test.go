package fence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes files and folders ("name/") below a new folder without links in its path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What of a repository may be written and what not, wherever it is.
func TestRepository(t *testing.T) {
	main := map[string]string{
		"main/.git/HEAD": "", "main/.git/config": "[include]\n\tpath = ../.gitconfig\n[includeIf \"gitdir:x\"] path = \"/etc/y\" # why\n", "main/.git/hooks/": "", "main/sub/": "",
		"main/.git/modules/a/HEAD": "", "main/.git/modules/a/config": "", "main/.git/modules/a/objects/x": "", "main/.git/modules/a/modules/b/HEAD": "",
		"main/.git/worktrees/work/gitdir": "DIR/work/.git\n", "main/.git/worktrees/work/commondir": "../..\n", "work/.git": "gitdir: DIR/main/.git/worktrees/work\n",
		"liar/.git": "gitdir: DIR/main/.git/worktrees/work\n", "wrong/.git": "gitdir: DIR/nowhere\n", "odd/.git": "something\n", "none/": "",
	}
	dir := tree(t, main)
	if err := os.Symlink("../main/.git", filepath.Join(dir, "none/.git")); err != nil {
		t.Fatal(err)
	}
	relative := func(list ...string) string {
		for i, path := range list {
			list[i] = strings.TrimPrefix(path, dir+"/")
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	settings := "/etc/y main/.git/config main/.git/hooks main/.git/modules/a/config main/.git/modules/a/hooks main/.git/modules/a/modules/b/config main/.git/modules/a/modules/b/hooks main/.git/worktrees main/.gitconfig"
	led := "main/.git/commondir main/.git/config.worktree main/.git/modules/a/commondir main/.git/modules/a/config.worktree main/.git/modules/a/modules/b/commondir main/.git/modules/a/modules/b/config.worktree"
	for root, want := range map[string][4]string{
		"main":     {"", settings, led, ""},
		"main/sub": {"main/.git", settings, led, "main/sub/.git"},
		"work": {
			"main/.git main/.git/worktrees/work",
			"/etc/y main/.git/config main/.git/hooks main/.git/modules/a/config main/.git/modules/a/hooks main/.git/modules/a/modules/b/config main/.git/modules/a/modules/b/hooks main/.git/worktrees main/.git/worktrees/work/commondir main/.git/worktrees/work/gitdir main/.gitconfig work/.git",
			led + " main/.git/worktrees/work/config.worktree", "",
		},
		"liar":  {"", "liar/.git", "", ""},
		"wrong": {"", "wrong/.git", "", ""},
		"odd":   {"", "odd/.git", "", ""},
		"none":  {"", "none/.git", "", ""},
		"":      {"", "", "", "DIR/.git"},
	} {
		g := repository(filepath.Join(dir, root))
		got := [4]string{relative(g.write...), relative(g.guard...), relative(g.forbid...), strings.TrimPrefix(g.fresh, dir+"/")}
		if root == "" {
			want[3] = ".git"
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", root, d)
		}
	}
}

// A new repository is left where it is only if nothing in it runs anything.
func TestHarmless(t *testing.T) {
	const usual = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = A\n[remote \"origin\"]\n\turl = https://example.org/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"a.b/c\"]\n\tremote = origin\n\tmerge = refs/heads/a\n"
	for name, tt := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"usual":       {map[string]string{".git/config": usual, ".git/hooks/update.sample": "x", ".git/HEAD": ""}, true},
		"no hooks":    {map[string]string{".git/config": usual}, true},
		"fsmonitor":   {map[string]string{".git/config": usual + "[core]\n\tfsmonitor = x\n"}, false},
		"upper case":  {map[string]string{".git/config": "[CORE]\n\tFSMonitor = x\n"}, false},
		"one line":    {map[string]string{".git/config": "[core] fsmonitor = x\n"}, false},
		"continued":   {map[string]string{".git/config": "[user]\n\tname = a\\\n\tb\n"}, false},
		"included":    {map[string]string{".git/config": "[include]\n\tpath = x\n"}, false},
		"old section": {map[string]string{".git/config": "[core.x]\n\ty = 1\n"}, false},
		"alias":       {map[string]string{".git/config": "[alias]\n\tstatus = !x\n"}, false},
		"worktree":    {map[string]string{".git/config": "[core]\n\tworktree = /\n"}, false},
		"helper":      {map[string]string{".git/config": "[remote \"x\"]\n\turl = ext::sh -c x\n"}, false},
		"vcs":         {map[string]string{".git/config": "[remote \"x\"]\n\tvcs = x\n"}, false},
		"upload":      {map[string]string{".git/config": "[remote \"x\"]\n\tuploadpack = x\n"}, false},
		"hook":        {map[string]string{".git/config": usual, ".git/hooks/pre-commit": "x"}, false},
		"led":         {map[string]string{".git/config": usual, ".git/commondir": "x"}, false},
		"modules":     {map[string]string{".git/config": usual, ".git/modules/x/config": "x"}, false},
		"a file":      {map[string]string{".git": "gitdir: x"}, false},
		"no config":   {map[string]string{".git/HEAD": ""}, false},
		"nothing":     {map[string]string{"x": ""}, false},
	} {
		if got := harmless(filepath.Join(tree(t, tt.files), ".git")); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, name := range []string{"config", "hooks"} {
		dir := tree(t, map[string]string{".git/config": usual, "elsewhere/x": ""})
		path := filepath.Join(dir, ".git", name)
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../elsewhere", path); err != nil {
			t.Fatal(err)
		}
		if harmless(filepath.Join(dir, ".git")) {
			t.Errorf("%s is a link", name)
		}
	}
}
