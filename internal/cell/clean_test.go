package cell

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

var cleanTable = []struct{ name, in, out string }{
	{"plain", "hello, wörld — 世界 👩‍👩‍👧", "hello, wörld — 世界 👩‍👩‍👧"},
	{"tab and newline", "a\tb\nc\n", "a\tb\nc\n"},
	{"colour", "\x1b[31mFAIL\x1b[0m ok", "FAIL ok"},
	{"colon parameters", "\x1b[38:2::1:2:3mx\x1b[m", "x"},
	{"private mode", "a\x1b[?1049hb", "ab"},
	{"clear screen", "a\x1b[2J\x1b[3J\x1b[Hb", "ab"},
	{"intermediate", "a\x1b[2 qb\x1b(Bc\x1b#8d", "abcd"},
	{"title, BEL", "\x1b]0;owned\x07text", "text"},
	{"clipboard, ST", "\x1b]52;c;ZXZpbA==\x1b\\text", "text"},
	{"hyperlink keeps its text", "\x1b]8;;https://e.example\x1b\\link\x1b]8;;\x1b\\", "link"},
	{"device control", "\x1bP$q\"p\x1b\\x\x1b_apc\x1b\\y\x1b^pm\x1b\\z\x1bXsos\x1b\\!", "xyz!"},
	{"payload ended by another sequence", "\x1b]0;t\x1b[31mred", "red"},
	{"8-bit CSI and OSC", "a\u009b31mb\u009d0;t\u009cc", "abc"},
	{"lone C1", "a\u0085b\u008ec", "a\ufffdb\ufffdc"},
	{"raw C1 bytes are not UTF-8", "a\x9b31mb", "a\ufffd31mb"},
	{"newline ends a sequence", "\x1b]0;never\nnext \x1b[3\nlast", "\nnext \nlast"},
	{"cancelled sequence", "\x1b[31\x18m \x1b]0;x\x1ay", "m y"},
	{"escape restarts", "\x1b\x1b[1mx\x1b[3\x1b[4my", "xy"},
	{"bad parameter byte", "\x1b[3\x01x", "␁x"},
	{"sequence cut by wide text", "\x1b[3世", "世"},
	{"escape before text", "\x1b世", "世"},
	{"unfinished", "x\x1b[3", "x"},
	{"lone escape at the end", "x\x1b", "x"},
	{"controls shown", "\x00\x07\x08\x0b\x7f", "␀␇␈␋␡"},
	{"CR LF", "a\r\nb\r\n", "a\nb\n"},
	{"lone CR", "10%\r20%\r", "10%␍20%␍"},
	{"CR CR LF", "a\r\r\n", "a␍\n"},
	{"bidi override", "if \u202e{ evil }\u202c \u2066x\u2069", "if \ufffd{ evil }\ufffd \ufffdx\ufffd"},
	{"marks of right-to-left text stay", "\u200fשלום\u200e", "\u200fשלום\u200e"},
	{"separators", "a\u2028b\u2029c", "a b c"},
	{"not UTF-8", "a\xffb\xe2\x82c\xc0\xafd", "a\ufffdb\ufffd\ufffdc\ufffd\ufffdd"},
	{"unfinished character", "a\xf0\x9f\x98", "a\ufffd\ufffd\ufffd"},
	{"surrogate", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
}

func TestClean(t *testing.T) {
	for _, c := range cleanTable {
		if got := Clean(c.in); got != c.out {
			t.Errorf("%s: Clean(%q)\n got %q\nwant %q", c.name, c.in, got, c.out)
		}
	}
}

// A text split anywhere comes out as the whole does.
func TestSanitizerSplit(t *testing.T) {
	for _, c := range cleanTable {
		for i := range len(c.in) + 1 {
			var s Sanitizer
			got := s.Write(c.in[:i]) + s.Write(c.in[i:]) + s.Flush()
			if got != c.out {
				t.Errorf("%s: split at %d: got %q, want %q", c.name, i, got, c.out)
			}
		}
		var s Sanitizer
		var b strings.Builder
		for i := range len(c.in) {
			b.WriteString(s.Write(c.in[i : i+1]))
		}
		b.WriteString(s.Flush())
		if b.String() != c.out {
			t.Errorf("%s: byte by byte: got %q, want %q", c.name, b.String(), c.out)
		}
	}
}

func harmless(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
	for _, r := range text {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || overrides(r) {
			t.Errorf("%q holds %U", text, r)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, c := range cleanTable {
		f.Add(c.in, uint64(len(c.in)))
	}
	f.Fuzz(func(t *testing.T, in string, seed uint64) {
		out := Clean(in)
		harmless(t, out)
		if strings.Count(out, "\n") != strings.Count(in, "\n") {
			t.Errorf("%q: newlines changed: %q", in, out)
		}
		if again := Clean(out); again != out {
			t.Errorf("not stable: %q then %q", out, again)
		}
		var s Sanitizer
		var b strings.Builder
		for rest, rng := in, rand.New(rand.NewPCG(seed, 1)); rest != ""; {
			n := 1 + rng.IntN(min(len(rest), 5))
			b.WriteString(s.Write(rest[:n]))
			rest = rest[n:]
		}
		b.WriteString(s.Flush())
		if b.String() != out {
			t.Errorf("chunks of %q: got %q, want %q", in, b.String(), out)
		}
	})
}

func BenchmarkClean(b *testing.B) {
	for name, text := range map[string]string{
		"ascii":  strings.Repeat("the quick brown fox jumps over the lazy dog\n", 100),
		"cjk":    strings.Repeat("春は曙、やうやう白くなりゆく山ぎは。\n", 80),
		"colour": strings.Repeat("\x1b[32mok\x1b[0m  parley/internal/cell  0.012s\n", 100),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Clean(text)
			}
		})
	}
}
