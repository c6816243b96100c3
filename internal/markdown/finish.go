package markdown

import "bytes"

// finish ends the open block. What buf holds after the block's text stays: the
// blank lines between as a gap, and the line being written.
func (s *Stream) finish() {
	o := s.open
	if o.text > 0 {
		s.emit(s.block(o, s.buf[:o.text]))
	}
	if o.blank {
		s.space()
	}
	s.shift(s.line)
	s.open = open{}
}

// piece finishes what the open block has so far, while the block goes on. The
// rest begins at the source offset from.
func (s *Stream) piece(from int) {
	o := &s.open
	if o.text > 0 {
		s.emit(s.block(*o, s.buf[:o.text]))
	}
	if o.blank {
		s.space()
	}
	s.shift(s.line)
	o.start, o.text = from, 0
	o.cont = o.kind == paragraph
	o.hold, o.failed = false, 0
	o.pieces++
}

// shift takes the first n bytes off buf.
func (s *Stream) shift(n int) {
	s.buf = s.buf[:copy(s.buf, s.buf[n:])]
	s.line -= n
}

// emit hands a finished block out. A block that may define links is parsed at
// once, for the blocks after it to know them; so is one that may show nothing.
func (s *Stream) emit(b Block) {
	shows := true
	if definesOrHides(b.body.source) {
		shows = len(b.body.rows()) > 0
		for _, r := range b.body.seen.own {
			s.defs.add(r)
		}
	}
	if shows {
		s.gap, s.shown = false, true
	} else {
		b.Gap = false
	}
	s.done = append(s.done, b)
}

// definesOrHides reports whether the text could be a link definition, or be
// nothing but marks, line breaks and references to white space.
func definesOrHides(source []byte) bool {
	return bytes.Contains(source, []byte("]:")) || bytes.Contains(source, []byte("[]")) || bytes.ContainsAny(source, "<&") ||
		len(bytes.Trim(source, "#|:-~`\\ \t\n")) == 0
}

// space notes an empty line.
func (s *Stream) space() {
	s.gap = true
}

// release finishes the paragraph's lines before the line being written, which
// goes on with the paragraph, if nothing to come can change how they read.
func (s *Stream) release() {
	o := &s.open
	if o.hold || o.text == 0 || o.text < 2*o.failed {
		return
	}
	held := s.buf[:o.text]
	if bytes.ContainsAny(held, "*_~`[<\\") {
		source, p := held, whole
		if o.cont {
			source, p = unindent(held), prose
		}
		source = bytes.Clone(source)
		doc := parse(p, source, s.seen())
		if doc == nil || !settled(doc, source) {
			o.failed = o.text
			return
		}
		s.ready = &parsed{source, doc}
	}
	s.piece(s.lineStart)
}

// peek finishes a paragraph's lines as soon as the line being written begins
// with a letter: then it can only go on with the paragraph.
func (s *Stream) peek() {
	if s.open.kind != paragraph || s.midline || s.line >= len(s.buf) {
		return
	}
	if b := s.buf[s.line]; b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 {
		s.release()
	}
}

// limit keeps the open block within its bounds, at the end of a line.
func (s *Stream) limit() {
	switch o := &s.open; {
	case o.kind == fenced && o.text >= fenceMax:
		s.piece(s.source)
	case o.kind != fenced && !o.long && len(s.buf) >= blockMax:
		s.exceed(s.source)
	}
}

// exceed finishes what the open block has so far. The rest of a paragraph is
// read as before, the rest of any other block is shown as typed.
func (s *Stream) exceed(from int) {
	s.piece(from)
	s.open.long = s.open.kind != paragraph
}

// cutLine finishes the line being written as far as it goes, because it is too
// long to wait for.
func (s *Stream) cutLine() {
	if s.midline {
		s.part()
	} else {
		s.step(s.buf[s.line:])
		switch s.open.kind {
		case none:
		case paragraph, fenced:
			s.piece(s.source)
		default:
			s.exceed(s.source)
		}
		s.midline = true
	}
	s.lineStart = s.source
}

// part finishes a further part of a line that was cut.
func (s *Stream) part() {
	o := s.open
	o.start, o.end, o.text = s.lineStart, s.source, len(s.buf)
	s.emit(s.block(o, s.buf))
	s.line = len(s.buf)
	s.shift(s.line)
	s.open.start, s.open.text = s.source, 0
	s.open.pieces++
}

// endCut finishes the last part of a line that was cut.
func (s *Stream) endCut() {
	s.part()
	s.midline = false
}

// seen is what a block that is open knows.
func (s *Stream) seen() *seen {
	return &seen{all: &s.defs, count: len(s.defs.order)}
}
