package display

import (
	"strings"

	"parley/internal/event"
)

// child changes what the machine of a sub-agent keeps, in a copy. The main
// session keeps nothing of it.
func (s *step) child(change func(*agent)) {
	if s.m.agent == nil {
		return
	}
	a := *s.m.agent
	change(&a)
	s.m.agent = &a
}

func (s *step) takeSession(e event.Event) {
	switch b := e.Body.(type) {
	case event.SessionOpened:
		if !s.main() {
			s.child(func(a *agent) { a.parent, a.call, a.opened = b.Parent, b.Call, e.Time })
			s.show(OpenAgent{s.at, b.Parent, b.Call, b.Profile, b.Description, b.Prompt})
		}
	case event.SessionTitled:
		if s.main() {
			s.show(ShowTitle{s.at, b.Title})
		}
	case event.SessionClosed:
		s.closeSession(e, b)
	case event.AgentChanged:
		if !s.main() {
			s.show(UpdateAgent{At: s.at, State: b.State, Text: b.Message})
		}
	}
}

func (s *step) closeSession(e event.Event, b event.SessionClosed) {
	s.endBlock(0)
	s.m.run, s.m.calls, s.m.asks = false, nil, nil
	s.m.phase = phaseAfter(event.Reason(b.Reason))
	if s.main() {
		return
	}
	a := s.m.agent
	closed := CloseAgent{At: s.at, Parent: a.parent, Call: a.call, Reason: b.Reason, Result: strings.TrimSpace(a.answer), Calls: a.calls}
	if !a.opened.IsZero() {
		closed.Duration = max(0, e.Time.Sub(a.opened))
	}
	s.show(closed)
}
