package cell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	plain  = Style{}
	accent = Style{Color: Accent}
	loud   = Style{Color: Red, Attr: Bold}
)

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello", 5},
		{"naïve", 5},
		{"nai\u0308ve", 5}, // combining diaeresis
		{"世界", 4},
		{"ｶﾅ", 2}, // half-width kana
		{"한글", 4},
		{"👩‍👩‍👧‍👦", 2}, // one ZWJ sequence
		{"👍🏽", 2},      // skin tone
		{"🇩🇪🇯🇵", 4},    // two flags
		{"❤️", 2},      // VS16: emoji presentation
		{"❤︎", 1},      // VS15: text presentation
		{"1️⃣", 2},     // keycap
		{"e\u0301\u0323x", 2},
		{"\u200b", 0},
		{"✓ ✗ ─ ▰▱ ⠋", 10},
		{"·…“”", 4},
	} {
		if got := Width(c.text); got != c.want {
			t.Errorf("Width(%q) = %d, want %d", c.text, got, c.want)
		}
	}
}

func TestExpandTabs(t *testing.T) {
	for _, c := range []struct {
		text         string
		column, stop int
		want         string
	}{
		{"no tab", 0, 8, "no tab"},
		{"\tx", 0, 8, "        x"},
		{"\tx", 2, 8, "      x"},
		{"a\tb\tc", 0, 4, "a   b   c"},
		{"abcd\te", 0, 4, "abcd    e"},
		{"世\tx", 0, 4, "世  x"},
		{"\t\t", 0, 0, "                "},
	} {
		if got := ExpandTabs(c.text, c.column, c.stop); got != c.want {
			t.Errorf("ExpandTabs(%q, %d, %d) = %q, want %q", c.text, c.column, c.stop, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		head  string
	}{
		{"hello", 3, "hel"},
		{"hello", 9, "hello"},
		{"世界", 3, "世"},
		{"👩‍👩‍👧‍👦x", 1, ""},
		{"e\u0301e\u0301", 1, "e\u0301"},
		{"x", 0, ""},
	} {
		if got, w := Cut(c.text, c.width); got != c.head || w != Width(got) {
			t.Errorf("Cut(%q, %d) = %q, %d, want %q", c.text, c.width, got, w, c.head)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		name  string
		line  Line
		width int
		want  Line
	}{
		{"fits exactly", Plain("hello"), 5, Plain("hello")},
		{"cut", Plain("hello!"), 5, Plain("hell…")},
		{"one column", Plain("hello"), 1, Plain("…")},
		{"none", Plain("hello"), 0, nil},
		{"wide does not fit beside the ellipsis", Plain("世界界"), 4, Plain("世…")},
		{"cut at a span's edge", Line{{"ab", plain}, {"cd", accent}}, 2, Line{{"a…", plain}}},
		{"cut in the second", Line{{"ab", plain}, {"cdef", accent}}, 4, Line{{"ab", plain}, {"c…", accent}}},
		{"nothing after the edge", Line{{"ab", plain}, {"", accent}}, 2, Line{{"ab", plain}, {"", accent}}},
		{"thin spans", Line{{"a", plain}, {"b", accent}, {"c", plain}}, 1, Line{{"…", plain}}},
	} {
		if diff := cmp.Diff(c.want, Truncate(c.line, c.width)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestUnbroken(t *testing.T) {
	for _, c := range []struct {
		line Line
		want int
	}{
		{nil, 0},
		{Plain("a word longer"), 6},
		{Line{{"ab", plain}, {"cd e", accent}}, 4},
		{Plain("世界、a"), 5},
		{Plain("abc世"), 3},
		{Plain("  "), 0},
	} {
		if got := c.line.Unbroken(); got != c.want {
			t.Errorf("%q: %d, want %d", c.line.Text(), got, c.want)
		}
		// Given that much room, Wrap breaks no part.
		for _, b := range Breaks(c.line, c.want, c.want, false) {
			if text := c.line.Text(); b.Next == b.End && text[b.End-1] < 0x80 && text[b.End] < 0x80 {
				t.Errorf("%q is broken at %d", text, b.End)
			}
		}
	}
}

func TestLine(t *testing.T) {
	l := Line{{"ab", plain}, {"cd", accent}, {"e ", plain}}
	if got := l.Text(); got != "abcde " {
		t.Errorf("Text = %q", got)
	}
	for _, c := range []struct {
		name      string
		got, want Line
	}{
		{"slice", l.Slice(1, 3), Line{{"b", plain}, {"c", accent}}},
		{"slice whole", l.Slice(0, 99), l},
		{"slice none", l.Slice(4, 4), nil},
		{"trim", l.TrimRight(), Line{{"ab", plain}, {"cd", accent}, {"e", plain}}},
		{"trim all", Plain(" \t").TrimRight(), Line{}},
		{"join merges", Join(Plain("a"), Plain("b"), Styled("c", accent)), Line{{"ab", plain}, {"c", accent}}},
		{"restyle", l.Restyle(func(Style) Style { return accent }), Line{{"abcde ", accent}}},
		{"empty", Plain(""), nil},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if got := l.Text(); got != "abcde " {
		t.Errorf("the line itself changed: %q", got)
	}
}

func TestAppend(t *testing.T) {
	const full = Color16 | Links
	link := Style{Attr: Underline, Link: "https://e.example/ä b\x1b\\"}
	for _, c := range []struct {
		name    string
		line    Line
		profile Profile
		want    string
	}{
		{"plain text has no bytes of its own", Plain("hi"), full, "hi"},
		{"prompt", Line{{"$", accent}, {" hi", plain}}, full, "\x1b[36m$\x1b[0m hi"},
		{"thought", Styled("~ hm", Style{Color: Dim}), full, "\x1b[90m~ hm\x1b[0m"},
		{"green, red, yellow, magenta", Line{{"a", plain.In(Green)}, {"b", plain.In(Red)}, {"c", plain.In(Yellow)}, {"d", plain.In(Magenta)}}, full,
			"\x1b[32ma\x1b[31mb\x1b[33mc\x1b[35md\x1b[0m"},
		{"both at once", Styled("x", loud), full, "\x1b[1;31mx\x1b[0m"},
		{"only what changes", Line{{"a", accent}, {"b", accent.With(Bold)}}, full, "\x1b[36ma\x1b[1mb\x1b[0m"},
		{"taking away resets", Line{{"a", accent.With(Bold | Italic)}, {"b", accent}}, full, "\x1b[1;3;36ma\x1b[0;36mb\x1b[0m"},
		{"colour to none keeps the attribute", Line{{"a", loud}, {"b", plain.With(Bold)}}, full, "\x1b[1;31ma\x1b[0;1mb\x1b[0m"},
		{"attributes", Styled("x", plain.With(Bold|Italic|Underline|Strike|Reverse)), full, "\x1b[1;3;4;9;7mx\x1b[0m"},
		{"same style twice", Line{{"a", loud}, {"b", loud}}, full, "\x1b[1;31mab\x1b[0m"},
		{"empty span", Line{{"", loud}, {"b", plain}}, full, "b"},
		{"no colour, no bytes", Line{{"a", loud}, {"b", link}}, NoStyle, "ab"},
		{"link", Styled("l", link), full, "\x1b]8;;https://e.example/%C3%A4%20b%1B\\\x1b\\\x1b[4ml\x1b]8;;\x1b\\\x1b[0m"},
		{"link without links", Styled("l", link), Color16, "\x1b[4ml\x1b[0m"},
		{"link without colour", Styled("l", Style{Link: "x:y"}), Links, "\x1b]8;;x:y\x1b\\l\x1b]8;;\x1b\\"},
		{"last gate", Plain("a\x1b[2Jb\x07\u009b1mc\td\ne\r"), full, "ab␇c d e␍"},
		{"a tab stays in a pipe", Plain("a\tb\x1b[1m\n"), NoStyle, "a\tb "},
		{"unknown colour", Styled("x", Style{Color: 99}), full, "\x1b[mx\x1b[0m"},
	} {
		if got := string(Append(nil, c.line, c.profile)); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// Transitions chained over any styles leave the terminal as one step would:
// ending in the zero style is always a reset.
func TestTransitionEndsPlain(t *testing.T) {
	styles := []Style{plain, accent, loud, {Attr: Italic}, {Color: Dim, Link: "x:y"}}
	for _, a := range styles {
		for _, b := range styles {
			got := string(Transition(Transition(nil, a, b, Color16|Links), b, Style{}, Color16|Links))
			if a == b && b == plain {
				if got != "" {
					t.Errorf("%v to %v writes %q", a, b, got)
				}
				continue
			}
			if b != plain && !strings.HasSuffix(got, "\x1b[0m") && b.Color+Color(b.Attr) > 0 {
				t.Errorf("%v to %v to plain writes %q", a, b, got)
			}
		}
	}
}

func BenchmarkWidth(b *testing.B) {
	for name, text := range samples {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Width(text)
			}
		})
	}
}

var samples = map[string]string{
	"ascii": strings.Repeat("the quick brown fox jumps over the lazy dog ", 20),
	"cjk":   strings.Repeat("春は曙、やうやう白くなりゆく山ぎは。", 15),
	"emoji": strings.Repeat("done 👍🏽 and ❤️ to 👩‍👩‍👧 in 🇩🇪 ", 20),
}

func BenchmarkAppend(b *testing.B) {
	l := Line{{"$ ", accent}, {"the quick brown fox ", plain}, {"jumps", loud}, {" over", plain}}
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		buf = Append(buf[:0], l, Color16|Links)
	}
}
