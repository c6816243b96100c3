package display

import (
	"slices"

	"parley/internal/event"
)

func (s *step) takeCall(e event.Event) {
	switch b := e.Body.(type) {
	case event.CallStarted:
		s.startCall(b)
	case event.PermissionPreviewed:
		s.call(b.Call, func(c *call) { c.preview = &b })
		s.show(PreviewCall{s.at, b})
	case event.PermissionDecided:
		s.call(b.Call, func(c *call) {
			c.decided = &b
			if len(b.Arguments) > 0 {
				c.arguments = b.Arguments
			}
		})
		s.show(DecideCall{s.at, b})
	case event.CallGrew:
		s.growCall(b)
	case event.CallEnded:
		s.endCall(b)
	}
}

func (s *step) startCall(b event.CallStarted) {
	user := b.Origin == "user"
	if !user {
		s.endBlock(0)
	}
	alone := len(s.m.calls) == 0 && (user || s.m.named <= 1)
	s.m.calls = append(slices.Clip(s.m.calls), call{id: b.Call, name: b.Name, arguments: b.Arguments, user: user})
	s.child(func(a *agent) { a.calls++ })
	if !user || !s.m.run {
		s.m.phase, s.what = ToolExecuting, b.Name
	}
	s.show(StartCall{s.at, b.Call, b.Name, b.Arguments, b.Origin, alone})
}

// growCall shows what is new of a call's output. The output of a sub-agent's
// calls is not shown while they run.
func (s *step) growCall(b event.CallGrew) {
	text := b.Text
	s.call(b.Call, func(c *call) {
		text = text[min(len(text), max(0, c.output-b.Offset)):]
		c.output = max(c.output, b.Offset+len(b.Text))
	})
	if text != "" && s.main() {
		s.show(AppendCall{s.at, b.Call, b.Stream, text})
	}
}

func (s *step) endCall(b event.CallEnded) {
	end := EndCall{At: s.at, Ended: b}
	if i := s.m.index(b.Call); i >= 0 {
		c := s.m.calls[i]
		end.Arguments, end.Decided = c.arguments, c.decided
		end.Origin = "model"
		if c.user {
			end.Origin = "user"
		}
		if b.Name == "" {
			end.Ended.Name = c.name
		}
		s.m.calls = slices.Delete(slices.Clone(s.m.calls), i, i+1)
	}
	if end.Origin != "user" || !s.m.run {
		s.m.phase, s.what = s.m.afterCall()
	}
	s.show(end)
}

// afterCall is the phase once a call has ended.
func (m Machine) afterCall() (Phase, string) {
	for _, c := range m.calls {
		if !c.user || !m.run {
			return ToolExecuting, c.name
		}
	}
	if m.run {
		return Thinking, ""
	}
	return Idle, ""
}

func (m Machine) index(id event.CallID) int {
	return slices.IndexFunc(m.calls, func(c call) bool { return c.id == id })
}

// call changes an open call in a copy of the list; a call that is not open is
// left alone.
func (s *step) call(id event.CallID, change func(*call)) {
	if i := s.m.index(id); i >= 0 {
		s.m.calls = slices.Clone(s.m.calls)
		change(&s.m.calls[i])
	}
}

func (s *step) takeAsk(e event.Event) {
	switch b := e.Body.(type) {
	case event.AskOpened:
		open := OpenAsk{At: s.at, Ask: b}
		if i := s.m.index(b.Call); i >= 0 {
			c := s.m.calls[i]
			open.Tool, open.Arguments, open.Preview = c.name, c.arguments, c.preview
		}
		s.m.asks = append(slices.Clip(s.m.asks), b)
		s.show(open)
	case event.AskAnswered:
		s.show(AnswerAsk{s.at, b})
	case event.AskClosed:
		closed := CloseAsk{At: s.at, Closed: b}
		if i := slices.IndexFunc(s.m.asks, func(a event.AskOpened) bool { return a.Ask == b.Ask }); i >= 0 {
			for _, o := range s.m.asks[i].Options {
				if o.Key == b.Key && b.Key != "" {
					closed.Label = o.Label
				}
			}
			s.m.asks = slices.Delete(slices.Clone(s.m.asks), i, i+1)
		}
		s.show(closed)
	}
}
