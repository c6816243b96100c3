package markdown

import (
	"bytes"
	"strings"

	"parley/internal/cell"
)

// Limits that keep the cost of any text linear. Text beyond them is shown as
// typed; none of it is lost. They are counted in the text, never in time or in
// pieces, so that the pieces a text comes in cannot change what is shown.
const (
	// blockMax is how long a block's markup is read, in bytes: some 5,000 words
	// without an empty line. Inline parsing is quadratic at worst.
	blockMax = 32 << 10
	// fenceMax is how long a fence is held to be highlighted as one, in bytes.
	// A longer one is finished in pieces of this size, without colours.
	fenceMax = 64 << 10
	// lineMax is how long a line may grow before it is cut at a space, and
	// lineSlack for how long a space is looked for.
	lineMax   = 16 << 10
	lineSlack = 1 << 10
	// probeMax is how often one block may be parsed to learn whether a line
	// still belongs to it.
	probeMax = 32
)

// Options are how blocks are rendered.
type Options struct {
	// Hyperlinks puts link targets into the spans' styles, for a terminal with
	// OSC 8. Without it a target follows its text in parentheses.
	Hyperlinks bool
	// Highlight colours closed fences in a language that is known.
	Highlight bool
}

// A Stream reads markdown as it arrives. The zero Stream is ready and has the
// zero Options.
//
// A Stream and its Blocks may be used by one goroutine at a time.
type Stream struct {
	options Options
	clean   cell.Sanitizer
	defs    definitions

	buf       []byte // the open block's clean text, then the line being written
	line      int    // where in buf that line begins
	source    int    // bytes of the source taken
	lineStart int    // where in the source the line begins
	midline   bool   // the beginning of the line has been finished

	open  open
	gap   bool // an empty line since the last block that shows something
	shown bool // some block has shown something
	done  []Block
	ready *parsed // the tree of the block that is about to be finished, if there is one
	tail  Block
	fresh bool // tail is up to date
}

// New returns a Stream with the given options.
func New(o Options) *Stream {
	return &Stream{options: o}
}

// Write takes the next piece of the text, split anywhere, and returns the
// blocks that it finished. Finished blocks never change.
func (s *Stream) Write(text string) []Block {
	if text == "" {
		return nil
	}
	s.fresh = false
	for text != "" {
		n := strings.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		if used := s.source - s.lineStart; used+n > lineMax {
			// Near the limit the line goes on byte by byte, so that the cut does
			// not depend on the pieces.
			n = max(lineMax-used, 1)
		}
		s.buf = append(s.buf, s.clean.Write(text[:n])...)
		s.source += n
		last := text[n-1]
		text = text[n:]
		used := s.source - s.lineStart
		switch {
		case last == '\n':
			s.endLine()
		case used >= lineMax && !s.clean.Pending() && (last == ' ' || used >= lineMax+lineSlack):
			s.cutLine()
		}
	}
	s.peek()
	return s.take()
}

// Close ends the text and returns the blocks that were open. The Stream is then
// done.
func (s *Stream) Close() []Block {
	s.fresh = false
	s.buf = append(s.buf, s.clean.Flush()...)
	if s.line < len(s.buf) {
		s.endLine()
	}
	if s.open.kind != none {
		s.finish()
	}
	return s.take()
}

func (s *Stream) take() []Block {
	done := s.done
	s.done = nil
	return done
}

// Tail returns the open end of the text, all that no finished block holds, as if
// the text ended here. It may show nothing. A last line that is only markers so
// far is left out until it says what it is.
func (s *Stream) Tail() Block {
	if s.fresh {
		return s.tail
	}
	s.fresh = true
	text, o := s.buf, s.open
	if line := s.buf[s.line:]; s.undecided(line) {
		text = s.buf[:s.line]
	}
	if o.kind == none {
		o.start = s.lineStart
	}
	o.end = s.source
	if o.kind != fenced {
		text = bytes.TrimRight(text, "\n")
	}
	s.tail = s.block(o, text)
	s.tail.body.open = true
	return s.tail
}

// undecided reports whether the line being written could still become a fence's
// end, an underline, a marker, a rule or a delimiter row.
func (s *Stream) undecided(line []byte) bool {
	if s.midline {
		return false
	}
	markers := "-=*_#>+~`|: \t"
	if s.open.kind == fenced {
		markers = string(s.open.fence.char) + " "
	}
	rest := bytes.TrimLeft(line, markers)
	if s.open.kind == fenced {
		return len(rest) == 0
	}
	rest = bytes.TrimLeft(rest, "0123456789")
	return len(rest) == 0 || len(rest) == 1 && (rest[0] == '.' || rest[0] == ')')
}

// Render returns a whole text as lines at a width; see [Block.Lines]. Blocks
// stand as far apart as they were typed.
func Render(text string, width int, o Options) []cell.Line {
	s := New(o)
	var lines []cell.Line
	for _, b := range append(s.Write(text), s.Close()...) {
		if b.Gap {
			lines = append(lines, nil)
		}
		lines = append(lines, b.Lines(width)...)
	}
	return lines
}
