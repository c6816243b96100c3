package shell

import (
	"flag"
	"os"
	"strings"
	"testing"

	"parley/internal/shell/shelltest"
)

var update = flag.Bool("update", false, "rewrite the expected lines of the data files")

// golden goes through a data file: a line "> INPUT" is followed by what answer says of it. ⏎ stands for a newline in it.
func golden(t *testing.T, name string, answer func(input string) []string) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, text := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		if input, ok := strings.CutPrefix(text, "> "); ok {
			out = append(out, text)
			out = append(out, answer(shelltest.Spelled.Replace(input))...)
			continue
		}
		if text == "" || text[0] == '#' {
			out = append(out, text)
		}
	}
	got := strings.Join(out, "\n") + "\n"
	if got == string(content) {
		return
	}
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(string(content), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("%s:%d: %q differs; -update rewrites the file", name, i+1, line)
		}
	}
	t.Fatalf("%s is longer than it should be; -update rewrites it", name)
}
