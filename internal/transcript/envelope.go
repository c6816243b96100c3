package transcript

import "parley/internal/event"

// Now returns the event that body is if it happens now: in the run, turn, step
// and response that are open, caused by what began the run. What begins a run,
// turn, step or response gets the next id of its kind, a run that of the prompt
// that waits longest. It has no seq and no time; that of no body is the envelope
// alone.
//
// A person's call outside a run is not in what is open, and gets its envelope
// from who makes it.
func (s *State) Now(body event.Body) event.Event {
	e := event.Event{Session: s.Session, Body: body}
	if s.Run != nil {
		e.Run, e.Cause = s.Run.ID, s.Run.Cause
	}
	if s.Turn != nil {
		e.Turn = s.Turn.ID
	}
	if s.Step != nil {
		e.Step = s.Step.ID
		if r := s.Step.Response; r != nil && r.Phase == Open {
			e.Response = r.ID
		}
	}
	switch body.(type) {
	case event.RunStarted:
		e.Run = s.NextRun()
		if prompts := s.Queued(event.LanePrompt); len(prompts) > 0 {
			e.Run, e.Cause = prompts[0].Run, prompts[0].Cause
		}
	case event.TurnStarted:
		e.Turn, _ = s.NextTurn()
	case event.StepStarted:
		e.Step, _ = s.NextStep()
	case event.ResponseStarted:
		e.Response = event.ResponseID(e.Step + ".m")
	}
	return e
}
