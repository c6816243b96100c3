package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/cell"
)

// An editor is a text that is being written, and the place in it. Its methods
// return the editor after the change; the receiver stays as it was.
type editor struct {
	text string
	at   int    // byte offset of the caret, on a grapheme boundary
	kill string // what Ctrl+K, Ctrl+U or Ctrl+W took last
	want int    // column that up and down try to keep, +1; 0: none
}

// replace puts text in place of the bytes from..to and the caret behind it.
func (e editor) replace(from, to int, text string) editor {
	e.text = e.text[:from] + text + e.text[to:]
	e.at = from + len(text)
	e.want = 0
	return e
}

func (e editor) insert(text string) editor { return e.replace(e.at, e.at, text) }

func (e editor) move(at int) editor {
	e.at, e.want = at, 0
	return e
}

// take removes the bytes between the caret and at, for Ctrl+Y to bring back.
func (e editor) take(at int) editor {
	from, to := min(e.at, at), max(e.at, at)
	e.kill = e.text[from:to]
	return e.replace(from, to, "")
}

// An edit is what a key does to an editor.
type edit func(editor) editor

// edits are the keys of an editor: those of readline where a terminal can send
// them.
var edits = map[string]edit{
	"left": editor.left, "ctrl+b": editor.left,
	"right": editor.right, "ctrl+f": editor.right,
	"alt+b": editor.wordLeft, "alt+left": editor.wordLeft, "ctrl+left": editor.wordLeft,
	"alt+f": editor.wordRight, "alt+right": editor.wordRight, "ctrl+right": editor.wordRight,
	"home": editor.home, "ctrl+a": editor.home,
	"end": editor.end, "ctrl+e": editor.end,
	"ctrl+home": func(e editor) editor { return e.move(0) },
	"ctrl+end":  func(e editor) editor { return e.move(len(e.text)) },
	"backspace": editor.rubout, "ctrl+h": editor.rubout, "shift+backspace": editor.rubout,
	"delete": editor.delete, "ctrl+d": editor.delete,
	"ctrl+w": editor.rubWord, "alt+backspace": func(e editor) editor { return e.take(e.wordLeft().at) },
	"alt+d":  func(e editor) editor { return e.take(e.wordRight().at) },
	"ctrl+k": editor.killRight, "ctrl+u": func(e editor) editor { return e.take(e.home().at) },
	"ctrl+y": func(e editor) editor { return e.insert(e.kill) },
	"ctrl+t": editor.transpose,
}

func (e editor) left() editor  { return e.move(e.at - lastCluster(e.text[:e.at])) }
func (e editor) right() editor { return e.move(e.at + firstCluster(e.text[e.at:])) }

func (e editor) rubout() editor {
	return e.replace(e.at-lastCluster(e.text[:e.at]), e.at, "")
}

func (e editor) delete() editor {
	return e.replace(e.at, e.at+firstCluster(e.text[e.at:]), "")
}

func (e editor) home() editor {
	return e.move(strings.LastIndexByte(e.text[:e.at], '\n') + 1)
}

func (e editor) end() editor {
	if i := strings.IndexByte(e.text[e.at:], '\n'); i >= 0 {
		return e.move(e.at + i)
	}
	return e.move(len(e.text))
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.IsMark(r)
}

func (e editor) wordLeft() editor {
	head := strings.TrimRightFunc(e.text[:e.at], func(r rune) bool { return !inWord(r) })
	return e.move(len(strings.TrimRightFunc(head, inWord)))
}

func (e editor) wordRight() editor {
	tail := strings.TrimLeftFunc(e.text[e.at:], func(r rune) bool { return !inWord(r) })
	return e.move(len(e.text) - len(strings.TrimLeftFunc(tail, inWord)))
}

// rubWord takes the text back to the last space, as a shell does.
func (e editor) rubWord() editor {
	head := strings.TrimRightFunc(e.text[:e.at], unicode.IsSpace)
	return e.take(strings.LastIndexFunc(head, unicode.IsSpace) + lastSpace(head))
}

// lastSpace is the length of the last space of a text, or 1 where there is none,
// so that LastIndexFunc plus it is the begin of the last word.
func lastSpace(text string) int {
	if i := strings.LastIndexFunc(text, unicode.IsSpace); i >= 0 {
		_, n := utf8.DecodeRuneInString(text[i:])
		return n
	}
	return 1
}

// killRight takes the rest of the line, or the line's end when there is none.
func (e editor) killRight() editor {
	if to := e.end().at; to > e.at {
		return e.take(to)
	}
	return e.take(e.at + firstCluster(e.text[e.at:]))
}

