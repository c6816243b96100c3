package transcripttest

import (
	"fmt"

	"parley/internal/event"
	"parley/internal/transcript"
)

// beside lets something happen that is no part of what the model does.
func (s *Generator) beside() {
	id, root := s.State.Session, s.State
	switch s.r.IntN(9) {
	case 0:
		s.Add(id, event.SessionTitled{Title: s.name("title ")})
	case 1:
		model := s.pick("openai/alpha", "anthropic/gamma", "")
		s.Add(id, event.SettingChanged{Model: &model})
	case 2:
		s.client()
	case 3:
		s.Add(id, event.PlanChanged{Steps: []event.PlanStep{{ID: "1", Text: s.name("step "), Status: event.PlanStatus(s.pick("pending", "in_progress", "completed"))}}})
	case 4:
		s.Add(id, event.BudgetChanged{Sources: []event.BudgetSource{{Name: s.pick("system", "AGENTS.md"), Tokens: s.r.IntN(900)}}})
		s.tools()
	case 5:
		s.shell()
	case 6, 7:
		s.queue()
	case 8:
		if root.Run == nil && len(root.Entries) > 2 {
			s.Add(id, event.ContextCompacted{Entry: root.NextEntry(), Summary: "We fixed the login.", FirstKept: root.Leaf, Steps: len(root.Entries) % 3, TokensBefore: 9000, TokensAfter: 900, Trigger: event.TriggerManual})
		}
	}
}

// tools lets a tool join, or the first one leave.
func (s *Generator) tools() {
	var c event.ToolsChanged
	if had := s.State.Tools; len(had) > 1 {
		c.Left = []string{had[0].Name}
	} else {
		c.Joined = []event.JoinedTool{{Name: s.name("find_"), Origin: "mcp:web"}}
	}
	s.Add(s.State.Session, c)
}

func (s *Generator) client() {
	clients := s.State.Clients
	if n := len(clients); n > 1 && s.one(2) {
		s.Add(s.State.Session, event.ClientLeft{Client: clients[s.r.IntN(n)].Client})
		return
	}
	id := event.ClientID(fmt.Sprint("c", s.names+2))
	s.names++
	s.Add(s.State.Session, event.ClientJoined{Client: id, Name: "web"})
}

// shell is a call of a person's, beside the run.
func (s *Generator) shell() {
	id := s.State.Session
	add := func(b event.Body) { s.take(event.Event{Session: id, Body: b}) }
	if len(s.State.Loose) == 0 {
		call := event.CallID(s.name("user_"))
		add(event.CallStarted{Call: call, Name: "bash", Arguments: []byte(`{"command":"make"}`), Origin: event.CallerUser})
		add(event.PermissionDecided{Call: call, Granted: true, Method: event.MethodFree})
		return
	}
	c := s.State.Loose[0]
	if s.one(2) {
		add(event.CallDelta{Call: c.ID, Stream: event.Stdout, Offset: c.Output.Len(), Text: s.words()})
		return
	}
	add(event.CallEnded{Call: c.ID, Name: c.Name, Status: event.StatusSuccess, Result: c.Output.String()})
}

// queue lets an input wait, or changes one that does.
func (s *Generator) queue() {
	id, root := s.State.Session, s.State
	if n := len(root.Queue); n > 0 && s.one(2) {
		in := root.Queue[s.r.IntN(n)].Input
		switch s.r.IntN(3) {
		case 0:
			text := s.name("rather ")
			s.add(event.InputChanged{Input: in, Text: &text})
		case 1:
			at := s.r.IntN(n)
			s.add(event.InputChanged{Input: in, Position: &at})
		case 2:
			s.add(event.InputDropped{Input: in, Reason: event.DropRemoved})
		}
		return
	}
	lane := event.LanePrompt
	if root.Run != nil && !s.one(3) {
		lane = event.Lane(s.pick("steer", "follow_up"))
	}
	s.Add(id, s.queued(lane))
}

// add lets something happen outside the run.
func (s *Generator) add(b event.Body) { s.take(event.Event{Session: s.State.Session, Body: b}) }

// stop ends the run before its time: a person stops it, it fails, or the daemon
// died in it.
func (s *Generator) stop() {
	why := transcript.Why{Reason: event.ReasonAborted, Who: "parley", After: true}
	switch s.r.IntN(3) {
	case 0:
		s.Add(s.State.Session, event.RunAborting{Who: "parley"})
	case 1:
		why = transcript.Why{Reason: event.ReasonError, Message: "the disk is full"}
		s.Add(s.State.Session, event.FaultRaised{Code: event.CodeInternal, Message: why.Message})
	case 2:
		why = transcript.Why{Reason: event.ReasonRecovered, Message: "the daemon stopped"}
	}
	for _, e := range transcript.Closing(s.State, why) {
		s.take(e)
	}
	s.stranded()
}

// stranded drops the steers and follow-ups whose run is gone.
func (s *Generator) stranded() {
	for _, lane := range []event.Lane{event.LaneSteer, event.LaneFollowUp} {
		for _, in := range s.State.Queued(lane) {
			s.add(event.InputDropped{Input: in.Input, Reason: event.DropAborted})
		}
	}
}
