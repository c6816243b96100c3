package grep_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
	"parley/internal/tool/grep"
	"parley/internal/tool/tooltest"
	"parley/test/need"
)

func TestSuite(t *testing.T) {
	for engine, world := range engines(t) {
		t.Run(engine, func(t *testing.T) {
			tooltest.Run(t, tooltest.Suite{
				Tool: grep.New(), World: world, Path: "path", Directory: true,
				Calls: []string{`{"pattern":"hello","path":"src"}`, `{"pattern":"h.llo","glob":"*.go"}`, `{"pattern":"nothing at all"}`},
			})
		})
	}
}

func FuzzArguments(f *testing.F) {
	tooltest.Fuzz(f, grep.New(), `{"pattern":"(a|b)*\\b","path":"d","glob":"*.go"}`)
}

// engines are the worlds with and without ripgrep, or only the one without where it is not installed.
func engines(t *testing.T) map[string]func(testing.TB, string) tool.World {
	found := map[string]func(testing.TB, string) tool.World{
		"walker": func(t testing.TB, root string) tool.World {
			w := tooltest.World(t, root)
			w.LookPath = func(name string) (string, error) { return "", fmt.Errorf("%s is not on the PATH", name) }
			return w
		},
	}
	if need.Has(t, "rg") {
		found["ripgrep"] = tooltest.World
	}
	return found
}

// A search that ripgrep does not come to an end with is made without it.
func TestRipgrepHangs(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "hello\n")
	synctest.Test(t, func(t *testing.T) {
		w := tooltest.World(t, dir)
		hung := false
		w.LookPath = func(string) (string, error) { return "/usr/bin/rg", nil }
		w.Exec = func(ctx context.Context, _ tool.Command) (tool.Exit, error) {
			hung = true
			<-ctx.Done()
			return tool.Exit{}, ctx.Err()
		}
		r := call(t, w, args{"pattern": "hello"})
		if !hung || r.Status != tool.Success || r.Text != "a.txt:1: hello\n" {
			t.Errorf("hung %t, %s: %q", hung, r.Status, r.Text)
		}
	})
}

type args map[string]any

