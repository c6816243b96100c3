package tui

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/cell"
	"parley/internal/term"
)

// Draw returns the ops that turn a terminal that shows prev into one that shows
// next, as one frame. The zero Page as prev stands for a terminal that shows
// nothing of ours: the cursor is wherever the shell left it.
//
// A frame that commits lines, or has another number of live rows or another
// width, erases the live rows and writes all of them anew, below the committed
// lines. Any other frame rewrites what differs. There is no frame for no
// difference.
func Draw(prev, next Page, reflow term.Reflow) []term.Op {
	d := frame{reflow: reflow}
	if next.Anew || prev.Width != next.Width || len(prev.Live) != len(next.Live) || len(next.Commit) > 0 {
		d.whole(prev, next)
	} else if !d.rows(prev, next) {
		return nil
	}
	if next.Bell {
		d.add(term.Bell{})
	}
	d.add(term.Sync{On: false})
	return d.ops
}

// Erase returns the ops that take the live rows off the screen and leave the
// cursor where they began, for the shell.
func Erase(prev Page, size term.Size, reflow term.Reflow) []term.Op {
	if prev.Width == 0 {
		return nil
	}
	return []term.Op{
		term.Sync{On: true}, term.Cursor{Visible: false},
		term.Move{Down: -climb(prev, size.Width, size.Height, reflow)}, term.Return{}, term.EraseBelow{},
		term.Cursor{Visible: true}, term.Sync{On: false},
	}
}

// A frame collects ops and knows in which live row the cursor is.
type frame struct {
	ops    []term.Op
	row    int
	reflow term.Reflow
}

func (d *frame) add(ops ...term.Op) { d.ops = append(d.ops, ops...) }

// whole erases what was and writes everything, but for live rows at the top that
// stay as they are.
func (d *frame) whole(prev, next Page) {
	d.add(term.Sync{On: true})
	if prev.Width == 0 || prev.Caret.Visible || next.Anew {
		d.add(term.Cursor{Visible: false})
	}
	kept := 0
	switch {
	case prev.Width == 0:
		// The row of the shell's cursor is left alone, and the live rows end at
		// the bottom of the screen: line feeds make the room.
		d.add(term.Bottom{}, term.Feed{})
	case !next.Anew && prev.Width == next.Width && len(next.Commit) == 0:
		for kept < min(len(prev.Live), len(next.Live)-1) && same(prev.Live[kept], next.Live[kept]) {
			kept++
		}
		d.row, _ = prev.rest(d.reflow)
		d.to(kept)
		d.add(term.Return{})
	default:
		d.add(term.Move{Down: -climb(prev, next.Width, next.Height, d.reflow)}, term.Return{})
	}
	d.add(term.EraseBelow{})
	for _, l := range next.Commit {
		d.add(term.Text{Line: l}, term.Feed{})
	}
	d.add(term.Wrap{On: false})
	for i := kept; i < len(next.Live); i++ {
		if i > kept {
			d.add(term.Feed{})
		}
		d.sparse(next.Live[i])
	}
	d.row = max(len(next.Live)-1, 0)
	d.add(term.Wrap{On: true})
	if next.Caret.Visible {
		d.caret(next)
		return
	}
	row, _ := next.rest(d.reflow)
	d.to(row)
	d.add(term.Return{})
}

// leap is the least gap within a row that is moved over instead of written.
const leap = 6

// sparse writes a row where nothing stands: over the gap before what is set to
// the right it moves.
func (d *frame) sparse(l cell.Line) {
	for i, s := range l {
		if s.Style == plain && len(s.Text) >= leap && strings.Trim(s.Text, " ") == "" && i < len(l)-1 {
			d.add(term.Text{Line: l[:i]}, term.Move{Right: len(s.Text)})
			d.sparse(l[i+1:])
			return
		}
	}
	d.add(term.Text{Line: l})
}

// narrowest is the least width of a screen for which a row need not be kept from
// wrapping.
const narrowest = 16

// rows rewrites what differs and reports whether anything does.
func (d *frame) rows(prev, next Page) bool {
	var changed []int
	for i := range next.Live {
		if !same(prev.Live[i], next.Live[i]) {
			changed = append(changed, i)
		}
	}
	if len(changed) == 0 && prev.Caret == next.Caret {
		return next.Bell && d.begin()
	}
	d.begin()
	row, col := prev.rest(d.reflow)
	d.row = row
	if prev.Caret.Visible {
		d.add(term.Cursor{Visible: false})
	}
	if len(changed) > 0 {
		wide := slices.ContainsFunc(changed, func(i int) bool { return next.Live[i].Width() > narrowest })
		if wide {
			d.add(term.Wrap{On: false})
		}
		for _, i := range changed {
			d.to(i)
			d.rewrite(prev.Live[i], next.Live[i])
		}
		if wide {
			d.add(term.Wrap{On: true})
		}
		col = -1
	}
	if next.Caret.Visible {
		d.caret(next)
		return true
	}
	row, _ = next.rest(d.reflow)
	d.to(row)
	if col != 0 {
		d.add(term.Return{})
	}
	return true
}

