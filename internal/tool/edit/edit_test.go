package edit_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/diff"
	"parley/internal/tool"
	"parley/internal/tool/edit"
	"parley/internal/tool/tooltest"
)

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{
		Tool: edit.New(), Path: "path",
		Calls: []string{
			`{"path":"src/hello.go","edits":[{"old":"hello","new":"bye"}]}`,
			`{"path":"README.md","edits":[{"old":"e","new":"E","all":true},{"old":"Say","new":"Write"}]}`,
		},
	})
}

func FuzzArguments(f *testing.F) {
	tooltest.Fuzz(f, edit.New(), `{"path":"a","edits":[{"old":"b","new":"c","all":true}]}`)
}

// one is a case of testdata/edits.txt.
type one struct{ name, file, edits, after, err string }

func table(t testing.TB) []one {
	t.Helper()
	text, err := os.ReadFile("testdata/edits.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []one
	for _, block := range strings.Split(string(text), "\n# ")[1:] {
		var c one
		c.name, block, _ = strings.Cut(block, "\n")
		for line := range strings.Lines(block) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			value = strings.TrimSpace(value)
			if key == "edits" {
				c.edits = value
				continue
			}
			if value == "" {
				continue
			}
			unquoted, err := strconv.Unquote(value)
			if err != nil {
				t.Fatalf("%s: %s: %v", c.name, value, err)
			}
			switch key {
			case "file":
				c.file = unquoted
			case "after":
				c.after = unquoted
			case "error":
				c.err = unquoted
			}
		}
		cases = append(cases, c)
	}
	return cases
}

func call(t testing.TB, w tool.World, edits string) (tool.Preview, tool.Result) {
	t.Helper()
	c := tool.Call{ID: "1", Name: "edit", Arguments: json.RawMessage(`{"path":"f","edits":` + edits + `}`)}
	p, previewed := edit.New().(tool.Previewer).Preview(context.Background(), w, c)
	r := edit.New().Run(context.Background(), w, c, nil)
	tooltest.Check(t, r, "")
	if (previewed == nil) != (r.Status == tool.Success) {
		t.Errorf("the preview said %v, the call %s %q", previewed, r.Status, r.Text)
	}
	return p, r
}

// The table of edits: what they make of a file, or why they are refused and the file is untouched.
func TestEdits(t *testing.T) {
	for _, tt := range table(t) {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			if err := os.WriteFile(path, []byte(tt.file), 0o640); err != nil {
				t.Fatal(err)
			}
			p, r := call(t, tooltest.World(t, dir), tt.edits)
			want := tt.after
			if tt.err != "" {
				want = tt.file
				if r.Status != tool.Error || !strings.Contains(r.Text, tt.err) {
					t.Errorf("got %s %q, want %q", r.Status, r.Text, tt.err)
				}
			} else if r.Status != tool.Success {
				t.Errorf("%s %q", r.Status, r.Text)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, string(got)); d != "" {
				t.Error(d)
			}
			if tt.err == "" && (p.Diff != tool.Exact(diff.Unified("f", "f", []byte(tt.file), []byte(want))) || p.Diff == "" || p.Summary != r.Summary) {
				t.Errorf("preview %+v, display %+v", p, r.Display)
			}
		})
	}
}

