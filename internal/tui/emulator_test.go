package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/term"
)

// An emulator is a terminal for laws: it knows exactly the sequences that a
// frame may hold and complains about every other, it keeps a scrollback, and it
// wraps lines anew when it is resized, in the way of tmux, of xterm or of
// xterm.js.
type emulator struct {
	w, h   int
	reflow term.Reflow
	rows   []erow // scrollback and screen
	top    int    // first row of the screen
	x, y   int    // the cursor; y counts from top
	late   bool   // the next character wraps first
	saved  [2]int // the cursor, by column and row of rows
	wrap   bool
	shown  bool
	sync   bool
	alt    bool
	kept   *emulator // the main screen, meanwhile
	bells  int

	frames int
	moved  []string     // what broke the rules of a frame
	answer func(string) // takes the answers to questions, where somebody listens
	modes  map[string]bool
	rest   string // of what was written, an unfinished sequence
}

type ecell struct {
	text  string
	width int
	style string
}

type erow struct {
	cells []ecell
	soft  bool // the next row continues it
}

func newEmulator(w, h int, reflow term.Reflow) *emulator {
	e := &emulator{w: w, h: h, reflow: reflow, wrap: true, shown: true}
	for range h {
		e.rows = append(e.rows, erow{})
	}
	return e
}

func (e *emulator) complain(format string, args ...any) {
	e.moved = append(e.moved, fmt.Sprintf(format, args...))
}

func (e *emulator) Write(b []byte) (int, error) {
	s := e.rest + string(b)
	e.rest = ""
	style := ""
	for len(s) > 0 {
		switch {
		case strings.HasPrefix(s, "\x1b["):
			i := 2
			for i < len(s) && (s[i] < 0x40 || s[i] > 0x7e) {
				i++
			}
			if i == len(s) {
				e.rest = s
				return len(b), nil
			}
			if s[i] == 'm' && i > 2 && s[2] == '>' {
				// modifyOtherKeys
			} else if s[i] == 'm' {
				if codes := s[2:i]; codes == "" || codes == "0" {
					style = ""
				} else if rest, reset := strings.CutPrefix(codes, "0;"); reset {
					style = rest
				} else {
					style = strings.TrimPrefix(style+";"+codes, ";")
				}
			} else {
				e.control(s[2:i], s[i])
			}
			s = s[i+1:]
		case strings.HasPrefix(s, "\x1b7"), strings.HasPrefix(s, "\x1b8"):
			e.remember(s[1] == '7')
			s = s[2:]
		case strings.HasPrefix(s, "\x1b]8;"):
			i := strings.Index(s, "\x1b\\")
			if i < 0 {
				e.rest = s
				return len(b), nil
			}
			s = s[i+2:]
		case s[0] == 0x1b && len(s) < 4:
			e.rest = s
			return len(b), nil
		case s[0] == '\r':
			e.x, e.late, s = 0, false, s[1:]
			e.seen()
		case s[0] == '\n':
			e.feed(false)
			s = s[1:]
		case s[0] == '\a':
			e.bells++
			s = s[1:]
		case s[0] < 0x20 || s[0] == 0x7f:
			e.complain("control character %q", s[0])
			s = s[1:]
		default:
			c, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			if r, _ := utf8.DecodeRuneInString(c); r >= 0x80 && r < 0xa0 {
				e.complain("control character %q", r)
			}
			if w > 0 {
				e.put(ecell{c, w, style})
			} else if w == 0 {
				e.join(c)
			}
			s = s[len(c):]
		}
	}
	return len(b), nil
}

// remember saves the place of the cursor, or goes back there.
func (e *emulator) remember(save bool) {
	if save {
		e.saved = [2]int{e.x, e.top + e.y}
		return
	}
	e.seen()
	e.x, e.y, e.late = e.saved[0], max(e.saved[1]-e.top, 0), false
}

// seen complains when the user could see the cursor somewhere in a frame.
func (e *emulator) seen() {
	if e.shown && e.sync {
		e.complain("the cursor moves while it is visible")
	}
}

