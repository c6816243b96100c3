package plain

import (
	"strings"

	"parley/internal/cell"
	"parley/internal/markdown"
)

// startStream opens a thought or a reply. Nothing is written before there is
// something to say.
func (r *Renderer) startStream(s stream) {
	r.endStream()
	r.stream = s
}

// appendStream takes text of the open stream and writes what is complete.
func (r *Renderer) appendStream(s stream, text string) {
	if r.stream != s {
		r.startStream(s)
	}
	r.state = r.state.Buffered(text)
	next, ready := r.state.Cut()
	r.state = next
	if ready != "" {
		r.pour(ready)
	}
}

// endStream writes what is left of the open stream, and then what waited for its
// end.
func (r *Renderer) endStream() {
	if r.stream == closed {
		return
	}
	next, rest := r.state.Drain()
	r.state = next
	r.pour(rest)
	if r.stream == reply && r.reply.stream != nil {
		r.blocks(r.reply.stream.Close())
	}
	if r.stream == thought {
		r.thoughts(r.thought.clean.Flush(), true)
	}
	r.stream, r.reply, r.thought = closed, openReply{}, openThought{}
	waiting := r.aside
	r.aside = nil
	for _, c := range waiting {
		if c.Where().Voice.Name != "" {
			r.renderAgent(c)
		} else {
			r.renderPart(c)
		}
	}
}

func (r *Renderer) pour(text string) {
	switch r.stream {
	case reply:
		if r.reply.stream == nil {
			r.reply.stream = markdown.New(markdown.Options{
				Hyperlinks: r.options.Profile&cell.Links != 0,
				Highlight:  r.options.Profile&cell.Color16 != 0 && !r.past,
			})
		}
		r.blocks(r.reply.stream.Write(text))
	case thought:
		r.thoughts(r.thought.clean.Write(text), false)
	case closed:
	}
}

// openReply is the reply that is being written.
type openReply struct {
	stream *markdown.Stream
	begun  bool // something of it was written
}

func (r *Renderer) blocks(blocks []markdown.Block) {
	for _, b := range blocks {
		lines := b.Lines(r.width())
		if len(lines) == 0 {
			continue
		}
		switch {
		case !r.reply.begun:
			r.part(Reply)
			r.reply.begun = true
		case b.Gap:
			r.line(nil)
		}
		for _, l := range lines {
			r.line(l)
		}
	}
}

// openThought is the thought that is being written.
type openThought struct {
	clean cell.Sanitizer
	begun bool   // something of it was written
	gap   bool   // a blank line waits for text after it
	line  string // the piece of a line that came last
}

// thoughts writes the lines of a thought that are complete, or all of them at
// its end. Blank lines at its ends are dropped, others become one.
func (r *Renderer) thoughts(text string, last bool) {
	text = r.thought.line + text
	r.thought.line = ""
	style := cell.Style{Color: cell.Dim}
	for line := range strings.Lines(text) {
		if !last && !strings.HasSuffix(line, "\n") {
			r.thought.line = line
			return
		}
		line = strings.TrimRight(line, " \t\n")
		switch {
		case line == "":
			r.thought.gap = r.thought.begun
			continue
		case !r.thought.begun:
			r.part(Thought)
			line = "~ " + strings.TrimLeft(line, " \t")
			r.thought.begun = true
		case r.thought.gap:
			r.line(nil)
		}
		r.thought.gap = false
		r.wrapped(cell.Styled(spaced(line), style))
	}
}
