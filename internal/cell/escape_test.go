package cell

import (
	"strings"
	"testing"
	"unicode"
)

// What steers a terminal, breaks a line or reorders text is written out; the
// rest is as it was.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"plain, größer, 世界": "plain, größer, 世界",
		"\x1b[2Jgone":       `\u001b[2Jgone`,
		"two\nlines":        `two\u000alines`,
		"\u202etxt.exe":     `\u202etxt.exe`,
		"\u009b31m":         `\u009b31m`,
		"\xff":              "\uFFFD",
		"\U000e0001":        `\U000e0001`,
	} {
		got := Escape(text)
		if got != want {
			t.Errorf("%q: %q", text, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q: not all of %q can be shown", text, got)
		}
	}
}
