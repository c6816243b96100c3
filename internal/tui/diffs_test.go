package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
)

// A diff has the number of each line, in the text that it stands in, and shows
// the words that changed in lines of which most stayed.
func TestDiffNumbersAndChangedWords(t *testing.T) {
	got := joined(diffOf("--- a\n+++ b\n@@ -9,4 +9,4 @@\n kept\n-one two three four\n-gone\n+one TWO three four\n+quite another\n \tindented\n@@ -99,1 +99,2 @@\n+new\n last\n", 0, 0))
	red, green := cell.Style{Color: cell.Red}, cell.Style{Color: cell.Green}
	want := []cell.Line{
		{{Text: "    9 ", Style: dim}, {Text: "  kept", Style: plain}},
		{{Text: "   10 ", Style: dim}, {Text: "− one ", Style: red}, {Text: "two", Style: red.With(cell.Reverse)}, {Text: " three four", Style: red}},
		{{Text: "   11 ", Style: dim}, {Text: "− gone", Style: red}},
		{{Text: "   10 ", Style: dim}, {Text: "+ one ", Style: green}, {Text: "TWO", Style: green.With(cell.Reverse)}, {Text: " three four", Style: green}},
		{{Text: "   11 ", Style: dim}, {Text: "+ quite another", Style: green}},
		{{Text: "   12 ", Style: dim}, {Text: "  ", Style: plain}, {Text: "⇥", Style: dim}, {Text: "       indented", Style: plain}},
		{{Text: "      ⋮", Style: dim}},
		{{Text: "   99 ", Style: dim}, {Text: "+ new", Style: green}},
		{{Text: "  100 ", Style: dim}, {Text: "  last", Style: plain}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if short := diffOf("@@ -1,6 +1,6 @@\n a\n b\n c\n d\n e\n f\n", 0, 2); len(short) != 3 || short[2].Text() != "  … 4 more lines, ctrl+o" {
		t.Errorf("%q", short)
	}
	if broken := diffOf("not a diff\n@@ nonsense", 0, 8); len(broken) == 0 {
		t.Error("a diff that cannot be read is not shown")
	}
}

// joined are lines of which neighbours of one style are one span.
func joined(lines []cell.Line) []cell.Line {
	for i, l := range lines {
		lines[i] = cell.Join(l)
	}
	return lines
}

// A diff shows what will be in the file, byte for byte: carriage returns, the end
// without a newline, tabs, what cannot be seen, and lines that run on.
func TestDiffShowsEveryByte(t *testing.T) {
	got := diffOf("@@ -1,2 +1,6 @@\n kept\r\n-x ]0;hidden line\a y\n+x \x1b]0;hidden line\a y\n+p\u0430y \n+a\\b\tc⇥\u202e\n+\n+a line that runs on and on\n\\ No newline at end of file\n", 24, 0)
	want := `
  1   kept\r
  2 − x ]0;hidden line\u
    ↳ 0007 y
  2 + x \u001b]0;hidden 
    ↳ line\u0007 y
  3 + p\u0430y\u0020
  4 + a\\b⇥   c\u21e5\u2
    ↳ 02e
  5 + 
  6 + a line that runs o
    ↳ n and on
    \ no newline at the end`
	var text []string
	for _, l := range got {
		text = append(text, l.Text())
	}
	if d := cmp.Diff(want[1:], strings.Join(text, "\n")); d != "" {
		t.Error(d)
	}
}
