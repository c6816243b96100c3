package tui

import (
	"context"

	"parley/internal/cell"
	"parley/internal/client"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/term"
	"parley/internal/transcript"
)

// pastPage is how many events of the past are read at once.
const pastPage = 400

// A page is a part of the past that was read.
type page struct {
	client.Page
	err error
}

// A browser is a pager on the alternate screen. The session goes on behind it and
// is drawn when the user leaves it.
type browser struct {
	title  string
	lines  []cell.Line // logical
	set    func(width int) []cell.Line
	ask    event.AskID // that it is read for
	read   int         // rows that were on the screen, from the first on without a gap
	rows   []cell.Line // at width
	size   term.Size
	top    int               // the first row seen
	state  *transcript.State // who the session is
	events []event.Event
	at     client.Cursor // before the events read so far
	more   bool
	asking bool // a page is being read
	fresh  bool // what is shown is up to date
	status string
}

// browse opens a pager: for the text given, or for the past.
func (l *loop) browse(b Browse) {
	if !l.clear() {
		return
	}
	p := &browser{title: b.Pager.Title, lines: b.Pager.Lines, set: b.Pager.Set, ask: b.Pager.Ask}
	l.pager = p
	l.Terminal.Do([]term.Op{term.Screen{Alternate: true}, term.Cursor{Visible: false}})
	p.fit(l.Terminal.Size())
	if p.title == "" {
		p.title, p.state = "earlier", l.model.state.Resume(0)
		p.at, p.more = client.Before(l.model.state), l.model.state.Seq > 0
		l.earlier()
	}
}

// earlier reads a further page of the past.
func (l *loop) earlier() {
	p := l.pager
	if p.asking || !p.more {
		return
	}
	p.asking, p.status = true, "reading …"
	source, at, pages := l.Source, p.at, l.pages
	go func() {
		read, err := source.Past(context.Background(), at, pastPage)
		pages <- page{read, err}
	}()
}

// take adds a page that was read, above what is shown.
func (p *browser) take(pg page) {
	if p == nil || !p.asking {
		return
	}
	p.asking, p.status, p.fresh = false, "", false
	if pg.err != nil {
		p.status, p.more = pg.err.Error(), false
		return
	}
	p.at, p.more = pg.Earlier, pg.More
	begin := len(p.events) == 0
	p.events = append(pg.Events, p.events...)
	below := len(p.rows) - p.top
	p.lines = pastLines(p.state.Clone(), p.events, p.size.Width)
	p.wrap()
	p.top = max(len(p.rows)-below, 0)
	if begin {
		p.top = max(len(p.rows)-p.height(), 0)
	}
}

// pastLines lays a part of a session's log out as lines.
func pastLines(s *transcript.State, events []event.Event, width int) []cell.Line {
	past, agents := newLog(), map[event.SessionID]bool{}
	c := display.New(past.source)
	for _, e := range events {
		if b, ok := e.Body.(event.SessionOpened); ok && b.Origin == event.OriginAgent {
			agents[e.Session] = true
		}
		c.Apply(s, e)
	}
	var out []cell.Line
	for _, e := range past.pending(width, &viewContext{agent: agents}) {
		out = append(out, e.text)
	}
	return out
}

func (p *browser) height() int { return max(p.size.Height-1, 1) }

func (p *browser) fit(size term.Size) {
	p.size = size
	p.wrap()
}

func (p *browser) wrap() {
	p.rows, p.read = nil, 0
	if p.set != nil {
		p.rows = p.set(p.size.Width)
	}
	for _, l := range p.lines {
		p.rows = append(p.rows, cell.Wrap(l, max(p.size.Width-1, 2), cell.Indent{})...)
	}
	p.scroll(0)
}

func (p *browser) scroll(by int) {
	p.top = max(min(p.top+by, len(p.rows)-p.height()), 0)
	p.fresh = false
}

// browsed takes an event of the terminal while the pager is open, and reports
// whether it was for the pager.
func (l *loop) browsed(e term.Event) bool {
	p := l.pager
	switch e := e.(type) {
	case term.Size:
		p.fit(e)
		return false // the model needs it too
	case term.Key:
		switch e.Name {
		case "q", "esc", "ctrl+c", "ctrl+o":
			p.leave(l)
		case "up", "k", "ctrl+p":
			p.scroll(-1)
		case "down", "j", "ctrl+n", "enter":
			p.scroll(1)
		case "pgup", "b", "ctrl+b":
			p.scroll(-p.height() + 1)
		case "pgdown", "space", "f", "ctrl+f":
			p.scroll(p.height() - 1)
		case "home", "g":
			p.scroll(-len(p.rows))
		case "end", "shift+g":
			p.scroll(len(p.rows))
		}
		if l.pager != nil && p.top == 0 {
			l.earlier()
		}
		return true
	case term.Paste:
		return true
	}
	return false
}

// leave goes back to the screen of the session.
func (p *browser) leave(l *loop) {
	l.Terminal.Do([]term.Op{term.Screen{Alternate: false}})
	l.pager = nil
	l.screen.shown = Page{Width: l.model.size.Width}
	l.model.redraw = true
	l.model.urge(UrgencyNow)
}

// draw writes the pager's screen, if it changed.
func (p *browser) draw(l *loop) error {
	if p.fresh {
		return nil
	}
	p.fresh = true
	edge := p.size.Height + p.size.Width
	ops := []term.Op{term.Sync{On: true}, term.Move{Down: -edge}, term.Return{}, term.Wrap{On: false}}
	for i := range p.height() {
		var row cell.Line
		if p.top+i < len(p.rows) {
			row = p.rows[p.top+i]
		}
		ops = append(ops, term.Text{Line: row}, term.EraseRight{}, term.Feed{})
	}
	status := p.status
	if status == "" {
		status = p.title + " · " + plural(len(p.rows), "row") + " · ↑ ↓ pgup pgdn · q back"
	}
	ops = append(ops, term.Text{Line: cell.Truncate(cell.Styled("  "+status, dim), max(p.size.Width-1, 1))}, term.EraseRight{}, term.Wrap{On: true}, term.Sync{On: false})
	_, err := l.Terminal.Do(ops)
	if p.top <= p.read {
		p.read = max(p.read, p.top+p.height())
	}
	if err == nil && p.ask != "" && p.read >= len(p.rows) {
		l.reduce(Read{p.ask})
		p.ask = ""
	}
	return err
}
