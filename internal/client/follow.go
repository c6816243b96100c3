package client

import (
	"errors"
	"slices"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire/native"
)

// The pauses between attempts to reach a daemon that was lost.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// The bounds of one News, in events and in bytes. The rest waits in the daemon.
const (
	batch      = 256
	batchBytes = 16 << 10
)

// follow delivers what the connections bring, one after the other.
func (s *Session) follow(conn *Conn) {
	defer s.end()
	for {
		end := s.stream(conn)
		conn.Close()
		if s.ctx.Err() != nil {
			return
		}
		if s.o.Once {
			s.deliver(Over{end})
			return
		}
		if !s.deliver(Lost{end}) {
			return
		}
		next, err := s.reconnect()
		if err != nil {
			s.deliver(Over{err})
		}
		if next == nil {
			return
		}
		conn = next
		if s.joined && !s.deliver(Joined{Client: conn.Welcome.Client}) {
			return
		}
	}
}

// reconnect reaches the daemon, or a new one, and goes on after the last event. It
// gives up only where the session is gone, or nobody wants more.
func (s *Session) reconnect() (*Conn, error) {
	h := s.o.Hello
	h.Session = string(s.id)
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		select {
		case <-time.After(pause):
		case <-s.ctx.Done():
			return nil, nil
		}
		s.mu.Lock()
		since := s.seq
		s.mu.Unlock()
		h.Since = &since
		conn, err := s.o.Dial(s.ctx, h)
		var fault *command.Fault
		switch {
		case errors.As(err, &fault) && fault.Code == command.NotFound:
			return nil, err
		case err != nil:
			continue
		}
		conn.Coalesce(s.o.Coalesce)
		s.mu.Lock()
		s.conn = conn
		s.mu.Unlock()
		return conn, nil
	}
}

// stream delivers what a connection brings until it ends, and returns why it did. The
// first line of a session is its state, unless the session is new: then it is the
// first event.
func (s *Session) stream(conn *Conn) error {
	if !s.joined && s.o.Hello.Session == "new" && !s.join(conn, Line{}, Page{}) {
		return nil
	}
	var waiting []Line
	for {
		if len(waiting) == 0 {
			line, ok := <-conn.Lines()
			if !ok {
				return conn.Err()
			}
			waiting = append(waiting, line)
		}
		waiting = append(waiting, ready(conn, batch-len(waiting))...)
		var going bool
		if waiting, going = s.first(conn, waiting); !going {
			return nil
		}
	}
}

// first delivers what comes first, and returns what is left.
func (s *Session) first(conn *Conn, lines []Line) (left []Line, going bool) {
	switch first := lines[0]; {
	case first.State != nil && !s.joined:
		more, going := s.readPast(conn, first)
		return append(lines[1:], more...), going
	case first.Fault != nil:
		return lines[1:], s.deliver(Refused{first.Fault})
	case first.Event == nil: // a state after a reconnect, which is known already, or a line of a later protocol
		return lines[1:], true
	case !s.joined && !s.join(conn, Line{}, Page{}):
		return nil, false
	}
	return s.events(lines)
}

// ready takes the lines that are there.
func ready(conn *Conn, n int) []Line {
	var lines []Line
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

// events delivers the events at the front of the lines, and returns the rest.
func (s *Session) events(lines []Line) (rest []Line, going bool) {
	n := 1
	for n < len(lines) && lines[n].Event != nil {
		n++
	}
	u := News{make([]event.Event, n), make([][]byte, n)}
	for i := range n {
		u.Events[i], u.Lines[i] = *lines[i].Event, lines[i].Raw
		if _, ok := u.Events[i].Body.(event.TurnStarted); ok {
			s.used.Store(true)
		}
	}
	s.mu.Lock()
	s.seq = u.Events[n-1].Seq
	s.mu.Unlock()
	return lines[n:], s.deliver(u)
}

// readPast reads the end of the past, and then delivers the state that the events
// follow. It returns the lines that came meanwhile: the answer is behind them.
func (s *Session) readPast(conn *Conn, first Line) (lines []Line, going bool) {
	page := make(chan Page, 1)
	s.group.Go(func() {
		var p Page
		if s.o.Past > 0 {
			p = s.recent(conn, first.State)
		}
		page <- p
	})
	in := conn.Lines()
	for {
		select {
		case p := <-page:
			return lines, s.join(conn, first, p)
		case line, open := <-in:
			if !open {
				in = nil
				continue
			}
			lines = append(lines, line)
		}
	}
}

// join tells that the session is followed from the state of its first line on, or
// from its beginning.
func (s *Session) join(conn *Conn, first Line, p Page) bool {
	s.joined = true
	state := first.State
	if state == nil {
		if state = transcript.New(); !slices.Contains(s.o.Hello.Capabilities, Content) {
			state = state.Tail(native.Entries)
		}
	}
	s.mu.Lock()
	s.seq = max(s.seq, state.Seq)
	s.mu.Unlock()
	if state.Counts.Runs > 0 {
		s.used.Store(true)
	}
	return s.deliver(Joined{Client: conn.Welcome.Client, State: state, Line: first.Raw, Past: p})
}
