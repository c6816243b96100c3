package term

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// told writes events as testdata/keys.txt does.
func told(events []Event) string {
	var out []string
	for _, e := range events {
		switch e := e.(type) {
		case Key:
			out = append(out, "key "+e.Name)
			if e.Text != "" {
				out[len(out)-1] += fmt.Sprintf(" %q", e.Text)
			}
		case Paste:
			out = append(out, fmt.Sprintf("paste %q", e.Text))
		case Focus:
			out = append(out, fmt.Sprintf("focus %v", e.Gained))
		case report:
			out = append(out, "report")
		default:
			out = append(out, fmt.Sprintf("%T", e))
		}
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, " ")
}

// scan feeds a scanner with the pieces between the bars, and lets it expire
// where the line says wait.
func scan(line string) (string, error) {
	var s Scanner
	var events []Event
	for i, part := range strings.Split(line, " wait") {
		if i > 0 {
			events = append(events, s.Expire()...)
			part = strings.TrimPrefix(part, " ")
		}
		// The bar of XTVERSION's ">|" is a byte of its own.
		part = strings.ReplaceAll(part, ">|", ">\x01")
		for _, piece := range strings.Split(part, "|") {
			text, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(piece, ">\x01", ">|"), `"`, `\"`) + `"`)
			if err != nil {
				return "", fmt.Errorf("%q: %w", piece, err)
			}
			events = append(events, s.Feed([]byte(text))...)
		}
	}
	return told(events), nil
}

// Bytes become the events of testdata/keys.txt.
func TestScanner(t *testing.T) {
	data, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	for n, l := range strings.Split(string(data), "\n") {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		line, want, _ := strings.Cut(l, "\t")
		got, err := scan(line)
		if err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		if got != want {
			t.Errorf("line %d: %s is %s, want %s", n+1, line, got, want)
		}
	}
}

// A stream gives the same events however it is cut, and whatever it is the
// scanner keeps little of it.
func FuzzScanner(f *testing.F) {
	data, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range strings.Split(string(data), "\n") {
		line, _, _ := strings.Cut(l, "\t")
		if text, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`); err == nil && !strings.HasPrefix(l, "#") {
			f.Add([]byte(text), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint8) {
		var whole, cut Scanner
		want := whole.Feed(bytes.Clone(b))
		var got []Event
		for rest := b; len(rest) > 0; {
			n := min(int(size)%7+1, len(rest))
			got = append(got, cut.Feed(bytes.Clone(rest[:n]))...)
			rest = rest[n:]
		}
		if told(merge(want)) != told(merge(got)) {
			t.Fatalf("whole %s\ncut   %s", told(want), told(got))
		}
		if len(cut.rest) > maxReport+len(b) {
			t.Fatalf("keeps %d bytes", len(cut.rest))
		}
		cut.Expire()
		if !cut.pasting && len(cut.rest) > 0 {
			t.Fatalf("keeps %q for ever", cut.rest)
		}
	})
}

// merge joins typed text: a grapheme that was cut is typed in its parts.
func merge(events []Event) []Event {
	var out []Event
	for _, e := range events {
		k, ok := e.(Key)
		if !ok || k.Text == "" {
			out = append(out, e)
			continue
		}
		if n := len(out); n > 0 {
			if last, ok := out[n-1].(Key); ok && last.Text != "" {
				out[n-1] = Key{"text", last.Text + k.Text}
				continue
			}
		}
		out = append(out, Key{"text", k.Text})
	}
	return out
}

// A long paste comes in pieces, none of which cuts a character or a line's end.
func TestLongPaste(t *testing.T) {
	text := strings.Repeat("漢字\r\n", maxPaste/4)
	var s Scanner
	var got strings.Builder
	pieces := 0
	feed := func(b string) {
		for _, e := range s.Feed([]byte(b)) {
			p, ok := e.(Paste)
			if !ok || strings.Contains(p.Text, "\uFFFD") {
				t.Fatalf("%T in the paste", e)
			}
			pieces++
			got.WriteString(p.Text)
		}
	}
	feed("\x1b[200~")
	for rest := text; rest != ""; {
		n := min(4096, len(rest))
		feed(rest[:n])
		rest = rest[n:]
	}
	feed("\x1b[201~")
	if got.String() != strings.ReplaceAll(text, "\r\n", "\n") || pieces < 2 {
		t.Errorf("%d bytes in %d pieces", got.Len(), pieces)
	}
}
