package transcripttest

import (
	"parley/internal/event"
	"parley/internal/transcript"
)

// calls takes one of the step's open calls further, or ends the step.
func (s *Generator) calls(in *transcript.State) {
	var open []*transcript.Call
	for _, c := range in.Step.Calls {
		if c.Ended == nil {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		s.Add(in.Session, event.StepEnded{Number: in.Step.Number})
		return
	}
	s.call(in, open[s.r.IntN(len(open))])
}

func (s *Generator) call(in *transcript.State, c *transcript.Call) {
	id := in.Session
	switch {
	case c.Decided == nil:
		s.decide(in, c)
	case !c.Decided.Granted:
		s.Add(id, event.CallEnded{Call: c.ID, Name: c.Name, Status: event.StatusDenied, Result: "Permission denied."})
	case c.Name == "task" && in == s.State && s.tasks[c.ID] == "":
		s.open(c)
	case s.tasks[c.ID] != "" && s.State.Children[s.tasks[c.ID]] != nil:
		s.agent(s.State.Children[s.tasks[c.ID]])
	case s.connect(in, c):
	case s.one(2):
		s.Add(id, event.CallDelta{Call: c.ID, Stream: event.Stream(s.pick("stdout", "stderr")), Offset: c.Output.Len(), Text: s.words()})
	default:
		end := event.CallEnded{Call: c.ID, Name: c.Name, Status: event.StatusSuccess, Result: c.Output.String(), Summary: "done", DurationMS: 20}
		if s.one(4) {
			end.Status = event.StatusError
		}
		if child := s.tasks[c.ID]; child != "" {
			end.Display = &event.Display{Agent: child}
		}
		s.Add(id, end)
	}
}

// connect lets a running call ask for a host, or answers that; it reports whether
// it did either.
func (s *Generator) connect(in *transcript.State, c *transcript.Call) bool {
	const host = "proxy.example.org:443"
	for _, a := range in.Asks {
		if a.Call == c.ID {
			s.Add(in.Session, event.AskAnswered{Ask: a.Ask, Keys: []string{"a"}, Who: "web"},
				event.AskClosed{Ask: a.Ask, Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "a", Who: "web"},
				event.HostDecided{Call: c.ID, Host: host, Granted: true, Method: event.MethodPerson, Scope: event.Scope(s.pick("once", "session", "run")), Stored: []string{"connect(" + host + ")"}, Who: "web"})
			return true
		}
	}
	if !s.one(6) {
		return false
	}
	if s.one(2) {
		s.Add(in.Session, event.HostDecided{Call: c.ID, Host: host, Method: event.MethodUnasked, Reason: "nobody is there to ask"})
		return true
	}
	s.Add(in.Session, event.AskOpened{Ask: in.NextAsk(), Kind: event.AskPermission, Call: c.ID, Title: "Let the command connect to " + host + "?",
		Options: []event.Option{{Key: "a", Label: "for this session", Effect: event.EffectAllow, Scope: event.ScopeSession}, {Key: "n", Label: "no", Effect: event.EffectDeny, Scope: event.ScopeOnce}}})
	return true
}

// decide takes a call to its decision: by a rule, by nobody, or by a person.
func (s *Generator) decide(in *transcript.State, c *transcript.Call) {
	id := in.Session
	for _, a := range in.Asks {
		if a.Call == c.ID {
			s.answer(in, a)
			return
		}
	}
	switch n := s.r.IntN(6); {
	case n < 2:
		s.Add(id, event.PermissionDecided{Call: c.ID, Granted: true, Method: event.MethodRule, Rule: c.Name + "(**)"})
	case n == 2 && s.one(3):
		s.Add(id, event.PermissionDecided{Call: c.ID, Method: event.MethodUnasked, Reason: "nobody is there to ask"})
	case c.Preview == nil && s.one(2):
		s.Add(id, event.PermissionPreviewed{Call: c.ID, Tool: c.Name, Diff: "@@ -1 +1 @@\n-a\n+b\n", File: "main.go"})
	default:
		s.Add(id, event.PermissionReady{Call: c.ID, Tool: c.Name}, event.AskOpened{Ask: in.NextAsk(), Kind: event.AskPermission, Call: c.ID, Title: "Allow " + c.Name + "?",
			Options: []event.Option{{Key: "y", Label: "yes, once", Effect: event.EffectAllow, Scope: event.ScopeOnce}, {Key: "n", Label: "no", Effect: event.EffectDeny, Scope: event.ScopeOnce}}})
	}
}

func (s *Generator) answer(in *transcript.State, a event.AskOpened) {
	key, outcome := "y", event.OutcomeAllowed
	if s.one(3) {
		key, outcome = "n", event.OutcomeDenied
	}
	decided := event.PermissionDecided{Call: a.Call, Granted: key == "y", Method: event.MethodPerson, Scope: event.ScopeOnce, Who: "web"}
	if s.one(3) {
		decided.Scope, decided.Stored = event.Scope(s.pick("session", "run")), []string{s.name("bash(") + ":*)"}
	}
	s.Add(in.Session, event.AskAnswered{Ask: a.Ask, Keys: []string{key}, Who: "web"},
		event.AskClosed{Ask: a.Ask, Outcome: outcome, Method: event.MethodPerson, Key: key, Who: "web"}, decided)
}

// open begins the sub-agent of a call.
func (s *Generator) open(c *transcript.Call) {
	id := event.SessionID("sess-" + s.name("agent"))
	s.tasks[c.ID] = id
	s.Add(id, event.SessionOpened{Origin: event.OriginAgent, Parent: s.State.Session, Call: c.ID, Profile: s.pick("research", "tests"), Description: s.name("look "), Prompt: "Look."},
		event.AgentChanged{State: event.AgentActive}, event.RunStarted{Number: 1}, event.TurnStarted{Number: 1, Lane: event.LanePrompt},
		event.UserSaid{Entry: "e1", Text: "Look.", Origin: event.LanePrompt})
}

// agent takes a sub-agent further, or closes it when its run has ended.
func (s *Generator) agent(in *transcript.State) {
	if in.Run != nil {
		s.run(in)
		return
	}
	s.Add(in.Session, event.AgentChanged{State: event.AgentDone}, event.SessionClosed{Reason: event.ReasonDone})
}
