package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"parley/internal/cell"
)

// A Block is a part of the text that is rendered by itself: a heading, a list
// item, a fence, some lines of a paragraph.
type Block struct {
	// Start and End are the block's place in the source, in bytes as they were
	// written to the Stream. Blocks come in order and do not overlap; between
	// them are only lines that show nothing.
	Start, End int
	// Gap reports that an empty line belongs before the block.
	Gap bool

	body *body
}

// Lines renders the block at a width in columns. No line is wider, from
// [MinWidth] up. Width 0 means unlimited: each line is a logical line, to be
// wrapped by the terminal that shows it. There is no empty line at either end
// outside a fence; a block may have no lines at all, as a link definition.
//
// The lines are the block's: do not change them.
func (b Block) Lines(width int) []cell.Line {
	if b.body == nil {
		return nil
	}
	return b.body.lines(width)
}

// Reflows reports whether Lines(0), wrapped by a terminal, still reads well. A
// table does not: it is to be set at the width at hand.
func (b Block) Reflows() bool {
	return b.body == nil || !b.body.rigid()
}

// MinWidth is the least width in columns that Lines keeps to.
const MinWidth = 2

// A body is a block's text and, once asked for, its rows.
type body struct {
	source  []byte // clean
	kind    kind
	cont    bool // goes on with a paragraph whose beginning was another block
	literal bool // to be shown as typed
	number  int  // of the list item
	fence   fence
	first   bool // of a fence's pieces, with the opening line
	last    bool // of a fence's pieces, with the closing line
	open    bool // the tail
	options Options
	seen    seen

	ready *parsed
	built bool
	set   []row
}

// parsed is a text with its tree.
type parsed struct {
	source []byte
	doc    ast.Node
}

// block makes a block of the open block's text.
func (s *Stream) block(o open, source []byte) Block {
	b := &body{
		source:  bytes.Clone(source),
		ready:   s.ready,
		kind:    o.kind,
		cont:    o.cont,
		literal: o.long || o.kind == none && s.midline,
		number:  o.number,
		fence:   o.fence,
		first:   o.pieces == 0,
		last:    o.closed,
		options: s.options,
		seen:    seen{all: &s.defs, count: len(s.defs.order)},
	}
	s.ready = nil
	return Block{Start: o.start, End: o.end, Gap: s.gap && s.shown, body: b}
}

// rows builds the block's rows on first use.
func (b *body) rows() []row {
	if !b.built {
		b.built = true
		b.set = b.build()
		b.ready = nil
	}
	return b.set
}

func (b *body) rigid() bool {
	for _, r := range b.rows() {
		if r.table != nil {
			return true
		}
	}
	return false
}

func (b *body) lines(width int) []cell.Line {
	rows := b.rows()
	if len(rows) == 0 {
		return nil
	}
	out := make([]cell.Line, 0, len(rows))
	for _, r := range rows {
		out = r.appendTo(out, width)
	}
	return out
}
