package cell

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func texts(lines []Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Text()
	}
	return out
}

func TestWrap(t *testing.T) {
	bullet := Indent{First: Plain("• "), Rest: Plain("  ")}
	for _, c := range []struct {
		name  string
		text  string
		width int
		in    Indent
		want  []string
	}{
		{"fits", "one two", 7, Indent{}, []string{"one two"}},
		{"empty", "", 7, Indent{}, []string{""}},
		{"unlimited", "one two", 0, bullet, []string{"• one two"}},
		{"at a space", "one two three", 7, Indent{}, []string{"one two", "three"}},
		{"exact multiple", "abcdefgh", 4, Indent{}, []string{"abcd", "efgh"}},
		{"exact multiple of words", "abcd efgh", 4, Indent{}, []string{"abcd", "efgh"}},
		{"spaces at the break go", "abcd   efgh", 4, Indent{}, []string{"abcd", "efgh"}},
		{"spaces that fit stay", "a  b", 4, Indent{}, []string{"a  b"}},
		{"trailing space that fits", "abc ", 4, Indent{}, []string{"abc "}},
		{"trailing space that does not", "abcd ", 4, Indent{}, []string{"abcd"}},
		{"leading spaces stay", "  ab cd", 5, Indent{}, []string{"  ab", "cd"}},
		{"only spaces", "     ", 3, Indent{}, []string{"   ", "  "}},
		{"leading spaces beyond the width", "     x", 3, Indent{}, []string{"   ", "  x"}},
		{"long word after a short one", "a bcdefgh", 4, Indent{}, []string{"a", "bcde", "fgh"}},
		{"long word then a short one", "abcdef gh", 4, Indent{}, []string{"abcd", "ef", "gh"}},
		{"word that exactly fills, then a long one", "abcd efghij", 4, Indent{}, []string{"abcd", "efgh", "ij"}},
		{"hanging", "one two three", 7, bullet, []string{"• one", "  two", "  three"}},
		{"hanging, long word", "abcdefgh", 6, bullet, []string{"• abcd", "  efgh"}},
		{"indent wider than the width", "ab", 4, Indent{First: Plain("      "), Rest: Plain("      ")}, []string{"  ab"}},
		{"hard", "ab  cd e", 4, Indent{Hard: true}, []string{"ab  ", "cd e"}},
		{"hard, with indent", "abcdef", 4, Indent{First: Plain("- "), Rest: Plain("  "), Hard: true}, []string{"- ab", "  cd", "  ef"}},
		{"wide characters", "世界世界", 5, Indent{}, []string{"世界", "世界"}},
		{"wide after narrow", "ab世界", 4, Indent{}, []string{"ab世", "界"}},
		{"no closing mark at the start", "世界、世界", 4, Indent{}, []string{"世", "界、", "世界"}},
		{"no opening mark at the end", "世「世界」", 4, Indent{}, []string{"世", "「世", "界」"}},
		{"words beside wide ones", "abc世界def", 5, Indent{}, []string{"abc世", "界def"}},
		{"emoji sequence is one", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 4, Indent{}, []string{"👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧"}},
		{"combining marks stay", "e\u0301e\u0301e\u0301", 2, Indent{}, []string{"e\u0301e\u0301", "e\u0301"}},
		{"no-break space holds", "aa bb\u00a0cc", 6, Indent{}, []string{"aa", "bb\u00a0cc"}},
		{"narrower than a character", "世界", 1, Indent{}, []string{"世", "界"}},
	} {
		got := texts(Wrap(Plain(c.text), c.width, c.in))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Styles follow their text over the breaks, also where a word changes style.
func TestWrapStyles(t *testing.T) {
	l := Line{{"one tw", plain}, {"o thr", accent}, {"ee", plain}}
	want := []Line{
		{{"one", plain}},
		{{"tw", plain}, {"o", accent}},
		{{"thr", accent}, {"ee", plain}},
	}
	if diff := cmp.Diff(want, Wrap(l, 5, Indent{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// checkBreaks holds the laws of Breaks on one line.
func checkBreaks(t *testing.T, l Line, first, rest int, hard bool) {
	t.Helper()
	text := l.Text()
	var rebuilt strings.Builder
	from, width := 0, max(first, minWidth)
	row := func(to int) {
		if w := l.Slice(from, to).Width(); w > width {
			t.Errorf("%q at %d/%d: row %q is %d wide", text, first, rest, text[from:to], w)
		}
		rebuilt.WriteString(text[from:to])
	}
	for _, b := range Breaks(l, first, rest, hard) {
		if b.End < from || b.Next < b.End || b.Next <= from {
			t.Fatalf("%q at %d/%d: break %v goes back from %d", text, first, rest, b, from)
		}
		row(b.End)
		dropped := text[b.End:b.Next]
		if strings.Trim(dropped, " ") != "" || hard && dropped != "" {
			t.Errorf("%q at %d/%d: dropped %q", text, first, rest, dropped)
		}
		rebuilt.WriteString(dropped)
		from, width = b.Next, max(rest, minWidth)
	}
	row(len(text))
	if rebuilt.String() != text {
		t.Errorf("%q at %d/%d: became %q", text, first, rest, rebuilt.String())
	}
}

var pieces = []string{"a", "bc", "word", "longerword", " ", "  ", "世", "界", "、", "「", "」", "é", "e\u0301",
	"👩‍👩‍👧", "❤️", "🇩🇪", "-", ".", "(", ")", "\u00a0", "\u200b", "ｶ", "\U000e0067", "1️⃣"}

// No rune is lost, doubled or moved, and no row is too wide, over random lines
// in every small width.
func TestBreaksLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		var l Line
		for range rng.IntN(12) {
			l = append(l, Span{pieces[rng.IntN(len(pieces))], Style{Color: Color(rng.IntN(3))}})
		}
		// One span, so that clusters are not cut by a change of style.
		checkBreaks(t, Plain(l.Text()), rng.IntN(14), rng.IntN(14), rng.IntN(4) == 0)
		checkBreaks(t, l, rng.IntN(14), rng.IntN(14), rng.IntN(4) == 0)
	}
}

func FuzzBreaks(f *testing.F) {
	for i, p := range pieces {
		f.Add(p+strings.Join(pieces, " ")+p, uint8(i), uint8(2*i), i%3 == 0)
	}
	f.Fuzz(func(t *testing.T, text string, first, rest uint8, hard bool) {
		text = strings.NewReplacer("\n", " ", "\t", " ").Replace(Clean(text))
		checkBreaks(t, Plain(text), int(first), int(rest), hard)
		// A mark at the very start would join the indent's last character.
		text = "x" + text
		for _, l := range Wrap(Plain(text), int(first), Indent{First: Plain("> "), Rest: Plain("│ "), Hard: hard}) {
			if first > 0 && l.Width() > max(int(first), minWidth) {
				t.Errorf("%q at %d: row %q is %d wide", text, first, l.Text(), l.Width())
			}
		}
		if w := Truncate(Plain(text), int(first)).Width(); w > int(first) {
			t.Errorf("truncated to %d: %d wide", first, w)
		}
	})
}

func BenchmarkWrap(b *testing.B) {
	for name, text := range samples {
		b.Run(name, func(b *testing.B) {
			l := Plain(text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Wrap(l, 80, Indent{})
			}
		})
	}
}
