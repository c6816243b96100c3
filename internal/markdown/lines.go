package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"parley/internal/cell"
)

// Lines is a [Stream] for line mode: it returns finished lines to be written
// one after the other, each with a newline.
//
// A line of prose comes out when what follows it shows that it stays as it is:
// at the first letter of the next line, at an empty line, at the latest at the
// paragraph's end. A fence, a list and a table come out whole.
//
// There is never an empty line at the start or the end, never two together and
// never white space at the end of a line, except inside a fence.
type Lines struct {
	stream *Stream
	plain  bool
	width  int
	held   []Block
	cut    cell.Line // a line whose end has not come yet
	pends  bool      // there is one, though it may be empty
}

// NewLines returns Lines that render: for a terminal with colours. Lines are
// logical lines, left to the terminal to wrap; only a table is set to width
// columns, 0 meaning without bound.
func NewLines(o Options, width int) *Lines {
	return &Lines{stream: New(o), width: width}
}

// NewTyped returns Lines that give the markdown as it was typed, markers and
// all: for a pipe, or no colours. Control characters are shown and escape
// sequences dropped as ever (see [cell.Clean]).
func NewTyped() *Lines {
	return &Lines{stream: New(Options{}), plain: true}
}

// Write takes the next piece of the text and returns the lines it finished.
func (l *Lines) Write(text string) []cell.Line {
	return l.take(nil, l.stream.Write(text))
}

// Close ends the text and returns the lines that were held.
func (l *Lines) Close() []cell.Line {
	out := l.take(nil, l.stream.Close())
	for _, b := range l.held {
		out = l.add(out, b)
	}
	l.held = nil
	return l.end(out)
}

func (l *Lines) take(out []cell.Line, done []Block) []cell.Line {
	for _, b := range done {
		l.held = append(l.held, b)
		if b.More {
			continue
		}
		for _, b := range l.held {
			out = l.add(out, b)
		}
		l.held = l.held[:0]
	}
	return out
}

// add appends the lines of a block.
func (l *Lines) add(out []cell.Line, b Block) []cell.Line {
	lines, gap := b.set(l.width), b.Gap
	if l.plain {
		lines, gap = b.body.typed(), b.body.gap
	}
	if l.pends {
		if len(lines) > 0 {
			lines = append([]cell.Line{cell.Join(l.cut, lines[0])}, lines[1:]...)
		} else {
			lines = []cell.Line{l.cut.TrimRight()}
		}
		l.cut, l.pends, gap = nil, false, false
	}
	if len(lines) == 0 {
		return out
	}
	if gap {
		out = append(out, nil)
	}
	if b.body.cut {
		last := len(lines) - 1
		l.cut, l.pends = lines[last], true
		if spaced(b.body.source) {
			l.cut = cell.Join(l.cut.TrimRight(), cell.Plain(" "))
		}
		lines = lines[:last]
	}
	return append(out, lines...)
}

// end gives out a line whose end never came.
func (l *Lines) end(out []cell.Line) []cell.Line {
	if l.pends {
		out = append(out, l.cut.TrimRight())
		l.cut, l.pends = nil, false
	}
	return out
}

func spaced(source []byte) bool {
	n := len(source)
	return n > 0 && (source[n-1] == ' ' || source[n-1] == '\t')
}

// set renders a block for line mode.
func (b Block) set(width int) []cell.Line {
	if width > 0 && !b.Reflows() {
		return b.Lines(width)
	}
	return b.Lines(0)
}

// typed returns the lines of the block's source.
func (b *body) typed() []cell.Line {
	var out []cell.Line
	inFence := b.fences()
	empty := false
	at := 0
	for line := range bytes.Lines(b.source) {
		text := bytes.TrimSuffix(line, []byte("\n"))
		kept := inFence(at)
		at += len(line)
		if !kept && !(b.cut && at == len(b.source)) {
			text = bytes.TrimRight(text, " \t")
		}
		if len(text) == 0 && !kept {
			empty = len(out) > 0
			continue
		}
		if empty {
			out = append(out, nil)
		}
		out = append(out, cell.Plain(string(text)))
		empty = false
	}
	return out
}

// fences returns whether a line of the source, given by its offset, is inside a
// fence.
func (b *body) fences() func(offset int) bool {
	if b.kind == fenced {
		return func(int) bool { return true }
	}
	if !bytes.Contains(b.source, []byte("```")) && !bytes.Contains(b.source, []byte("~~~")) || b.literal || b.cont {
		return func(int) bool { return false }
	}
	doc := parse(whole, b.source, &b.seen)
	inside := make(map[int]bool)
	if doc != nil {
		_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if f, ok := n.(*ast.FencedCodeBlock); ok && entering {
				for i := range f.Lines().Len() {
					start := f.Lines().At(i).Start
					inside[1+bytes.LastIndexByte(b.source[:start], '\n')] = true
				}
			}
			return ast.WalkContinue, nil
		})
	}
	return func(offset int) bool { return inside[offset] }
}
