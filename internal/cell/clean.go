package cell

import (
	"strings"
	"unicode/utf8"
)

// Clean returns untrusted text, such as a model's or a tool's, so that it can
// be shown: valid UTF-8 without control characters other than tab and newline.
//
// Escape sequences (CSI, OSC, DCS, APC, PM, SOS, two-byte ones, in their 7-bit
// and 8-bit forms) are dropped whole; a newline ends one that has no end. CR LF
// becomes LF. Other control characters become their control pictures (U+2400),
// bytes that are not UTF-8 and characters that override the direction of text
// (CVE-2021-42574) become U+FFFD, line and paragraph separators a space.
//
// The result has as many newlines as the text. Clean text comes back as it is,
// without a copy.
func Clean(text string) string {
	if tidy(text) == len(text) {
		return text
	}
	var s Sanitizer
	return s.Write(text) + s.Flush()
}

// Flat is [Clean] on one line: all white space, newlines too, becomes single
// spaces.
func Flat(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// A Sanitizer is [Clean] for a text that arrives in pieces, split anywhere, also
// inside a character or a sequence. What its Write calls return, together with
// Flush, is Clean of the whole. The zero Sanitizer is ready.
type Sanitizer struct {
	state   state
	cr      bool    // a CR waits to see whether LF follows
	partial [4]byte // the first bytes of a character
	n       int
}

// A state is the state of the escape sequence parser.
type state uint8

const (
	ground       state = iota
	escape             // after ESC
	intermediate       // after ESC and an intermediate byte
	control            // in CSI
	payload            // in OSC, DCS, APC, PM or SOS
	payloadEnd         // in a payload, after ESC
)

// Pending reports whether the sanitizer stands inside a sequence or a
// character: text that it has taken and not yet accounted for.
func (s *Sanitizer) Pending() bool {
	return s.state != ground || s.cr || s.n > 0
}

// Write returns the clean form of what is complete so far.
func (s *Sanitizer) Write(text string) string {
	if !s.Pending() {
		n := tidy(text)
		if n == len(text) {
			return text
		}
		var b strings.Builder
		b.Grow(len(text) + 8)
		b.WriteString(text[:n])
		s.write(&b, text[n:])
		return b.String()
	}
	var b strings.Builder
	s.write(&b, text)
	return b.String()
}

// Flush ends the text: an unfinished character becomes U+FFFD, an unfinished
// sequence is dropped. The sanitizer is then ready for another text.
func (s *Sanitizer) Flush() string {
	var b strings.Builder
	s.endCR(&b)
	if s.state == ground {
		for range s.n {
			b.WriteRune(utf8.RuneError)
		}
	}
	*s = Sanitizer{}
	return b.String()
}

func (s *Sanitizer) write(b *strings.Builder, text string) {
	for s.n > 0 && text != "" {
		s.partial[s.n] = text[0]
		s.n++
		text = text[1:]
		for s.n > 0 && utf8.FullRune(s.partial[:s.n]) {
			r, size := utf8.DecodeRune(s.partial[:s.n])
			copy(s.partial[:], s.partial[size:s.n])
			s.n -= size
			s.rune(b, r)
		}
	}
	for text != "" {
		if s.state == ground && !s.cr {
			if n := tidy(text); n > 0 {
				b.WriteString(text[:n])
				text = text[n:]
				continue
			}
		}
		if !utf8.FullRuneInString(text) {
			s.n = copy(s.partial[:], text)
			return
		}
		r, size := utf8.DecodeRuneInString(text)
		s.rune(b, r)
		text = text[size:]
	}
}

func (s *Sanitizer) endCR(b *strings.Builder) {
	if s.cr {
		s.cr = false
		b.WriteRune(picture('\r'))
	}
}

// rune takes one character; utf8.RuneError stands for any byte that is none.
func (s *Sanitizer) rune(b *strings.Builder, r rune) {
	if r == '\n' {
		s.cr, s.state = false, ground
		b.WriteByte('\n')
		return
	}
	s.endCR(b)
	// CAN and SUB cancel a sequence, ESC begins another (ECMA-48, DEC STD 070).
	switch {
	case s.state != ground && (r == 0x18 || r == 0x1a):
		s.state = ground
		return
	case r == 0x1b && s.state == payload:
		s.state = payloadEnd
		return
	case r == 0x1b:
		s.state = escape
		return
	}
	switch s.state {
	case escape, intermediate:
		s.escaped(b, r)
	case control:
		switch {
		case r >= 0x40 && r <= 0x7e:
			s.state = ground
		case r < 0x20 || r > 0x3f:
			s.state = ground
			s.plain(b, r)
		}
	case payload, payloadEnd:
		switch {
		case r == 0x07 || r == 0x9c || s.state == payloadEnd && r == '\\':
			s.state = ground
		case s.state == payloadEnd:
			// ESC ended the payload, and this is the rest of that escape.
			s.state = escape
			s.escaped(b, r)
		}
	default:
		s.plain(b, r)
	}
}

// escaped takes a character after ESC.
func (s *Sanitizer) escaped(b *strings.Builder, r rune) {
	first := s.state == escape
	switch {
	case r >= 0x20 && r <= 0x2f:
		s.state = intermediate
	case first && r == '[':
		s.state = control
	case first && (r == ']' || r == 'P' || r == '_' || r == '^' || r == 'X'):
		s.state = payload
	case r >= 0x30 && r <= 0x7e:
		s.state = ground
	default:
		s.state = ground
		s.plain(b, r)
	}
}

// plain takes a character outside any sequence.
func (s *Sanitizer) plain(b *strings.Builder, r rune) {
	switch {
	case r == '\r':
		s.cr = true
	case r == '\t':
		b.WriteByte('\t')
	case r == 0x9b:
		s.state = control
	case r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f:
		s.state = payload
	case r < 0x20 || r == 0x7f:
		b.WriteRune(picture(r))
	case r >= 0x80 && r < 0xa0:
		b.WriteRune(utf8.RuneError)
	case r == '\u2028' || r == '\u2029':
		b.WriteByte(' ')
	case overrides(r):
		b.WriteRune(utf8.RuneError)
	default:
		b.WriteRune(r)
	}
}

// picture returns the visible stand-in of a C0 control or DEL.
func picture(r rune) rune {
	if r == 0x7f {
		return '\u2421'
	}
	return 0x2400 + r
}

// overrides reports whether r changes the direction of the text after it: the
// embeddings, overrides and isolates, and the deprecated format characters.
func overrides(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x206f
}

// tidy returns how many bytes from the start are clean as they are.
func tidy(text string) int {
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			if b < 0x20 && b != '\n' && b != '\t' || b == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size < 2 || r < 0xa0 || r >= 0x2028 && r <= 0x206f &&
			(r <= 0x2029 || overrides(r)) {
			return i
		}
		i += size
	}
	return len(text)
}
