package tui

import (
	"regexp"

	"parley/internal/cell"
	"parley/internal/event"
	"parley/internal/term"
)

// Bounds of the live region. It is never more than half the screen, so that a
// terminal that is made half as wide still holds it, and never more than ten
// rows: a frame that is on its way while the terminal becomes that low does no
// harm. Three rows are the least that a composer and the state of the run need.
const (
	liveMax = 10
	liveMin = 3
	tailMax = 8
)

func liveLimit(height int) int {
	return min(max(min(liveMax, height/2), liveMin), max(height, 1))
}

// width returns the columns that live rows may take. Where a terminal would wrap
// them, some stay free: made narrower by hand, a few columns at a time, it never
// has to.
func (m *Model) width() int {
	switch m.can.Reflow {
	case term.ReflowLogical, term.ReflowUnknown:
		return m.size.Width - m.size.Width/10
	case term.ReflowNone, term.ReflowShifting:
	}
	return m.size.Width
}

// narrow is the least width that is expected of a terminal that becomes narrower at
// once, by a split, a tile or another font.
const narrow = 30

// survives reports whether the rows would still be on the screen if the terminal
// changed its size at once: to half its width, or to narrow; to 80 by 24; to ten
// rows. A terminal that reflows makes several rows of one, and pushes what does not
// fit into the scrollback, from where nothing can be taken back.
func survives(live []cell.Line, size term.Size, reflow term.Reflow, below int) bool {
	for _, smaller := range []term.Size{
		{Width: max(min(narrow, size.Width/2), 1), Height: size.Height},
		{Width: min(80, size.Width), Height: min(24, size.Height)},
		{Width: size.Width, Height: min(10, size.Height)},
	} {
		blank := max(below-(size.Height-smaller.Height), 0)
		if rewrapped(live, size.Width, smaller.Width, reflow)+blank > smaller.Height {
			return false
		}
	}
	return true
}

// rewrapped returns how many rows a terminal may make of live rows once it is
// narrower. One that is not known may take them for one line (see grouped), each
// as wide as the screen was.
func rewrapped(live []cell.Line, from, to int, reflow term.Reflow) int {
	n := 0
	switch reflow {
	case term.ReflowUnknown:
		n = (len(live)*from + to - 1) / to
	case term.ReflowLogical:
		for _, l := range live {
			n += wrapped(l, to)
		}
	case term.ReflowNone, term.ReflowShifting:
		n = len(live)
	}
	return n
}

// Layout composes the page of a model: final lines are committed, live rows are below
// them. The live rows are, from the top: the end of the log, the plan, an ask or the
// state of the run, the composer, the queue, the status.
//
// When there is no room for all of it, parts are left out in this order: the blank
// row, the plan, the queue, the log except its last row, the composer except the row
// with the caret, the last row of the log, the status. The caret's row, an open ask
// and the state of the run are never left out.
func Layout(m Model) Page {
	p := Page{Width: m.size.Width, Height: m.size.Height, Upto: m.log.upto, Redraw: m.redraw, Bell: m.bell, Reflow: m.can.Reflow}
	s := m.viewContext()
	entries := m.log.pending(m.width(), s)
	n := m.outgoing(entries)
	p.more = n < final(entries)
	for _, e := range entries[:n] {
		p.Commit = append(p.Commit, m.set(e)...)
		p.Upto = e.at
	}
	t := newTail(entries[n:], m.width(), tailMax, m.words)
	limit := liveLimit(p.Height)
	l := m.compose(m.width(), limit, t)
	for limit > liveMin && !survives(l.rows, m.size, m.can.Reflow, m.blankBelow.below) {
		limit--
		l = m.compose(m.width(), limit, t)
	}
	p.Live, p.place = l.rows, l.caret
	p.painted = m.busy()
	if m.asking.phase != ConfirmNone {
		p.Ask, p.told = m.asking.ask.Ask, l.told
	}
	p.log = rows{inserted: m.log.shown.rows(p.Width), leaving: height(entries[:n], p.Width), pending: t.total, visible: l.tail}
	p.read = p.Ask != "" && m.seen(p, entries[n:], t)
	if len(p.Commit) == 0 {
		return p.WithCursor()
	}
	return p
}

