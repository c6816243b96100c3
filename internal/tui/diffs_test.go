package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
)

// A diff has the number of each line, in the text that it stands in, and shows
// the words that changed in lines of which most stayed.
func TestDiffNumbersAndChangedWords(t *testing.T) {
	got := diffOf("--- a\n+++ b\n@@ -9,4 +9,4 @@\n kept\n-one two three four\n-gone\n+one TWO three four\n+quite another\n \tindented\n@@ -99,1 +99,2 @@\n+new\n last\n", 0)
	red, green := cell.Style{Color: cell.Red}, cell.Style{Color: cell.Green}
	want := []cell.Line{
		{{Text: "    9 ", Style: dim}, {Text: "  ", Style: plain}, {Text: "kept", Style: plain}},
		{{Text: "   10 ", Style: dim}, {Text: "− ", Style: red}, {Text: "one ", Style: red}, {Text: "two", Style: red.With(cell.Reverse)}, {Text: " three four", Style: red}},
		{{Text: "   11 ", Style: dim}, {Text: "− ", Style: red}, {Text: "gone", Style: red}},
		{{Text: "   10 ", Style: dim}, {Text: "+ ", Style: green}, {Text: "one ", Style: green}, {Text: "TWO", Style: green.With(cell.Reverse)}, {Text: " three four", Style: green}},
		{{Text: "   11 ", Style: dim}, {Text: "+ ", Style: green}, {Text: "quite another", Style: green}},
		{{Text: "   12 ", Style: dim}, {Text: "  ", Style: plain}, {Text: "        indented", Style: plain}},
		{{Text: "      ⋮", Style: dim}},
		{{Text: "   99 ", Style: dim}, {Text: "+ ", Style: green}, {Text: "new", Style: green}},
		{{Text: "  100 ", Style: dim}, {Text: "  ", Style: plain}, {Text: "last", Style: plain}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if short := diffOf("@@ -1,6 +1,6 @@\n a\n b\n c\n d\n e\n f\n", 2); len(short) != 3 || short[2].Text() != "  … 4 more lines, ctrl+o" {
		t.Errorf("%q", short)
	}
	if broken := diffOf("not a diff\n@@ nonsense", 8); len(broken) == 0 {
		t.Error("a diff that cannot be read is not shown")
	}
}
