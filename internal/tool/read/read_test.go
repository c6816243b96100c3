package read_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
	"parley/internal/tool/read"
	"parley/internal/tool/tooltest"
)

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{
		Tool: read.New(), Path: "path",
		Calls: []string{`{"path":"src/hello.go"}`, `{"path":"README.md","offset":2,"limit":1}`},
	})
}

func FuzzArguments(f *testing.F) { tooltest.Fuzz(f, read.New(), `{"path":"a","offset":1,"limit":2}`) }

func call(t testing.TB, w tool.World, arguments any) tool.Result {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	r := read.New().Run(context.Background(), w, tool.Call{ID: "1", Name: "read", Arguments: text}, nil)
	tooltest.Check(t, r, "")
	return r
}

type args map[string]any

func put(t testing.TB, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// What is shown of a file, and what is said about the rest.
func TestShownAndLeftOut(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, tt := range []struct {
		name, content string
		offset, limit int
		want          string
		summary       string
	}{
		{"whole", "a\nb\n", 0, 0, "     1\ta\n     2\tb\n", "2 lines"},
		{"no final newline", "a\nb", 0, 0, "     1\ta\n     2\tb\n", "2 lines"},
		{"one line", "a", 0, 0, "     1\ta\n", "1 line"},
		{"empty", "", 0, 0, "(the file is empty)", "empty"},
		{"carriage returns", "a\r\nb\r\n", 0, 0, "     1\ta\n     2\tb\n", "2 lines"},
		{"byte order mark", "\ufeffa\n", 0, 0, "     1\ta\n", "1 line"},
		{"not UTF-8", "caf\xe9\n", 0, 0, "     1\tcaf\ufffd\n", "1 line"},
		{"first lines", ten, 0, 2, "     1\t1\n     2\t2\n[lines 1 to 2 of 10; read on with offset 3]", "lines 1 to 2"},
		{"middle", ten, 4, 2, "     4\t4\n     5\t5\n[lines 4 to 5 of 10; read on with offset 6]", "lines 4 to 5"},
		{"end", ten, 9, 5, "     9\t9\n    10\t10\n[lines 9 to 10, the end of the file]", "lines 9 to 10"},
		{"just all", ten, 1, 10, numbered(10), "10 lines"},
		{"past the end", ten, 11, 1, "past the end has 10 lines, so there is no line 11", "past the end has 10 lines, so there is no line 11"},
		{"long line", strings.Repeat("x", 3000) + "\nshort\n", 0, 0,
			"     1\t" + strings.Repeat("x", 2000) + " [1000 bytes more in this line]\n     2\tshort\n", "2 lines"},
		{"very long line", strings.Repeat("x", 1<<20) + "\nshort\n", 0, 0,
			"     1\t" + strings.Repeat("x", 2000) + " [1022 KB more in this line]\n     2\tshort\n", "2 lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			put(t, dir, tt.name, []byte(tt.content))
			a := args{"path": tt.name}
			if tt.offset > 0 {
				a["offset"] = tt.offset
			}
			if tt.limit > 0 {
				a["limit"] = tt.limit
			}
			r := call(t, w, a)
			if d := cmp.Diff([]string{tt.want, tt.summary}, []string{r.Text, r.Summary}); d != "" {
				t.Error(d)
			}
		})
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%6d\t%d\n", i, i)
	}
	return b.String()
}

// A text that is too long for one answer can be read on to its end without a gap.
func TestReadOnWithoutGap(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	var want strings.Builder
	for i := 1; i <= 9000; i++ {
		fmt.Fprintf(&want, "line %d %s\n", i, strings.Repeat("ä", i%50))
	}
	put(t, dir, "f", []byte(want.String()))
	var got strings.Builder
	for offset := 1; offset > 0; {
		r := call(t, w, args{"path": "f", "offset": offset, "limit": 5000})
		next := 0
		for line := range strings.Lines(r.Text) {
			if _, text, ok := strings.Cut(line, "\t"); ok {
				got.WriteString(text)
			} else if _, at, ok := strings.Cut(line, "read on with offset "); ok {
				fmt.Sscan(at, &next)
			}
		}
		offset = next
	}
	if d := cmp.Diff(want.String(), got.String()); d != "" {
		t.Error(d[:min(len(d), 2000)])
	}
}

