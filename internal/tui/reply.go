package tui

import (
	"parley/internal/display"
	"parley/internal/markdown"
)

// A replyView is a piece of the reply: markdown that arrives. Its finished blocks are
// rendered once, its open end with each delta, so the cost of a frame does not depend
// on the length of the text.
type replyView struct {
	item   *display.Item
	stream *markdown.Stream
	taken  int              // bytes of the source
	blocks []markdown.Block // finished, and not in the scrollback yet
	closed bool
}

func newReply(it *display.Item) *replyView {
	return &replyView{item: it, stream: markdown.New(markdown.Options{Hyperlinks: true, Highlight: true})}
}

func (v *replyView) lines(width int, _ *viewContext) (all []line, stable int) {
	v.follow()
	for _, b := range v.blocks {
		all = appendBlock(all, b, width)
	}
	stable = len(all)
	if !v.closed {
		tail := v.stream.Tail()
		tail.End++
		all = appendBlock(all, tail, width)
	}
	return all, stable
}

// follow takes what the item grew by.
func (v *replyView) follow() {
	if text := v.item.Text(); len(text) > v.taken {
		v.blocks = append(v.blocks, v.stream.Write(text[v.taken:])...)
		v.taken = len(text)
	}
	if !v.item.Open && !v.closed {
		v.closed = true
		v.blocks = append(v.blocks, v.stream.Close()...)
	}
}

func (v *replyView) prune(upto int) {
	for len(v.blocks) > 0 && v.blocks[0].End <= upto {
		v.blocks = v.blocks[1:]
	}
}

// appendBlock appends a block's logical lines. They are final together, so all
// of them end where the block ends. A table is laid out for the current width, one
// column short of the screen, as live rows are.
func appendBlock(all []line, b markdown.Block, width int) []line {
	at := 0
	if !b.Reflows() {
		at = max(width-1, markdown.MinWidth)
	}
	lines := b.Lines(at)
	if b.Gap && len(lines) > 0 {
		all = append(all, line{end: b.End})
	}
	for _, l := range lines {
		all = append(all, line{text: l, end: b.End})
	}
	return all
}
