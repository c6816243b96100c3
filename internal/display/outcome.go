package display

import (
	"parley/internal/event"
	"parley/internal/transcript"
)

// Outcome says how a run ended, for the exit code of a program that showed it.
type Outcome struct {
	Ended   bool         // the run has ended
	Reason  event.Reason // of its end
	Fault   string       // what went wrong, where something did
	Unasked bool         // a call was denied because nobody could be asked
}

// The exit codes of a program that shows a run.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitDenied      = 3
	ExitInterrupted = 130 // 128 and the number of SIGINT
)

// OutcomeOf returns how the open run has gone so far, or how the last one ended.
func OutcomeOf(s *transcript.State) Outcome {
	switch {
	case s.Run != nil && s.Run.Fault != nil:
		return Outcome{Fault: s.Run.Fault.Message, Unasked: s.Run.Unasked}
	case s.Run != nil:
		return Outcome{Unasked: s.Run.Unasked}
	case s.Last != nil:
		return Outcome{true, s.Last.Reason, s.Last.Fault, s.Last.Unasked}
	}
	return Outcome{}
}

// Exit returns the exit code: interrupted before denied, denied before failed. A
// run that has not ended failed.
func (o Outcome) Exit() int {
	switch {
	case o.Ended && o.Reason == event.ReasonAborted:
		return ExitInterrupted
	case o.Unasked || o.Ended && o.Reason == event.ReasonDenied:
		return ExitDenied
	case o.Ended && o.Reason == event.ReasonDone:
		return ExitDone
	}
	return ExitFailed
}
