package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/diff"
)

// pairs are texts whose difference is easy to get wrong; the fuzzer starts from them.
var pairs = []struct {
	name           string
	old, new       string
	added, removed int
}{
	{"equal", "a\n", "a\n", 0, 0},
	{"from nothing", "", "a\nb\n", 2, 0},
	{"to nothing", "a\nb\n", "", 0, 2},
	{"final newline lost", "a\nb\n", "a\nb", 1, 1},
	{"final newline won", "a", "a\n", 1, 1},
	{"neither has one", "a\nb", "a\nc", 1, 1},
	{"carriage returns", "a\r\nb\r\n", "a\r\nc\r\n", 1, 1},
	{"endings change", "a\r\nb\r\n", "a\nb\n", 2, 2},
	{"looks like a header", "x\n-- old\n", "x\n++ new\n", 1, 1},
	{"looks like a hunk", "@@ -1,1 +1,1 @@\n", "\\ No newline at end of file\n", 1, 1},
	{"the mark as a last line", "\\ No newline at end of file", "x", 1, 1},
	{"blank lines", "\n\n\n", "\n\n\n\n", 1, 0},
	{"not UTF-8", "\xff\xfe\n", "\xff\n", 1, 1},
	{"two hunks", lines(1, 40), strings.Replace(strings.Replace(lines(1, 40), "line 2\n", "two\n", 1), "line 39\n", "", 1), 1, 2},
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// Apply(Parse(Unified(a, b))) to a is b, and Stat counts what changed.
func TestUnifiedRoundTrip(t *testing.T) {
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			u := diff.Unified("old", "new", []byte(p.old), []byte(p.new))
			roundTrip(t, u, p.old, p.new)
			added, removed := diff.Stat(u)
			if added != p.added || removed != p.removed {
				t.Errorf("Stat = +%d −%d, want +%d −%d\n%s", added, removed, p.added, p.removed, u)
			}
		})
	}
}

func roundTrip(t interface{ Fatalf(string, ...any) }, u, old, new string) {
	hunks, err := diff.Parse(u)
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, u)
	}
	got, err := diff.Apply([]byte(old), hunks)
	if err != nil {
		t.Fatalf("Apply: %v\n%s", err, u)
	}
	if string(got) != new {
		t.Fatalf("Apply = %q, want %q\n%s", got, new, u)
	}
}

// The form of the diff is the one that patch and git read.
func TestUnifiedForm(t *testing.T) {
	got := diff.Unified(diff.Absent, "b\nad", []byte("one\ntwo\nthree"), []byte("one\n2\nthree"))
	want := "--- /dev/null\n+++ \"b\\nad\"\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	hunks, err := diff.Parse(got)
	if err != nil {
		t.Fatal(err)
	}
	wantHunks := []diff.Hunk{{Old: 1, OldCount: 3, New: 1, NewCount: 3, Lines: []diff.Line{
		{Op: diff.Keep, Text: "one"}, {Op: diff.Remove, Text: "two"}, {Op: diff.Add, Text: "2"},
		{Op: diff.Keep, Text: "three", NoNewline: true},
	}}}
	if d := cmp.Diff(wantHunks, hunks); d != "" {
		t.Error(d)
	}
}

// A diff that lies about itself is refused, with the line that lies.
func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"@@ -1,2 +1,2 @@\n a\n", "diff line 2: hunk ends early"},
		{"@@ -1,1 +1,1 @@\n-a\n-b\n", "diff line 3: hunk is longer than its header says"},
		{"@@ -1 +1 @@\n*a\n", `diff line 2: "*a" does not begin with a blank, + or -`},
		{"@@ -x +1 @@\n", `diff line 1: bad line number "x"`},
		{"@@ nothing @@\n", `diff line 1: bad hunk header "@@ nothing @@"`},
		{"@@ -1 +1 @@\n a\ntrailing\n", `diff line 3: "trailing" outside a hunk`},
		{"@@ -0,0 +0,0 @@\n\\ No newline at end of file\n", "diff line 2: mark without a line"},
	} {
		_, err := diff.Parse(tt.in)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Parse(%q) = %v, want %s", tt.in, err, tt.want)
		}
	}
}

