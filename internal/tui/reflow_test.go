package tui

import "parley/internal/term"

// resize changes the size as tmux 3.3 does (screen.c, screen_resize_cursor):
// rows below the cursor go first when it becomes lower, the scrollback comes
// back when it becomes higher, and then lines wrap anew.
func (e *emulator) resize(w, h int) {
	e.late = false
	for e.h > h {
		if e.y < e.h-1 {
			e.rows = e.rows[:len(e.rows)-1]
		} else {
			e.top++
			e.y--
		}
		e.h--
	}
	for e.h < h {
		pull := e.reflow == term.ReflowLogical || e.reflow == term.ReflowShifting && e.y == e.h-1
		if e.top > 0 && pull {
			e.top--
			e.y++
		} else {
			e.rows = append(e.rows, erow{})
		}
		e.h++
	}
	if w == e.w {
		return
	}
	switch e.reflow {
	case term.ReflowNone:
		for i := range e.rows[e.top:] {
			e.crop(&e.rows[e.top+i], w)
		}
		e.w, e.x = w, min(e.x, w-1)
	case term.ReflowLogical:
		e.rewrap(w)
	case term.ReflowShifting:
		e.shift(w)
	}
}

func (e *emulator) crop(r *erow, w int) {
	at := 0
	for i, c := range r.cells {
		if at += c.width; at > w {
			r.cells = r.cells[:i:i]
			return
		}
	}
}

// rewrap joins and splits all rows; the cursor stays on its character.
func (e *emulator) rewrap(w int) {
	var rows []erow
	var cells []ecell
	cy, cx := -1, 0
	before := 0 // columns of the line before this row
	for i, r := range e.rows {
		at := -1
		if i == e.top+e.y {
			at = before + e.x
		}
		cells = append(cells, r.cells...)
		before += r.width()
		if at >= 0 {
			cy, cx = len(rows), at
		}
		if r.soft && i < len(e.rows)-1 {
			continue
		}
		parts := split(cells, w)
		if cy == len(rows) {
			for cx >= w && cy < len(rows)+len(parts)-1 {
				cx -= width(parts[cy-len(rows)].cells)
				cy++
			}
		}
		rows = append(rows, parts...)
		cells, before = nil, 0
	}
	e.rows, e.w = rows, w
	for len(e.rows) < e.h {
		e.rows = append(e.rows, erow{})
	}
	e.top = len(e.rows) - e.h
	e.y, e.x = cy-e.top, min(cx, w-1)
	if e.y < 0 {
		e.y, e.x = 0, 0
	}
}

func width(cells []ecell) int { return erow{cells: cells}.width() }

func split(cells []ecell, w int) []erow {
	rows := []erow{{}}
	at := 0
	for _, c := range cells {
		if at+c.width > w {
			rows[len(rows)-1].soft = true
			rows, at = append(rows, erow{}), 0
		}
		rows[len(rows)-1].cells = append(rows[len(rows)-1].cells, c)
		at += c.width
	}
	return rows
}

// shift is what xterm.js 5 and 6 do: from the bottom up, each line that has to
// change is wrapped anew, except the one with the cursor, and the screen moves
// over the buffer with each row that comes or goes.
func (e *emulator) shift(w int) {
	narrower := w < e.w
	for last := len(e.rows) - 1; last >= 0; last-- {
		first := last
		for first > 0 && e.rows[first-1].soft {
			first--
		}
		group := e.rows[first : last+1]
		wide := false
		for _, r := range group {
			wide = wide || r.width() > w
		}
		cursor := e.top + e.y
		if narrower && !wide && len(group) == 1 || !narrower && len(group) == 1 || cursor >= first && cursor <= last {
			last = first
			continue
		}
		var cells []ecell
		for _, r := range group {
			cells = append(cells, r.cells...)
		}
		parts := split(cells, w)
		rows := append([]erow(nil), e.rows[:first]...)
		rows = append(append(rows, parts...), e.rows[last+1:]...)
		added := len(parts) - len(group)
		e.rows = rows
		for ; added > 0; added-- {
			if e.top == 0 && e.y < e.h-1 {
				e.y++
				e.rows = e.rows[:len(e.rows)-1]
			} else {
				e.top++
			}
		}
		for ; added < 0; added++ {
			if e.top > 0 {
				e.top--
			} else {
				e.y = max(e.y-1, 0)
				e.rows = append(e.rows, erow{})
			}
		}
		last = first
	}
	for i := range e.rows {
		e.crop(&e.rows[i], w)
	}
	e.w, e.x = w, min(e.x, w-1)
}
