package cell

import "strings"

// A Break is where a row ends and where the next begins, as byte offsets into
// the line. What lies between them, spaces at most, is dropped.
type Break struct{ End, Next int }

// An Indent says how [Wrap] sets the rows of a line.
type Indent struct {
	// First and Rest stand before the first and before every later row. What is
	// wider than the width leaves room for is cut.
	First, Rest Line
	// Hard breaks exactly at the width and drops nothing: for code.
	Hard bool
}

// minWidth is the least width that every character fits.
const minWidth = 2

// Wrap sets a line into rows of at most width columns, breaking at spaces and
// between wide characters, and inside a word only if it has no row to itself.
// The line's tabs must have been expanded. A width of 0 means unlimited: one
// row. There is always at least one row.
//
// Spans and indents are measured each by itself: a mark that begins one does not
// join the character before it.
func Wrap(l Line, width int, in Indent) []Line {
	if width <= 0 {
		return []Line{Join(in.First, l)}
	}
	width = max(width, minWidth)
	first := fit(in.First, width)
	firstWidth := first.Width()
	if l.narrow(width - firstWidth) {
		if len(first) == 0 {
			return []Line{l}
		}
		return []Line{Join(first, l)}
	}
	rest := fit(in.Rest, width)
	breaks := Breaks(l, width-firstWidth, width-rest.Width(), in.Hard)
	rows := make([]Line, 0, len(breaks)+1)
	from, before := 0, first
	for _, b := range breaks {
		rows = append(rows, Join(before, l.Slice(from, b.End)))
		from, before = b.Next, rest
	}
	if last := l.Slice(from, l.Len()); len(last) > 0 || len(rows) == 0 {
		rows = append(rows, Join(before, last))
	}
	return rows
}

// fit cuts an indent so that minWidth columns are left beside it.
func fit(l Line, width int) Line {
	left := width - minWidth
	for i, s := range l {
		head, w := Cut(s.Text, left)
		if len(head) < len(s.Text) {
			out := append(Line(nil), l[:i]...)
			return out.add(Span{head, s.Style})
		}
		left -= w
	}
	return l
}

// narrow reports whether the line is surely not wider than width, without
// segmenting it.
func (l Line) narrow(width int) bool {
	n := 0
	for _, s := range l {
		// No cluster takes more columns than it has bytes.
		n += len(s.Text)
	}
	return n <= width
}

// Breaks returns where a line is broken when its first row may have first
// columns and every later one rest columns (less than two count as two). After
// the last break follows the last row; if that break's Next is the line's
// length, only spaces were left and they are dropped.
func Breaks(l Line, first, rest int, hard bool) []Break {
	var (
		out   []Break
		at    = cursor{line: l}
		avail = max(first, minWidth)
		row   = 0 // offset at which the row begins
		col   = 0 // columns of the row up to at

		gap   = -1     // offset at which a run of spaces began, or -1
		word  cursor   // where the last word of the row begins
		end   = -1     // offset at which the word before it ended, or -1
		prior = narrow // kind of the cluster before
		lead  = true   // only spaces so far; these are never dropped
	)
	newRow := func(from int) {
		row, col, avail = from, 0, max(rest, minWidth)
		gap, end, prior, lead = -1, -1, narrow, true
	}
	for {
		text := at.peek()
		if text == "" {
			break
		}
		n, w := cluster(text)
		space := n == 1 && text[0] == ' '
		if space && !hard && !lead {
			if gap < 0 {
				gap = at.offset
			}
			prior = narrow
			col += w
			at.skip(n)
			continue
		}
		kind := kindOf(text[:n], w)
		switch {
		case gap > row:
			word, end = at, gap
		case gap < 0 && at.offset > row && !hard && breakable(prior, kind):
			word, end = at, at.offset
		}
		gap = -1
		if col+w > avail && at.offset > row {
			if end > row {
				out = append(out, Break{end, word.offset})
				at = word
			} else {
				out = append(out, Break{at.offset, at.offset})
			}
			newRow(at.offset)
			continue
		}
		prior, lead = kind, lead && space
		col += w
		at.skip(n)
	}
	if gap > row && col > avail {
		out = append(out, Break{gap, at.offset})
	}
	return out
}

// Unbroken returns the width of the widest part of the line that [Wrap] would
// break only for want of room.
func (l Line) Unbroken() int {
	most, width := 0, 0
	prior := narrow
	for at := (cursor{line: l}); ; {
		text := at.peek()
		if text == "" {
			return most
		}
		n, w := cluster(text)
		at.skip(n)
		if n == 1 && text[0] == ' ' {
			width, prior = 0, narrow
			continue
		}
		kind := kindOf(text[:n], w)
		if breakable(prior, kind) {
			width = 0
		}
		prior = kind
		width += w
		most = max(most, width)
	}
}

// A cursor walks the text of a line.
type cursor struct {
	line   Line
	span   int
	in     int // offset in the span
	offset int // offset in the line
}

// peek returns the rest of the span at the cursor, empty at the line's end.
func (c *cursor) peek() string {
	for c.span < len(c.line) {
		if text := c.line[c.span].Text; c.in < len(text) {
			return text[c.in:]
		}
		c.span++
		c.in = 0
	}
	return ""
}

func (c *cursor) skip(n int) {
	c.in += n
	c.offset += n
}

// A kind says whether a line may be broken beside a cluster.
type kind uint8

const (
	narrow  kind = iota
	wide         // ideographs, kana, hangul, emoji
	closing      // closes what stands before it
	opening      // opens what follows
)

// Scripts that write no spaces are broken between characters, but not before a
// closing mark nor after an opening one (the core of JIS X 4051 line breaking).
const (
	closers = "、。，．・：；？！゛゜ー」』）】〉》〕］｝ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.;:?!)]}'\"…"
	openers = "「『（【〈《〔［｛([{"
)

func kindOf(cluster string, width int) kind {
	switch {
	case len(cluster) == 1:
		return asciiKinds[cluster[0]&0x7f]
	case width < 2 && cluster != "…":
		return narrow
	case strings.Contains(closers, cluster):
		return closing
	case strings.Contains(openers, cluster):
		return opening
	}
	return wide
}

var asciiKinds = func() (table [128]kind) {
	for b := range table {
		switch {
		case strings.IndexByte(closers, byte(b)) >= 0:
			table[b] = closing
		case strings.IndexByte(openers, byte(b)) >= 0:
			table[b] = opening
		}
	}
	return table
}()

func breakable(before, after kind) bool {
	if before == opening || after == closing {
		return false
	}
	return before == wide || after == wide
}
