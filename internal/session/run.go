package session

import (
	"context"
	"time"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// joinWait is how long the first model request of a run waits for a client to attach.
const joinWait = 50 * time.Millisecond

// answered says that the answer to a prompt was written, or cannot be any more.
// Its run begins now, unless another is open; its first model request waits until
// a client that connected after the prompt was accepted has attached, at most
// joinWait.
func (s *Session) answered(id event.InputID) {
	s.post(func() {
		a, ok := s.unanswered[id]
		if !ok {
			return
		}
		delete(s.unanswered, id)
		if setup := s.setups[id]; setup != nil {
			ready := make(chan struct{})
			setup.StartAfter = ready
			s.waiters[a] = true
			go func() {
				select {
				case <-a.attached:
				case <-s.options.Wait(joinWait):
				case <-s.done:
				}
				close(ready)
				s.post(func() { delete(s.waiters, a) })
			}()
		}
		s.begin()
	})
}

// begin starts the run of the first queued prompt, if none is open. It runs in
// the session's goroutine.
func (s *Session) begin() {
	state := s.log.State()
	if state.Run != nil || s.diskFailed {
		return
	}
	prompts := state.Queued(event.LanePrompt)
	if len(prompts) == 0 {
		return
	}
	prompt := prompts[0]
	if s.unanswered[prompt.Input] != nil || s.run != nil {
		// Its answer is not written yet, or the goroutine of the run before has not
		// ended. A client that learns of the run now may follow from here.
		s.head = state.Seq
		s.list(state, event.ActivityRunning)
		return
	}
	setup, fault := s.setup(state, prompt)
	if fault != nil {
		s.refuseRun(prompt, fault)
		return
	}
	s.head = state.Seq
	s.list(state, event.ActivityRunning)
	if err := s.append(agent.Begin(state, prompt)...); err != nil {
		s.setups[prompt.Input] = setup
		s.failDisk(err)
		return
	}
	s.start(setup)
}

// setup is what the prompt was accepted with; after a restart it is resolved
// again, in the daemon's own world.
func (s *Session) setup(state *transcript.State, prompt transcript.Input) (*agent.Setup, *command.Fault) {
	if setup := s.setups[prompt.Input]; setup != nil {
		delete(s.setups, prompt.Input)
		return setup, nil
	}
	return s.options.Prepare(s.ctx, state, Client{}, command.Prompt{Text: prompt.Text, Model: prompt.Model, Allow: prompt.Allow, Deny: prompt.Deny, Patience: prompt.Patience,
		Allowance: prompt.Allowance, Schema: prompt.Schema, Mode: prompt.Mode})
}

// refuseRun begins and ends the run of a prompt that cannot run, so that the end says
// why.
func (s *Session) refuseRun(prompt transcript.Input, fault *command.Fault) {
	state := s.log.State()
	events := agent.Begin(state, prompt)
	for _, e := range events {
		state.Apply(e)
	}
	if err := s.append(append(events, agent.Fail(state, fault)...)...); err != nil {
		s.failDisk(err)
		return
	}
	s.list(s.log.State(), event.ActivityIdle)
	s.begin()
}

func (s *Session) start(setup *agent.Setup) {
	setup.CanAsk = s.canAsk.Load
	run := agent.New(&runLog{s}, setup)
	ended := make(chan struct{})
	s.run, s.ended = run, ended
	ctx := run.Start(s.ctx)
	go func() {
		defer close(ended)
		err := guard(func() error { return run.Do(ctx) })
		run.Abort() // whatever still runs of it
		s.post(func() { s.finish(err) })
	}()
}

// finish runs when the run's goroutine is done.
func (s *Session) finish(err error) {
	s.run, s.ended = nil, nil
	if err != nil {
		s.options.Logger.Error("run failed", "session", s.log.ID(), "error", err)
		state := s.log.State()
		events := agent.Fail(state, err)
		for _, e := range events {
			state.Apply(e)
		}
		if e := s.append(append(events, s.requeue(state)...)...); e != nil {
			s.failDisk(e)
			return
		}
	}
	state := s.log.State()
	if len(state.Queued(event.LanePrompt)) == 0 {
		s.list(state, event.ActivityIdle)
	}
	s.begin()
}

// recover closes what a daemon that died left open.
func (s *Session) recover() error {
	state := s.log.State()
	events := transcript.Closing(state, transcript.Why{Reason: event.ReasonRecovered, Message: "the daemon stopped"})
	after := state.Clone()
	for _, e := range events {
		after.Apply(e)
	}
	for _, c := range state.Clients {
		events = append(events, event.Event{Session: s.log.ID(), Body: event.ClientLeft{Client: c.Client}})
	}
	events = append(events, s.requeue(after)...)
	if len(events) == 0 {
		return nil
	}
	if _, err := s.log.Append(s.ctx, events...); err != nil {
		return err
	}
	s.list(s.log.State(), event.ActivityIdle)
	return nil
}

// requeue makes prompts of the steers and follow-ups whose run is gone: they were
// accepted, so they run. Each is queued as a prompt before it is dropped, so that the
// log shows them as waiting at every event.
func (s *Session) requeue(state *transcript.State) []event.Event {
	var events []event.Event
	after := state.Clone()
	for _, in := range state.Queue {
		if in.Lane == event.LanePrompt {
			continue
		}
		q := event.InputQueued{Input: after.NextInput(), Lane: event.LanePrompt, Text: in.Text, Attachments: in.Attachments,
			Position: len(after.Queued(event.LanePrompt)), Run: after.NextRun(), Number: s.options.NextRun(), Who: in.Who}
		for _, body := range []event.Body{q, event.InputDropped{Input: in.Input, Reason: event.DropRecovered}} {
			e := event.Event{Session: s.log.ID(), Cause: in.Cause, Body: body}
			after.Apply(e)
			events = append(events, e)
		}
	}
	return events
}

// runLog is the session's log as a run sees it.
type runLog struct{ s *Session }

func (l *runLog) Commit(ctx context.Context, f func(*transcript.State) []event.Event) error {
	var err error
	if !l.s.post(func() {
		if events := f(l.s.log.State()); len(events) > 0 {
			if _, err = l.s.log.Append(l.s.ctx, events...); err != nil {
				l.s.options.Logger.Error("append", "session", l.s.log.ID(), "error", err)
				return
			}
			l.s.titled(events)
		}
	}) {
		return command.Faultf(command.Closed, "the session is closed")
	}
	return err
}

// titled tells the catalog of a title that a run gave.
func (s *Session) titled(events []event.Event) {
	for _, e := range events {
		if _, ok := e.Body.(event.SessionTitled); ok && e.Session == s.ID() {
			state := s.log.State()
			s.list(state, doing(state))
		}
	}
}

func (l *runLog) AppendDelta(ctx context.Context, e event.Event) error {
	_, err := l.s.log.Append(ctx, e)
	return err
}

func (l *runLog) State() *transcript.State { return l.s.log.State() }

func (l *runLog) Wait(ctx context.Context, after event.Seq, done func(event.Event) bool) error {
	for e, err := range l.s.log.After(ctx, after) {
		if err != nil {
			return err
		}
		if done(e) {
			return nil
		}
	}
	return ctx.Err()
}
