package markdown

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/cell"
)

type example struct {
	Number   int    `json:"example"`
	Section  string `json:"section"`
	Markdown string `json:"markdown"`
}

func examples(t testing.TB) []example {
	t.Helper()
	data, err := os.ReadFile("testdata/commonmark.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 652 {
		t.Fatalf("%d examples, want the specification's 652", len(all))
	}
	return all
}

// chunks cuts a text into pieces: whole, byte by byte, or at random, finely or
// coarsely.
func chunks(text, how string, rng *rand.Rand) []string {
	var out []string
	for text != "" {
		n := len(text)
		switch how {
		case "byte":
			n = 1
		case "random":
			n = 1 + rng.IntN(min(n, 9))
		case "coarse":
			n = 1 + rng.IntN(min(n, 700))
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

var chunkings = []string{"whole", "byte", "random"}

// stream runs the pieces through a Stream and returns its blocks.
func stream(pieces []string, o Options) []Block {
	s := New(o)
	var out []Block
	for _, p := range pieces {
		out = append(out, s.Write(p)...)
		s.Tail().Lines(20)
	}
	return append(out, s.Close()...)
}

// set renders blocks at a width, an empty line in each gap.
func set(blocks []Block, width int) []cell.Line {
	var out []cell.Line
	for _, b := range blocks {
		if b.Gap {
			out = append(out, nil)
		}
		out = append(out, b.Lines(width)...)
	}
	return out
}

// forward are the examples that use a reference before its definition. In a
// stream that is text, brackets and all, so they are compared by letters and
// digits, and a label may be there in addition.
var forward = []int{
	23, 33, 203, 204, 214, 218, 527, 528, 529, 530, 531, 532, 533, 534, 535, 539, 540, 542,
	543, 549, 553, 554, 555, 556, 557, 558, 559, 560, 561, 562, 565, 566, 568, 569, 570, 571,
	573, 576, 577, 582, 583, 584, 585, 586, 587, 588, 589, 591, 593,
}

// No word of a specification example is lost, joined or moved, in any pieces, at
// any width.
func TestNoWordIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	runs := 0
	for _, e := range examples(t) {
		want := oracleWords(t, e.Markdown, true)
		for _, how := range chunkings {
			blocks := stream(chunks(e.Markdown, how, rng), Options{})
			for _, width := range []int{0, 20, 80} {
				runs++
				got := renderedWords(set(blocks, width), width)
				diff := missing(want, got, never)
				if slices.Contains(forward, e.Number) {
					if diff == "" {
						t.Errorf("example %d needs no exception", e.Number)
					}
					diff = missing(letters(oracleWords(t, e.Markdown, false)), letterTokens(got), func(w string) bool { return strings.Contains(e.Markdown, w) })
				}
				if diff != "" {
					t.Errorf("example %d (%s), %s at %d: %s\nsource %q\nwant %q\ngot  %v", e.Number, e.Section, how, width, diff, e.Markdown, want, got)
				}
			}
		}
	}
	t.Logf("%d runs", runs)
}

func letterTokens(got []token) []token {
	var out []token
	for _, tok := range got {
		parts := letters([]string{tok.text})
		for i, p := range parts {
			out = append(out, token{p, tok.glue && i == len(parts)-1})
		}
	}
	return out
}

// The pieces a text comes in change nothing: not the blocks, their places
// nor their lines.
func TestChunking(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, e := range examples(t) {
		if diff := chunkingDiff(e.Markdown, rng); diff != "" {
			t.Errorf("example %d: %s", e.Number, diff)
		}
	}
}

// A view is all that is seen of a block.
type view struct {
	Start, End int
	Gap        bool
	Lines      []cell.Line
}

func views(blocks []Block) []view {
	out := make([]view, len(blocks))
	for i, b := range blocks {
		out[i] = view{b.Start, b.End, b.Gap, b.Lines(30)}
	}
	return out
}

func chunkingDiff(text string, rng *rand.Rand) string {
	var want []view
	for _, how := range chunkings {
		pieces := chunks(text, how, rng)
		v := views(stream(pieces, Options{}))
		if how == "whole" {
			want = v
		} else if diff := differ(want, v); diff != "" {
			return fmt.Sprintf("%s: %q (-whole +%s):\n%s", how, text, how, diff)
		}
	}
	return ""
}

// Blocks are in order and do not overlap, and what lies between them is blank.
func TestBlocksKnowTheirPlace(t *testing.T) {
	for _, e := range examples(t) {
		if diff := placesDiff(e.Markdown); diff != "" {
			t.Errorf("example %d: %s", e.Number, diff)
		}
	}
}

func placesDiff(text string) string {
	at := 0
	for _, b := range append(stream([]string{text}, Options{}), Block{Start: len(text), End: len(text)}) {
		if b.Start < at || b.End < b.Start || b.End > len(text) {
			return fmt.Sprintf("%q: block at [%d,%d) after %d", text, b.Start, b.End, at)
		}
		if between := cell.Clean(text[at:b.Start]); strings.Trim(between, " \t\n") != "" {
			return fmt.Sprintf("%q: %q is in no block", text, between)
		}
		at = b.End
	}
	return ""
}