// A file of 300 MB is read a page at a time, in little memory, wherever the page is.
func TestHugeFileInLittleMemory(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	file, err := os.Create(filepath.Join(dir, "huge.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	block := bytes.Repeat([]byte(strings.Repeat("x", 1023)+"\n"), 1024)
	for _, at := range []int64{0, 150, 299} {
		if _, err := file.WriteAt(block, at<<20); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := call(t, w, args{"path": "huge.log"})
	if !strings.HasSuffix(r.Text, "the file has 300 MB; read on with offset 63]") {
		t.Errorf("%q", r.Text[len(r.Text)-200:])
	}
	// Between the blocks the file is one line of zeros, 149 MB long.
	r = call(t, w, args{"path": "huge.log", "offset": 1026, "limit": 1})
	if !strings.HasPrefix(r.Text, "  1026\txxxx") {
		t.Errorf("%.100q", r.Text)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.Open = cancelling(w.Open, cancel)
	got := read.New().Run(ctx, w, tool.Call{Arguments: []byte(`{"path":"huge.log","offset":1000000}`)}, nil)
	if got.Status != tool.Aborted {
		t.Errorf("%+v", got)
	}
}

// cancelling cancels once a file was opened and is being read.
func cancelling(open func(tool.Target) (tool.File, error), cancel func()) func(tool.Target) (tool.File, error) {
	return func(t tool.Target) (tool.File, error) {
		file, err := open(t)
		return &cancelFile{file, cancel}, err
	}
}

type cancelFile struct {
	tool.File
	cancel func()
}

func (f *cancelFile) Read(p []byte) (int, error) {
	f.cancel()
	return f.File.Read(p)
}

// What cannot be shown is refused in words that say what it is and what to do.
func TestUnreadableIsRefused(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	put(t, dir, "main.go", []byte("package main\n"))
	put(t, dir, "program", []byte("\x7fELF\x02\x01\x01\x00\x00\x00"))
	put(t, dir, "doc.pdf", []byte("%PDF-1.4\n\x00\x00"))
	put(t, dir, "utf16.txt", []byte("\xff\xfeh\x00i\x00"))
	put(t, dir, "secret", []byte("x"))
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"main.og":      "main.og does not exist, did you mean main.go?",
		"nowhere/x":    "nowhere/x does not exist, and neither does its directory",
		"main.go/x":    "a part of main.go/x is a file, not a directory",
		"folder":       "folder is a directory, use ls",
		"program":      "program is a binary file (10 bytes)",
		"doc.pdf":      "doc.pdf is a binary file (application/pdf, 11 bytes)",
		"utf16.txt":    "utf16.txt is text in UTF-16",
		"pipe":         "pipe: neither a file nor a directory",
		"a\x00b":       "invalid path",
		"~nobody/file": "~nobody/file does not exist",
	} {
		r := call(t, w, args{"path": path})
		if r.Status != tool.Error || !strings.HasPrefix(r.Text, want) {
			t.Errorf("%s: %s %q, want %q", path, r.Status, r.Text, want)
		}
	}
}

// A picture comes as a picture, unless it is too large.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "p.png", b.Bytes())
	put(t, dir, "p.webp", []byte("RIFF\x04\x00\x00\x00WEBPVP8 \x00"))
	put(t, dir, "large.gif", append([]byte("GIF89a"), make([]byte, 4<<20)...))
	r := call(t, w, args{"path": "p.png"})
	want := tool.Result{
		Status: tool.Success, Text: fmt.Sprintf("p.png is a picture (image/png, 30 × 20, %d bytes).", b.Len()),
		Summary: fmt.Sprintf("30 × 20, %d bytes", b.Len()), Display: tool.Display{File: "p.png"},
		Images: []tool.Image{{MediaType: "image/png", Data: b.Bytes()}},
	}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
	if r := call(t, w, args{"path": "p.webp"}); len(r.Images) != 1 || r.Images[0].MediaType != "image/webp" {
		t.Errorf("%+v", r)
	}
	if r := call(t, w, args{"path": "large.gif"}); r.Status != tool.Error || !strings.Contains(r.Text, "4 MB, the most is") {
		t.Errorf("%+v", r)
	}
}

// A whole output that was kept outside the workspace can be read without a grant.
func TestReadSpilled(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	out, path, err := w.Spill("call-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte("the whole\n")); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if r := call(t, w, args{"path": path}); r.Text != "     1\tthe whole\n" {
		t.Errorf("%+v", r)
	}
}

// Read remembers what a file held, whole or in part, so a later change by someone else shows.
func TestReadRemembersWhatItRead(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	for name, a := range map[string]args{"whole": {"path": "whole"}, "part": {"path": "part", "limit": 1}} {
		put(t, dir, name, []byte("a\nb\n"))
		call(t, w, a)
		path := filepath.Join(w.Root, name)
		if w.Seen.Stale(path, tool.StampOf([]byte("a\nb\n"))) || !w.Seen.Stale(path, tool.StampOf([]byte("a\nc\n"))) {
			t.Errorf("%s: not remembered", name)
		}
	}
}
