package printout

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func whole(parts ...string) string {
	var p Printout
	text := ""
	for _, part := range parts {
		text += p.Write(part)
	}
	return text + p.Rest()
}

// What stands there at the end.
func TestPrintout(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "",
		"plain\n\ttext\n":               "plain\n\ttext\n",
		"no end":                        "no end",
		"a\r\nb\r\n":                    "a\nb\n",
		" 10%\r 20%\r100%\n":            "100%\n",
		"downloading\rok\x1b[K\n":       "ok\n",
		"abc\b\bX\n":                    "aXc\n",
		"\x1b[1;31mred\x1b[0m \x1b[m\n": "red \n",
		"\x1b]0;title\adone\n":          "done\n",
		"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\n": "link\n",
		"a: 1\nb: 1\n\x1b[2Aa: 2\n\x1b[1Bc\n":        "a: 2\nb: 1\nc\n",
		"one\ntwo\n\x1b[1A\x1b[2K2\n":                "one\n2\n",
		"one\ntwo\nthree\x1b[2F\x1b[Jend\n":          "end\n",
		"before\n\x1b[H\x1b[2J\x1b[3Jafter\n":        "before\nafter\n",
		"page\x1b[2Jafter\n":                         "page\nafter\n",
		"bell\a\n":                                   "bell\n",
		"a\x00b\n":                                   "a\x00b\n",
		"\x1b(B\x1b=\x1b>x\n":                        "x\n",
		"日本語\r英\n":                                   "英本語\n",
		"cut \x1b[3":                                 "cut ",
		"\x1b[5Cin\n":                                "     in\n",
		"\x1b[99999999999999Cx":                      strings.Repeat(" ", furthest) + "x",
	} {
		if got := whole(in); got != want {
			t.Errorf("%q came out as %q, not %q", in, got, want)
		}
	}
}

// A progress bar of a million steps is its last one.
func TestPrintoutOfAFlood(t *testing.T) {
	var p Printout
	for range 1_000_000 {
		if got := p.Write("\r######   50%"); got != "" {
			t.Fatalf("%q has settled", got)
		}
	}
	if got := p.Rest(); got != "######   50%" {
		t.Errorf("it came out as %q", got)
	}
}

// Text comes out as it went in, and however any text is divided, it comes out the same; what is kept is bounded.
func TestPrintoutDividedAnywhere(t *testing.T) {
	alphabet := rapid.SampledFrom([]string{"a", "bc", "é", "\n", "\n", "\t", "\r", "\b", "\x1b", "[", "A", "2", "K", "J", ";", "m", "]", "\a", "\\", "H", " ", "\x00", strings.Repeat("x\n", 70)})
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(alphabet, 0, 60).Draw(t, "parts")
		text := strings.Join(parts, "")
		if one, many := whole(text), whole(parts...); one != many {
			t.Fatalf("%q: %q at once, %q in parts", text, one, many)
		}
		if !strings.ContainsAny(text, "\r\b\x1b\a") && whole(text) != text {
			t.Fatalf("%q came out as %q", text, whole(text))
		}
	})
}

// Whatever is written, little is kept.
func FuzzPrintout(f *testing.F) {
	f.Add("a\x1b[5A\x1b[2J\r\n\x1b]0;x")
	f.Fuzz(func(t *testing.T, text string) {
		var p Printout
		for range 3 {
			p.Write(text)
			if len(p.rows) > Rows+1 || len(p.open) > longest || p.row >= max(1, len(p.rows)) || p.row < 0 || p.col < 0 {
				t.Fatalf("%d rows, %d open, at %d:%d", len(p.rows), len(p.open), p.row, p.col)
			}
		}
	})
}
