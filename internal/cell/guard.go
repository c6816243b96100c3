package cell

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Guard stands before a terminal: whatever is written through it steers nothing.
// It writes characters that cannot be seen as their number, as JSON does, so that
// JSON stays the same JSON; newlines, tabs and all that can be seen pass. A text
// may come in pieces, cut anywhere.
type Guard struct {
	w    io.Writer
	held []byte // the beginning of a character
}

// NewGuard returns a guard before w.
func NewGuard(w io.Writer) *Guard { return &Guard{w: w} }

// Write writes what is complete of a text.
func (g *Guard) Write(text []byte) (int, error) {
	all := text
	if len(g.held) > 0 {
		all = append(g.held, text...)
		g.held = nil
	}
	if n := len(all) - utf8.UTFMax; len(all) > 0 {
		for i := len(all) - 1; i >= max(n, 0); i-- {
			if utf8.RuneStart(all[i]) {
				if !utf8.FullRune(all[i:]) {
					all, g.held = all[:i], append([]byte(nil), all[i:]...)
				}
				break
			}
		}
	}
	if err := g.pass(all); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Close writes what is held back of a character that has no end.
func (g *Guard) Close() error {
	held := g.held
	g.held = nil
	return g.pass(held)
}

func (g *Guard) pass(text []byte) error {
	if safe(text) == len(text) {
		if len(text) == 0 {
			return nil
		}
		_, err := g.w.Write(text)
		return err
	}
	var b strings.Builder
	for len(text) > 0 {
		n := safe(text)
		b.Write(text[:n])
		if text = text[n:]; len(text) == 0 {
			break
		}
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size < 2 {
			fmt.Fprintf(&b, `\x%02x`, text[0])
		} else {
			number(&b, r)
		}
		text = text[size:]
	}
	_, err := io.WriteString(g.w, b.String())
	return err
}

// safe returns how many bytes from the start can be written as they are.
func safe(text []byte) int {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size < 2 || !unicode.IsPrint(r) {
			return i
		}
		i += size
	}
	return len(text)
}
