package tui

import (
	"parley/internal/cell"
	"parley/internal/display"
)

// A line is a logical line of an item.
type line struct {
	text cell.Line
	end  int // bytes of the item's source up to and with this line, from 1; never falls
	// A live line is cut at the edge instead of wrapped: it is never final.
	live bool
}

// A view lays an item out as logical lines. The first stable lines are final:
// whatever happens, they stay.
type view interface {
	lines(width int, s *viewContext) (all []line, stable int)
	// prune drops what the scrollback owns: the item up to a byte of its source.
	prune(upto int)
}

// A log is the boundary between the scrollback and what is live: the items of the
// display that are not committed whole, and a count of the committed rows. Its memory
// and the cost of laying it out do not grow with the session.
type log struct {
	source    *display.Log
	views     map[display.ItemID]view
	upto      Mark         // what lies before is in the scrollback
	last      display.Kind // of the item that the scrollback ends with
	begun     bool         // the scrollback holds something
	shown     rowCount
	epoch     int             // how often it was cleared
	shortened []*display.Item // that were shortened, for Ctrl+O
	morePast  bool            // the log begins with a line that says that there is more before it
}

func newLog() *log {
	return &log{source: display.NewLog(), views: map[display.ItemID]view{}}
}

// clear begins the count of rows anew. Committed lines stay in the scrollback, live
// ones stay live.
func (l *log) clear() {
	l.shown = rowCount{}
	l.epoch++
}

// view returns the view of an item, made on first use.
func (l *log) view(it *display.Item) view {
	v := l.views[it.ID]
	if v == nil {
		v = viewOf(it)
		l.views[it.ID] = v
	}
	return v
}

// An entry is a logical line that waits to be committed.
type entry struct {
	line
	at    Mark // the boundary once it is shown
	kind  display.Kind
	final bool
	gap   bool // the blank line before an item
}

// pending returns what the scrollback does not own yet, in order.
func (l *log) pending(width int, s *viewContext) []entry {
	var out []entry
	last, begun, open := l.last, l.begun, false
	for i, it := range l.source.Items() {
		number := int(it.ID)
		if i == 0 && l.morePast && l.upto.Less(Mark{number, 0}) {
			out = append(out, entry{line: line{text: earlier}, at: Mark{number, 0}, kind: display.KindNote, final: true})
		}
		if number < l.upto.Item {
			continue
		}
		if s.hidden(it) {
			continue
		}
		all, stable := l.view(it).lines(width, s)
		switch {
		case open:
			stable = 0 // what is before may still get a further line
		case !it.Open:
			stable = len(all)
		}
		open = open || it.Open
		for k, ln := range all {
			if k == 0 && begun && separated(last, it.Kind) && l.upto.Less(Mark{number, 0}) {
				out = append(out, entry{at: Mark{number, 0}, kind: it.Kind, final: stable > 0, gap: true})
			}
			if at := (Mark{number, ln.end}); l.upto.Less(at) {
				out = append(out, entry{line: ln, at: at, kind: it.Kind, final: k < stable})
			}
		}
		if len(all) > 0 {
			last, begun = it.Kind, true
		}
	}
	return out
}

// final returns how many of the entries may leave: those before the first that
// may still change.
func final(entries []entry) int {
	n := 0
	for n < len(entries) && entries[n].final {
		n++
	}
	return n
}

// commit moves the boundary, because the terminal took what lies before it. It
// never moves it back.
func (l *log) commit(to Mark, width int, s *viewContext) {
	if !l.upto.Less(to) {
		return
	}
	for _, e := range l.pending(width, s) {
		if to.Less(e.at) {
			break
		}
		l.shown.add(e.text.Width())
		l.last, l.begun = e.kind, true
	}
	l.upto = to
	for _, it := range l.source.Items() {
		if number := int(it.ID); number < to.Item || number == to.Item && !it.Open {
			l.keepShortened(it)
		}
		if number := int(it.ID); number < to.Item {
			delete(l.views, it.ID)
		} else if v := l.views[it.ID]; v != nil && number == to.Item {
			v.prune(to.Byte)
		}
	}
	l.source.Forget(display.ItemID(to.Item))
}

// keepShortened remembers an item that was shortened, so that it can be opened.
func (l *log) keepShortened(it *display.Item) {
	if n := len(l.shortened); n > 0 && l.shortened[n-1] == it {
		return
	}
	if _, ok := whole(it); ok {
		l.shortened = append(l.shortened[max(0, len(l.shortened)-keptMax+1):len(l.shortened):len(l.shortened)], it)
	}
}

// earlier is the line above the part of a long past that is shown.
var earlier = (&lineBuilder{}).add(dim, "  … earlier: pgup").line

// trimPast leaves out the items that are older than so many rows, of a past that is
// shown for the first time.
func (l *log) trimPast(rows, width int, more bool, s *viewContext) {
	l.morePast = more
	items := l.source.Items()
	for i := len(items) - 1; i > 0; i-- {
		all, _ := l.view(items[i]).lines(width, s)
		if len(all) > 0 {
			rows-- // the blank line before it
		}
		for _, ln := range all {
			rows -= max(1, (ln.text.Width()+width-1)/width)
		}
		if rows <= 0 && !items[i-1].Open {
			l.source.Forget(items[i].ID)
			l.morePast = true
			break
		}
	}
	l.views = map[display.ItemID]view{}
	if left := l.source.Items(); len(left) > 0 {
		l.upto = Mark{int(left[0].ID) - 1, 1 << 62}
	}
}

// group says which items have no blank line between them: those of the same group.
func group(k display.Kind) int {
	switch k {
	case display.KindCall, display.KindAgent, display.KindAsk, display.KindImage:
		return 1
	case display.KindThought:
		return 2
	case display.KindNote, display.KindRetry, display.KindFault, display.KindDeveloper, display.KindRun:
		return 3
	case display.KindUser:
		return 4
	case display.KindReply:
		return 5
	}
	return 6
}

// separated reports whether there is a blank line between two adjacent items.
func separated(a, b display.Kind) bool {
	return group(a) != group(b) || group(a) > 3
}

// A rowCount counts lines by their width, so that their rows are known for any
// screen without keeping them.
type rowCount struct{ widths map[int]int }

func (t *rowCount) add(width int) {
	if t.widths == nil {
		t.widths = map[int]int{}
	}
	t.widths[width]++
}

// rows returns how many rows the lines take on a screen of this width.
func (t rowCount) rows(width int) int {
	n := 0
	for w, count := range t.widths {
		n += count * max(1, (w+width-1)/width)
	}
	return n
}
