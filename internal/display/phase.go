package display

import (
	"parley/internal/event"
	"parley/internal/transcript"
)

// A Phase is the state of a session as it is displayed.
type Phase uint8

// The phases.
const (
	Idle          Phase = iota // nothing is going on
	Thinking                   // the model's time before a word of the answer
	StreamingText              // the answer is being written
	ToolExecuting              // a call waits for its decision or runs
	Error                      // the last run failed
)

var phaseNames = [...]string{"idle", "thinking", "streaming text", "tool executing", "error"}

// String returns the name of the phase in words.
func (p Phase) String() string { return phaseNames[p] }

// PhaseOf returns the phase of a session, and what goes on in it: the tool that
// is executed, or why the model is asked again.
func PhaseOf(s *transcript.State) (p Phase, what string) {
	if s.Failed {
		return Error, ""
	}
	if c := s.Running(); c != nil {
		return ToolExecuting, c.Name
	}
	if b := s.Block(); b != nil && b.Role == event.RoleText {
		return StreamingText, ""
	}
	if s.Step != nil && s.Step.Retry != nil {
		return Thinking, s.Step.Retry.Reason
	}
	if s.Step != nil || s.Turn != nil || s.Run != nil && s.Run.Turns == 0 {
		return Thinking, ""
	}
	return Idle, ""
}

// phaseAfter is the phase that a session which closed for this reason is in.
func phaseAfter(r event.Reason) Phase {
	if r == event.ReasonError || r == event.ReasonLimit {
		return Error
	}
	return Idle
}