// A hunk that does not fit the text is refused: nothing is guessed.
func TestApplyRefuses(t *testing.T) {
	hunks, err := diff.Parse(diff.Unified("a", "b", []byte("one\ntwo\n"), []byte("one\n2\n")))
	if err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{"", "one\n", "one\ntwo", "one\nTWO\n"} {
		if got, err := diff.Apply([]byte(old), hunks); err == nil {
			t.Errorf("Apply to %q = %q, want an error", old, got)
		}
	}
}

// The words that changed are marked with brackets.
func TestChangedWordsAreMarked(t *testing.T) {
	for _, tt := range []struct{ old, new, wantOld, wantNew string }{
		{"return a + b", "return a - b", "return a [+] b", "return a [-] b"},
		{"x := 1", "x := 1", "x := 1", "x := 1"},
		{"for i := 0; i < n; i++ {", "for i := range n {", "for i := [0; i <] n[; i++] {", "for i := [range] n {"},
		{"alpha beta", "completely different thing", "[alpha beta]", "[completely different thing]"},
		{"", "new", "", "[new]"},
		{"größe = 1", "größen = 1", "[größe] = 1", "[größen] = 1"},
		{"a b c d", "a x y d", "a [b c] d", "a [x y] d"},
		{"\ttabs", "    tabs", "[\t]tabs", "[    ]tabs"},
	} {
		a, b := diff.Words(tt.old, tt.new)
		if d := cmp.Diff([2]string{tt.wantOld, tt.wantNew}, [2]string{mark(tt.old, a), mark(tt.new, b)}); d != "" {
			t.Errorf("Words(%q, %q): %s", tt.old, tt.new, d)
		}
	}
}

func mark(s string, spans []diff.Span) string {
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.Start] + "[" + s[sp.Start:sp.End] + "]")
		at = sp.End
	}
	return b.String() + s[at:]
}

// What is outside the spans is the same in both lines, up to white space that joined two words; spans
// rise and stay inside the line.
func TestWordsKeepTheRest(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "bb", "ccc", "ü", "(", ")", "\t", " ", "\xff", "+"})
	line := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, "words"), "") })
	rapid.Check(t, func(t *rapid.T) {
		old, new := line.Draw(t, "old"), line.Draw(t, "new")
		a, b := diff.Words(old, new)
		if (len(a)+len(b) == 0) != (old == new) {
			t.Fatalf("no span does not mean equal: %q %q", old, new)
		}
		if got, want := outside(t, old, a), outside(t, new, b); got != want {
			t.Fatalf("outside the spans: %q and %q", got, want)
		}
	})
}

func outside(t *rapid.T, s string, spans []diff.Span) string {
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		if sp.Start < at || sp.End <= sp.Start || sp.End > len(s) {
			t.Fatalf("bad span %v of %q", sp, s)
		}
		b.WriteString(s[at:sp.Start])
		at = sp.End
	}
	return strings.ReplaceAll(b.String()+s[at:], " ", "")
}

// Any two texts survive the round trip.
func FuzzUnified(f *testing.F) {
	for _, p := range pairs {
		f.Add(p.old, p.new)
	}
	f.Fuzz(func(t *testing.T, old, new string) {
		roundTrip(t, diff.Unified("a", "b", []byte(old), []byte(new)), old, new)
	})
}

// Any bytes parse or are refused, and what parses applies or is refused.
func FuzzParse(f *testing.F) {
	for _, p := range pairs {
		f.Add(diff.Unified("a", "b", []byte(p.old), []byte(p.new)), p.old)
	}
	f.Fuzz(func(t *testing.T, unified, old string) {
		hunks, err := diff.Parse(unified)
		if err != nil {
			return
		}
		_, _ = diff.Apply([]byte(old), hunks)
	})
}

// A cut diff keeps to the limit and still parses; its hunks begin like those of the whole.
func TestCutDiffParses(t *testing.T) {
	whole := diff.Unified(diff.Absent, "new", nil, []byte(lines(1, 50)))
	for limit := range len(whole) + 2 {
		short, cut := diff.Cut(whole, limit)
		if cut != (limit < len(whole)) || len(short) > limit {
			t.Fatalf("limit %d: %d bytes, cut %v", limit, len(short), cut)
		}
		hunks, err := diff.Parse(short)
		if err != nil {
			t.Fatalf("limit %d: %v\n%s", limit, err, short)
		}
		for _, h := range hunks {
			if h.Lines[0].Text != "line 1" || h.NewCount != len(h.Lines) {
				t.Fatalf("limit %d: %+v", limit, h)
			}
		}
	}
}
