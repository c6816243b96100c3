package term

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// How long an unfinished sequence may stay unfinished. A lone ESC is a key when
// nothing follows it at once; anything longer is a report whose rest is late,
// and typing it into the composer would be worse than waiting.
const (
	escapeWait = 50 * time.Millisecond
	reportWait = time.Second
)

// Bounds of what a terminal may send in one piece.
const (
	maxPaste  = 1 << 20 // a longer paste is delivered in pieces of this size
	maxReport = 1 << 16 // a longer report is dropped
)

var pasteEnd = []byte("\x1b[201~")

// A Scanner turns the bytes of a terminal into events. It cuts the stream into
// whole sequences, however the bytes were split, and has each decoded by
// ultraviolet. The zero value is ready for use.
type Scanner struct {
	decoder uv.EventDecoder
	rest    []byte
	pasting bool
}

// Feed adds bytes and returns the events that they complete.
func (s *Scanner) Feed(b []byte) []Event {
	s.rest = append(s.rest, b...)
	return s.scan(nil)
}

// Wait returns how long to wait for more bytes before Expire; 0 when nothing is
// unfinished.
func (s *Scanner) Wait() time.Duration {
	switch {
	case s.pasting || len(s.rest) == 0:
		return 0
	case len(s.rest) <= 2 && s.rest[0] == '\x1b':
		return escapeWait
	}
	return reportWait
}

// Expire gives up waiting: a lone ESC, or ESC and one character, are keys;
// anything else unfinished is dropped.
func (s *Scanner) Expire() []Event {
	if s.Wait() == 0 {
		return nil
	}
	rest := s.rest
	s.rest = nil
	if rest[0] != '\x1b' || len(rest) > 2 {
		return nil
	}
	return s.decode(nil, rest)
}

func (s *Scanner) scan(out []Event) []Event {
	for len(s.rest) > 0 {
		if s.pasting {
			var more bool
			if out, more = s.paste(out); !more {
				return out
			}
			continue
		}
		n := whole(s.rest)
		if n == 0 {
			if len(s.rest) > maxReport {
				s.rest = nil
			}
			return out
		}
		seq := s.rest[:n]
		out = s.decode(out, seq)
		s.rest = s.rest[n:]
	}
	s.rest = nil
	return out
}

// paste takes what it can of a paste and reports whether it came to its end.
func (s *Scanner) paste(out []Event) ([]Event, bool) {
	if i := bytes.Index(s.rest, pasteEnd); i >= 0 {
		text := s.rest[:i]
		s.rest, s.pasting = s.rest[i+len(pasteEnd):], false
		return append(out, Paste{pasted(text)}), true
	}
	if len(s.rest) < maxPaste {
		return out, false
	}
	// The end marker may have begun; a character or a CRLF may be cut.
	n := len(s.rest) - len(pasteEnd)
	for n > 0 && (!utf8.RuneStart(s.rest[n]) || s.rest[n-1] == '\r') {
		n--
	}
	out = append(out, Paste{pasted(s.rest[:n])})
	s.rest = s.rest[n:]
	return out, false
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func pasted(b []byte) string {
	return lineEnds.Replace(strings.ToValidUTF8(string(b), "\uFFFD"))
}

// decode has one whole sequence decoded. What is no key, paste, focus or report
// is dropped.
func (s *Scanner) decode(out []Event, seq []byte) []Event {
	n, e := s.decoder.Decode(seq)
	if multi, ok := e.(uv.MultiEvent); ok {
		for _, e := range multi {
			out = s.take(out, e)
		}
	} else {
		out = s.take(out, e)
	}
	// ESC before something that is no key with Alt is an ESC of its own.
	if n == 1 && len(seq) > 1 {
		return s.decode(out, seq[n:])
	}
	return out
}

func (s *Scanner) take(out []Event, e uv.Event) []Event {
	switch e := e.(type) {
	case uv.KeyPressEvent:
		return append(out, key(e))
	case uv.PasteStartEvent:
		s.pasting = true
	case uv.FocusEvent:
		return append(out, Focus{true})
	case uv.BlurEvent:
		return append(out, Focus{false})
	case uv.PrimaryDeviceAttributesEvent:
		return append(out, report{kind: reportAttributes})
	case uv.SecondaryDeviceAttributesEvent:
		return append(out, report{kind: reportSecondary, text: joined(e)})
	case uv.KeyboardEnhancementsEvent:
		return append(out, report{kind: reportKeyboard, value: e.Flags})
	case uv.ModeReportEvent:
		return append(out, report{kind: reportMode, mode: e.Mode.Mode(), value: int(e.Value)})
	case uv.TerminalVersionEvent:
		return append(out, report{kind: reportVersion, text: e.Name})
	}
	return out
}

// joined writes numbers as the parameters of a sequence.
func joined(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ";")
}

// key names a key press. Text that a key with Ctrl, Alt or Super would type is
// not typed.
func key(e uv.KeyPressEvent) Key {
	k := Key{Name: e.Keystroke(), Text: e.Text}
	if e.Mod&(uv.ModCtrl|uv.ModAlt|uv.ModMeta|uv.ModHyper|uv.ModSuper) != 0 {
		k.Text = ""
	} else if k.Text == "" && len(k.Name) == 1 && e.Mod&^(uv.ModCapsLock|uv.ModNumLock) == 0 {
		k.Text = k.Name // a key of the keypad
	}
	return k
}

// whole returns the length of the sequence that b begins with, or 0 while it is
// unfinished. See ECMA-48 §5.4 to §5.6 for the forms.
func whole(b []byte) int {
	if b[0] != '\x1b' {
		if utf8.FullRune(b) {
			_, n := utf8.DecodeRune(b)
			return n
		}
		return 0
	}
	if len(b) == 1 {
		return 0
	}
	switch b[1] {
	case '[':
		return control(b)
	case 'O':
		for i := 2; i < len(b); i++ {
			if b[i] < '0' || b[i] > ';' {
				return i + 1
			}
		}
		return 0
	case ']', 'P', '_', '^', 'X':
		return text(b)
	case '\x1b':
		// urxvt writes Alt and an arrow as ESC ESC [ A; two ESC are two keys.
		if len(b) == 2 {
			return 0
		}
		if b[2] != '[' && b[2] != 'O' {
			return 1
		}
		if n := whole(b[1:]); n > 0 {
			return n + 1
		}
		return 0
	}
	if n := whole(b[1:]); n > 0 {
		return n + 1
	}
	return 0
}

// control measures a control sequence: parameters, intermediates, final byte.
func control(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case c >= 0x20 && c <= 0x3f:
		case c == '[' && i == 2: // a function key of the Linux console: ESC [ [ A
			if len(b) < 4 {
				return 0
			}
			return 4
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		default: // broken off: what came so far is void
			return i
		}
	}
	return 0
}

// text measures a string sequence up to ST or BEL. CAN, SUB and an ESC that is
// no ST break it off.
func text(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch b[i] {
		case '\a':
			return i + 1
		case '\x18', '\x1a':
			return i + 1
		case '\x1b':
			if i+1 == len(b) {
				return 0
			}
			if b[i+1] == '\\' {
				return i + 2
			}
			return i
		}
	}
	return 0
}
