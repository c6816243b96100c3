package workspace_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/workspace"
	"parley/test/need"
)

// archive writes the files of a table ("-- NAME --" and then the content) into a new folder and returns it
// with what each file should be.
func archive(t *testing.T, name string) (dir string, verdicts map[string]string) {
	t.Helper()
	table := read(t, filepath.Join("testdata", name))
	dir, verdicts = t.TempDir(), map[string]string{}
	for _, file := range strings.Split(table, "\n-- ")[1:] {
		name, content, _ := strings.Cut(file, " --\n")
		write(t, filepath.Join(dir, name), content)
		if text := strings.TrimSpace(content); text == "seen" || text == "ignored" {
			verdicts[name] = text
		}
	}
	return dir, verdicts
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *workspace.Root {
	t.Helper()
	r, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func files(t *testing.T, r *workspace.Root, start string, reach workspace.Reach) []string {
	t.Helper()
	p, err := r.Resolve(start)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	err = r.Walk(context.Background(), p, reach, func(e workspace.Entry) error {
		if !e.Type.IsDir() {
			found = append(found, e.Rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A walk, Ignored and git itself agree on every file of the table.
func TestIgnore(t *testing.T) {
	dir, verdicts := archive(t, "ignore.txt")
	if need.Has(t, "git") {
		run(t, dir, "git", "init", "-q")
		if d := cmp.Diff(verdicts, oracle(t, dir, "git", verdicts)); d != "" {
			t.Fatalf("the table is not what git says (-table +git):\n%s", d)
		}
	}
	r := open(t, dir)
	walked := files(t, r, ".", workspace.Reach{})
	got, asked := map[string]string{}, map[string]string{}
	for name := range verdicts {
		got[name], asked[name] = "ignored", "seen"
		if slices.Contains(walked, name) {
			got[name] = "seen"
		}
		p, err := r.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		if r.Ignored(p, false) {
			asked[name] = "ignored"
		}
	}
	if d := cmp.Diff(verdicts, got); d != "" {
		t.Errorf("Walk (-want +got):\n%s", d)
	}
	if d := cmp.Diff(verdicts, asked); d != "" {
		t.Errorf("Ignored (-want +got):\n%s", d)
	}
}

func oracle(t *testing.T, dir, git string, verdicts map[string]string) map[string]string {
	var names []string
	out := map[string]string{}
	for name := range verdicts {
		names = append(names, name)
		out[name] = "seen"
	}
	cmd := exec.Command(git, "-c", "core.excludesFile=/dev/null", "check-ignore", "--stdin", "-z")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(strings.Join(names, "\x00")+"\x00")
	found, err := cmd.Output()
	if err != nil {
		t.Fatalf("git check-ignore: %v", err)
	}
	for name := range bytes.SplitSeq(found, []byte{0}) {
		if len(name) > 0 {
			out[string(name)] = "ignored"
		}
	}
	return out
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// A workspace in the middle of a repository obeys the ignore files above it and info/exclude, also where
// .git is a file of a linked work tree.
func TestIgnoreFromAbove(t *testing.T) {
	for _, linked := range []bool{false, true} {
		dir := t.TempDir()
		git := filepath.Join(dir, ".git")
		if linked {
			git = filepath.Join(t.TempDir(), "main", ".git")
			place := filepath.Join(git, "worktrees", "w")
			write(t, filepath.Join(place, "commondir"), "../..\n")
			write(t, filepath.Join(dir, ".git"), "gitdir: "+place+"\n")
		}
		write(t, filepath.Join(git, "info", "exclude"), "excluded\n/sub/anchored\n")
		write(t, filepath.Join(dir, ".gitignore"), "*.top\n")
		for _, name := range []string{"a", "excluded", "anchored", "x.top", "in/y.top", "in/z"} {
			write(t, filepath.Join(dir, "sub", name), "")
		}
		r := open(t, filepath.Join(dir, "sub"))
		if d := cmp.Diff([]string{"a", "in/z"}, files(t, r, ".", workspace.Reach{})); d != "" {
			t.Errorf("linked %v: %s", linked, d)
		}
		if !r.Git(r.At(r.Path())) {
			t.Errorf("linked %v: Git is false", linked)
		}
	}
}

// A repository in a repository has its own rules: those of the outer one end there.
func TestIgnoreNestedRepository(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		".git/HEAD": "", ".gitignore": "*.log\n", "a.log": "", "b.txt": "",
		"inner/.git/info/exclude": "c.txt\n", "inner/a.log": "", "inner/c.txt": "", "inner/d.txt": "",
	} {
		write(t, filepath.Join(dir, name), content)
	}
	r := open(t, dir)
	if d := cmp.Diff([]string{".gitignore", "b.txt", "inner/a.log", "inner/d.txt"}, files(t, r, ".", workspace.Reach{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"inner/a.log", "inner/d.txt"}, files(t, r, "inner", workspace.Reach{})); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]bool{"a.log": true, "inner/a.log": false, "inner/c.txt": true} {
		p, err := r.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Ignored(p, false); got != want {
			t.Errorf("Ignored(%s) = %v", name, got)
		}
	}
}

// A repository that ignores the folder the workspace is in does not make the workspace empty; a
// directory that is asked for by name shows what is in it.
func TestIgnoredStart(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".git", "HEAD"), "")
	write(t, filepath.Join(dir, ".gitignore"), "vendor\n")
	write(t, filepath.Join(dir, "vendor", "a"), "")
	write(t, filepath.Join(dir, "vendor", ".gitignore"), "out\n")
	write(t, filepath.Join(dir, "vendor", "out", "b"), "")
	inner := open(t, filepath.Join(dir, "vendor"))
	if d := cmp.Diff([]string{".gitignore", "a"}, files(t, inner, ".", workspace.Reach{})); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]bool{"a": false, "out/b": true} {
		p, err := inner.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := inner.Ignored(p, false); got != want {
			t.Errorf("Ignored(%s) = %v", name, got)
		}
	}
	outer := open(t, dir)
	if d := cmp.Diff([]string{".gitignore"}, files(t, outer, ".", workspace.Reach{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"vendor/.gitignore", "vendor/a"}, files(t, outer, "vendor", workspace.Reach{})); d != "" {
		t.Error(d)
	}
	all := []string{".gitignore", "vendor/.gitignore", "vendor/a", "vendor/out/b"}
	if d := cmp.Diff(all, files(t, outer, ".", workspace.Reach{Ignored: true})); d != "" {
		t.Error(d)
	}
}
