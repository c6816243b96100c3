package shell

import "strings"

// Bounds of a line; one beyond them is not read.
const (
	maxLine     = 256 << 10 // bytes
	maxCommands = 200
)

// Read reads a line that a shell would be given. The error is an [*Unread].
func Read(text string) (Line, error) {
	if len(text) > maxLine {
		return Line{}, &Unread{Reason: "it is longer than 256 KiB"}
	}
	r := reader{line: text}
	l, err := r.read()
	if err != nil {
		return Line{}, err
	}
	l.text = text
	return l, nil
}

// reader is at one place of a line. Each of its methods reads one thing of the grammar from there on, and stays where the first
// thing stands that it cannot read.
type reader struct {
	line     string
	at       int
	commands int
	// here is the here-document whose body begins with the next line.
	here *redirect
}

func (r *reader) end() bool { return r.at >= len(r.line) }

// next is the byte n further on; 0 at the end, which no line holds.
func (r *reader) next(n int) byte {
	if r.at+n >= len(r.line) {
		return 0
	}
	return r.line[r.at+n]
}

func (r *reader) sees(s string) bool { return strings.HasPrefix(r.line[r.at:], s) }

func (r *reader) blanks() {
	for r.next(0) == ' ' {
		r.at++
	}
}

func (r *reader) fail(reason string) error { return unread(r.line, r.at, 0, reason) }

// stray says what stands here instead of something that can be read.
func (r *reader) stray() error {
	if r.end() {
		return r.fail("the line ends too early")
	}
	b := r.line[r.at]
	reason, known := strays[b]
	switch {
	case r.sees("&&"):
		reason = reasonMissing
	case known:
	case b == ';' || b == '|':
		reason = reasonMissing
	case b < ' ' || b == 0x7f:
		reason = reasonControl
	default:
		reason = reasonUnquoted
	}
	return r.fail(reason)
}

func (r *reader) read() (l Line, err error) {
	if l.folder, err = r.folder(); err != nil {
		return l, err
	}
	for {
		if err := r.space(); err != nil {
			return l, err
		}
		if r.end() {
			break
		}
		c, err := r.chain()
		if err != nil {
			return l, err
		}
		l.list = append(l.list, c)
		if err := r.separator(); err != nil {
			return l, err
		}
	}
	if len(l.list) == 0 {
		return l, r.fail(reasonMissing)
	}
	return l, nil
}

// space skips blanks and newlines between commands, and empty lines.
func (r *reader) space() error {
	for r.blanks(); r.next(0) == '\n'; r.blanks() {
		if err := r.newline(); err != nil {
			return err
		}
	}
	return nil
}

// separator reads what ends a chain: a semicolon, a newline or the end of the line.
func (r *reader) separator() error {
	r.blanks()
	switch {
	case r.end():
		return r.newline()
	case r.next(0) == '\n':
		return nil
	case r.next(0) == ';' && r.next(1) != ';':
		r.at++
		r.blanks()
		if r.end() {
			return r.newline()
		}
		return nil
	}
	return r.stray()
}

// folder reads "cd WORD &&", which only the beginning of a line may be.
func (r *reader) folder() (*word, error) {
	if err := r.space(); err != nil {
		return nil, err
	}
	start := r.at
	if !r.sees("cd ") {
		return nil, nil
	}
	r.at += len("cd ")
	r.blanks()
	w, err := r.word(inTarget)
	if err != nil {
		return nil, err
	}
	r.blanks()
	if text := w.String(); text == "" || text[0] == '-' || !r.sees("&&") {
		return nil, unread(r.line, start, 0, reasonFolder)
	}
	r.at += len("&&")
	r.blanks()
	if r.next(0) == '\n' {
		return nil, r.stray()
	}
	return &w, nil
}

func (r *reader) chain() (chain, error) {
	var c chain
	for op := ""; ; {
		r.blanks()
		pipe, err := r.pipe()
		if err != nil {
			return nil, err
		}
		c = append(c, link{op, pipe})
		r.blanks()
		if !r.sees("&&") && !r.sees("||") {
			return c, nil
		}
		op = r.line[r.at : r.at+2]
		r.at += 2
	}
}

func (r *reader) pipe() ([]command, error) {
	var pipe []command
	for {
		r.blanks()
		c, err := r.command()
		if err != nil {
			return nil, err
		}
		pipe = append(pipe, c)
		r.blanks()
		if r.next(0) != '|' || r.next(1) == '|' {
			return pipe, nil
		}
		if r.next(1) == '&' {
			return nil, r.fail("a pipe of both outputs; 2>&1 | is read")
		}
		r.at++
	}
}

func (r *reader) command() (c command, err error) {
	if r.commands++; r.commands > maxCommands {
		return c, r.fail("more than 200 commands")
	}
	if c.env, err = r.environment(); err != nil {
		return c, err
	}
	name, err := r.name()
	if err != nil {
		return c, err
	}
	c.words = []word{name}
	in := inArgument
	if name.String() == "echo" {
		in = inEcho
	}
	for {
		r.blanks()
		switch b := r.next(0); {
		case r.end() || strings.IndexByte("\n;|&", b) >= 0:
			return c, nil
		case b == '<' || b == '>' || b == '2' && r.next(1) == '>':
			d, err := r.redirect()
			if err != nil {
				return c, err
			}
			c.redirects = append(c.redirects, d)
		default:
			w, err := r.word(in)
			if err != nil {
				return c, err
			}
			c.words = append(c.words, w)
		}
	}
}
