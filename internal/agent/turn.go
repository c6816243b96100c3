package agent

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/event"
	"parley/internal/transcript"
)

// continuations is how often a turn goes on from a text that was cut, and smaller
// how often it makes room for one request.
const (
	continuations = 3
	smaller       = 3
)

// turn takes the open turn to where it can be ended, and says why it ends. An
// error is one of the log.
func (r *Run) turn(ctx, logged context.Context) (event.Reason, error) {
	cuts, overflows, empty, misfit := 0, 0, 0, 0
	var seen watch
	if err := r.askShape(logged); err != nil {
		return "", err
	}
	for steps := 0; ; steps++ {
		if ctx.Err() != nil {
			return event.ReasonAborted, nil
		}
		if r.setup.Steps > 0 && steps >= r.setup.Steps {
			return event.ReasonLimit, r.raise(logged, event.CodeLimit, fmt.Sprintf("the turn took %d steps, which is the limit; say 'go on', or set limits.steps", steps))
		}
		if why := r.exhausted(); why != "" {
			return event.ReasonLimit, r.raise(logged, event.CodeLimit, why)
		}
		if err := r.tell(logged); err != nil {
			return "", err
		}
		if err := r.compact(ctx, logged); err != nil {
			return "", err
		}
		out, err := r.step(ctx, logged)
		if err != nil {
			return "", err
		}
		switch out {
		case stepCut:
			if cuts++; cuts > continuations {
				return event.ReasonError, nil
			}
		case stepMore:
			overflows, empty = 0, 0
			if _, err := r.deliver(ctx, logged, false); err != nil {
				return "", err
			}
			if reason, err := r.noticeCircle(ctx, logged, &seen); err != nil || reason != "" {
				return reason, err
			}
		case stepDone:
			if reason, err := r.done(ctx, logged, &misfit); err != nil || reason != "" {
				return reason, err
			}
		case stepFailed:
			return event.ReasonError, nil
		case stepOverflow:
			if overflows++; overflows > smaller {
				return event.ReasonError, r.raise(logged, event.CodeLimit, r.overflow.Message)
			}
			if err := r.fit(ctx, logged, overflows > 1); err != nil {
				return "", err
			}
		case stepRefused:
			// Without its pictures it is another request; each refusal leaves fewer.
		case stepEmpty:
			if again, err := r.nudge(ctx, logged, &empty); err != nil || !again {
				return event.ReasonError, err
			}
		case stepSteered:
			return event.ReasonSteered, nil
		case stepStopped:
			return event.ReasonDenied, nil
		case stepAborted:
			return event.ReasonAborted, nil
		}
	}
}

// done says why a turn ends whose model has nothing more to do; empty: it goes on, with the answer of a sub-agent or with
// another try at an answer that fits.
func (r *Run) done(ctx, logged context.Context, misfit *int) (event.Reason, error) {
	if more, err := r.deliver(ctx, logged, true); err != nil || more {
		return "", err
	}
	out, err := r.shaped(logged, misfit)
	return map[outcome]event.Reason{stepDone: event.ReasonDone, stepFailed: event.ReasonError}[out], err
}

// nudge asks a model that answered with nothing to go on, once in a row. Answers of its
// sub-agents do so without a nudge. again is false where the turn has failed.
func (r *Run) nudge(ctx, logged context.Context, empty *int) (again bool, err error) {
	if more, err := r.deliver(ctx, logged, true); err != nil || more {
		return more, err
	}
	if *empty++; *empty > 1 {
		return false, r.raise(logged, event.CodeProvider, fmt.Sprintf("%s answered with nothing, and with nothing again when it was asked to go on", r.setup.ModelName))
	}
	return true, r.emit(logged, event.DeveloperSaid{Text: "There was nothing in your answer. Go on with the task, or say what you have found.", Origin: event.ReminderEmpty})
}

// outcome says how a step came out.
type outcome int

const (
	stepMore    outcome = iota // the model must see the results
	stepDone                   // nothing more to do
	stepCut                    // cut after visible text: a new step goes on from it
	stepFailed                 // the model failed for good
	stepSteered                // a steer waits
	stepStopped                // a denial ended the turn
	stepAborted
	stepOverflow // the request was larger than the model takes
	stepRefused  // the server does not take a picture of the request
	stepEmpty    // there was nothing in the answer
)

// step makes one request and runs its calls. The step is closed when it returns.
func (r *Run) step(ctx, logged context.Context) (outcome, error) {
	changed := r.join(r.log.State().Tools)
	err := r.log.Commit(logged, func(s *transcript.State) []event.Event {
		b := newBatch(s)
		_, n := s.NextStep()
		if changed != nil {
			b.emit(changed)
		}
		b.budget(r.budget())
		b.emit(event.StepStarted{Number: n})
		return b.out
	})
	if err != nil {
		return stepFailed, err
	}
	out, calls, err := r.respond(ctx, logged)
	if err != nil {
		return stepFailed, err
	}
	if len(calls) > 0 {
		if out, err = r.calls(ctx, logged, calls); err != nil {
			return stepFailed, err
		}
	}
	err = r.log.Commit(logged, func(s *transcript.State) []event.Event {
		b := newBatch(s)
		if ctx.Err() != nil {
			out = stepAborted
			b.add(transcript.Closing(b.s, transcript.Why{Reason: event.ReasonAborted, Keep: true, After: true})...)
			// The turn is ended with the run, where its reason is known.
			return trimTurn(b.out)
		}
		if steered(s) && (out == stepMore || out == stepDone && len(calls) > 0) {
			out = stepSteered
		}
		if s.Step != nil {
			b.emit(event.StepEnded{Number: s.Step.Number})
		}
		b.spend(r.spent.take())
		return b.out
	})
	return out, err
}

// trimTurn leaves out the end of the turn.
func trimTurn(events []event.Event) []event.Event {
	for i, e := range events {
		if _, ok := e.Body.(event.TurnEnded); ok {
			return events[:i]
		}
	}
	return events
}

// steered reports whether a steer waits for the end of the step.
func steered(s *transcript.State) bool { return len(s.Queued(event.LaneSteer)) > 0 }

// raise records a fault that ends the turn.
func (r *Run) raise(logged context.Context, code event.Code, message string) error {
	return r.emit(logged, event.FaultRaised{Code: code, Message: message})
}

// emit appends bodies in the envelope of what is open.
func (r *Run) emit(logged context.Context, bodies ...event.Body) error {
	return r.log.Commit(logged, func(s *transcript.State) []event.Event {
		b := newBatch(s)
		b.emit(bodies...)
		return b.out
	})
}

// interrupted says why a context ended.
func interrupted(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrSteered) {
		return ErrSteered
	}
	return ErrAborted
}
