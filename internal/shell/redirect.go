package shell

import "strings"

// operators are the redirections to a file, the longer before those that they begin with.
var operators = []string{opErrAppend, opErrWrite, opAppend, opWrite, opRead}

// redirect reads a redirection. What follows its operator must not make another operator of it.
func (r *reader) redirect() (redirect, error) {
	switch {
	case r.sees(opErrToOut):
		return r.errToOut()
	case r.sees(opHere):
		return r.document()
	}
	start := r.at
	for _, op := range operators {
		if !r.sees(op) {
			continue
		}
		r.at += len(op)
		if strings.IndexByte("<>&|(", r.next(0)) >= 0 && !r.end() {
			return redirect{}, unread(r.line, start, 0, strays['>'])
		}
		r.blanks()
		w, err := r.word(inTarget)
		if err == nil && w.String() == "" {
			err = unread(r.line, start, 0, "a file without a name")
		}
		return redirect{op: op, target: w}, err
	}
	return redirect{}, r.stray()
}

func (r *reader) errToOut() (redirect, error) {
	start := r.at
	r.at += len(opErrToOut)
	if !r.end() && strings.IndexByte(" \n;|", r.next(0)) < 0 {
		return redirect{}, unread(r.line, start, 0, reasonDescriptor)
	}
	return redirect{op: opErrToOut}, nil
}

// document reads the operator of a here-document and the word that ends it.
func (r *reader) document() (redirect, error) {
	start := r.at
	fail := func(reason string) (redirect, error) { return redirect{}, unread(r.line, start, 0, reason) }
	if r.here != nil {
		return fail("a second here-document in one line")
	}
	r.at += len(opHere)
	if b := r.next(0); b == '<' || b == '-' {
		return fail("a here-document of this kind; <<'WORD' is read")
	}
	r.blanks()
	if r.next(0) != '\'' {
		return fail("a here-document whose text is expanded; <<'WORD' is read")
	}
	end := spelling{at: r.at}
	if err := r.single(&end); err != nil {
		return redirect{}, err
	}
	w := end.word(r.at)
	if text := w.String(); text == "" || strings.Trim(text, plainBytes) != "" {
		return fail("a here-document that ends with an unusual word")
	}
	if !r.end() && strings.IndexByte(endBytes, r.next(0)) < 0 {
		return fail("a here-document that ends with an unusual word")
	}
	d := redirect{op: opHere, target: w, body: new(string)}
	r.here = &d
	return d, nil
}

// newline reads the end of a line, and the here-document that follows it.
func (r *reader) newline() error {
	if !r.end() {
		r.at++
	}
	if r.here == nil {
		return nil
	}
	here := r.here
	start := r.at
	for !r.end() {
		text, _, _ := strings.Cut(r.line[r.at:], "\n")
		if text == here.target.String() {
			*here.body = r.line[start:r.at]
			r.at = min(r.at+len(text)+1, len(r.line))
			r.here = nil
			return nil
		}
		if err := r.text(min(r.at+len(text)+1, len(r.line))); err != nil {
			return err
		}
	}
	return unread(r.line, here.target.at, here.target.end, "no line ends the here-document")
}

// text reads up to end what may be the text of a here-document.
func (r *reader) text(end int) error {
	for r.at < end {
		size, err := r.printable()
		if err != nil {
			return err
		}
		r.at += size
	}
	return nil
}