// A terminal receives a write in pieces: the kernel cuts it after 2,048 bytes.
// xterm.js truncates, or leaves a hole in, a line of which it has only a part when
// its size changes. So there a frame commits no more than one piece holds (pieceBytes),
// unless more than backlogBytes are waiting.
const (
	pieceBytes   = 1200
	backlogBytes = 16 << 10
)

// outgoing returns how many of the entries leave with the next frame. Those that
// have a mark in common leave together.
func (m *Model) outgoing(entries []entry) int {
	n := final(entries)
	if !grouped(m.can.Reflow) || m.last {
		return n
	}
	whole, size, at := 0, 0, n // whole: entries before the last mark that still fits
	for i, e := range entries[:n] {
		if i > 0 && entries[i-1].at.Less(e.at) && (size <= pieceBytes || whole == 0) {
			whole = i
		}
		if size += e.text.Len(); size > pieceBytes && whole > 0 {
			at = min(at, whole)
		}
	}
	if size > backlogBytes {
		return n
	}
	return at
}

// rows counts the rows of the log on a page.
type rows struct {
	inserted int // that the scrollback owns
	leaving  int // that are being written
	pending  int // that may still change
	visible  int // of those: that can be seen
}

// height counts the rows of entries on a screen.
func height(entries []entry, width int) int {
	n := 0
	for _, e := range entries {
		n += max(1, (e.text.Width()+width-1)/width)
	}
	return n
}

// A tail is the end of the log that may still change, as rows.
type tail struct {
	rows  []cell.Line // the last ones
	total int
}

// newTail sets the last limit rows. Lines break where they will be broken once
// they are final: at the edge, by the terminal, or between words, by us.
func newTail(entries []entry, width, limit int, words bool) tail {
	var t tail
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if len(t.rows) >= limit {
			t.total += height(entries[:i+1], max(width-1, 1))
			break
		}
		set := []cell.Line{cell.Truncate(e.text, max(width-1, 1))}
		switch {
		case e.live:
		case words:
			set = wrapWords(e.text, max(width-1, 2))
		default:
			set = cell.Wrap(e.text, max(width-1, 2), cell.Indent{Hard: true})
		}
		t.total += len(set)
		t.rows = append(set[:len(set):len(set)], t.rows...)
	}
	if n := len(t.rows) - limit; n > 0 {
		t.rows = t.rows[n:]
	}
	return t
}

// set returns a line as it is committed: whole, so that the terminal wraps and reflows
// it, or as rows broken between words, which never reflow.
func (m *Model) set(e entry) []cell.Line {
	if !m.words {
		return []cell.Line{e.text}
	}
	return wrapWords(e.text, max(m.size.Width-1, 2))
}

// hanging is what a line begins with that its further rows are set behind: its
// indent, and the sign of a list item, a prompt or an outcome.
var hanging = regexp.MustCompile(`^ *(?:(?:[•$~✓✗!?›│-]|\d+\.) )?`)

func wrapWords(l cell.Line, width int) []cell.Line {
	n := cell.Width(hanging.FindString(l.Text()))
	if n > width/3 {
		n = 0
	}
	return cell.Wrap(l, width, cell.Indent{Rest: cell.Plain(spaces(n))})
}

// A region is the live rows as composed.
type region struct {
	rows  []cell.Line
	caret Caret
	tail  int   // rows of the log among them
	told  rowID // the marked answer of the open ask, if it is shown whole
}

