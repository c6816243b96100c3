package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
)

// A kind is what block is open at the document's own level.
type kind uint8

const (
	none kind = iota
	paragraph
	single // a heading or a rule: one line
	fenced
	code   // indented
	markup // HTML
	quote
	item // of a list
)

// open is the block that the text stands in.
type open struct {
	kind   kind
	start  int  // in the source
	end    int  // in the source, after the last line that is not blank
	text   int  // in buf, after that line
	blank  bool // the line before is blank
	long   bool // too long: further lines are shown as typed
	probes int

	cont   bool // the paragraph's beginning has been finished
	hold   bool // the paragraph may hold a table or definitions
	failed int  // the length at which its lines were not settled

	fence  fence
	pieces int // of the fence that have been finished
	closed bool

	ending []byte // what ends the HTML block, nil for a blank line
	hinted bool   // ending is any of the tags of the kinds script, pre, style, textarea

	marker marker
	number int
	bare   bool // nothing but the marker so far
	lazy   bool // the line before is surely a paragraph's, so that text goes on with it
}

// A placement says where a line belongs.
type placement uint8

const (
	inside placement = iota
	outside
	next // the next item of the list
	over // the line was the block's last, and has been taken
)

// endLine takes the finished line at buf[line:].
func (s *Stream) endLine() {
	if s.midline {
		s.endCut()
	} else {
		s.step(s.buf[s.line:])
	}
	s.lineStart = s.source
	if s.open.kind != none {
		s.limit()
	}
}

func (s *Stream) step(line []byte) {
	if blank(line) && s.open.kind != fenced && (s.open.kind != markup || s.open.ending == nil && !s.open.hinted) {
		s.emptyLine()
		return
	}
	if s.open.kind != none {
		switch s.place(line) {
		case outside:
			s.finish()
		case next:
			number := s.open.number + 1
			s.finish()
			s.begin(s.buf[s.line:])
			s.open.number = number
		case over:
			return
		}
	}
	if s.open.kind == none {
		s.begin(s.buf[s.line:])
	}
	s.extend()
}

// emptyLine takes a blank line that no fence or HTML block holds.
func (s *Stream) emptyLine() {
	switch s.open.kind {
	case code, item:
		s.open.blank, s.open.lazy = true, false
		if s.open.long {
			s.space()
			s.drop()
		} else {
			s.line = len(s.buf)
		}
		return
	case none:
	default:
		s.finish()
	}
	s.space()
	s.drop()
}

// drop forgets the line at buf[line:].
func (s *Stream) drop() {
	s.buf = s.buf[:s.line]
}

// begin opens the block that the line starts.
func (s *Stream) begin(line []byte) {
	s.open = open{start: s.lineStart}
	o := &s.open
	columns, at := indent(line)
	rest := line[at:]
	if columns > 3 {
		o.kind = code
		return
	}
	if _, ok := heading(rest); ok || rule(rest) {
		o.kind = single
		return
	}
	if f, ok := openFence(columns, rest); ok {
		o.kind, o.fence = fenced, f
		return
	}
	if m, ok := readMarker(line); ok {
		o.kind, o.marker, o.number, o.bare = item, m, m.number, m.empty
		return
	}
	switch rest[0] {
	case '>':
		o.kind = quote
	case '<':
		if t, ok := s.htmlBlock(line, false); ok {
			o.kind = markup
			o.ending, o.hinted = endings[t], t == ast.HTMLBlockType1
			return
		}
		o.kind = paragraph
	default:
		o.kind = paragraph
		o.hold = rest[0] == '['
	}
}

// endings are what ends an HTML block of a type (CommonMark 4.6).
var endings = map[ast.HTMLBlockType][]byte{
	ast.HTMLBlockType2: []byte("-->"),
	ast.HTMLBlockType3: []byte("?>"),
	ast.HTMLBlockType4: []byte(">"),
	ast.HTMLBlockType5: []byte("]]>"),
}

// htmlBlock reports whether the line starts an HTML block, after a line of a
// paragraph or by itself.
func (s *Stream) htmlBlock(line []byte, interrupts bool) (ast.HTMLBlockType, bool) {
	source := line
	if interrupts {
		source = append([]byte("x\n"), line...)
	}
	doc := parse(whole, source, &seen{all: &s.defs})
	if doc == nil || doc.LastChild() == nil {
		return 0, false
	}
	h, ok := doc.LastChild().(*ast.HTMLBlock)
	if !ok {
		return 0, false
	}
	return h.HTMLBlockType, true
}

