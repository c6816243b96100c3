package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/tui"
	"parley/internal/wire"
)

// follower is a session as the terminal follows it: it keeps the connection, and
// makes a new one when the daemon is lost.
type follower struct {
	app     *app
	ctx     context.Context
	id      event.SessionID
	updates chan tui.Update

	mu    sync.Mutex // of what follows
	conn  *client.Conn
	seq   event.Seq // of the last event that was given
	turns int       // turns that began

	folder chan string // the session's, once it is known
}

// calm is how long text that streams may gather: less than a frame takes.
const calm = 20 * time.Millisecond

// firstPage is how many events of the past are shown at once.
const firstPage = 400

// The pauses between attempts to reach a daemon that was lost.
const (
	firstPause   = 50 * time.Millisecond
	longestDelay = 5 * time.Second
)

func newFollower(ctx context.Context, a *app, conn *client.Conn, fresh bool) *follower {
	conn.Calm(calm)
	f := &follower{app: a, ctx: ctx, id: conn.Welcome.Session, conn: conn, updates: make(chan tui.Update, 4), folder: make(chan string, 1)}
	go f.follow(fresh)
	return f
}

// Updates gives what happens, in order. It is never closed: a session can go on
// until nobody wants more.
func (f *follower) Updates() <-chan tui.Update { return f.updates }

func (f *follower) give(u tui.Update) bool {
	select {
	case f.updates <- u:
		return true
	case <-f.ctx.Done():
		return false
	}
}

func (f *follower) follow(fresh bool) {
	conn := f.conn
	if fresh && !f.attached(tui.Attached{Client: conn.Welcome.Client, Name: "parley"}, f.app.dir) {
		return
	}
	for {
		if !f.stream(conn) {
			return
		}
		if !f.give(tui.Down{Err: conn.Err()}) {
			return
		}
		if conn = f.again(); conn == nil {
			return
		}
		if !f.give(tui.Attached{Client: conn.Welcome.Client, Name: "parley"}) {
			return
		}
	}
}

// stream gives what a connection brings until it ends; false where nobody wants
// more.
func (f *follower) stream(conn *client.Conn) bool {
	var waiting []client.Line
	for {
		if len(waiting) == 0 {
			line, ok := <-conn.Lines()
			if !ok {
				return f.ctx.Err() == nil
			}
			waiting = append(waiting, line)
		}
		waiting = append(waiting, ready(conn, batch-len(waiting))...)
		if s := waiting[0].State; s != nil {
			more, ok := f.begin(conn, s)
			if !ok {
				return false
			}
			waiting = append(waiting[1:], more...)
			continue
		}
		n := 0
		var events []event.Event
		for ; n < len(waiting) && waiting[n].State == nil; n++ {
			if e := waiting[n].Event; e != nil {
				events = append(events, *e)
			}
		}
		waiting = waiting[n:]
		if len(events) == 0 {
			continue
		}
		f.note(events)
		if !f.give(tui.News{Events: events}) {
			return false
		}
	}
}

// batch is how many lines are given at once, and batchBytes how much of them:
// what is not given waits in the daemon.
const (
	batch      = 256
	batchBytes = 16 << 10
)

// ready takes the lines that are there.
func ready(conn *client.Conn, n int) []client.Line {
	var lines []client.Line
	for size := 0; len(lines) < n && size < batchBytes; {
		select {
		case line, ok := <-conn.Lines():
			if !ok {
				return lines
			}
			lines = append(lines, line)
			size += len(line.Raw)
		default:
			return lines
		}
	}
	return lines
}

func (f *follower) note(events []event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq = events[len(events)-1].Seq
	for _, e := range events {
		if _, ok := e.Body.(event.TurnStarted); ok {
			f.turns++
		}
	}
}

