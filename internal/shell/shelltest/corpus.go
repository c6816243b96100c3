// Package shelltest makes command lines for tests: what coding agents issue, what readers of shell text disagree about, and lines
// that are generated from both and from the grammar of package shell.
//
// The same seed gives the same lines. It knows nothing of what a line means, and is imported by tests only.
package shelltest

import (
	_ "embed"
	"strings"
)

var (
	//go:embed corpus.txt
	corpus string
	//go:embed quirks.txt
	quirks string
)

// Spelled are the marks of a data file for what a line of it cannot hold.
var Spelled = strings.NewReplacer("⏎", "\n", "␍", "\r", "⇥", "\t", "␀", "\x00", "␛", "\x1b", "␟", "\xff")

// Corpus are the lines of corpus.txt: what coding agents issue.
func Corpus() []string {
	var lines []string
	comment := true // a block begins with one
	for text := range strings.Lines(corpus) {
		text = strings.TrimSuffix(text, "\n")
		if text == "" || comment && strings.HasPrefix(text, "# ") {
			comment = true
			continue
		}
		comment = false
		lines = append(lines, Spelled.Replace(text))
	}
	return lines
}

// Quirks are the lines of quirks.txt: what two readers of shell text may take for different things.
func Quirks() []string {
	var lines []string
	for text := range strings.Lines(quirks) {
		if text = strings.TrimSuffix(text, "\n"); text != "" && !strings.HasPrefix(text, "# ") {
			lines = append(lines, Spelled.Replace(text))
		}
	}
	return lines
}
