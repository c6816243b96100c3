package tui

import (
	"os"
	"strings"
	"testing"

	"parley/internal/cell"
	"parley/internal/term"
)

// testdata/editor.txt: a text with the caret as |, keys, and the text after
// them. ⏎ is a line's end.
func TestEditorKeys(t *testing.T) {
	data, err := os.ReadFile("testdata/editor.txt")
	if err != nil {
		t.Fatal(err)
	}
	for n, l := range strings.Split(string(data), "\n") {
		if strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#") {
			continue
		}
		parts := strings.Split(l, "\t")
		if len(parts) != 3 {
			t.Fatalf("line %d has %d parts", n+1, len(parts))
		}
		c := composer{editor: marked(parts[0])}
		for _, name := range strings.Fields(parts[1]) {
			k := term.Key{Name: name}
			if len([]rune(name)) == 1 {
				k.Text = name
			}
			c, _ = c.key(k, 20)
		}
		if got := mark(c.editor); got != parts[2] {
			t.Errorf("line %d: %s of %q gives %q, want %q", n+1, parts[1], parts[0], got, parts[2])
		}
	}
}

var visible = strings.NewReplacer("\n", "⏎")
var typed = strings.NewReplacer("⏎", "\n")

func marked(text string) editor {
	text = typed.Replace(text)
	at := strings.IndexByte(text, '|')
	return editor{text: text[:at] + text[at+1:], at: at}
}

func mark(e editor) string { return visible.Replace(e.text[:e.at] + "|" + e.text[e.at:]) }

// Rows lose nothing: with the spaces at their breaks and the line ends they are
// the text again; none is wider than asked; the caret has a place for every
// offset.
func FuzzEditorRows(f *testing.F) {
	for _, s := range []string{"", "one two three", "a\nb\n\nc", "漢字かな交じり文", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "long" + strings.Repeat("g", 90), "\ta\tb", "x  y   z    ", "e\u0301e\u0301"} {
		f.Add(s, uint8(10))
	}
	f.Fuzz(func(t *testing.T, text string, w uint8) {
		text = cell.Clean(text)
		width := int(w)%60 + tabWidth
		e := editor{text: text}
		rows := e.rows(width)
		at := 0
		for i, r := range rows {
			if gap := text[at:r.from]; strings.Trim(gap, " \n") != "" || len(gap) > 1 {
				t.Fatalf("row %d of %q leaves out %q", i, text, gap)
			}
			if got := strings.ReplaceAll(text[r.from:r.to], "\t", spaces(tabWidth)); got != r.text {
				t.Fatalf("row %d of %q shows %q, is %q", i, text, r.text, got)
			}
			if n := cell.Width(r.text); n > width {
				t.Fatalf("row %d of %q has %d columns, want %d", i, text, n, width)
			}
			at = r.to
		}
		if strings.Trim(text[at:], " ") != "" {
			t.Fatalf("%q is lost of %q", text[at:], text)
		}
		for e.at = 0; ; {
			row, col := e.caret(rows)
			if row >= len(rows) || col > width+1 {
				t.Fatalf("caret at %d of %q is in row %d, column %d", e.at, text, row, col)
			}
			n := firstCluster(text[e.at:])
			if n == 0 {
				break
			}
			e.at += n
		}
		for _, edit := range edits {
			for _, at := range []int{0, len(text)} {
				if got := edit(editor{text: text, at: at}); got.at < 0 || got.at > len(got.text) {
					t.Fatalf("caret at %d of %q", got.at, got.text)
				}
			}
		}
	})
}

// The history is walked with up and down from the edges of the text, and the
// draft comes back.
func TestHistoryKeepsTheDraft(t *testing.T) {
	c := composer{}
	for _, text := range []string{"one", "two\nlines", "two\nlines", "  "} {
		c = c.set(text).remember()
	}
	c = c.set("draft")
	var got []string
	for _, name := range []string{"up", "up", "up", "up", "down", "down", "down", "down"} {
		c, _ = c.key(term.Key{Name: name}, 40)
		got = append(got, visible.Replace(c.text))
	}
	want := "two⏎lines,two⏎lines,one,one,two⏎lines,draft,draft,draft"
	if strings.Join(got, ",") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
	}
}

// A paste keeps its line ends and loses its control characters; it sends
// nothing.
func TestPasteSendsNothing(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.reduce(Typed{term.Paste{Text: "a\x1b[2Jb\n\x07c\tx\n"}})
	if got := s.model.composer.text; got != "ab\n␇c\tx\n" {
		t.Errorf("%q", got)
	}
	if len(s.intents) > 0 {
		t.Errorf("%+v", s.intents)
	}
}
