package cell

import (
	"fmt"
	"strings"
	"unicode"
)

// Escape returns untrusted text for a person who has to judge it, on one line:
// what would steer the terminal, break the line or change the order of what is
// seen is written as \u and its number, where [Clean] would take it out.
func Escape(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}
