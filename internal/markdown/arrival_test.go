package markdown

import (
	"strings"
	"testing"
)

// An arrival is a piece of text and the lines of the blocks that it finishes,
// joined by |.
type arrival struct{ in, out string }

var arrivals = []struct {
	name  string
	steps []arrival
	close string
}{
	{"a line of prose waits for the next line's first letter",
		[]arrival{{"The file", ""}, {" is fine.\n", ""}, {"I", "The file is fine."}, {"t is\n", ""}}, "It is"},
	{"or for an empty line",
		[]arrival{{"One.\n", ""}, {"\n", "One."}, {"\n", ""}, {"Two.\n\n", "|Two."}}, ""},
	{"or for the end",
		[]arrival{{"One.", ""}}, "One."},
	{"it may become a heading",
		[]arrival{{"Title\n", ""}, {"--", ""}, {"-\n", "Title"}}, ""},
	{"or a table's header",
		[]arrival{{"a | b\n", ""}, {"--|", ""}, {"--\n", ""}, {"1 | 2\n", ""}, {"\n", "a  b|─  ─|1  2"}}, ""},
	{"it was no underline",
		[]arrival{{"Title\n", ""}, {"--", ""}, {"x\n", "Title"}}, "--x"},
	{"emphasis over lines waits for its end",
		[]arrival{{"a *b\n", ""}, {"c\n", ""}, {"d* e\n", ""}, {"f", "a b|c|d e"}}, "f"},
	{"a star that opens nothing does not wait",
		[]arrival{{"2 * 3\n", ""}, {"x", "2 * 3"}}, "x"},
	{"nor a name with underscores, nor closed brackets",
		[]arrival{{"a_b [c] d\n", ""}, {"x", "a_b [c] d"}}, "x"},
	{"an open bracket waits",
		[]arrival{{"see [the\n", ""}, {"docs](u)\n", ""}, {"x", "see the|docs (u)"}}, "x"},
	{"a fence comes whole",
		[]arrival{{"```\na\n", ""}, {"b\n", ""}, {"```", ""}, {"\n", "  a|  b"}}, ""},
	{"a fence after prose lets the prose out",
		[]arrival{{"Run:\n", ""}, {"```\n", "Run:"}, {"a\n```\n", "  a"}}, ""},
	{"a list item comes when the next one begins",
		[]arrival{{"- a\n", ""}, {"- b\n", "• a"}, {"\n", ""}, {"- c\n", "• b"}, {"\n", ""}, {"Then", ""}, {".\n", "|• c"}}, "|Then."},
	{"a heading comes at its newline",
		[]arrival{{"# He", ""}, {"re\n", "Here"}}, ""},
	{"definitions show nothing",
		[]arrival{{"a\n\n[d]: /u\n\n", "a"}, {"[d]\n\n", "|d (/u)"}}, ""},
	{"a setext heading of two lines keeps its style on the last only",
		[]arrival{{"one\n", ""}, {"two\n", "one"}, {"===\n", "two"}}, ""},
}

// TestArrival says when a block is finished.
func TestWhenABlockIsFinished(t *testing.T) {
	text := func(blocks []Block) string {
		var out []string
		for _, l := range set(blocks, 0) {
			out = append(out, l.Text())
		}
		return strings.Join(out, "|")
	}
	for _, c := range arrivals {
		s := New(Options{})
		for _, step := range c.steps {
			if got := text(s.Write(step.in)); got != step.out {
				t.Errorf("%s: %q finishes %q, want %q", c.name, step.in, got, step.out)
			}
		}
		if got := text(s.Close()); got != c.close {
			t.Errorf("%s: the end finishes %q, want %q", c.name, got, c.close)
		}
	}
}
