package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// place is where a word stands, and so what may stand in it.
type place int

const (
	inName     place = iota // of a command: nothing that is quoted or expanded, no =
	inArgument              // also * and ?
	inEcho                  // also $?
	inTarget                // of a redirection or of cd
	inValue                 // of an assignment; may be empty
)

// Bytes that stand for themselves outside of quotes, and those that do so inside a word only.
const (
	plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
	innerBytes = "~^#!"
	// endBytes end a word.
	endBytes = " \n;|&<>"
	// escapable bytes lose a backslash before them inside of double quotes.
	escapable = "\"\\$`"
)

// spelling is a word on its way. Adjacent texts are one part.
type spelling struct {
	at    int
	parts []part
	text  []byte
}

func (s *spelling) mark(k kind, text string) {
	s.flush()
	s.parts = append(s.parts, part{k, text})
}

func (s *spelling) flush() {
	if len(s.text) > 0 {
		s.parts = append(s.parts, part{textKind, string(s.text)})
		s.text = nil
	}
}

func (s *spelling) word(end int) word {
	s.flush()
	return word{at: s.at, end: end, parts: s.parts}
}

func (r *reader) word(in place) (word, error) {
	s := spelling{at: r.at}
	var err error
	for err == nil && !r.end() && strings.IndexByte(endBytes, r.next(0)) < 0 {
		err = r.piece(&s, in)
	}
	w := s.word(r.at)
	switch {
	case err != nil:
		return w, err
	case w.at == w.end && in != inValue:
		return w, r.stray()
	case w.glob() && w.has(statusKind):
		return w, unread(r.line, w.at, w.end, "$? and a pattern in one word")
	case digits(r.line[w.at:w.end]) && (r.next(0) == '<' || r.next(0) == '>'):
		return w, unread(r.line, w.at, 0, reasonDescriptor)
	}
	return w, nil
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// piece reads one piece of a word: some plain text, something in quotes, or what is expanded.
func (r *reader) piece(s *spelling, in place) error {
	b := r.next(0)
	switch {
	case in == inName && (b == '=' || b == '\'' || b == '"'):
		return r.stray()
	case strings.IndexByte(plainBytes, b) >= 0, strings.IndexByte(innerBytes, b) >= 0 && r.inside(s):
		s.text = append(s.text, b)
		r.at++
		return nil
	case b == '\'':
		return r.single(s)
	case b == '"':
		return r.double(s, in)
	case (b == '*' || b == '?') && (in == inArgument || in == inEcho):
		kind := anyKind
		if b == '?' {
			kind = oneKind
		}
		s.mark(kind, string(b))
		r.at++
		return nil
	case in == inEcho && r.sees("$?"):
		s.mark(statusKind, "$?")
		r.at += len("$?")
		return nil
	case r.at > s.at && strings.IndexByte(innerBytes, b) >= 0 && strings.IndexByte(`'"`, r.line[r.at-1]) >= 0:
		return r.fail("a ~, ^, # or ! right after quotes")
	}
	return r.stray()
}

// inside says whether one of innerBytes may stand here: after a byte outside of quotes that stands for itself. A ~ after : or =
// may be a home folder, in a word that looks like an assignment.
func (r *reader) inside(s *spelling) bool {
	if r.at == s.at {
		return false
	}
	before := r.line[r.at-1]
	if r.next(0) == '~' && (before == ':' || before == '=') {
		return false
	}
	return strings.IndexByte(plainBytes, before) >= 0 || strings.IndexByte(innerBytes, before) >= 0
}

func (r *reader) single(s *spelling) error {
	start := r.at
	r.at++
	for !r.end() {
		if r.next(0) == '\'' {
			r.at++
			return nil
		}
		if err := r.char(s); err != nil {
			return err
		}
	}
	return unread(r.line, start, 0, "a single quote that is not closed")
}

func (r *reader) double(s *spelling, in place) error {
	start := r.at
	r.at++
	for !r.end() {
		var err error
		switch b := r.next(0); {
		case b == '"':
			r.at++
			return nil
		case b == '\\':
			err = r.escape(s)
		case in == inEcho && r.sees("$?"):
			s.mark(statusKind, "$?")
			r.at += len("$?")
		case b == '$' && (r.next(1) == '"' || r.next(1) == ' '):
			s.text = append(s.text, '$')
			r.at++
		case b == '$', b == '`':
			err = r.stray()
		default:
			err = r.char(s)
		}
		if err != nil {
			return err
		}
	}
	return unread(r.line, start, 0, "a double quote that is not closed")
}

// escape reads a backslash inside of double quotes.
func (r *reader) escape(s *spelling) error {
	b := r.next(1)
	switch {
	case b < ' ' || b > '~':
		return r.fail("a backslash before a character that is not printable ASCII")
	case strings.IndexByte(escapable, b) >= 0:
		s.text = append(s.text, b)
	default:
		s.text = append(s.text, '\\', b)
	}
	r.at += 2
	return nil
}

// char reads one character of quoted text.
func (r *reader) char(s *spelling) error {
	if r.here != nil && r.next(0) == '\n' {
		return r.fail("a quoted newline in the line of a here-document")
	}
	size, err := r.printable()
	if err != nil {
		return err
	}
	s.text = append(s.text, r.line[r.at:r.at+size]...)
	r.at += size
	return nil
}

// printable is the size of the character that stands here, where text may hold it.
func (r *reader) printable() (int, error) {
	c, size := utf8.DecodeRuneInString(r.line[r.at:])
	switch {
	case c == utf8.RuneError && size == 1:
		return 0, r.fail(reasonEncoding)
	case unicode.IsControl(c) && c != '\n' && c != '\t':
		return 0, r.fail(reasonControl)
	}
	return size, nil
}
