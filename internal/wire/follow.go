package wire

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"runtime/debug"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// A follow is one session that the connection follows.
type follow struct {
	id     event.SessionID
	state  *transcript.State
	cancel context.CancelFunc
	head   event.Seq // all: up to it the catalog has told of this session
	idle   bool      // all: nothing ran at head
	midRun bool      // it began inside a run, so its state lacks the beginning: its frames are not for the cache
}

// noteMidRun sets midRun, before e is folded in.
func (f *follow) noteMidRun(e event.Event) {
	if e.Session != f.id || f.state.Run != nil {
		return
	}
	_, started := e.Body.(event.RunStarted)
	f.midRun = e.Run != "" && !started
}

// follow begins to follow a session, in the place of an earlier follow of it.
// joined is called before the first frame.
func (s *connection) follow(id event.SessionID, since *event.Seq, joined func(head event.Seq)) *command.Fault {
	if f := s.follows[id]; f != nil {
		s.unfollow(f)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	state, events, fault := s.Host.Follow(ctx, id, since)
	if fault != nil {
		cancel()
		return fault
	}
	f := &follow{id: id, state: state, cancel: cancel}
	s.follows[id] = f
	if joined != nil {
		joined(state.Seq)
	}
	s.send(s.Dialect.Attach(s.peer, state)...)
	s.start(func() { s.forward(ctx, f, events) })
	return nil
}

// forward gives the events of one session to the loop.
func (s *connection) forward(ctx context.Context, f *follow, events iter.Seq2[event.Event, error]) {
	defer context.AfterFunc(ctx, s.inbox.wake)()
	last := item{follow: f, end: true}
	func() {
		defer func() {
			if v := recover(); v != nil {
				last.err = s.logged(v)
			}
		}()
		for e, err := range events {
			if last.err = err; err != nil || !s.inbox.put(ctx, item{follow: f, event: e}) {
				return
			}
		}
	}()
	s.inbox.put(ctx, last)
}

func (s *connection) unfollow(f *follow) {
	f.cancel()
	delete(s.follows, f.id)
	if s.held && s.batch[0].follow == f {
		s.held = false // the event is nobody's any more
	}
	if s.Dialect.Detach != nil {
		s.send(s.Dialect.Detach(s.peer, f.state)...)
	}
}

// items works on events of the sessions, until it is time to write or one has to
// wait for an answer.
func (s *connection) items() error {
	if len(s.batch) == 0 {
		runtime.Gosched() // whoever is ready puts first: one write for more
		s.batch = s.inbox.take()
	}
	for len(s.batch) > 0 && !s.full() {
		it := &s.batch[0]
		f := it.follow
		if s.follows[f.id] == f && !it.end && s.causes(it.event) {
			s.held = true
			return nil
		}
		s.batch = s.batch[1:]
		if err := s.item(it); err != nil {
			return err
		}
	}
	return nil
}

// item is an event of a session, or the end of them.
func (s *connection) item(it *item) error {
	f := it.follow
	if s.follows[f.id] != f {
		return nil
	}
	if !it.end {
		s.event(f, it.event)
		return nil
	}
	if it.err != nil {
		s.sendError(f.state, s.faultOf(it.err))
	}
	s.unfollow(f)
	return s.done()
}

// release goes on with events whose command has been answered.
func (s *connection) release() {
	s.held = s.held && s.causes(s.batch[0].event)
}

func (s *connection) event(f *follow, e event.Event) {
	seq := e.Seq
	f.noteMidRun(e)
	for e := range transcript.Advance(f.state, e) {
		f.state.Apply(e)
		s.send(s.encode(f, e, seq)...)
		if s.Dialect.ForPeer != nil {
			s.send(s.Dialect.ForPeer(s.peer, f.state, e)...)
		}
	}
	if s.all {
		s.unfollowDone(f, e)
	}
}

// encode asks the cache, unless the frames would not be right for others.
func (s *connection) encode(f *follow, e event.Event, seq event.Seq) []Frame {
	if s.Cache == nil || f.midRun {
		return s.Dialect.Encode(s.peer.Class, f.state, e)
	}
	return s.Cache.frames(keyOf(s.peer.Class, e, seq), func() []Frame {
		return s.Dialect.Encode(s.peer.Class, f.state, e)
	})
}

// followAll follows each session from the start of a run to its end.
func (s *connection) followAll() {
	if s.all {
		return
	}
	s.all, s.seen = true, make(map[event.SessionID]event.Seq)
	listings, events := s.Host.Catalog(s.ctx)
	s.start(func() {
		for e, err := range events {
			if err != nil {
				_ = s.logged(fmt.Errorf("read catalog: %w", err))
				return
			}
			select {
			case s.catalog <- e:
			case <-s.ctx.Done():
				return
			}
		}
	})
	for _, l := range listings {
		s.seen[l.Session] = l.Head // what is over is not told
		s.running(l.Session, l.SessionListed)
		if l.Head == 0 {
			s.seen[l.Session] = unlisted
		}
	}
}

// unlisted is the position of a session whose listing has no head: an earlier
// version wrote it.
const unlisted = ^event.Seq(0)

// listed is an event of the catalog.
func (s *connection) listed(e event.Event) error {
	switch b := e.Body.(type) {
	case event.SessionListed:
		s.running(e.Session, b)
	case event.SessionUnlisted:
		delete(s.seen, e.Session)
	}
	return nil
}

// running follows a session in which something happened. It may be over by now:
// the catalog keeps the latest listing only.
func (s *connection) running(id event.SessionID, l event.SessionListed) {
	idle := l.State == event.ActivityIdle
	f := s.follows[id]
	if s.seen[id] == unlisted {
		s.seen[id] = l.Head
	}
	if f == nil && idle && l.Head <= s.seen[id] {
		return
	}
	if f == nil {
		since := s.seen[id] // 0: it was made since
		if fault := s.follow(id, &since, nil); fault != nil {
			s.sendError(nil, fault)
			return
		}
		f = s.follows[id]
	}
	if l.Head >= f.head {
		f.head, f.idle = l.Head, idle
	}
}

// unfollowDone stops following a session once everything that the catalog has
// told of it is over.
func (s *connection) unfollowDone(f *follow, e event.Event) {
	s.seen[f.id] = max(s.seen[f.id], e.Seq)
	_, ended := e.Body.(event.RunEnded)
	over := f.idle && e.Seq >= f.head || ended && e.Session == f.id && e.Seq > f.head
	if over && s.follows[f.id] == f {
		s.unfollow(f)
	}
}

// faultOf returns the fault that a client gets for an error; the error itself is logged.
func (s *connection) faultOf(err error) *command.Fault {
	f := command.FaultOf(err)
	if !errors.As(err, new(*command.Fault)) {
		_ = s.logged(err)
	}
	return f
}

// logged writes what only the daemon's own people should read.
func (s *connection) logged(v any) error {
	log := s.Log
	if log == nil {
		log = slog.Default()
	}
	log.Error("connection", "dialect", s.Dialect.Name, "client", s.Client, "error", fmt.Sprint(v), "stack", string(debug.Stack()))
	return command.Faultf(command.Internal, "internal error")
}
