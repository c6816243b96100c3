package cogency_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
	"parley/internal/display/plain"
	"parley/internal/wire/cogency"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// render shows a stream as parley render does. Bad lines and the exit code come
// after the output, where there is something to say.
func render(t testing.TB, in string, o plain.Options) string {
	t.Helper()
	var out, notes bytes.Buffer
	exit, err := cogency.Render(context.Background(), strings.NewReader(in), plain.New(&out, o), nil, func(n int, err error) {
		fmt.Fprintf(&notes, "line %d: %v\n", n, err)
	})
	if err != nil {
		t.Fatal(err)
	}
	if notes.Len() > 0 {
		out.WriteString("-- stderr --\n" + notes.String())
	}
	if exit != 0 {
		fmt.Fprintf(&out, "-- exit %d --\n", exit)
	}
	return out.String()
}

// Each file holds a stream, what it looks like in a pipe, and where that differs
// by more than its colours, on a terminal of 20 columns.
func TestRenderOfStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/render/*.txt")
	if err != nil || len(files) < 24 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, want, ok := strings.Cut(string(data), "-- stdout --\n")
		if !ok && !*update {
			t.Fatalf("%s: no output", file)
		}
		var stream strings.Builder
		for line := range strings.Lines(in) {
			if !strings.HasPrefix(line, "# ") {
				stream.WriteString(line)
			}
		}
		got := render(t, stream.String(), plain.Options{})
		color := render(t, stream.String(), plain.Options{Profile: cell.Color16, Width: func() int { return 20 }, Terminal: true})
		got += "-- terminal --\n" + strings.ReplaceAll(color, "\x1b", "␛")
		if *update {
			if err := os.WriteFile(file, []byte(in+"-- stdout --\n"+got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", file, d)
		}
	}
}

// The protocol's own example, byte for byte.
func TestFullExample(t *testing.T) {
	const in = `{"type": "user", "content": "What's in main.py?"}
{"type": "think", "content": "I should read the file"}
{"type": "call", "content": "{\"name\": \"read\", \"args\": {\"file\": \"main.py\"}}"}
{"type": "result", "payload": {"outcome": "Read 50 lines", "content": "def main(): ..."}}
{"type": "respond", "content": "The file contains a main function."}
{"type": "end"}
{"type": "metric", "step": {"input": 60, "output": 40}, "total": {"input": 120, "output": 80}}
`
	const want = `$ What's in main.py?
~ I should read the file

read("main.py")
✓ Read 50 lines
def main(): ...

The file contains a main function.
───
Input: 120  Output: 80
`
	if d := cmp.Diff(want, render(t, in, plain.Options{})); d != "" {
		t.Error(d)
	}
}
