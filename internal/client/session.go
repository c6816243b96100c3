package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
	"parley/internal/wire/native"
)

// Joining says which session to follow, and how.
type Joining struct {
	// Dial reaches the daemon: at first, and again when the connection is lost.
	Dial func(ctx context.Context, h wire.Hello) (*Conn, error)
	// Hello names the session, from where on it is followed, and what the client
	// can do.
	Hello wire.Hello
	// Past is how many events of the past Joined brings, at the most.
	Past int
	// Once ends the session with its connection. Else that is made again, for as
	// long as it takes, and the session goes on after the last event.
	Once bool
	// Coalesce is how long deltas are collected: see [Conn.Coalesce].
	Coalesce time.Duration
}

// The capabilities of a client. Without Content its state has no more than the
// last entries, and none of what they hold.
const (
	CanAsk   = "ask"          // it can answer asks
	Presence = "presence"     // the others see that it is there
	Content  = native.Content // its state has the content of all entries
)

// A Session is one session as a client follows it. It keeps the connection, joins
// the session, pages its past, and carries commands. What it has to tell comes
// from one channel, [Session.Updates], for one goroutine, which owns the state and
// folds it; [Session.Events] does that for a caller that waits for nothing else. The
// other methods may be called from any goroutine. Close it when it is done with.
type Session struct {
	o       Joining
	id      event.SessionID
	head    event.Seq
	updates chan Update
	ctx     context.Context
	cancel  context.CancelFunc
	group   sync.WaitGroup
	used    atomic.Bool
	ids     atomic.Int64

	state    *transcript.State // of Events
	clientID event.ClientID    // of Events

	joined bool // that was told; of follow

	updating sync.RWMutex // held for reading while an update is delivered; guards over
	over     bool         // updates is closed

	mu   sync.Mutex // guards the fields below
	conn *Conn
	seq  event.Seq // of the last event that was given
}

// Join connects to the daemon and follows a session until ctx ends or Close is
// called. Its error is that of the first connection.
func Join(ctx context.Context, o Joining) (*Session, error) {
	conn, err := o.Dial(ctx, o.Hello)
	if err != nil {
		return nil, err
	}
	conn.Coalesce(o.Coalesce)
	s := &Session{o: o, id: conn.Welcome.Session, head: conn.Welcome.Head, conn: conn, updates: make(chan Update, 4)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.group.Go(func() { s.follow(conn) })
	return s, nil
}

// ID returns the id of the session.
func (s *Session) ID() event.SessionID { return s.id }

// Head returns the seq of the last event that there was when the session was
// joined.
func (s *Session) Head() event.Seq { return s.head }

// Used reports whether the session has a turn, as far as it was told.
func (s *Session) Used() bool { return s.used.Load() }

// Updates gives what happens, in order. It is closed after Over.
func (s *Session) Updates() <-chan Update { return s.updates }

// Close ends the connection and all that waits for it. A run that goes on goes on.
func (s *Session) Close() error {
	s.cancel()
	err := s.current().Close()
	s.group.Wait()
	return err
}

// deliver hands an update over; false where nobody wants more.
func (s *Session) deliver(u Update) bool {
	s.updating.RLock()
	defer s.updating.RUnlock()
	if s.over {
		return false
	}
	select {
	case s.updates <- u:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// end closes updates, once nobody delivers any more.
func (s *Session) end() {
	s.cancel()
	s.updating.Lock()
	defer s.updating.Unlock()
	s.over = true
	close(s.updates)
}

// Do sends a command and waits for its answer, as [Conn.Do] does. Without a
// session it is about this one. It fails while the connection is being made again.
func (s *Session) Do(ctx context.Context, session event.SessionID, body command.Body) (json.RawMessage, error) {
	if session == "" {
		session = s.id
	}
	return s.current().Do(ctx, session, body)
}

// Send sends a command about the session and does not wait: a Reply with the id
// tells what came of it. What cannot be sent is answered with a fault.
func (s *Session) Send(id string, body command.Body) {
	s.group.Go(func() {
		r := command.Result{ID: id, Name: command.Name(body)}
		data, err := s.Do(s.ctx, "", body)
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
		s.deliver(Reply{r})
	})
}

func (s *Session) current() *Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

// Events folds what happens into [Session.State] and yields each event after
// that. It goes on over lost connections and ends when ctx does, when the loop is
// left, or when the session is over: with the error, where there is one. It takes
// the updates: use it or Updates.
func (s *Session) Events(ctx context.Context) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for {
			var u Update
			select {
			case u = <-s.updates:
			case <-ctx.Done():
				return
			}
			if over, ok := u.(Over); ok || u == nil {
				if over.Err != nil {
					yield(event.Event{}, over.Err)
				}
				return
			}
			if !s.take(u, yield) {
				return
			}
		}
	}
}

// take folds an update; false where the loop was left.
func (s *Session) take(u Update, yield func(event.Event, error) bool) bool {
	switch u := u.(type) {
	case Joined:
		s.clientID = u.Client
		if u.State != nil {
			s.state = u.State
		}
	case News:
		for _, e := range u.Events {
			for e := range transcript.Advance(s.state, e) {
				if s.state.Apply(e); !yield(e, nil) {
					return false
				}
			}
		}
	case Refused:
		return yield(event.Event{}, u.Fault)
	case Reply, Lost, Over:
		// Who sends by Send takes Updates.
	}
	return true
}

// State is the session as Events has folded it so far, with the event that was
// yielded last; nil before the first. Read it in the loop's body only.
func (s *Session) State() *transcript.State { return s.state }

// Caused reports whether this client's command led to an event that Events yields.
func (s *Session) Caused(e event.Event) bool {
	_, mine := wire.Peer{ID: s.clientID}.RequestOf(e.Cause)
	return mine
}

// Idle reports whether nothing is open or waits in a session that was joined
// when its head was at this seq, and all up to there has been folded.
func Idle(s *transcript.State, head event.Seq) bool {
	return s.Seq >= head && s.Run == nil && len(s.Queue) == 0
}