// What one replacement makes is what strings.Replace makes, whatever the text; the diff says so too.
func TestLikeReplace(t *testing.T) {
	letter := rapid.SampledFrom([]string{"a", "b", "\n", "ü", " "})
	text := func(least, most int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(letter, least, most).Draw(t, "s"), "") })
	}
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	path := filepath.Join(dir, "f")
	rapid.Check(t, func(t *rapid.T) {
		content, old, new := text(0, 30).Draw(t, "content"), text(1, 4).Draw(t, "old"), text(0, 4).Draw(t, "new")
		all := rapid.Bool().Draw(t, "all")
		crlf := rapid.Bool().Draw(t, "crlf")
		if old == new {
			return
		}
		file := content
		if crlf {
			file = strings.ReplaceAll(content, "\n", "\r\n")
		}
		w.Seen = tool.NewSeen()
		if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		edits, err := json.Marshal([]map[string]any{{"old": old, "new": new, "all": all}})
		if err != nil {
			t.Fatal(err)
		}
		r := edit.New().Run(context.Background(), w, tool.Call{Arguments: json.RawMessage(`{"path":"f","edits":` + string(edits) + `}`)}, nil)
		want := file
		if places := overlapping(content, old); places == 1 || places > 1 && all {
			want = strings.ReplaceAll(content, old, new)
			// A file without a newline has no endings to keep.
			if crlf && strings.Contains(content, "\n") {
				want = strings.ReplaceAll(want, "\n", "\r\n")
			}
			if r.Status != tool.Success {
				t.Fatalf("%s", r.Text)
			}
		} else if r.Status != tool.Error && (places > 0 || !strings.Contains(r.Text, "Old was taken for what stands at line ")) {
			t.Fatalf("%s with %d places: %s", r.Status, places, r.Text)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.Text, "Old was taken") {
			if !replacedOnce(bare(file), bare(old), bare(new), bare(string(got))) {
				t.Fatalf("%q: %q for %q made %q", file, new, old, got)
			}
			want = string(got)
		}
		if string(got) != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		hunks, err := diff.Parse(r.Display.Diff)
		if err != nil {
			t.Fatal(err)
		}
		if applied, err := diff.Apply([]byte(file), hunks); err != nil || string(applied) != want {
			t.Fatalf("the diff makes %q, %v", applied, err)
		}
	})
}

func overlapping(s, part string) (n int) {
	for i := range len(s) {
		if strings.HasPrefix(s[i:], part) {
			n++
		}
	}
	return n
}

// A file that was read and then changed by someone else is refused, as is one that is not there.
func TestStaleAndMissing(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	path := filepath.Join(dir, "f")
	if _, r := call(t, w, `[{"old":"a","new":"b"}]`); !strings.HasPrefix(r.Text, "f does not exist") {
		t.Errorf("%q", r.Text)
	}
	if err := os.WriteFile(path, []byte("a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	w.Seen.Note(filepath.Join(w.Root, "f"), tool.StampOf([]byte("before\n")))
	if _, r := call(t, w, `[{"old":"a","new":"b"}]`); !strings.Contains(r.Text, "changed by someone else") {
		t.Errorf("%q", r.Text)
	}
	w.Seen.Note(filepath.Join(w.Root, "f"), tool.StampOf([]byte("a\n")))
	for _, edits := range []string{`[{"old":"a","new":"b"}]`, `[{"old":"b","new":"c"}]`} {
		if _, r := call(t, w, edits); r.Status != tool.Success {
			t.Errorf("%s: %q", edits, r.Text)
		}
	}
}

// Any file and any edit end in a result; a refused edit leaves the file as it was.
func FuzzEdit(f *testing.F) {
	for _, c := range table(f) {
		var edits []struct{ Old, New string }
		if err := json.Unmarshal([]byte(c.edits), &edits); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(c.file), edits[0].Old, edits[0].New, false)
	}
	dir := f.TempDir()
	w := tooltest.World(f, dir)
	path := filepath.Join(dir, "f")
	f.Fuzz(func(t *testing.T, file []byte, old, new string, all bool) {
		w.Seen = tool.NewSeen()
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		edits, err := json.Marshal([]map[string]any{{"old": old, "new": new, "all": all}})
		if err != nil {
			t.Fatal(err)
		}
		_, r := call(t, w, string(edits))
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == tool.Error && string(got) != string(file) {
			t.Fatalf("a refused edit made %q of %q", got, file)
		}
		if strings.Contains(r.Text, "broke:") {
			t.Fatal(r.Text)
		}
	})
}

func bare(s string) string { return strings.Join(strings.Fields(s), "") }

// replacedOnce reports whether one place of a part was replaced by another, and nothing else.
func replacedOnce(s, part, by, got string) bool {
	for i := range len(s) {
		if strings.HasPrefix(s[i:], part) && s[:i]+by+s[i+len(part):] == got {
			return true
		}
	}
	return false
}
