package write_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/diff"
	"parley/internal/tool"
	"parley/internal/tool/tooltest"
	"parley/internal/tool/write"
)

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{
		Tool: write.New(), Path: "path",
		Calls: []string{`{"path":"src/hello.go","content":"package main\n"}`, `{"path":"new/dir/file","content":""}`},
	})
}

func FuzzArguments(f *testing.F) { tooltest.Fuzz(f, write.New(), `{"path":"a","content":"b"}`) }

func call(t testing.TB, w tool.World, path, content string) (tool.Preview, tool.Result) {
	t.Helper()
	text, err := json.Marshal(map[string]string{"path": path, "content": content})
	if err != nil {
		t.Fatal(err)
	}
	c := tool.Call{ID: "1", Name: "write", Arguments: text}
	p, previewed := write.New().(tool.Previewer).Preview(context.Background(), w, c)
	r := write.New().Run(context.Background(), w, c, nil)
	tooltest.Check(t, r, "")
	if (previewed == nil) != (r.Status == tool.Success) {
		t.Errorf("the preview said %v, the call %s %q", previewed, r.Status, r.Text)
	}
	return p, r
}

// What is written, what of the old file is kept, and what is said about it.
func TestWhatIsWritten(t *testing.T) {
	for _, tt := range []struct {
		name, old, content string // old "-" is no file
		want, text         string
	}{
		{"new", "-", "a\nb\n", "a\nb\n", "Wrote f.go: new, 2 lines."},
		{"empty", "-", "", "", "Wrote f.go: 0 bytes."},
		{"changed", "a\nb\n", "a\nc\n", "a\nc\n", "Wrote f.go: +1 −1."},
		{"the same", "a\n", "a\n", "a\n", "Wrote f.go: unchanged."},
		{"no final newline", "a\n", "a", "a", "Wrote f.go: +1 −1."},
		{"carriage returns", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n", "Wrote f.go: +1 −1. Kept CRLF line endings."},
		{"carriage returns written", "a\r\nb\r\n", "a\r\nc\n", "a\r\nc\n", "Wrote f.go: +1 −1."},
		{"mixed endings", "a\r\nb\n", "a\nc\n", "a\nc\n", "Wrote f.go: +2 −2."},
		{"byte order mark", "\ufeffa\n", "b\n", "\ufeffb\n", "Wrote f.go: +1 −1. Kept the byte order mark."},
		{"binary", "a\x00b", "text\n", "text\n", "Wrote f.go: 5 bytes."},
		{"a zero byte", "a\n", "a\x00\n", "a\x00\n", "Wrote f.go: 3 bytes."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f.go")
			if tt.old != "-" {
				if err := os.WriteFile(path, []byte(tt.old), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			p, r := call(t, tooltest.World(t, dir), "f.go", tt.content)
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{tt.want, tt.text}, []string{string(got), r.Text}); d != "" {
				t.Error(d)
			}
			want := tool.Display{Diff: p.Diff, File: "f.go", Language: "go"}
			if strings.Contains(tt.old+tt.want, "\x00") {
				want.Diff = "" // a result is not judged
			}
			if hunks, err := diff.Parse(p.Diff); err != nil {
				t.Error(err)
			} else if applied, err := diff.Apply([]byte(shownOld(tt.old)), hunks); err != nil || string(applied) != tt.want {
				t.Errorf("the file has %q, and the preview said %q: %v", tt.want, applied, err)
			}
			if d := cmp.Diff(want, r.Display); d != "" || p.Summary != r.Summary {
				t.Errorf("preview and result differ: %+v %s", p, d)
			}
			if hunks, err := diff.Parse(r.Display.Diff); err != nil {
				t.Error(err)
			} else if old := strings.TrimPrefix(tt.old, "-"); !strings.Contains(old+tt.want, "\x00") {
				applied, err := diff.Apply([]byte(old), hunks)
				if err != nil || string(applied) != tt.want {
					t.Errorf("the diff makes %q, %v", applied, err)
				}
			}
		})
	}
}

// A file that someone else changed since it was seen is not overwritten, until it is seen again.
func TestStaleFileIsNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	path := filepath.Join(dir, "f")
	if _, r := call(t, w, "f", "mine\n"); r.Status != tool.Success {
		t.Fatal(r.Text)
	}
	if _, r := call(t, w, "f", "mine again\n"); r.Status != tool.Success {
		t.Fatal(r.Text)
	}
	if err := os.WriteFile(path, []byte("theirs\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, r := call(t, w, "f", "mine\n")
	if want := "f was changed by someone else since it was last read; read it again first"; r.Text != want {
		t.Errorf("%q", r.Text)
	}
	w.Seen.Note(filepath.Join(w.Root, "f"), tool.StampOf([]byte("theirs\n")))
	if _, r := call(t, w, "f", "mine\n"); r.Status != tool.Success {
		t.Error(r.Text)
	}
}

// What cannot be written is refused and left as it was.
func TestUnwritableIsRefused(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"folder":        "folder is a directory",
		"file/below":    "a part of file/below is a file, not a directory",
		"../beside/new": "is outside the workspace",
	} {
		text, err := json.Marshal(map[string]string{"path": path, "content": "y"})
		if err != nil {
			t.Fatal(err)
		}
		r := write.New().Run(context.Background(), w, tool.Call{Arguments: text}, nil)
		if r.Status != tool.Error || !strings.Contains(r.Text, want) {
			t.Errorf("%s: %s %q", path, r.Status, r.Text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "../beside")); err == nil {
		t.Error("a refused call made a directory")
	}
}

// A diff too long to show is cut, still a diff, and says so.
func TestLongDiff(t *testing.T) {
	p, r := call(t, tooltest.World(t, t.TempDir()), "f", strings.Repeat("a line of some length\n", 10_000))
	if !p.Truncated || !r.Display.Truncated || p.Summary != "new, 10000 lines" {
		t.Errorf("%v %v %s", p.Truncated, r.Display.Truncated, p.Summary)
	}
	if hunks, err := diff.Parse(p.Diff); err != nil || len(hunks) != 1 || len(p.Diff) < 60<<10 {
		t.Errorf("%d bytes, %v", len(p.Diff), err)
	}
}

// shownOld is what a preview begins with: nothing where there is no file, or a binary one.
func shownOld(old string) string {
	if old == "-" || strings.Contains(old, "\x00") {
		return ""
	}
	return old
}
