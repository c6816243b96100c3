package markdown

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
)

// repeat writes lines or words, each with a number of its own, up to a size.
func repeat(size int, format string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.ReplaceAll(format, "@", fmt.Sprint(i)))
	}
	return b.String()
}

// endless are open blocks that go past every limit.
var endless = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"paragraph of one line":    repeat(48<<10, "word@ "),
		"paragraph of many lines":  repeat(48<<10, "word@ and some more\n"),
		"paragraph with a star":    "*" + repeat(48<<10, "word@ and some more\n"),
		"paragraph with a bracket": "[" + repeat(48<<10, "word@ and [some] more\n"),
		"word":                     strings.Repeat("x", 40<<10) + " end\n\nnext\n",
		"wide word":                "a" + strings.Repeat("世界", 10<<10) + " end\n\nnext\n",
		"emoji word":               strings.Repeat("👩‍👩‍👧", 3<<10) + "\n",
		"fence":                    "```go\n" + repeat(140<<10, "\tx@ := f(y) // and so on\n") + "```\nafter the fence\n",
		"fence, one line":          "```\n" + repeat(40<<10, "x@ := f(y); ") + "\n```\nafter the fence\n",
		"fence, never closed":      "~~~\n" + repeat(48<<10, "line@\n\n"),
		"list":                     repeat(48<<10, "- item@ of the list\n"),
		"numbered list":            repeat(48<<10, "1. item@ of the list\n"),
		"loose list":               repeat(48<<10, "* item@\n\n  and more\n\n"),
		"one item":                 "- first\n" + repeat(48<<10, "  line@ of it\n") + "\nafter\n",
		"one item, empty lines":    "- first\n" + repeat(48<<10, "\n  line@ of it\n") + "\nafter\n\n- new\n- list\n",
		"one item, lazy lines":     "- first\n" + repeat(48<<10, "line@ of it\n") + "\nafter\n",
		"item of one line":         "- " + repeat(40<<10, "word@ ") + "\n- second\n- third\n",
		"lists in lists":           "- top\n" + repeat(48<<10, "  - item@\n    1. deeper@\n"),
		"quote":                    repeat(48<<10, "> line@ of the quote\n") + "\nafter\n",
		"quote, lazy":              repeat(48<<10, "> # head@\n> line@\nlazy@\n") + "\nafter\n",
		"quotes in quotes":         strings.Repeat("> ", 10<<10) + "deep\n",
		"item probed":              "- a\n" + repeat(50<<10, "  # head@\n  b@\nc@\n"),
		"table":                    "| a | b |\n|---|---|\n" + repeat(48<<10, "| cell@ | more |\n") + "\nafter\n",
		"table row":                "| a | b |\n|---|---|\n| " + repeat(40<<10, "cell@ ") + "|\n| c | d |\n",
		"code":                     repeat(48<<10, "    line@\n\n") + "after\n",
		"html":                     "<div>\n" + repeat(48<<10, "line@\n") + "\nafter\n",
		"comment":                  "<!--\n" + repeat(48<<10, "line@\n\n") + "-->\nafter\n",
		"heading":                  "# " + repeat(40<<10, "word@ ") + "\nafter\n",
		"setext heading":           repeat(40<<10, "word@ *a\n") + "---\nafter\n",
		"definitions":              repeat(40<<10, "[d@]: /u@\n") + "\n[d0] [d1]\n",
		"definitions apart":        repeat(40<<10, "[d@]: /u@\n\nuse [d@]\n\n"),
		"empty lines":              "a\n" + strings.Repeat("\n", 40<<10) + "b\n",
		"blank lines in an item":   "- a\n" + strings.Repeat("\n", 40<<10) + "  b\n",
		"blank line":               strings.Repeat(" ", 40<<10) + "x\n",
		"title sequence":           "\x1b]0;" + strings.Repeat("t", 40<<10) + "\nafter\n",
		"delimiters":               strings.Repeat("*a_ ", 6<<10) + "\n",
		"brackets":                 strings.Repeat("[a](", 6<<10) + "\n",
	}
})

// Whatever grows without end, the text that is parsed stays in proportion to the
// text that was written, and no piece of it is parsed more than some dozen times.
func TestParsingIsLinear(t *testing.T) {
	for name, text := range endless() {
		s := New(Options{})
		blocks := []Block{}
		for _, p := range pieces(text) {
			blocks = append(blocks, s.Write(p)...)
		}
		blocks = append(blocks, s.Close()...)
		set(blocks, 80)
		if most := 12*len(text) + probeMax*blockMax; s.defs.parsed > most {
			t.Errorf("%s: %d bytes parsed for %d", name, s.defs.parsed, len(text))
		}
	}
}

// The open end never holds more than a block's limit, so that a frame costs the
// same however long the text is.
func TestTailBounded(t *testing.T) {
	for name, text := range endless() {
		s := New(Options{})
		for at := 0; at < len(text); at += 4 << 10 {
			s.Write(text[at:min(at+4<<10, len(text))])
			if n := len(s.Tail().body.source); n > fenceMax+lineMax+lineSlack {
				t.Errorf("%s: a tail of %d bytes", name, n)
				break
			}
		}
	}
}

// Beyond the limits, too, no word is lost and the pieces change nothing.
func TestNoWordIsLostBeyondLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, text := range endless() {
		clean := cell.Clean(text)
		random := chunks(text, "coarse", rng)
		blocks := stream1(text)
		if diff := differ(views(blocks), views(stream1(random...))); diff != "" {
			t.Errorf("%s: pieces change the blocks: %.2000s", name, diff)
		}
		if diff := placesDiff(text); diff != "" {
			t.Errorf("%s: %.300s", name, diff)
		}
		if strings.HasPrefix(name, "definitions") {
			continue
		}
		want := letters(strings.Fields(clean))
		got := letters(words(text, blocks))
		if name == "numbered list" {
			want, got = want[1:], got[1:] // its numbers are counted, not copied
			for i := range got {
				if i%5 == 4 {
					want[i], got[i] = "", ""
				}
			}
		}
		if diff := differ(want, got); diff != "" {
			t.Errorf("%s: words (-source +rendered): %.2000s", name, diff)
		}
		for _, l := range set(blocks, 40) {
			if l.Width() > 40 {
				t.Errorf("%s: a line of %d columns", name, l.Width())
				break
			}
		}
	}
}

func stream1(pieces ...string) []Block {
	s := New(Options{})
	var out []Block
	for _, p := range pieces {
		out = append(out, s.Write(p)...)
	}
	return append(out, s.Close()...)
}

// words returns what blocks of a text show, a line that was cut put together.
func words(text string, blocks []Block) []string {
	var all []byte
	for _, b := range blocks {
		for _, l := range b.Lines(0) {
			all = append(all, l.Text()+"\n"...)
		}
		if b.End > 0 && !strings.ContainsAny(text[b.End-1:b.End], " \n") {
			all = bytes.TrimSuffix(all, []byte("\n"))
		}
	}
	return strings.Fields(string(all))
}

// differ is cmp.Diff, made cheap for what is large and equal.
func differ(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}
