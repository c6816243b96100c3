package cell

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What steers a terminal, breaks a line, reorders or imitates other text is
// written out, and nothing is left out; the rest is as it was.
func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain text stays", "plain, größer, 世界, Привет мир, naïve, שלום, ไทย, देवनागरी, 수정, カード, 修复bug", ""},
		{"signs stay", "“quotes” – a dash … it’s → ✓ 100 € ½ №", ""},
		{"an operating system command hid a substitution", "echo hello \x1b]0;$(P)\a world", `echo hello \u001b]0;$(P)\u0007 world`},
		{"a control sequence swallowed letters", "\x1b[2Jgone", `\u001b[2Jgone`},
		{"C1 controls", "\u009b31m\x9b", `\u009b31m\x9b`},
		{"DEL", "a\x7fb", `a\u007fb`},
		{"lines", "two\nlines\r\n\tof text", `two\nlines\r\n\tof text`},
		{"bidi", "\u202etxt.exe \u2066a\u200f", `\u202etxt.exe \u2066a\u200f`},
		{"zero width", "r\u200bm a\ufeffb\u00ad\u2060", `r\u200bm a\ufeffb\u00ad\u2060`},
		{"tags", "\U000e0001\U000e0041", `\udb40\udc01\udb40\udc41`},
		{"variation selectors", "a\ufe0f\U000e0100", `a\ufe0f\udb40\udd00`},
		{"fillers", "\u3164\u115f\u2800\u034f", `\u3164\u115f\u2800\u034f`},
		{"spaces that are none", "rm\u00a0-rf\u3000/\u2003x", `rm\u00a0-rf\u3000/\u2003x`},
		{"a space at the end", "ls  ", `ls \u0020`},
		{"bytes that are no text", "\xff\xc3", `\xff\xc3`},
		{"the sign of such bytes", "\uFFFD", ""},
		{"a backslash", `a\nb \u202e`, `a\\nb \\u202e`},
		{"Cyrillic in a Latin word", "pаypal", `p\u0430ypal`},
		{"Greek in a Latin word", "gοogle", `g\u03bfogle`},
		{"Latin in a Cyrillic word", "Приvет", `\u041f\u0440\u0438v\u0435\u0442`},
		{"a word of lookalikes only", "сору file", `\u0441\u043e\u0440\u0443 file`},
		{"a letter with a loose accent", "cafe\u0301 café", `cafe\u0301 café`},
		{"full width and mathematical letters", "ｒｍ 𝐫𝐦 ﬁ", `\uff52\uff4d \ud835\udc2b\ud835\udc26 \ufb01`},
		{"doubles of signs", "a∕b −x a∖b ‐", `a\u2215b \u2212x a\u2216b \u2010`},
		{"phonetic letters", "ɡit", `\u0261it`},
		{"scripts that nobody types", "ᏢᎪ", `\u13e2\u13aa`},
		{"parts of a syllable", "\u1112\u1161\u11ab", `\u1112\u1161\u11ab`},
		{"singletons", "\u212b \u2126 \u037e", `\u212b \u2126 \u037e`},
		{"the sign of a tab", "a⇥b", `a\u21e5b`},
		{"private and unassigned", "\ue000\U0010ffff", `\ue000\udbff\udfff`},
	} {
		want := c.want
		if want == "" {
			want = c.text
		}
		if got := Escape(c.text); got != want {
			t.Errorf("%s: %q becomes %q, want %q", c.name, c.text, got, want)
		}
	}
}

// Nothing is lost, nothing can steer a terminal, and so no two texts look alike.
func escapes(t interface{ Fatalf(string, ...any) }, text string) {
	got := Escape(text)
	if back, ok := Unescape(got); !ok || back != text {
		t.Fatalf("%q becomes %q becomes %q, %v", text, got, back, ok)
	}
	if strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(got) {
		t.Fatalf("%q: not all of %q can be shown", text, got)
	}
	if Clean(got) != got {
		t.Fatalf("%q: %q is not clean", text, got)
	}
}

func TestEscapeLosesNothing(t *testing.T) {
	runes := []rune("a b\\nu0x9\t\n\r\x1b\x7f\u009b\u202e\u200bаpе\u0301\ufe0f世カ\u1112⇥\U000e0001\uFFFD")
	texts := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom(runes)),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) { escapes(t, texts.Draw(t, "text")) })
	for r := rune(0); r <= unicode.MaxRune; r++ {
		escapes(t, string(r))
	}
}

// What is no writing of Escape is no text.
func TestUnescapeRefuses(t *testing.T) {
	for _, text := range []string{`\`, `\q`, `\x4`, `\u12`, `\ud800`, `\ud83d\u0041`} {
		if got, ok := Unescape(text); ok {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", `\n`, "a\\", "\x1b]0;x\a", "p\u0430y", "\xff", "\U000e0001", "e\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { escapes(t, text) })
}

// Programs that read JSON read the same of what was guarded, cut anywhere, and
// nothing that was not ours steers a terminal.
func TestGuard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("ab\t\n\x1b\u009b\u202e世\U000e0001")))).Draw(t, "text")
		var whole, cut strings.Builder
		g := NewGuard(&whole)
		_, _ = g.Write([]byte(text))
		_ = g.Close()
		g = NewGuard(&cut)
		for b := []byte(text); len(b) > 0; {
			n := rapid.IntRange(1, len(b)).Draw(t, "n")
			if m, err := g.Write(b[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			b = b[n:]
		}
		_ = g.Close()
		if whole.String() != cut.String() {
			t.Fatalf("%q: %q whole, %q in pieces", text, whole.String(), cut.String())
		}
		if strings.ContainsFunc(whole.String(), func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }) {
			t.Fatalf("%q becomes %q", text, whole.String())
		}
	})
	for text, want := range map[string]string{
		"{\"a\":\"\u009b\x7f\u202e\U000e0001 \\n\"}\n": `{"a":"\u009b\u007f\u202e\udb40\udc01 \n"}` + "\n",
		"a\r\nb\xff":      `a\u000d` + "\n" + `b\xff`,
		"\x1b]0;x\atab\t": `\u001b]0;x\u0007tab` + "\t",
	} {
		var b strings.Builder
		g := NewGuard(&b)
		_, _ = g.Write([]byte(text))
		_ = g.Close()
		if b.String() != want {
			t.Errorf("%q becomes %q, want %q", text, b.String(), want)
		}
	}
}

// JSON stays the same JSON, and shows what it holds.
func TestEscapeJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"x\ny\\ "}`: `{"a":"x\ny\\ "}`,
		"\"\u202e\u009bp\u0430y\\nпривет\\u00e9т\"": `"\u202e\u009bp\u0430y\nпривет\u00e9т"`,
	} {
		if got := EscapeJSON(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("a\\\"nu \n\u202e\u009bа\U000e0001")))).Draw(t, "text")
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var back string
		if got := EscapeJSON(string(raw)); json.Unmarshal([]byte(got), &back) != nil || back != strings.ToValidUTF8(value, "\uFFFD") {
			t.Fatalf("%q becomes %s", value, got)
		}
	})
}
