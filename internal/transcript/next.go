package transcript

import (
	"fmt"

	"parley/internal/event"
)

// NextEntry returns the id of the next entry.
func (s *State) NextEntry() event.EntryID {
	return event.EntryID(fmt.Sprintf("e%d", s.Counts.Entries+1))
}

// NextRun returns the id of the next run.
func (s *State) NextRun() event.RunID { return event.RunID(fmt.Sprintf("r%d", s.Counts.Runs+1)) }

// NextInput returns the id of the next input.
func (s *State) NextInput() event.InputID {
	return event.InputID(fmt.Sprintf("i%d", s.Counts.Inputs+1))
}

// NextAsk returns the id of the next ask. A sub-agent's ends with a part of its
// session's id: asks of one log are told apart without their session.
func (s *State) NextAsk() event.AskID {
	id := fmt.Sprintf("a%d", s.Counts.Asks+1)
	if s.Origin == event.OriginAgent {
		id += "-" + string(s.Session[max(0, len(s.Session)-6):])
	}
	return event.AskID(id)
}

// Asking returns the state of the session, this one or a sub-agent of it, in
// which an ask is open; nil where it is open in none.
func (s *State) Asking(id event.AskID) *State {
	if s.Ask(id) != nil {
		return s
	}
	for _, child := range s.Children {
		if child.Ask(id) != nil {
			return child
		}
	}
	return nil
}

// NextTurn returns the id and number of the next turn of the open run.
func (s *State) NextTurn() (event.TurnID, int) {
	if s.Run == nil {
		return "", 0
	}
	n := s.Run.Turns + 1
	return event.TurnID(fmt.Sprintf("%s.t%d", s.Run.ID, n)), n
}

// NextStep returns the id and number of the next step of the open turn.
func (s *State) NextStep() (event.StepID, int) {
	if s.Turn == nil {
		return "", 0
	}
	n := s.Turn.Steps + 1
	return event.StepID(fmt.Sprintf("%s.s%d", s.Turn.ID, n)), n
}
