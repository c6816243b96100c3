package glob_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/tool"
	"parley/internal/tool/glob"
	"parley/internal/tool/tooltest"
)

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{
		Tool: glob.New(), Path: "path", Directory: true,
		Calls: []string{`{"pattern":"*","path":"src"}`, `{"pattern":"**/*.go"}`, `{"pattern":"nothing"}`},
	})
}

func FuzzArguments(f *testing.F) {
	tooltest.Fuzz(f, glob.New(), `{"pattern":"**/[a-z]{b,c}","path":"d"}`)
}

func call(t testing.TB, w tool.World, pattern, path string) tool.Result {
	t.Helper()
	arguments := map[string]string{"pattern": pattern}
	if path != "" {
		arguments["path"] = path
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	r := glob.New().Run(context.Background(), w, tool.Call{Arguments: text}, nil)
	tooltest.Check(t, r, "")
	return r
}

// Patterns find what they say, newest first; ignored files and .git are left out and links not followed.
func TestPatterns(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	// Each is an hour older than the one before.
	for i, name := range []string{
		"main.go", "lib/a.go", "lib/deep/b.go", "lib/a.py", "README.md", ".github/ci.yml", ".git/config.go", "out/c.go", ".gitignore",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("out\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		changed := time.Unix(1_700_000_000, 0).Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("lib", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ pattern, path, want string }{
		{"*.go", "", "main.go lib/a.go lib/deep/b.go"},
		{"./*.go", "", "main.go lib/a.go lib/deep/b.go"},
		{"**/*.go", "", "main.go lib/a.go lib/deep/b.go"},
		{"lib/*.go", "", "lib/a.go"},
		{"lib/**", "", "lib/a.go lib/deep/b.go lib/a.py"},
		{"**/*.{py,md}", "", "lib/a.py README.md"},
		{"*.go", "lib", "lib/a.go lib/deep/b.go"},
		{"deep/?.go", "lib", "lib/deep/b.go"},
		{"*.yml", "", ".github/ci.yml"},
		{"*.go", "out", "out/c.go"},
		{"README*", "", "README.md"},
		{"link/*", "", "No files found."},
		{"[a", "", `the pattern "[a" is malformed`},
		{"/etc/*", "", `the pattern "/etc/*" must be relative; set path to search elsewhere`},
		{"../*", "", `the pattern "../*" must be relative; set path to search elsewhere`},
		{strings.Repeat("{a,b}", 7), "", `the pattern "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" has more than 6 alternatives in braces`},
		{"./", "", `the pattern "./" is malformed`},
		{"*", "main.go", "main.go is a file; path must be a directory"},
		{"*", "nowhere", "nowhere does not exist"},
	} {
		r := call(t, w, tt.pattern, tt.path)
		if got := strings.Join(strings.Split(strings.TrimSpace(r.Text), "\n"), " "); got != tt.want {
			t.Errorf("%s in %q: %s, want %s", tt.pattern, tt.path, got, tt.want)
		}
	}
	w.Hidden = func(t tool.Target) bool { return strings.HasPrefix(t.Rel, "lib/") }
	if r := call(t, w, "*.go", ""); r.Text != "main.go\n" || r.Summary != "1 file" {
		t.Errorf("%+v", r)
	}
}

// More files than fit in an answer are cut, and it says how many there are.
func TestTooManyFilesAreCut(t *testing.T) {
	dir := t.TempDir()
	for i := range 700 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d", i)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w := tooltest.World(t, dir)
	r := call(t, w, "*", "")
	if r.Summary != "700 files" || !strings.HasSuffix(r.Text, "[the newest 500 of 700 files; use a narrower pattern or path for the others]\n") {
		t.Errorf("%s %q", r.Summary, r.Text[len(r.Text)-100:])
	}
	walk := w.Walk
	w.Walk = func(ctx context.Context, at tool.Target, visit func(tool.Entry) error) (bool, error) {
		_, err := walk(ctx, at, visit)
		return true, err
	}
	if r := call(t, w, "0001", ""); !strings.HasPrefix(r.Text, "0001\n[There are too many files") || r.Summary != "1 file and maybe more" {
		t.Errorf("%+v", r)
	}
}