// transpose swaps the two characters around the caret.
func (e editor) transpose() editor {
	if e.at == len(e.text) {
		e = e.left()
	}
	before, after := lastCluster(e.text[:e.at]), firstCluster(e.text[e.at:])
	if before == 0 || after == 0 {
		return e
	}
	a, b := e.text[e.at-before:e.at], e.text[e.at:e.at+after]
	return e.replace(e.at-before, e.at+after, b+a)
}

func firstCluster(text string) int {
	c, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	return len(c)
}

// lastCluster measures the last grapheme of a text. Clusters can only be found
// from the front; no cluster spans a line's end, so the search begins there.
func lastCluster(text string) int {
	if text == "" {
		return 0
	}
	start := strings.LastIndexByte(text[:len(text)-1], '\n') + 1
	if start == len(text)-1 {
		return 1
	}
	n := 0
	for rest := text[start:]; rest != ""; rest = rest[n:] {
		n = firstCluster(rest)
	}
	return n
}

// tabWidth is how far a tab in the composer is shown.
const tabWidth = 4

// An editRow is a row of an editor as shown: the bytes that it begins and ends
// with, a line's end or the spaces of a break not included.
type editRow struct {
	from, to int
	text     string
	soft     bool // the next row continues the line
}

// rows sets the text into rows of at most width columns, broken at spaces where
// that is possible.
func (e editor) rows(width int) []editRow {
	width = max(width, 2)
	var out []editRow
	at := 0
	for {
		end := len(e.text)
		if i := strings.IndexByte(e.text[at:], '\n'); i >= 0 {
			end = at + i
		}
		out = append(out, wrapLine(e.text, at, end, width)...)
		if end == len(e.text) {
			return out
		}
		at = end + 1
	}
}

func wrapLine(text string, from, to, width int) []editRow {
	var out []editRow
	var b strings.Builder
	row, col := from, 0
	word, wordText := from, 0 // where the last word begins, in the source and in b
	for at := from; at < to; {
		n := firstCluster(text[at:to])
		shown, w := text[at:at+n], 0
		if shown == "\t" {
			shown = strings.Repeat(" ", tabWidth)
		}
		w = cell.Width(shown)
		if col+w > width && at > row {
			if text[at] == ' ' && col == width {
				// A space that falls on the edge is not shown; the next word begins a row.
				out = append(out, editRow{row, at, b.String(), true})
				b.Reset()
				row, col, word, wordText = at+n, 0, at+n, 0
				at += n
				continue
			}
			cut, keep := at, ""
			whole := b.String()
			if word > row {
				cut, keep = word, whole[wordText:]
				whole = whole[:wordText]
			}
			out = append(out, editRow{row, cut, whole, true})
			b.Reset()
			b.WriteString(keep)
			row, col, word, wordText = cut, cell.Width(keep), cut, 0
			continue
		}
		b.WriteString(shown)
		col += w
		at += n
		if shown[0] == ' ' {
			word, wordText = at, b.Len()
		}
	}
	return append(out, editRow{row, to, b.String(), false})
}

// caret returns the row and column of the caret in rows.
func (e editor) caret(rows []editRow) (row, col int) {
	for i, r := range rows {
		last := i == len(rows)-1
		if e.at < r.from || !last && e.at >= rows[i+1].from {
			continue
		}
		head := e.text[r.from:min(e.at, r.to)]
		return i, cell.Width(strings.ReplaceAll(head, "\t", strings.Repeat(" ", tabWidth)))
	}
	return 0, 0
}

// vertical moves the caret by one row, keeping its column; ok is false at the
// first or last row.
func (e editor) vertical(width, by int) (moved editor, ok bool) {
	rows := e.rows(width)
	row, col := e.caret(rows)
	if row+by < 0 || row+by >= len(rows) {
		return e, false
	}
	if e.want > 0 {
		col = e.want - 1
	}
	r := rows[row+by]
	at, got := r.from, 0
	for at < r.to {
		n := firstCluster(e.text[at:r.to])
		w := cell.Width(e.text[at : at+n])
		if e.text[at] == '\t' {
			w = tabWidth
		}
		if got+w > col {
			break
		}
		at, got = at+n, got+w
	}
	// The end of a soft row is the begin of the next.
	if r.soft && at == r.to && at > r.from {
		at -= lastCluster(e.text[r.from:at])
	}
	e.at, e.want = at, col+1
	return e, true
}
