package shell

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/internal/shell/shelltest"
)

// What is read of a line, and what is the first thing that is not.
func TestRead(t *testing.T) {
	golden(t, "testdata/read.txt", func(input string) []string {
		l, err := Read(input)
		if err != nil {
			return []string{refusal(err)}
		}
		return []string{"= " + strings.ReplaceAll(l.String(), "\n", "⏎")}
	})
}

func refusal(err error) string {
	var u *Unread
	if !errors.As(err, &u) {
		return "! not an Unread: " + err.Error()
	}
	return strings.TrimRight(fmt.Sprintf("! %d %q %s", u.Offset, u.Text, u.Reason), " ")
}

// A line beyond the bounds is not read.
func TestReadBounds(t *testing.T) {
	for _, text := range []string{
		"echo " + strings.Repeat("a", maxLine),
		strings.Repeat("echo a\n", maxCommands+1),
	} {
		if _, err := Read(text); err == nil {
			t.Errorf("a line of %d bytes is read: %.20q", len(text), text)
		}
	}
	if _, err := Read("echo '" + strings.Repeat("a", maxLine-10) + "'"); err != nil {
		t.Error(err)
	}
}

// Whatever the bytes, reading ends, says where it stopped, and reads the grammar and nothing else; what was read prints as a line
// that reads as the same.
func FuzzRead(f *testing.F) {
	for _, text := range shelltest.Corpus() {
		f.Add(text)
	}
	for _, text := range shelltest.Quirks() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkRead(t, text)
		checkGrammar(t, text)
	})
}

func checkRead(t testing.TB, text string) {
	l, err := Read(text)
	var u *Unread
	switch {
	case err == nil:
	case !errors.As(err, &u) || u.Reason == "" || u.Offset < 0 || u.Offset > len(text) || !strings.HasPrefix(text[u.Offset:], u.Text):
		t.Fatalf("%q: no place or no reason: %#v", text, err)
	default:
		return
	}
	printed := l.String()
	again, err := Read(printed)
	if err != nil {
		t.Fatalf("%q prints as %q, which is not read: %v", text, printed, err)
	}
	if again.String() != printed {
		t.Fatalf("%q prints as %q, then as %q", text, printed, again.String())
	}
	agrees(t, text, l)
}
