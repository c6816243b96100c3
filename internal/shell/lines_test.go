package shell

import (
	"os"
	"strings"
	"testing"
)

// corpus is every line of testdata/corpus.txt.
func corpus(t testing.TB) []string {
	content, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	comment := true // a block begins with one
	for text := range strings.Lines(string(content)) {
		text = strings.TrimSuffix(text, "\n")
		if text == "" || comment && strings.HasPrefix(text, "# ") {
			comment = true
			continue
		}
		comment = false
		lines = append(lines, spelled.Replace(text))
	}
	return lines
}

// quirks is every line of testdata/quirks.txt.
var quirks = func() []string {
	content, err := os.ReadFile("testdata/quirks.txt")
	if err != nil {
		panic(err)
	}
	var lines []string
	for text := range strings.Lines(string(content)) {
		if text = strings.TrimSuffix(text, "\n"); text != "" && !strings.HasPrefix(text, "# ") {
			lines = append(lines, spelled.Replace(text))
		}
	}
	return lines
}()