func (e *emulator) control(params string, final byte) {
	n, _ := strconv.Atoi(params)
	n = max(n, 1)
	switch final {
	case 'A':
		e.seen()
		e.y, e.late = max(e.y-n, 0), false
	case 'B':
		e.seen()
		e.y, e.late = min(e.y+n, e.h-1), false
	case 'C':
		e.seen()
		e.x, e.late = min(e.x+n, e.w-1), false
	case 'D':
		e.seen()
		e.x, e.late = max(e.x-n, 0), false
	case 'L':
		for range min(n, e.h-e.y) {
			at := e.top + e.y
			e.rows = slices.Insert(e.rows[:len(e.rows)-1], at, erow{})
			e.sever(at)
		}
		e.x, e.late = 0, false
	case 'J':
		if params != "" {
			e.complain("CSI %s J", params)
		}
		if e.x == 0 && e.y == 0 && e.reflow == term.ReflowLogical {
			e.complain("CSI J in the first cell, for tmux a clear that goes into the history")
		}
		e.sever(e.top + e.y)
		e.cut(e.y, e.x)
		e.rows[e.top+e.y].soft = false
		for y := e.y + 1; y < e.h; y++ {
			e.rows[e.top+y] = erow{}
		}
	case 'K':
		if params != "" {
			e.complain("CSI %s K", params)
		}
		e.sever(e.top + e.y)
		e.cut(e.y, e.x)
	case 'h', 'l':
		on := final == 'h'
		switch params {
		case "?7":
			e.wrap = on
		case "?25":
			e.shown = on
		case "?2026":
			if on && e.sync {
				e.complain("a frame within a frame")
			}
			e.sync = on
			if !on {
				e.frames++
			}
		case "?1049":
			e.switchTo(on)
		case "?2004", "?1004", "?2027":
			e.mode(params, on)
		default:
			e.complain("mode %s%c", params, final)
		}
	case 'u':
		switch {
		case params == "?":
			e.reply("\x1b[?0u")
		case params[0] == '>' || params[0] == '<':
			e.mode("kitty", params[0] == '>')
		}
	case 'q', 'p':
		// XTVERSION and DECRQM: this terminal has no answer.
	case 'c':
		e.reply("\x1b[?62c")
	default:
		e.complain("sequence CSI %s %c", params, final)
	}
}

// switchTo goes to the alternate screen, or back to what was there before.
func (e *emulator) switchTo(alternate bool) {
	if alternate && !e.alt {
		e.kept = &emulator{rows: e.rows, top: e.top, x: e.x, y: e.y}
		e.rows, e.top = make([]erow, e.h), 0
	} else if !alternate && e.alt {
		e.rows, e.top, e.x, e.y = e.kept.rows, e.kept.top, e.kept.x, e.kept.y
	}
	e.alt = alternate
}

func (e *emulator) mode(name string, on bool) {
	if e.modes == nil {
		e.modes = map[string]bool{}
	}
	e.modes[name] = on
}

func (e *emulator) reply(s string) {
	if e.answer != nil {
		e.answer(s)
	}
}

// sever makes the row of the cursor a line of its own, when all of it is erased.
func (e *emulator) sever(row int) {
	if e.x == 0 && row > 0 {
		e.rows[row-1].soft = false
	}
}

func (e *emulator) cut(y, x int) {
	r := &e.rows[e.top+y]
	r.soft = r.soft && e.reflow == term.ReflowShifting // where the next row bears the mark
	at := 0
	for i, c := range r.cells {
		if at >= x {
			r.cells = r.cells[:i:i]
			return
		}
		at += c.width
	}
}

// feed goes to the next row, which continues this one or does not.
func (e *emulator) feed(soft bool) {
	e.late = false
	e.rows[e.top+e.y].soft = soft
	if e.y < e.h-1 {
		e.y++
		return
	}
	e.rows = append(e.rows, erow{})
	e.top++
}

func (e *emulator) put(c ecell) {
	if e.late || e.x+c.width > e.w {
		if e.wrap {
			e.feed(true)
			e.x = 0
		} else {
			e.x = max(e.w-c.width, 0)
		}
	}
	e.late = false
	e.rows[e.top+e.y].set(e.x, c)
	e.x += c.width
	if e.x >= e.w {
		e.x, e.late = e.w-1, true
	}
}

// set puts a character into a row at a column, in place of what it covers.
func (r *erow) set(x int, c ecell) {
	at, i := 0, 0
	for i < len(r.cells) && at+r.cells[i].width <= x {
		at += r.cells[i].width
		i++
	}
	rest := r.cells[i:]
	head := r.cells[:i:i]
	if len(rest) == 0 {
		head = r.cells
	}
	for pad := at; pad < x; pad++ {
		head = append(head, ecell{" ", 1, ""})
	}
	head = append(head, c)
	for _, old := range rest {
		if at >= x+c.width {
			head = append(head, old)
		}
		at += old.width
	}
	r.cells = head
}

// join adds a mark to the character before the cursor.
func (e *emulator) join(mark string) {
	if r := &e.rows[e.top+e.y]; len(r.cells) > 0 {
		r.cells[len(r.cells)-1].text += mark
	}
}

func (r erow) text() string {
	var b strings.Builder
	for _, c := range r.cells {
		b.WriteString(c.text)
	}
	return b.String()
}

func (r erow) width() int {
	n := 0
	for _, c := range r.cells {
		n += c.width
	}
	return n
}

// screen returns the rows that can be seen.
func (e *emulator) screen() []string {
	var out []string
	for _, r := range e.rows[e.top:] {
		out = append(out, strings.TrimRight(r.text(), " "))
	}
	return out
}

// logical returns all lines of the scrollback and the screen, soft rows joined,
// without the empty ones at the end.
func (e *emulator) logical() []string {
	var out []string
	var b strings.Builder
	for _, r := range e.rows {
		b.WriteString(r.text())
		if !r.soft {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
