package markdown

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// tricky are lines that mean different things in different places. The words
// differ, so that none can be mistaken for another.
var tricky = []string{
	"", "", "", " ", "\t", "text@", "text@", "  text@", "    text@", "\ttext@", "   text@",
	"- item@", "- item@", "* item@", " - item@", "  - item@", "   - item@", "    - item@", "-", "*", "  -", "-   item@", "-      item@", "-\titem@",
	"1. item@", "2. item@", "2) item@", "  3. item@", "10. item@", "1.", "1.\titem@", "   text@", "     text@",
	"> quote@", ">quote@", ">", "> - item@", "> ```", "> > quote@", "> # head@", "  > quote@", "- > quote@", "- # head@", "- ```", "- - item@", "- ---",
	"# head@", "## head@ ##", "#", "#head@", "  # head@",
	"---", "- - -", "***", "===", "--", "=", "  ---", "    ---", "-=-",
	"```", "~~~", "```go", "````", "  ```", "    ```", "``` a`b@",
	"a@ | b@", "| a@ | b@ |", "--|--", "|-|-|", ":-:|-", "|", ":-", "- | -",
	"<div>", "</div>", "<!-- c@", "-->", "<pre>", "</pre>", "<b>", "<b>x@</b>", "<?php", "?>", "<a href=\"", "<br>",
	"*em@", "em@*", "**b@**", "`c@", "c@`", "[l@](u)", "[l@", "l@](u)", "l@\\", "l@  ", "~~s@", "s@~~", "_u@_", "\\", "\\*a@", "\\\\*b@", "c@*\\\\", "a@~b", "~d@", "x_@_", "_(@", "&amp; x@", "x &am", "![]()", "&#32;", "&nbsp;", "<br><br>", "<!--@", "[x@]: u", "]", "[", "![", "$x@$", "www.a@.b", "*(a@", "b@)*", "![i@](u)", "https://a.example/x@ y", "<u@v.w>", "- [ ] t@", "- [x] t@", "1. [ ] t@",
}

// randomText puts tricky lines together.
func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for i := range 1 + rng.IntN(10) {
		line := tricky[rng.IntN(len(tricky))]
		b.WriteString(strings.ReplaceAll(line, "@", string(rune('A'+i))))
		b.WriteByte('\n')
	}
	text := b.String()
	if rng.IntN(4) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

// What the stream cuts apart reads as goldmark reads the whole.
func TestStreamReadsAsGoldmark(t *testing.T) {
	const seed, runs = 1, 1500
	rng := rand.New(rand.NewPCG(seed, seed))
	for range runs {
		text := randomText(rng)
		got := renderedWords(Render(text, 0, Options{}), 0)
		if misplaces(text) {
			continue
		}
		if diff := missing(oracleWords(t, text, true), got, never); diff != "" {
			t.Errorf("%q: %s\nwant %q\ngot  %v", text, diff, oracleWords(t, text, true), got)
		}
		if diff := chunkingDiff(text, rng); diff != "" {
			t.Error(diff)
		}
		checkLines(t, text, 2+rng.IntN(30))
	}
	t.Logf("%d runs, seed %d", runs, seed)
}

// misplaces reports the texts whose blocks goldmark 1.8.7 itself may put out of
// order: a table that an underline follows within its paragraph. It also takes an
// indented --- for a delimiter row there.
func misplaces(text string) bool {
	table := false
	for line := range strings.Lines(text) {
		switch {
		case blank([]byte(line)):
			table = false
		case table && underline([]byte(line)):
			return true
		case delimiters([]byte(line)), rule([]byte(strings.TrimSpace(line))):
			table = true
		}
	}
	return false
}
