package tui

import (
	"slices"
	"strings"

	"parley/internal/cell"
	"parley/internal/term"
)

// composerRows is how many rows of a long input are seen at most, and history
// how many inputs are remembered.
const (
	composerRows = 6
	historyMax   = 500
)

// A composer is what the user is writing, and what was written before.
type composer struct {
	editor
	history []string
	back    int    // how far back in the history; 0: the draft
	draft   string // what was being written when the history was entered
	secret  bool   // what is typed is not shown
}

// newline are the keys that end a line in the text instead of sending it.
var newline = map[string]bool{"ctrl+j": true, "shift+enter": true, "ctrl+enter": true, "alt+shift+enter": true}

// key takes a key that edits the text; used is false for all others.
func (c composer) key(k term.Key, width int) (_ composer, used bool) {
	switch {
	case newline[k.Name]:
		c.editor = c.insert("\n")
		return c, true
	case k.Name == "up" || k.Name == "ctrl+p":
		return c.up(width), true
	case k.Name == "down" || k.Name == "ctrl+n":
		return c.down(width), true
	}
	if edit, ok := edits[k.Name]; ok {
		c.editor = edit(c.editor)
		return c, true
	}
	if k.Text != "" {
		c.editor = c.insert(cell.Clean(k.Text))
		return c, true
	}
	return c, false
}

// paste inserts a text with its line ends and without its control characters.
func (c composer) paste(text string) composer {
	c.editor = c.insert(cell.Clean(text))
	return c
}

// set replaces the text; the caret is at its end.
func (c composer) set(text string) composer {
	c.text, c.at, c.want = text, len(text), 0
	return c
}

// up moves the caret up, and from the first row back in the history.
func (c composer) up(width int) composer {
	if e, ok := c.vertical(room(width), -1); ok {
		c.editor = e
		return c
	}
	if c.back == len(c.history) {
		return c
	}
	if c.back == 0 {
		c.draft = c.text
	}
	c.back++
	return c.set(c.history[len(c.history)-c.back])
}

// down moves the caret down, and from the last row forward in the history to
// what was being written.
func (c composer) down(width int) composer {
	if e, ok := c.vertical(room(width), 1); ok {
		c.editor = e
		return c
	}
	switch c.back {
	case 0:
		return c
	case 1:
		c.back = 0
		return c.set(c.draft)
	}
	c.back--
	return c.set(c.history[len(c.history)-c.back])
}

// remember empties the composer and keeps the text in the history.
func (c composer) remember() composer {
	if n := len(c.history); strings.TrimSpace(c.text) != "" && (n == 0 || c.history[n-1] != c.text) {
		c.history = append(c.history[max(0, n-historyMax+1):n:n], c.text)
	}
	c.back, c.draft = 0, ""
	return c.set("")
}

// earlier adds the inputs of earlier sessions before those of this one. A program may
// have written them, so they are made safe to show.
func (c composer) earlier(texts []string) composer {
	var all []string
	for _, text := range slices.Concat(texts, c.history) {
		if text = cell.Clean(text); len(all) == 0 || all[len(all)-1] != text {
			all = append(all, text)
		}
	}
	c.history = all[max(0, len(all)-historyMax):]
	return c
}

// promptWidth is the width of what stands before the text.
const promptWidth = 2

// room is the width of the text: a column stays free for the caret behind it.
func room(width int) int { return width - promptWidth - 2 }

// view sets the composer into at most limit rows, with the caret among them.
func (c composer) view(width, limit int, sign cell.Style, hint string) (rows []cell.Line, caret Caret) {
	shown := c.editor
	if c.secret {
		shown.text = strings.Repeat("•", len([]rune(c.text)))
		shown.at = len(shown.text)
	}
	all := shown.rows(room(width))
	row, col := shown.caret(all)
	first := 0
	if n := len(all); n > limit {
		first = min(max(row-limit+1, 0), n-limit)
		all = all[first : first+limit]
	}
	for i, r := range all {
		before := "  "
		if first+i == 0 {
			before = "› "
		} else if i == 0 {
			before = "⋮ "
		}
		rows = append(rows, (&lineBuilder{}).add(sign, before).add(plain, r.text).line)
	}
	if c.text == "" && hint != "" {
		rows[0] = cell.Truncate((&lineBuilder{}).add(sign, "› ").add(dim, hint).line, max(width-1, 1))
	}
	return rows, Caret{Row: row - first, Col: min(promptWidth+col, width-1)}
}
