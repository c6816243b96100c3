package markdown

import (
	"strings"
	"testing"

	"parley/internal/cell"
)

// The open end shows what is there, without markers that say nothing yet, and
// with the emphasis that has begun.
func TestTailShowsWhatIsOpen(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"a word", "wor", "wor"},
		{"a space waits", "wor ", "wor"},
		{"after a finished line", "one\ntw", "tw"},
		{"a dash says nothing yet", "Title\n-", "Title"},
		{"nor does the sign of a fence", "Title\n``", "Title"},
		{"nor a number", "one\n\n12", ""},
		{"nor its dot", "one\n\n12.", ""},
		{"a list", "- a\n- b\n  - c", "• b|  • c"},
		{"its numbers go on", "3. a\n3. b\n3. c", "4. b|5. c"},
		{"a first number", "7. a", "7. a"},
		{"a fence", "```go\nfunc", "  ␛[90mgo␛[0m|  func"},
		{"a fence has no colours before its end", "```go\nfunc f()\n``", "  ␛[90mgo␛[0m|  func f()"},
		{"an empty line in it", "```\na\n\n", "  a|"},
		{"bold has begun", "a **bold te", "a ␛[1mbold te␛[0m"},
		{"and has said nothing", "a **", "a"},
		{"code has begun", "a `co", "a ␛[90m`␛[0mco␛[90m`␛[0m"},
		{"two at once", "**a *b", "␛[1ma ␛[3mb␛[0m"},
		{"closed again", "**a** b", "␛[1ma␛[0m b"},
		{"no emphasis", "2 * 3", "2 * 3"},
		{"a name", "a_b_c", "a_b_c"},
		{"in an item", "- a **b\n  c", "• a ␛[1mb␛[0m|  ␛[1mc␛[0m"},
		{"a table", "a | b\n--|--\n1 |", "␛[1ma␛[0m  ␛[1mb␛[0m|␛[90m─  ─␛[0m|1"},
		{"no emphasis in code", "- a\n  ```\n  **b", "• a|    **b"},
		{"nor in indented code", "    a\n    **b", "  a|  **b"},
		{"a heading", "# He", "␛[1;36mHe␛[0m"},
	} {
		s := New(Options{Highlight: true})
		s.Write(c.in)
		got := strings.TrimSuffix(strings.ReplaceAll(show(s.Tail().Lines(0), cell.Color16), "\n", "|"), "|")
		if got != c.want {
			t.Errorf("%s: %q shows %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

// The tail begins where the last finished block ends, but for blank lines, and
// reaches to the end of what was written.
func TestTailBeginsAfterLastBlock(t *testing.T) {
	for _, e := range examples(t) {
		s := New(Options{})
		last := 0
		for i := range len(e.Markdown) {
			for _, b := range s.Write(e.Markdown[i : i+1]) {
				last = b.End
			}
			tail := s.Tail()
			if tail.Start < last || tail.End != i+1 || strings.TrimSpace(e.Markdown[last:tail.Start]) != "" {
				t.Errorf("example %d: after %q the tail is [%d,%d), the blocks end at %d", e.Number, e.Markdown[:i+1], tail.Start, tail.End, last)
				break
			}
		}
	}
}
