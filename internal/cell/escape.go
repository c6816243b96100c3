package cell

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns untrusted text for a person who has to judge it, on one line
// and byte for byte: nothing is left out, and two texts never look alike. Where
// [Clean] would take a character out, Escape writes what it is: \n, \r and \t, \u
// and the number of a character, as JSON does, \x and the value of a byte that is
// no UTF-8. A backslash is doubled. So written are
//
//   - controls, format characters, spaces other than the space, private and
//     unassigned characters, and whatever leaves no mark on a screen;
//   - characters that look like another one: what normalization changes, letters
//     of phonetic and of rare scripts, the doubles of ASCII signs;
//   - letters that are foreign in their word: those that are not Latin in a word
//     that has Latin ones, and words of nothing but doubles of Latin letters;
//   - the space that ends the text, and the sign of [TabSign].
//
// [Unescape] gives the text back. Right-to-left letters are left as they are.
func Escape(text string) string {
	if plainly(text) && !strings.HasSuffix(text, " ") && strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for text != "" {
		switch r, size := utf8.DecodeRuneInString(text); {
		case r == utf8.RuneError && size < 2:
			fmt.Fprintf(&b, `\x%02x`, text[0])
			text = text[1:]
		case r == '\\', r == '\n', r == '\t', r == '\r':
			b.WriteString(map[rune]string{'\\': `\\`, '\n': `\n`, '\t': `\t`, '\r': `\r`}[r])
			text = text[1:]
		case text == " ":
			number(&b, r)
			text = ""
		default:
			text = text[escapeNext(&b, text):]
		}
	}
	return b.String()
}

// escapeNext writes the next word or sign of a text and returns its length.
func escapeNext(b *strings.Builder, text string) int {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case wordly(r):
		if n := strings.IndexFunc(text, func(r rune) bool { return !wordly(r) }); n >= 0 {
			text = text[:n]
		}
		escapeWord(b, text)
		return len(text)
	case hidden(r), double(r):
		number(b, r)
	default:
		b.WriteRune(r)
	}
	return size
}

// EscapeLines is [Escape] for a text of several lines: each comes apart, without
// the newline at its end. A text that ends in a newline has an empty last line.
func EscapeLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Escape(line)
	}
	return lines
}

// EscapeJSON is [Escape] for JSON in one line, which stays the same JSON: it has a
// way of its own to write a backslash.
func EscapeJSON(text string) string {
	if plainly(text) {
		return text
	}
	var b strings.Builder
	for text != "" {
		n := 0
		switch {
		case text[0] != '\\':
			n = escapeNext(&b, text)
		case len(text) > 1 && text[1] == 'u':
			n = min(len(`\u0000`), len(text))
			b.WriteString(text[:n])
		default:
			n = min(len(`\n`), len(text))
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// Unescape returns the text that [Escape] wrote as escaped, and what anybody meant
// who writes in the same way. It reports false where a backslash begins nothing.
func Unescape(escaped string) (string, bool) {
	var out []byte
	for at := 0; at < len(escaped); {
		if escaped[at] != '\\' {
			out = append(out, escaped[at])
			at++
			continue
		}
		if at+1 == len(escaped) {
			return "", false
		}
		kind := escaped[at+1]
		at += 2
		if i := strings.IndexByte(`\ntr`, kind); i >= 0 {
			out = append(out, "\\\n\t\r"[i])
			continue
		}
		digits := map[byte]int{'x': 2, 'u': 4}[kind]
		n, ok := hex(escaped, at, digits)
		if at += digits; !ok {
			return "", false
		}
		if kind == 'x' {
			out = append(out, byte(n))
			continue
		}
		r := rune(n)
		if utf16.IsSurrogate(r) {
			low, ok := hex(escaped, at+2, 4)
			if !ok || escaped[at:at+2] != `\u` {
				return "", false
			}
			if at, r = at+6, utf16.DecodeRune(r, rune(low)); r == unicode.ReplacementChar {
				return "", false
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out), true
}

// hex reads a number of so many digits.
func hex(text string, at, digits int) (uint64, bool) {
	if digits == 0 || at+digits > len(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(text[at:at+digits], 16, 32)
	return n, err == nil
}

// number writes a character as its number, in the way of JSON.
func number(b *strings.Builder, r rune) {
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}

// plainly reports whether a text is ASCII that can be seen, as most are.
func plainly(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// hidden reports whether a character leaves no mark of its own on a screen, or
// steers the terminal.
func hidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// wordly reports whether a character can be part of a word.
func wordly(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
