package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// Violations says which laws the bytes of a program break that draws in place:
//
//   - nothing clears the screen or the scrollback, enters the alternate screen,
//     scrolls, sets a region, moves to an absolute row, or resets;
//   - what is shown or moved is inside a synchronized update;
//   - while the cursor can be seen it stays in its row.
//
// The laws hold from where the program sets bracketed paste to where it takes
// that back: before and after, the bytes are the shell's.
func Violations(b []byte) (frames int, problems []string) {
	from, to := bytes.Index(b, []byte("\x1b[?2004h")), bytes.LastIndex(b, []byte("\x1b[?2004l"))
	if from < 0 {
		return 0, []string{"the program never came to the terminal"}
	}
	if to < from {
		to = len(b)
	}
	w := watcher{shown: true, all: b}
	scan(b[from:to], func(at int, s sequence) { w.see(from+at, s) })
	if w.sync {
		w.violated(to, "the last frame has no end")
	}
	return w.frames, w.problems
}

// A watcher knows what the modes are.
type watcher struct {
	sync, shown bool
	frames      int
	problems    []string
	all         []byte
}

func (w *watcher) violated(at int, format string, args ...any) {
	if len(w.problems) < 20 {
		w.problems = append(w.problems, fmt.Sprintf("byte %d: %s, in %q", at, fmt.Sprintf(format, args...), w.all[max(0, at-60):min(len(w.all), at+40)]))
	}
}

func (w *watcher) see(at int, s sequence) {
	switch {
	case s.private('h'), s.private('l'):
		w.mode(at, s)
	case forbidden(s):
		w.violated(at, "%q must never be written", s.text)
	case s.kind == 'T' && strings.ContainsFunc(s.text, unicode.IsControl):
		w.violated(at, "%q has a control character of 8 bits", s.text)
	case !s.acts():
	case !w.sync:
		w.violated(at, "%q stands outside a frame", s.text)
	case w.shown && s.leaves():
		w.violated(at, "%q moves the cursor, which can be seen", s.text)
	}
}

func (w *watcher) mode(at int, s sequence) {
	set := s.final == 'h'
	for _, mode := range strings.Split(s.params[1:], ";") {
		switch mode {
		case "2026":
			if set {
				w.frames++
				if w.sync {
					w.violated(at, "a frame within a frame")
				}
			}
			w.sync = set
		case "25":
			w.shown = set
		case "47", "1047", "1048", "1049":
			w.violated(at, "%q: the alternate screen", s.text)
		}
	}
}

// forbidden are the sequences that an inline program has no use for.
func forbidden(s sequence) bool {
	if s.kind == 'E' {
		return s.final == 'c' || s.final == 'M' || s.final == 'D' || s.final == 'E'
	}
	if s.kind != 'C' || s.params != "" && s.params[0] > ';' {
		return false
	}
	switch s.final {
	case 'J':
		return s.params != "" && s.params != "0"
	case 'H', 'f', 'd', 'r', 'S', 'T':
		return true
	}
	return false
}

// A sequence is a run of text, a control character or an escape sequence.
type sequence struct {
	kind   byte // T: text, 0: control character, E: ESC and a byte, C: CSI, S: a string such as OSC
	final  byte
	params string
	text   string
}

func (s sequence) private(final byte) bool {
	return s.kind == 'C' && s.final == final && strings.HasPrefix(s.params, "?")
}

// acts reports whether anything on the screen changes, the cursor's place included.
func (s sequence) acts() bool {
	switch s.kind {
	case 'T':
		return true
	case '0':
		return s.final != 7
	case 'E':
		return s.final == '7' || s.final == '8'
	case 'C':
		return s.params == "" && s.final != 'c' && s.final != 'm' || s.params != "" && s.params[0] <= ';' && strings.IndexByte("mcnuq", s.final) < 0
	}
	return false
}

// leaves reports whether the cursor may come to another row.
func (s sequence) leaves() bool {
	switch s.kind {
	case '0':
		return s.final == '\n' || s.final == '\v' || s.final == '\f'
	case 'E':
		return s.final == '8'
	case 'C':
		return strings.IndexByte("ABEFJLMu", s.final) >= 0
	}
	return false
}

// scan cuts bytes into sequences (ECMA-48).
func scan(b []byte, see func(at int, s sequence)) {
	for i := 0; i < len(b); {
		s := sequence{text: string(b[i : i+1])}
		switch c := b[i]; {
		case c == 0x1b:
			s = escape(b[i:])
		case c < 0x20 || c == 0x7f:
			s.kind, s.final = '0', c
		default:
			n := i
			for n < len(b) && b[n] >= 0x20 && b[n] != 0x7f {
				n++
			}
			s = sequence{kind: 'T', text: string(b[i:n])}
		}
		see(i, s)
		i += len(s.text)
	}
}

func escape(b []byte) sequence {
	if len(b) == 1 {
		return sequence{kind: '0', text: string(b)}
	}
	switch b[1] {
	case '[':
		n := 2
		for n < len(b) && (b[n] < 0x40 || b[n] > 0x7e) {
			n++
		}
		if n == len(b) {
			return sequence{kind: '0', text: string(b)}
		}
		return sequence{kind: 'C', final: b[n], params: string(b[2:n]), text: string(b[:n+1])}
	case ']', 'P', 'X', '^', '_':
		for n := 2; n < len(b); n++ {
			if b[n] == 7 {
				return sequence{kind: 'S', final: b[1], text: string(b[:n+1])}
			}
			if b[n] == 0x1b && n+1 < len(b) && b[n+1] == '\\' {
				return sequence{kind: 'S', final: b[1], text: string(b[:n+2])}
			}
		}
		return sequence{kind: 'S', final: b[1], text: string(b)}
	}
	return sequence{kind: 'E', final: b[1], text: string(b[:2])}
}
