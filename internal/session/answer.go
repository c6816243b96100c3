package session

import (
	"slices"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// answer closes an ask, or answers one question of it. The first answer wins;
// a later one is refused, since the ask is closed.
func (s *Session) answer(state *transcript.State, c command.Command, b command.Answer) (command.Data, *command.Fault) {
	if state = state.Asking(b.Ask); state == nil {
		return nil, command.Faultf(command.Closed, "ask %s is closed: it was answered elsewhere, or its run ended", b.Ask)
	}
	ask := state.Ask(b.Ask)
	if ask.To != "" && ask.To != c.Client {
		return nil, command.Faultf(command.Denied, "ask %s is for another client", b.Ask)
	}
	if b.Cancel {
		return s.close(state, c, ask, event.AskClosed{Outcome: cancelOutcome(ask), Reason: b.Reason, Stop: b.Stop})
	}
	if n := len(ask.Questions); n > 0 {
		return s.answerQuestion(state, c, ask, b)
	}
	if len(ask.Options) == 0 {
		return s.close(state, c, ask, event.AskClosed{Outcome: event.OutcomeAnswered, Reason: b.Reason}, event.AskAnswered{Ask: ask.Ask, Keys: b.Keys, Text: b.Text, Who: c.Who})
	}
	if len(b.Keys) != 1 {
		return nil, command.Faultf(command.Invalid, "ask %s takes one option", b.Ask)
	}
	i := slices.IndexFunc(ask.Options, func(o event.Option) bool { return o.Key == b.Keys[0] })
	if i < 0 {
		return nil, command.Faultf(command.Invalid, "ask %s has no option %q", b.Ask, b.Keys[0])
	}
	closed := event.AskClosed{Outcome: event.OutcomeAnswered, Key: b.Keys[0], Rules: b.Rules, Arguments: b.Arguments, Stop: b.Stop, Reason: b.Reason}
	switch ask.Options[i].Effect {
	case event.EffectAllow:
		closed.Outcome = event.OutcomeAllowed
	case event.EffectDeny:
		closed.Outcome = event.OutcomeDenied
	}
	return s.close(state, c, ask, closed, event.AskAnswered{Ask: ask.Ask, Keys: b.Keys, Text: b.Text, Who: c.Who})
}

func cancelOutcome(ask *event.AskOpened) event.Outcome {
	if ask.Kind == event.AskPermission {
		return event.OutcomeDenied
	}
	return event.OutcomeCancelled
}

// answerQuestion answers one of several; the last one closes the ask.
func (s *Session) answerQuestion(state *transcript.State, c command.Command, ask *event.AskOpened, b command.Answer) (command.Data, *command.Fault) {
	if b.Question < 0 || b.Question >= len(ask.Questions) {
		return nil, command.Faultf(command.Invalid, "ask %s has no question %d", ask.Ask, b.Question)
	}
	answered := event.AskAnswered{Ask: ask.Ask, Question: b.Question, Keys: b.Keys, Text: b.Text, Who: c.Who}
	if b.Question < len(ask.Questions)-1 {
		e := s.event(c, answered)
		e.Session = state.Session
		if err := s.append(e); err != nil {
			return nil, s.fault(err)
		}
		return nil, nil
	}
	return s.close(state, c, ask, event.AskClosed{Outcome: event.OutcomeAnswered}, answered)
}

// close appends the answer and the end of the ask as one.
func (s *Session) close(state *transcript.State, c command.Command, ask *event.AskOpened, closed event.AskClosed, answers ...event.Body) (command.Data, *command.Fault) {
	closed.Ask, closed.Method, closed.Who = ask.Ask, event.MethodPerson, c.Who
	var events []event.Event
	for _, body := range append(answers, closed) {
		e := s.event(c, body)
		e.Session = state.Session
		if state.Run != nil && state.OpenCall(ask.Call) != nil {
			e = state.Now(body)
		}
		events = append(events, e)
	}
	if err := s.append(events...); err != nil {
		return nil, s.fault(err)
	}
	return nil, nil
}
