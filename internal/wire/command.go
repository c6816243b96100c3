package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/transport"
)

// A job is a command on its way to an answer.
type job struct {
	command  command.Command
	await    bool
	result   command.Result
	state    *transcript.State // await: after the run
	frames   []Frame           // await: of the run
	timer    *time.Timer       // of the deadline
	timedOut bool              // answered with ErrTimeout
}

// waits reports whether a command may take long: what comes behind it does not
// wait for it. The others begin and end in their order.
func waits(b command.Body) bool {
	switch b.(type) {
	case command.Read, command.Do, command.Compact, command.ShellWait, command.ShellOutput:
		return true
	}
	return false
}

// incoming is one frame, or the end of them.
func (s *connection) incoming(in incoming) error {
	var over *transport.LimitError
	switch {
	case in.err == nil && s.Dialect.WriteOnly:
		return nil
	case in.err == nil:
		return s.take(s.Dialect.Decode(s.peer, s.state(""), in.frame))
	case errors.As(in.err, &over):
		s.sendError(s.state(""), command.Faultf(command.Invalid, "%v", over))
		return nil
	case errors.Is(in.err, io.EOF):
		s.ended = true
		return s.done()
	}
	return fmt.Errorf("%w: %w", transport.ErrGone, in.err)
}

// done ends the connection of a client that sends no more, once it has all its
// answers. One that follows a session stays.
func (s *connection) done() error {
	if s.ended && !s.Dialect.WriteOnly && len(s.open) == 0 && len(s.follows) == 0 && !s.all {
		return errDone
	}
	return nil
}

func (s *connection) take(in Decoded) error {
	s.peer = in.Peer
	s.send(in.Replies...)
	if in.Hello != nil {
		if err := s.join(*in.Hello); err != nil {
			return err
		}
	}
	if f := in.Follow; f != nil && f.Session == "" {
		s.followAll()
	} else if f != nil {
		if fault := s.follow(f.Session, f.Since, nil); fault != nil {
			s.sendError(nil, fault)
		}
	}
	for _, c := range in.Commands {
		s.command(c, in.Await)
	}
	if in.Close {
		return errDone
	}
	return nil
}

func (s *connection) join(h Hello) error {
	h.Client, h.Dialect, h.Peer = s.peer.ID, s.Dialect.Name, s.Conn.Peer()
	w, fault := s.Host.Join(s.ctx, h)
	if fault != nil {
		s.sendError(nil, fault)
		return errDone
	}
	if s.peer.Name == "" {
		s.peer.Name = h.Name
	}
	if s.Dialect.Welcome != nil {
		s.send(s.Dialect.Welcome(s.peer, w)...)
	}
	if w.Session == "" {
		return nil
	}
	s.peer.Session = w.Session
	if fault := s.follow(w.Session, h.Since, nil); fault != nil {
		s.sendError(nil, fault)
	}
	return nil
}

// command begins a command. Attach and Detach are carried out by the pump itself.
func (s *connection) command(c command.Command, await bool) {
	c.Client, c.Who = s.peer.ID, s.peer.Name
	id := c.Session
	if id == "" {
		id = s.peer.Session
	}
	r := command.Result{ID: c.ID, Name: command.Name(c.Body)}
	switch b := c.Body.(type) {
	case command.Attach:
		r.Fault = s.follow(id, b.Since, func(head event.Seq) {
			r.Data = command.Opened{Session: id, Head: head}
			s.send(s.Dialect.Answer(s.peer, s.state(id), r)...)
		})
		if r.Fault != nil {
			s.send(s.Dialect.Answer(s.peer, s.state(id), r)...)
		}
		return
	case command.Detach:
		if f := s.follows[id]; f != nil {
			s.unfollow(f)
		} else {
			r.Fault = command.Faultf(command.NotFound, "session %s is not followed", id)
		}
		s.send(s.Dialect.Answer(s.peer, s.state(id), r)...)
		return
	}
	j := &job{command: c, await: await, result: r}
	select {
	case s.jobs <- j:
		s.open = append(s.open, j)
		if s.Deadline > 0 {
			j.timer = time.AfterFunc(s.Deadline, func() {
				select {
				case s.timedOut <- j:
				case <-s.ctx.Done():
				}
			})
		}
	default:
		r.Fault = command.Faultf(command.Busy, "too many commands at once")
		s.send(s.Dialect.Answer(s.peer, s.state(id), r)...)
	}
}

// work begins commands in their order. It ends after a command that timed out, for
// which another goroutine was started.
func (s *connection) work() {
	for j := range s.jobs {
		if waits(j.command.Body) {
			s.start(func() { s.do(s.ctx, j); s.results <- j })
			continue
		}
		s.doing.Store(j)
		s.do(s.base, j)
		mine := s.doing.CompareAndSwap(j, nil)
		if j.await {
			s.start(func() { s.collect(j); s.results <- j })
		} else {
			s.results <- j
		}
		if !mine {
			return
		}
	}
}

// do carries a command out. A panic below it fails this command only.
func (s *connection) do(ctx context.Context, j *job) {
	id, name := j.result.ID, j.result.Name
	defer func() {
		if v := recover(); v != nil {
			_ = s.logged(v)
			j.result = command.Result{ID: id, Name: name, Fault: command.Faultf(command.Internal, "internal error")}
		}
	}()
	j.result = s.Host.Do(ctx, j.command)
	j.result.ID, j.result.Name = id, name
}

// answer sends the outcome of a command and releases what waited for it.
func (s *connection) answer(j *job) error {
	if j.timer != nil {
		j.timer.Stop()
	}
	if j.timedOut {
		j.begin()
		return nil
	}
	s.open = slices.DeleteFunc(s.open, func(o *job) bool { return o == j })
	if j.await && j.result.Fault == nil {
		s.send(s.Dialect.Collect(s.peer, j.state, j.result, j.frames)...)
	} else {
		s.send(s.Dialect.Answer(s.peer, s.state(j.command.Session), j.result)...)
	}
	if j.result.Begin != nil {
		err := s.flush(s.ctx)
		j.begin()
		if err != nil {
			return err
		}
	}
	s.release()
	return s.done()
}

// timeOut answers a command that takes too long. It goes on.
func (s *connection) timeOut(j *job) error {
	if j.timedOut || !slices.Contains(s.open, j) {
		return nil
	}
	j.timedOut = true
	if s.doing.CompareAndSwap(j, nil) {
		s.start(s.work)
	}
	s.open = slices.DeleteFunc(s.open, func(o *job) bool { return o == j })
	s.send(s.Dialect.Answer(s.peer, s.state(j.command.Session), command.Result{ID: j.command.ID, Name: command.Name(j.command.Body), Fault: ErrTimeout})...)
	s.release()
	return s.done()
}

// begin starts what waits for the answer to be written.
func (j *job) begin() {
	if begin := j.result.Begin; begin != nil {
		j.result.Begin = nil
		begin()
	}
}

// causes reports whether e was caused by a command that is about to be answered.
func (s *connection) causes(e event.Event) bool {
	return e.Cause != "" && slices.ContainsFunc(s.open, func(j *job) bool {
		return j.command.Cause() == e.Cause && !j.await && !waits(j.command.Body)
	})
}