func (d *frame) begin() bool {
	d.add(term.Sync{On: true})
	return true
}

// to moves to a live row. The way down is by line feeds: should the terminal have
// become lower, and not told yet, they make the room that a cursor movement
// would stop short of, and the way up leads back to where it began.
func (d *frame) to(row int) {
	for ; d.row < row; d.row++ {
		d.add(term.Feed{})
	}
	if d.row > row {
		d.add(term.Move{Down: row - d.row})
		d.row = row
	}
}

// caret moves to the composer and shows the cursor. Where the terminal may
// count the columns before it otherwise than we do, it counts them itself: the
// text is written once more.
func (d *frame) caret(p Page) {
	d.to(p.Caret.Row)
	d.add(term.Return{})
	if p.Caret.Row < len(p.Live) {
		if before, ok := columns(p.Live[p.Caret.Row], p.Caret.Col); ok && !certain(before) {
			d.add(term.Text{Line: before}, term.Cursor{Visible: true})
			return
		}
	}
	d.add(term.Move{Right: p.Caret.Col}, term.Cursor{Visible: true})
}

// columns returns the head of a row that takes exactly n columns.
func columns(l cell.Line, n int) (cell.Line, bool) {
	text := l.Text()
	head, w := cell.Cut(text, n)
	return l.Slice(0, len(head)), w == n
}

// rewrite turns a row into another from where they begin to differ.
func (d *frame) rewrite(old, new cell.Line) {
	at, col := common(old, new)
	if !certain(new.Slice(0, at)) {
		at, col = 0, 0
	}
	d.add(term.Return{}, term.Move{Right: col}, term.Text{Line: new.Slice(at, new.Len())})
	if new.Width() < old.Width() || !certain(old) || !certain(new) {
		d.add(term.EraseRight{})
	}
}

func same(a, b cell.Line) bool {
	if len(a) == len(b) {
		for i := range a {
			if a[i] != b[i] {
				return sameCells(a, b)
			}
		}
		return true
	}
	return sameCells(a, b)
}

// sameCells compares lines that may be cut into spans differently.
func sameCells(a, b cell.Line) bool {
	n := a.Len()
	return n == b.Len() && prefix(a, b) == n
}

// prefix returns how many bytes two lines have in common, in text and style.
func prefix(a, b cell.Line) int {
	n, i, j, ai, bj := 0, 0, 0, 0, 0
	for {
		for i < len(a) && ai == len(a[i].Text) {
			i, ai = i+1, 0
		}
		for j < len(b) && bj == len(b[j].Text) {
			j, bj = j+1, 0
		}
		if i == len(a) || j == len(b) || a[i].Style != b[j].Style || a[i].Text[ai] != b[j].Text[bj] {
			return n
		}
		n, ai, bj = n+1, ai+1, bj+1
	}
}

// common returns the head that two rows share in whole grapheme clusters, in
// bytes and in columns.
func common(old, new cell.Line) (at, col int) {
	n := prefix(old, new)
	a, b := old.Text(), new.Text()
	for at < n {
		ca, _ := ansi.FirstGraphemeCluster(a[at:], ansi.GraphemeWidth)
		cb, w := ansi.FirstGraphemeCluster(b[at:], ansi.GraphemeWidth)
		if len(ca) != len(cb) || at+len(cb) > n {
			break
		}
		at, col = at+len(cb), col+w
	}
	return at, col
}

// certain reports whether every terminal gives this text the same columns.
// Those that do not know grapheme clusters (mode 2027) count emoji sequences
// and joined characters in their own way.
func certain(l cell.Line) bool {
	for _, s := range l {
		for _, r := range s.Text {
			if r >= 0x300 && !unicode.In(r, settled) {
				return false
			}
		}
	}
	return true
}

// settled holds the blocks whose characters stand alone and have one width in
// every terminal: Greek, Cyrillic, punctuation, arrows, boxes and shapes,
// braille, kana, ideographs, hangul syllables, fullwidth forms.
var settled = &unicode.RangeTable{R16: []unicode.Range16{
	{0x0370, 0x0482, 1}, {0x2010, 0x2027, 1}, {0x2030, 0x203b, 1}, {0x2190, 0x2319, 1}, {0x2320, 0x23e8, 1},
	{0x2400, 0x25fc, 1}, {0x2713, 0x2713, 1}, {0x2717, 0x2717, 1}, {0x2800, 0x28ff, 1},
	{0x3000, 0x3029, 1}, {0x3041, 0x3096, 1}, {0x30a0, 0x30ff, 1}, {0x3400, 0x9fff, 1},
	{0xac00, 0xd7a3, 1}, {0xff01, 0xff60, 1},
}}
