package session

import (
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// repairWait is how long a session waits before it tries again to write what
// closes its open run.
const repairWait = time.Second

// failDisk makes the session read-only, since the disk refused what had to be
// written. Clients are told, and the session tries again until a write succeeds.
// It runs in the session's goroutine.
func (s *Session) failDisk(err error) {
	if s.diskFailed {
		return
	}
	s.diskFailed = true
	s.options.Logger.Error("session is read-only", "session", s.log.ID(), "error", err)
	f := s.fault(err)
	for _, tell := range s.onRefusal {
		tell(f)
	}
	go func() {
		for broken := true; broken; {
			select {
			case <-s.options.Wait(repairWait):
			case <-s.done:
				return
			}
			if !s.post(func() { broken = s.repair() != nil }) {
				return
			}
		}
	}()
}

// repair closes what was left open when the disk failed, now that it may take a
// write, and lets what waits go on.
func (s *Session) repair() error {
	if !s.diskFailed {
		return nil
	}
	if s.run != nil {
		return command.Faultf(command.Busy, "the run is still being closed")
	}
	if err := s.settle(); err != nil {
		return err
	}
	s.diskFailed = false
	if state := s.log.State(); len(state.Queued(event.LanePrompt)) == 0 {
		s.list(state, event.ActivityIdle)
	}
	// Whoever writes now goes first.
	go s.post(s.begin)
	return nil
}

func (s *Session) settle() error {
	if s.unrecovered {
		if err := s.recover(); err != nil {
			return err
		}
		s.unrecovered = false
		return nil
	}
	state := s.log.State()
	events := transcript.Closing(state, transcript.Why{Reason: event.ReasonError, Message: "the disk refused", After: true})
	for _, e := range events {
		state.Apply(e)
	}
	if events = append(events, s.requeue(state)...); len(events) == 0 {
		return nil
	}
	_, err := s.log.Append(s.ctx, events...)
	return err
}

// OnRefusal calls tell, at once and later on, when the disk refuses what the
// session has to write, until forget is called. tell must not wait.
func (s *Session) OnRefusal(tell func(*command.Fault)) (forget func()) {
	key := new(byte)
	s.post(func() {
		s.onRefusal[key] = tell
		if err := s.repair(); err != nil {
			tell(s.fault(err))
		}
	})
	return func() { s.post(func() { delete(s.onRefusal, key) }) }
}
