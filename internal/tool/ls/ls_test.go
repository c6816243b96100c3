package ls_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
	"parley/internal/tool/ls"
	"parley/internal/tool/tooltest"
)

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{
		Tool: ls.New(), Path: "path", Directory: true,
		Calls: []string{`{"path":"src"}`, `{}`},
	})
}

func FuzzArguments(f *testing.F) { tooltest.Fuzz(f, ls.New(), `{"path":"a"}`) }

func call(t testing.TB, w tool.World, path string) tool.Result {
	t.Helper()
	text, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		t.Fatal(err)
	}
	r := ls.New().Run(context.Background(), w, tool.Call{Arguments: text}, nil)
	tooltest.Check(t, r, "")
	return r
}

// Every kind of entry is told from the others, a name cannot look like two, and links say where they lead.
func TestEntryKinds(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{".hidden", "a.txt", "two\nlines", "bad\xff"} {
		if err := os.WriteFile(at(name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(at("b"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"inside": "b", "outside": "/etc", "broken": "nowhere", "circle": "circle"} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", at("sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	etc, err := filepath.EvalSymlinks("/etc")
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Result{
		Status: tool.Success, Summary: "11 entries", Display: tool.Display{File: "."},
		Text: ".hidden\na.txt\nb/\nbad\ufffd\nbroken -> nowhere\ncircle -> ?\ninside -> b\noutside -> " + etc +
			"\npipe (pipe)\nsock (socket)\n\"two\\nlines\"\n",
	}
	if d := cmp.Diff(want, call(t, w, ".")); d != "" {
		t.Error(d)
	}
	w.Hidden = func(t tool.Target) bool { return t.Rel == "a.txt" || t.Rel == "b" }
	if r := call(t, w, "."); r.Summary != "9 entries" || strings.Contains(r.Text, "a.txt") {
		t.Errorf("%+v", r)
	}
}

// An empty directory, a file, a missing one and one that is too long for an answer each get their words.
func TestEmptyMissingAndLong(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	for _, name := range []string{"empty", "many"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 1500 {
		if err := os.WriteFile(filepath.Join(dir, "many", fmt.Sprintf("%04d", i)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"empty":     "(the directory is empty)",
		"many/0001": "many/0001 is a file of 0 bytes, use read",
		"empyt":     "empyt does not exist, did you mean empty?",
	} {
		if r := call(t, w, path); r.Text != want {
			t.Errorf("%s: %q", path, r.Text)
		}
	}
	r := call(t, w, "many")
	if !strings.HasSuffix(r.Text, "0999\n[1000 of 1500 entries; use glob with a pattern for the others]\n") || r.Summary != "1500 entries" {
		t.Errorf("%s %q", r.Summary, r.Text[len(r.Text)-100:])
	}
}