// extend adds the line at buf[line:] to the open block and finishes the block
// if the line is its last.
func (s *Stream) extend() {
	o := &s.open
	line := s.buf[s.line:]
	first := s.lineStart == o.start
	o.end, o.text, o.blank = s.source, len(s.buf), false
	if !first {
		o.bare = false
	}
	switch o.kind {
	case single:
		s.line = len(s.buf)
		s.finish()
		return
	case fenced:
		if !first && o.fence.closedBy(line) {
			o.closed = true
			s.line = len(s.buf)
			s.finish()
			return
		}
	case markup:
		if o.endedBy(line) {
			s.line = len(s.buf)
			s.finish()
			return
		}
	}
	s.line = len(s.buf)
	if o.long {
		s.piece(s.source)
	}
}

func (o *open) endedBy(line []byte) bool {
	if !o.hinted {
		return o.ending != nil && bytes.Contains(line, o.ending)
	}
	for _, tag := range []string{"</script>", "</pre>", "</style>", "</textarea>"} {
		if bytes.Contains(bytes.ToLower(line), []byte(tag)) {
			return true
		}
	}
	return false
}

// place says whether the line belongs to the open block.
func (s *Stream) place(line []byte) placement {
	o := &s.open
	columns, at := indent(line)
	switch o.kind {
	case paragraph:
		return s.placeParagraph(line, columns, at)
	case code:
		if columns < 4 {
			return outside
		}
	case quote:
		if columns < 4 && line[at] == '>' {
			o.lazy = false
			return inside
		}
		if s.starts(line, columns, at, false) {
			return outside
		}
		return s.placeLazy()
	case item:
		return s.placeItem(line, columns, at)
	}
	return inside
}

func (s *Stream) placeParagraph(line []byte, columns, at int) placement {
	o := &s.open
	if underline(line) {
		return s.placeUnderline()
	}
	if s.starts(line, columns, at, true) {
		return outside
	}
	if delimiters(line) {
		o.hold = true
	}
	s.release()
	return inside
}

// placeUnderline takes a line that makes a heading of the paragraph, unless the
// paragraph turns out to be a table or definitions.
func (s *Stream) placeUnderline() placement {
	o := &s.open
	heading := true
	if o.hold {
		source, p := s.buf, whole
		held := s.line
		if o.cont {
			source, p = unindent(s.buf), prose
			held -= len(s.buf) - len(source)
		}
		doc := parse(p, source, s.seen())
		heading = doc != nil && doc.LastChild() != nil && doc.LastChild().Kind() == ast.KindHeading
		if last := lastLine(doc); !heading && last >= 0 && last < held {
			return inside
		}
	}
	if !heading {
		return outside
	}
	o.end, o.text, s.line = s.source, len(s.buf), len(s.buf)
	s.finish()
	return over
}

// lastLine returns where the document's last block begins if it is a paragraph,
// else -1.
func lastLine(doc ast.Node) int {
	if doc == nil {
		return 0
	}
	p, ok := doc.LastChild().(*ast.Paragraph)
	if !ok || p.Lines().Len() == 0 {
		return -1
	}
	return p.Lines().At(0).Start
}

// starts reports whether the line surely starts a block at the document's
// level. Some lists cannot interrupt a paragraph.
func (s *Stream) starts(line []byte, columns, at int, interrupts bool) bool {
	if columns > 3 {
		return false
	}
	rest := line[at:]
	if _, ok := heading(rest); ok || rest[0] == '>' || rule(rest) {
		return true
	}
	if _, ok := openFence(columns, rest); ok {
		return true
	}
	if rest[0] == '<' {
		_, ok := s.htmlBlock(line, true)
		return ok
	}
	m, ok := readMarker(line)
	if ok && interrupts {
		return !m.empty && (!m.ordered || m.number == 1)
	}
	return ok
}

func (s *Stream) placeItem(line []byte, columns, at int) placement {
	o := &s.open
	m, ok := readMarker(line)
	breaks := columns < 4 && rule(line[at:])
	again := ok && !breaks && m.sameList(o.marker)
	switch {
	case o.bare && o.blank:
		// An item of nothing but a blank line has ended (CommonMark 5.2).
		if again {
			return next
		}
		return outside
	case o.bare && ok && !again:
		return outside
	case columns >= o.marker.offset:
		o.lazy = false
		return inside
	case again:
		return next
	case ok, o.bare, o.blank, s.starts(line, columns, at, false):
		return outside
	}
	return s.placeLazy()
}

// placeLazy takes a line of text without the mark of the quote or item before it: it
// belongs there if a paragraph is open inside.
func (s *Stream) placeLazy() placement {
	o := &s.open
	if o.lazy || o.long {
		return inside
	}
	if o.probes++; o.probes > probeMax {
		s.exceed(s.lineStart)
		return inside
	}
	doc := parse(whole, s.buf, s.seen())
	if doc != nil && doc.ChildCount() > 1 {
		return outside
	}
	o.lazy = true
	return inside
}