// begin gives the last of the past before the events that follow a state. It
// returns the lines that came meanwhile: the answer is behind them.
func (f *follower) begin(conn *client.Conn, s *transcript.State) (lines []client.Line, ok bool) {
	type answer struct {
		past []event.Event
		more bool
	}
	answers := make(chan answer, 1)
	go func() {
		past, more, err := f.page(f.ctx, conn, s.Seq+1, firstPage)
		if err != nil {
			past, more = nil, true
		}
		answers <- answer{past, more}
	}()
	var got answer
	in := conn.Lines()
	for waiting := true; waiting; {
		select {
		case got = <-answers:
			waiting = false
		case line, open := <-in:
			if !open {
				in = nil
				continue
			}
			lines = append(lines, line)
		}
	}
	if i := slices.IndexFunc(got.past, func(e event.Event) bool { _, ok := e.Body.(event.RunStarted); return ok }); i > 0 && got.more {
		got.past = got.past[i:]
	}
	f.mu.Lock()
	f.seq = max(f.seq, s.Seq)
	f.turns += len(s.Entries)
	f.mu.Unlock()
	return lines, f.attached(tui.Attached{Client: conn.Welcome.Client, Name: "parley", State: s, Past: got.past, More: got.more}, s.Workspace)
}

// attached gives the beginning of a session, of which the folder is known then.
func (f *follower) attached(u tui.Attached, folder string) bool {
	ok := f.give(u)
	select {
	case f.folder <- folder:
	default:
	}
	return ok
}

// recall gives what was said before in the session's folder.
func (f *follower) recall() {
	select {
	case folder := <-f.folder:
		f.give(tui.Inputs{Texts: f.app.inputs(f.ctx, folder)})
	case <-f.ctx.Done():
	}
}

// again reaches the daemon, or a new one, and goes on after the last event.
func (f *follower) again() *client.Conn {
	for pause := firstPause; ; pause = min(2*pause, longestDelay) {
		select {
		case <-time.After(pause):
		case <-f.ctx.Done():
			return nil
		}
		f.mu.Lock()
		since := f.seq
		f.mu.Unlock()
		conn, err := f.app.redial(f.ctx, wire.Hello{Session: string(f.id), Since: &since, Capabilities: []string{"ask", "presence"}})
		if err != nil {
			continue
		}
		conn.Calm(calm)
		f.mu.Lock()
		f.conn = conn
		f.mu.Unlock()
		return conn
	}
}

func (f *follower) current() *client.Conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conn
}

// Send sends a command; its result comes as an update.
func (f *follower) Send(id string, b command.Body) {
	go func() {
		r := command.Result{ID: id, Name: command.Name(b)}
		data, err := f.current().Do(f.ctx, f.id, b)
		var fault *command.Fault
		switch {
		case errors.As(err, &fault):
			r.Fault = fault
		case err != nil:
			r.Fault = command.Faultf(command.Closed, "%s", err)
		default:
			var accepted command.Accepted
			if json.Unmarshal(data, &accepted) == nil && accepted.Session != "" {
				r.Data = accepted
			}
		}
		f.give(tui.Reply{Result: r})
	}()
}

// Past returns events before a seq.
func (f *follower) Past(ctx context.Context, before event.Seq, limit int) ([]event.Event, bool, error) {
	return f.page(ctx, f.current(), before, limit)
}

func (f *follower) page(ctx context.Context, conn *client.Conn, before event.Seq, limit int) ([]event.Event, bool, error) {
	if before <= 1 {
		return nil, false, nil
	}
	page, err := client.Ask[command.Events](ctx, conn, f.id, command.Read{What: command.ReadEvents, Before: before, Limit: limit})
	if err != nil {
		return nil, false, err
	}
	more := page.More && (len(page.Events) == 0 || page.Events[0].Kind() != "session.opened")
	return page.Events, more, nil
}

func (f *follower) used() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.turns > 0
}

// leave ends the connection; a session that was made for nothing goes with it.
func (f *follower) leave(made bool) {
	conn := f.current()
	if made && !f.used() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		// The next list may show an empty session; no more is lost.
		_, _ = conn.Do(ctx, f.id, command.Remove{})
	}
	conn.Close()
}
