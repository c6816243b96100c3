package wire

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// collect follows the run of an awaited prompt to its end, and keeps what the
// dialect makes of it.
func (s *connection) collect(j *job) {
	defer func() {
		if v := recover(); v != nil {
			_ = s.logged(v)
			j.result.Fault = command.Faultf(command.Internal, "internal error")
		}
		j.begin()
	}()
	a, ok := j.result.Data.(command.Accepted)
	if j.result.Fault != nil || !ok {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	state, events, fault := s.followRun(ctx, a)
	if fault != nil {
		j.result.Fault = fault
		return
	}
	j.begin()
	j.state = state
	class := Class{Dialect: s.Dialect.Name, Capabilities: Collected}
	for e, err := range events {
		if err != nil {
			j.result.Fault = s.faultOf(err)
			return
		}
		for e := range transcript.Advance(state, e) {
			if state.Apply(e); e.Run == a.Run && e.Session == a.Session {
				j.frames = append(j.frames, s.Dialect.Encode(class, state, e)...)
			}
		}
		if ends(state, e, a) {
			return
		}
	}
	j.result.Fault = command.Faultf(command.Closed, "the session was closed")
}

// followRun follows a session from before a run that was just accepted. One that
// had to wait for another may have begun, and even ended, since.
func (s *connection) followRun(ctx context.Context, a command.Accepted) (*transcript.State, iter.Seq2[event.Event, error], *command.Fault) {
	state, events, fault := s.Host.Follow(ctx, a.Session, nil)
	if fault != nil || waiting(state, a) {
		return state, events, fault
	}
	if since, ok := before(state, a.Run); ok {
		return s.Host.Follow(ctx, a.Session, &since)
	}
	// It is open, or it was dropped; only the session knows.
	r := s.Host.Do(ctx, command.Command{ID: string(s.Client) + "/", Session: a.Session, Client: s.Client, Body: command.Read{What: command.ReadState}})
	snap, ok := r.Data.(command.Snapshot)
	if !ok {
		return state, events, r.Fault
	}
	now := transcript.New()
	if err := json.Unmarshal(snap.State, now); err != nil {
		return nil, nil, s.faultOf(err)
	}
	if _, over := before(now, a.Run); over || waiting(now, a) || now.Run != nil && now.Run.ID == a.Run {
		return state, events, nil
	}
	return nil, nil, command.Faultf(command.Canceled, "the prompt was dropped")
}

func waiting(s *transcript.State, a command.Accepted) bool {
	return slices.ContainsFunc(s.Queue, func(in transcript.Input) bool { return in.Input == a.Input })
}

// before returns the seq of what was said before a run that has said something.
func before(s *transcript.State, run event.RunID) (seq event.Seq, ok bool) {
	for _, n := range s.Entries {
		if n.Run == run {
			return seq, true
		}
		seq = n.Seq
	}
	return 0, false
}

// ends reports whether e is the end of what a accepted.
func ends(s *transcript.State, e event.Event, a command.Accepted) bool {
	if e.Session != a.Session {
		return false
	}
	switch b := e.Body.(type) {
	case event.RunEnded:
		return e.Run == a.Run
	case event.InputDropped:
		return b.Input == a.Input
	}
	return s.Closed
}
