package tui

import (
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/cell"
)

func lineEqual(a, b cell.Line) bool {
	if len(a) == len(b) {
		for i := range a {
			if a[i] != b[i] {
				return cellsEqual(a, b)
			}
		}
		return true
	}
	return cellsEqual(a, b)
}

// cellsEqual compares lines that may be cut into spans differently.
func cellsEqual(a, b cell.Line) bool {
	n := a.Len()
	return n == b.Len() && commonPrefix(a, b) == n
}

// commonPrefix returns how many bytes two lines have in common, in text and style.
func commonPrefix(a, b cell.Line) int {
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

// commonHead returns the head that two rows share in whole grapheme clusters, in
// bytes and in columns.
func commonHead(old, new cell.Line) (at, col int) {
	n := commonPrefix(old, new)
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

// fixedWidth reports whether every terminal gives this text the same columns.
// Those that do not know grapheme clusters (mode 2027) count emoji sequences
// and joined characters in their own way.
func fixedWidth(l cell.Line) bool {
	for _, s := range l {
		for _, r := range s.Text {
			if r >= 0x300 && !unicode.In(r, fixedWidthBlocks) {
				return false
			}
		}
	}
	return true
}

// fixedWidthBlocks are the blocks whose characters stand alone and have one width in
// every terminal: Greek, Cyrillic, punctuation, arrows, boxes and shapes,
// braille, kana, ideographs, hangul syllables, fullwidth forms.
var fixedWidthBlocks = &unicode.RangeTable{R16: []unicode.Range16{
	{0x0370, 0x0482, 1}, {0x2010, 0x2027, 1}, {0x2030, 0x203b, 1}, {0x2190, 0x2319, 1}, {0x2320, 0x23e8, 1},
	{0x2400, 0x25fc, 1}, {0x2713, 0x2713, 1}, {0x2717, 0x2717, 1}, {0x2800, 0x28ff, 1},
	{0x3000, 0x3029, 1}, {0x3041, 0x3096, 1}, {0x30a0, 0x30ff, 1}, {0x3400, 0x9fff, 1},
	{0xac00, 0xd7a3, 1}, {0xff01, 0xff60, 1},
}}
