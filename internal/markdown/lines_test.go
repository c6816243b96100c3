package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
)

// An arrival is a piece of text and the lines that it lets out, joined by |.
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
	{"a list comes whole",
		[]arrival{{"- a\n", ""}, {"- b\n", ""}, {"\n", ""}, {"- c\n", ""}, {"\n", ""}, {"Then", ""}, {".\n", "• a|• b||• c"}}, "|Then."},
	{"a heading comes at its newline",
		[]arrival{{"# He", ""}, {"re\n", "Here"}}, ""},
	{"definitions show nothing",
		[]arrival{{"a\n\n[d]: /u\n\n", "a"}, {"[d]\n\n", "|d (/u)"}}, ""},
	{"a setext heading of two lines keeps its style on the last only",
		[]arrival{{"one\n", ""}, {"two\n", "one"}, {"===\n", "two"}}, ""},
}

// TestArrival says when line mode lets a line out.
func TestArrival(t *testing.T) {
	text := func(lines []cell.Line) string {
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = l.Text()
		}
		return strings.Join(out, "|")
	}
	for _, c := range arrivals {
		l := NewLines(Options{}, 0)
		for _, s := range c.steps {
			if got := text(l.Write(s.in)); got != s.out {
				t.Errorf("%s: %q lets out %q, want %q", c.name, s.in, got, s.out)
			}
		}
		if got := text(l.Close()); got != c.close {
			t.Errorf("%s: the end lets out %q, want %q", c.name, got, c.close)
		}
	}
}

// As typed, a text keeps its markers; only white space outside fences changes.
func TestTyped(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"markers stay", "# A *b* [c](d)\n\n- e\n* f\n", "# A *b* [c](d)\n\n- e\n* f"},
		{"trailing spaces go", "a  \nb \t\n\n# c   \n", "a\nb\n\n# c"},
		{"empty lines are one", "\n\na\n\n\n\nb\n\n\n", "a\n\nb"},
		{"also in a list", "- a\n\n\n  b\n\n\n- c\n", "- a\n\n  b\n\n- c"},
		{"not in a fence", "```\n\na  \n\n\n```\n", "```\n\na  \n\n\n```"},
		{"nor in a fence in a list", "- ```\n  a  \n\n\n  b\n  ```\n- c  \n", "- ```\n  a  \n\n\n  b\n  ```\n- c"},
		{"tabs stay", "\tx\n\n```\n\ty\n```\n", "\tx\n\n```\n\ty\n```"},
		{"definitions stay", "[a]: /b\n\n[a]\n", "[a]: /b\n\n[a]"},
		{"definitions stand apart", "x\n\n[a]: /b\n[c]: /d\n\ny\n", "x\n\n[a]: /b\n[c]: /d\n\ny"},
		{"sequences go", "\x1b[31ma\x1b[0m\r\nb\r\n", "a\nb"},
		{"nothing", " \n\n\t\n", ""},
	} {
		var got []string
		for _, l := range printed(NewTyped(), []string{c.in}) {
			got = append(got, string(cell.Append(nil, l, cell.NoStyle)))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
