package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	const size = "| name | size |\n|------|-----:|\n| a file | 12 |\n| b | 1,000 |\n"
	for _, c := range []struct {
		name  string
		in    string
		width int
		want  string
	}{
		{"without bound", size, 0, "name     size/──────  ─────/a file     12/b       1,000"},
		{"exactly fits", size, 13, "name     size/──────  ─────/a file     12/b       1,000"},
		{"a cell wraps", size, 12, "name    size/─────  ─────/a         12/file        /b      1,000"},
		{"as narrow as its words", size, 11, "name   size/────  ─────/a        12/file       /b     1,000"},
		{"records", size, 10, "name: a/  file/size: 12//name: b/size:/  1,000"},
		{"in an item", "- | a | b |\n  |---|---|\n  | c | d |\n", 20, "• a  b/  ─  ─/  c  d"},
		{"in a quote", "> a | b\n> --|--\n> c | d\n", 20, "│ a  b/│ ─  ─/│ c  d"},
		{"after prose", "x\na | b\n--|--\nc | d\n", 20, "x/a  b/─  ─/c  d"},
		{"short and long rows", "a|b\n-|-\n1\n1|2|3\n", 20, "a  b/─  ─/1   /1  2"},
		{"no header text", "| | |\n|-|-|\n| a | b |\n", 20, "a  b"},
		{"a header alone", "a | b\n--|--\n", 20, "a  b/─  ─"},
		{"a header alone, too narrow", "alpha | beta\n--|--\n", 6, "alpha/beta"},
		{"break in a cell", "a | b\n--|--\nc<br>d | e\n", 20, "a  b/─  ─/c  e/d   "},
		{"escaped pipe", "a | b\n--|--\n`c\\|d` | \\| e |\n", 20, "a      b/─────  ───/`c|d`  | e"},
		{"centred", "| a |\n|:-:|\n| bcd |\n", 20, " a /───/bcd"},
	} {
		var got []string
		for _, l := range Render(c.in, c.width, Options{}) {
			if strings.TrimRight(l.Text(), " ") != l.Text() {
				t.Errorf("%s: white space after %q", c.name, l.Text())
			}
			got = append(got, l.Text())
		}
		var want []string
		for _, w := range strings.Split(c.want, "/") {
			want = append(want, strings.TrimRight(w, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// At no width does a table lose a word, break one or make one up, nor is it too
// wide.
func TestTableLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	vocabulary := []string{"a", "word", "`code`", "**bold**", "1,000", "世界", "longerwordhere", "é", "👍🏽", "x<br>y"}
	for range 100 {
		columns := 1 + rng.IntN(5)
		var b strings.Builder
		row := func(cell func() string) {
			for range columns {
				b.WriteString("| " + cell() + " ")
			}
			b.WriteString("|\n")
		}
		words := func() string {
			var parts []string
			for range rng.IntN(5) {
				parts = append(parts, vocabulary[rng.IntN(len(vocabulary))])
			}
			return strings.Join(parts, " ")
		}
		row(words)
		row(func() string { return []string{"---", ":--", "--:", ":-:"}[rng.IntN(4)] })
		for range rng.IntN(6) {
			row(words)
		}
		text := b.String()
		want := map[string]bool{}
		for _, w := range letters(oracleWords(t, text, true)) {
			want[w] = true
		}
		for width := range 70 {
			lines := Render(text, width, Options{})
			got := map[string]bool{}
			for _, l := range lines {
				if width >= MinWidth && l.Width() > width {
					t.Fatalf("%q at %d: %q is %d wide", text, width, l.Text(), l.Width())
				}
				for _, w := range letters(strings.Fields(l.Text())) {
					got[w] = true
				}
			}
			// A word wider than the screen is broken; wide characters always may be.
			if width > 0 && width < 20 || strings.Contains(text, "世") {
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%q at %d (-want +got):\n%s\n%s", text, width, diff, fmt.Sprint(lines))
			}
		}
	}
}
