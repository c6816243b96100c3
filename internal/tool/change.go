package tool

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"
)

// Change identifies what a call does to a file: which file, from which content, to which. The zero Change is none.
type Change [sha256.Size]byte

// ChangeOf is the change of a file at a resolved path; a nil old is a file that is not there.
func ChangeOf(t Target, old, new []byte) Change {
	h := sha256.New()
	there := byte(0)
	if old != nil {
		there = 1
	}
	h.Write([]byte{there})
	for _, part := range [][]byte{[]byte(t.Path), old, new} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return Change(h.Sum(nil))
}

// ErrChanged is why a call that was approved does nothing: it would do something else by now.
var ErrChanged = errors.New("the file was changed after this edit was approved; nothing was written, read it again")

// Approve binds a World to the change that was shown to whoever allowed the call; the zero Change binds nothing.
func (w World) Approve(c Change) World {
	w.approved = c
	return w
}

// Approved fails where a change is not the one that was approved.
func (w World) Approved(c Change) error {
	if w.approved != (Change{}) && w.approved != c {
		return ErrChanged
	}
	return nil
}

// strayByte is the first of the characters that stand for bytes: private ones at the end of Unicode.
const strayByte = 0x10ff00

// Exact makes a text fit for an event without a loss, as [Valid] does not: a byte that is no UTF-8 becomes the character
// U+10FF00 and its value, which nobody sees but by number, and so does each byte of such a character.
func Exact(text string) string {
	stray := func(r rune) bool { return r >= strayByte }
	if utf8.ValidString(text) && !strings.ContainsFunc(text, stray) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size < 2 || stray(r) {
			for _, c := range []byte(text[:size]) {
				b.WriteRune(strayByte + rune(c))
			}
		} else {
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}