// compose divides the rows among the parts, those that stay longest first.
func (m *Model) compose(width, limit int, t tail) region {
	need, told := m.pending(width, limit-1)
	left := max(limit-len(need)-1, 0)
	take := func(want int) int {
		got := max(min(want, left), 0)
		left -= got
		return got
	}
	queue := m.queueRow(width)
	plan := planRow(m.state.Plan, width)
	writing, caret := m.writing(width, composerRows)

	status := take(1)
	shown := take(min(len(t.rows), 1))
	if rows := 1 + take(len(writing)-1); rows < len(writing) {
		writing, caret = m.writing(width, rows)
	}
	shown += take(len(t.rows) - shown)
	queued := take(min(len(queue), 1))
	planned := take(min(len(plan), 1))
	blank := 0
	if m.log.begun || len(m.log.source.Items()) > 0 {
		blank = take(1)
	}

	r := region{tail: shown, told: told}
	add := func(n int, rows ...cell.Line) {
		if n > 0 {
			r.rows = append(r.rows, rows...)
		}
	}
	add(shown, t.rows[len(t.rows)-shown:]...)
	add(blank, nil)
	add(planned, plan)
	add(1, need...)
	r.caret = Caret{Row: len(r.rows) + caret.Row, Col: caret.Col}
	add(1, writing...)
	add(queued, queue)
	add(status, m.bottom(width))
	for i, row := range r.rows {
		r.rows[i] = cell.Truncate(row, max(width-1, 1))
	}
	return r
}

// pending is the open ask, or else the row with the state of the run.
func (m *Model) pending(width, limit int) (rows []cell.Line, told rowID) {
	if m.asking.phase != ConfirmNone {
		return m.asking.view(m, width, max(limit, 1))
	}
	if row := m.stateRow(width); row != nil && limit > 0 {
		return []cell.Line{row}, ""
	}
	return nil, ""
}

// writing is the composer, or the field of an ask.
func (m *Model) writing(width, limit int) ([]cell.Line, Caret) {
	permission := m.asking.ask.Kind == event.AskPermission && m.asking.form.mode == formChoose
	if m.asking.phase != ConfirmActive || permission {
		hint := ""
		switch {
		case m.edited != "":
			hint = "empty removes it from the queue"
		case m.asking.phase != ConfirmNone:
		case !m.running():
			hint = "ask for anything · ctrl+j new line"
		}
		return m.composer.view(width, limit, accent, hint)
	}
	return m.asking.form.field.view(width, limit, needed, "")
}

// bottom is the status row, or a notice in its place.
func (m *Model) bottom(width int) cell.Line {
	if row := m.notice.row(m.now); row != nil {
		return row
	}
	return m.statusRow(width)
}

// planRow shows how far the plan is: what is done, what is being done and what
// comes.
func planRow(steps []event.PlanStep, width int) cell.Line {
	if len(steps) == 0 {
		return nil
	}
	done, bar := 0, ""
	for _, s := range steps {
		if s.Status == event.PlanCompleted || s.Status == event.PlanSkipped {
			done++
		}
	}
	if done == len(steps) {
		return nil
	}
	for i := range min(len(steps), 10) {
		if i*len(steps) < done*min(len(steps), 10) {
			bar += "▰"
		} else {
			bar += "▱"
		}
	}
	r := (&lineBuilder{}).add(dim, "  plan  ").add(plain, count(done)+"/"+count(len(steps))).add(dim, "  "+bar)
	for _, s := range steps {
		sign, style, text := "○", dim, s.Text
		switch s.Status {
		case event.PlanInProgress:
			sign, style = "◐", plain
			if s.ActiveForm != "" {
				text = s.ActiveForm
			}
		case event.PlanFailed:
			sign, style = "✗", bad
		case event.PlanCompleted, event.PlanSkipped:
			continue
		}
		text, _ = oneLine(text, 60)
		if r.line.Width()+cell.Width(text)+6 > width {
			break
		}
		r.add(style, "   "+sign+" "+text)
	}
	return r.line
}

// RenderState returns where the renderer stands with this page.
func (m Model) RenderState() RenderState {
	p := Layout(m)
	total := p.log.inserted + p.log.leaving + p.log.pending
	state := RenderState{
		WrappedTotal: total, VisibleStart: total - p.log.visible, VisibleEnd: total, InsertedUntil: p.log.inserted,
		Sync: m.sync, Confirm: m.asking.phase, Upto: m.log.upto, Epoch: m.log.epoch,
		Drawn: !m.asking.drawn.IsZero(), Asking: m.asking.ask.Ask != "",
	}
	if m.sync != SyncIdle {
		state.Cursor = HiddenDuringScrollbackInsert
	}
	return state
}
