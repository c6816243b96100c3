package display

import "parley/internal/event"

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

// after returns the outcome after an event of the main session or of a
// sub-agent.
func (o Outcome) after(e event.Event, main bool) Outcome {
	if b, ok := e.Body.(event.PermissionDecided); ok && !b.Granted && b.Method == "unasked" {
		o.Unasked = true
	}
	if !main {
		return o
	}
	switch b := e.Body.(type) {
	case event.RunStarted:
		return Outcome{}
	case event.RunEnded:
		o.Ended, o.Reason = true, b.Reason
	case event.FaultRaised:
		o.Fault = b.Message
	}
	return o
}
