package session

import (
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// mendWait is how long a session waits before it tries again to write what
// closes it.
const mendWait = time.Second

// breaks says that the disk refused what had to be written. Clients are told,
// what is read stays as it is, and the session tries again until a write succeeds.
// It runs in the session's goroutine.
func (s *Session) breaks(err error) {
	if s.broken {
		return
	}
	s.broken = true
	s.options.Logger.Error("session is read-only", "session", s.log.ID(), "error", err)
	f := s.fault(err)
	for _, tell := range s.told {
		tell(f)
	}
	go func() {
		for broken := true; broken; {
			select {
			case <-s.options.Wait(mendWait):
			case <-s.done:
				return
			}
			if !s.post(func() { broken = s.mend() != nil }) {
				return
			}
		}
	}()
}

// mend closes what a disk that refused left open, now that it may take a write,
// and lets what waits go on.
func (s *Session) mend() error {
	if !s.broken {
		return nil
	}
	if s.run != nil {
		return command.Faultf(command.Busy, "the run is still being closed")
	}
	if err := s.settle(); err != nil {
		return err
	}
	s.broken = false
	if state := s.log.State(); len(state.Queued(event.LanePrompt)) == 0 {
		s.list(state, event.ActivityIdle)
	}
	// Whoever writes now goes first.
	go s.post(s.begin)
	return nil
}

func (s *Session) settle() error {
	if s.lost {
		if err := s.recover(); err != nil {
			return err
		}
		s.lost = false
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
		s.told[key] = tell
		if err := s.mend(); err != nil {
			tell(s.fault(err))
		}
	})
	return func() { s.post(func() { delete(s.told, key) }) }
}