func call(t testing.TB, w tool.World, a args) tool.Result {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	r := grep.New().Run(context.Background(), w, tool.Call{Arguments: text}, nil)
	tooltest.Check(t, r, "")
	return r
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// files is a workspace with everything in it that two engines could see differently.
var files = map[string]string{
	"main.go":             "package main\n\nfunc main() {\n\tprintln(\"Hello\")\n}\n",
	"lib/a.go":            "package lib\n\n// Größe is the size.\nfunc Größe() int { return 42 }\n",
	"lib-b/x.go":          "package x // size\n",
	"lib.go":              "package lib // size\n",
	"dos.txt":             "one\r\ntwo size\r\nthree\r\n",
	"bom.txt":             "\ufeffsize first\n",
	"latin.txt":           "size caf\xe9\n",
	"last":                "no newline at the size",
	"binary":              "size\x00size\n",
	"utf16.txt":           "\xff\xfes\x00i\x00z\x00e\x00",
	"odd:1:name.txt":      "size\n",
	"two\nlines":          "size\n",
	".hidden/conf":        "size = 1\n",
	".gitignore":          "out/\n*.log\n!keep.log\n",
	"out/gen.go":          "size\n",
	"a.log":               "size\n",
	"keep.log":            "size\n",
	"nested/.gitignore":   "secret\n",
	"nested/secret":       "size\n",
	"nested/open":         "size\n",
	"nested/.ignore":      "open\n",
	"inner/.git/HEAD":     "size\n",
	"inner/b.log":         "size\n",
	"long":                strings.Repeat("x", 4000) + "size" + strings.Repeat("y", 4000) + "\n",
	"words":               "foo foo_bar foobar\nföö\n3 + 4\n$x {y}\n\ttab\n\n",
	"deep/er/and/er/file": "size\n",
}

var patterns = []args{
	{"pattern": "size"}, {"pattern": "(?i)SIZE"}, {"pattern": "^size"}, {"pattern": "size$"}, {"pattern": `\Asize\z`},
	{"pattern": "^$"}, {"pattern": `\bfoo\b`}, {"pattern": `foo\B`}, {"pattern": `f\w+`}, {"pattern": `f[^a-z]{2}`},
	{"pattern": `\d \+ \d`}, {"pattern": `\$x \{y\}`}, {"pattern": `{y}`}, {"pattern": `\Q$x {y}\E`}, {"pattern": `\s`},
	{"pattern": `[[:upper:]]`}, {"pattern": `(?i)größe`}, {"pattern": "two|three"}, {"pattern": `^two\s+size$`}, {"pattern": `.`},
	{"pattern": `(a|b)*c?`}, {"pattern": `\p{Greek}`}, {"pattern": "x{3}size"}, {"pattern": `[&&]|[a~~]|[--]`}, {"pattern": `[[]x`},
	{"pattern": `(?P<name>package) (\w+)`}, {"pattern": `\x{e9}`}, {"pattern": "Gr.{2}e"}, {"pattern": `(?-s).*`}, {"pattern": `a*?b`},
	{"pattern": "size", "glob": "*.go"}, {"pattern": "size", "glob": "lib/**"}, {"pattern": "size", "glob": "**/*.{go,txt}"},
	{"pattern": "size", "glob": "*.log"}, {"pattern": "size", "glob": "[a-m]*"}, {"pattern": "size", "glob": "./lib.go"},
	{"pattern": "size", "path": "nested"}, {"pattern": "size", "path": "out"}, {"pattern": "size", "path": "inner"},
	{"pattern": "size", "path": "deep/er"}, {"pattern": "size", "path": "a.log"}, {"pattern": "size", "path": "binary"},
	{"pattern": "size", "path": "lib.go", "glob": "*.txt"}, {"pattern": "-e"}, {"pattern": "--size"}, {"pattern": "[^a-z]"},
}

// Both engines give the same answer, byte for byte, in a git work tree, in a part of one, and outside any.
func TestEnginesAgree(t *testing.T) {
	all := engines(t)
	for _, shape := range []string{"git", "part", "none"} {
		top := t.TempDir()
		dir := filepath.Join(top, "here")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			put(t, dir, name, content)
		}
		switch shape {
		case "git":
			put(t, dir, ".git/info/exclude", "latin.txt\n")
		case "part":
			put(t, top, ".git/info/exclude", "latin.txt\n")
			put(t, top, ".gitignore", "keep.log\n/here/last\n")
		case "none":
			put(t, top, ".gitignore", "*\n")
		}
		if err := os.Symlink("lib", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		for _, a := range patterns {
			got := map[string]tool.Result{}
			for engine, world := range all {
				w := world(t, dir)
				walked := false
				walk := w.Walk
				w.Walk = func(ctx context.Context, at tool.Target, visit func(tool.Entry) error) (bool, error) {
					walked = true
					return walk(ctx, at, visit)
				}
				got[engine] = call(t, w, a)
				path, _ := a["path"].(string)
				stat, err := os.Stat(filepath.Join(dir, path))
				if err != nil {
					t.Fatal(err)
				}
				// Outside a git work tree only the root will do; inner is one of its own.
				fits := stat.IsDir() && (shape != "none" || path == "" || path == "inner")
				if engine == "ripgrep" && walked == fits {
					t.Errorf("%s: %v: ripgrep fits is %v, but the walker ran is %v", shape, a, fits, walked)
				}
			}
			if d := cmp.Diff(got["walker"], got["ripgrep"]); d != "" && len(all) > 1 {
				t.Errorf("%s: %v (-walker +ripgrep):\n%s", shape, a, d)
			}
			if r := got["walker"]; r.Status != tool.Success {
				t.Errorf("%s: %v: %+v", shape, a, r)
			}
		}
	}
}

// What is found, in the order and the form that the description promises.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, content := range files {
		put(t, dir, name, content)
	}
	for engine, world := range engines(t) {
		w := world(t, dir)
		for _, tt := range []struct {
			a             args
			text, summary string
		}{
			{args{"pattern": "size", "glob": "*.go"}, "lib/a.go:3: // Größe is the size.\nlib-b/x.go:1: package x // size\nlib.go:1: package lib // size\n", "3 matches in 3 files"},
			{args{"pattern": `\t`, "path": "main.go"}, "main.go:4: \tprintln(\"Hello\")\n", "1 match"},
			{args{"pattern": "^two size$"}, "dos.txt:2: two size\n", "1 match"},
			{args{"pattern": "size", "path": "out"}, "out/gen.go:1: size\n", "1 match"},
			{args{"pattern": "no such thing"}, "No matches found.\n", "0 matches"},
			{args{"pattern": "size", "path": "long"},
				"long:1: …" + strings.Repeat("x", 125) + "size" + strings.Repeat("y", 371) + "…\n", "1 match"},
		} {
			r := call(t, w, tt.a)
			if d := cmp.Diff([]string{tt.text, tt.summary}, []string{r.Text, r.Summary}); d != "" {
				t.Errorf("%s: %v: %s", engine, tt.a, d)
			}
		}
		w.Hidden = func(t tool.Target) bool { return t.Rel == "lib/a.go" }
		if r := call(t, w, args{"pattern": "size", "glob": "*.go"}); r.Summary != "2 matches in 2 files" {
			t.Errorf("%s: hidden: %+v", engine, r)
		}
	}
}

// A pattern that cannot be is refused, and the refusal says what to do.
func TestBadPatternIsRefused(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	for pattern, want := range map[string]string{
		"(a":              `the pattern "(a" is malformed: missing closing ) "(a"; to search for the character itself put \ before it`,
		"(?=a)b":          "RE2 has no look-around",
		"(?<!a)b":         "RE2 has no look-around",
		`(a)\1`:           "RE2 has no back references",
		"a\nb":            "grep matches line by line",
		`a\nb`:            "grep matches line by line",
		"a{1,999}{1,999}": "malformed",
	} {
		if r := call(t, w, args{"pattern": pattern}); r.Status != tool.Error || !strings.Contains(r.Text, want) {
			t.Errorf("%s: %s %q", pattern, r.Status, r.Text)
		}
	}
	if r := call(t, w, args{"pattern": "a", "glob": "[a"}); r.Status != tool.Error {
		t.Errorf("%+v", r)
	}
}

// More matches than fit are cut at the same place by both engines, which stop working there.
func TestTooManyMatchesAreCut(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		put(t, dir, fmt.Sprintf("f%02d", i), strings.Repeat("a match\n", 5000))
	}
	put(t, dir, "zzz", strings.Repeat(strings.Repeat("wide ", 90)+"\n", 200))
	answers := map[string]bool{}
	for engine, world := range engines(t) {
		r := call(t, world(t, dir), args{"pattern": "match"})
		if r.Summary != "more than 1000 matches" || !strings.HasSuffix(r.Text,
			"f00:1000: a match\n[Only the first 1000 matches, there are more; use a narrower pattern, path or glob.]\n") {
			t.Errorf("%s: %s %q", engine, r.Summary, r.Text[len(r.Text)-200:])
		}
		answers[r.Text] = true
		r = call(t, world(t, dir), args{"pattern": "wide"})
		if !strings.HasPrefix(r.Summary, "more than 14") || len(r.Text) > tool.MaxText {
			t.Errorf("%s: %s", engine, r.Summary)
		}
		answers[r.Text] = true
	}
	if len(answers) != 2 {
		t.Errorf("%d answers", len(answers))
	}
}

// A program named rg that lies in the workspace is not run, whatever the PATH says.
func TestForeignProgram(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "bin/rg", "#!/bin/sh\ntouch ran\n")
	put(t, dir, "file", "needle\n")
	if err := os.Chmod(filepath.Join(dir, "bin/rg"), 0o777); err != nil {
		t.Fatal(err)
	}
	w := tooltest.World(t, dir)
	w.LookPath = func(name string) (string, error) { return filepath.Join(dir, "bin", name), nil }
	if r := call(t, w, args{"pattern": "needle"}); r.Text != "file:1: needle\n" {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran")
	}
}
