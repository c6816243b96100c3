package transcript

import (
	"slices"

	"parley/internal/event"
)

func (s *State) applyResponse(e event.Event) {
	if s.Step == nil {
		return
	}
	if b, ok := e.Body.(event.ResponseStarted); ok {
		s.Step.Response = &Response{ID: e.Response, Provider: b.Provider, Model: b.Model, Phase: Open}
		return
	}
	r := s.Step.Response
	if r == nil {
		return
	}
	switch b := e.Body.(type) {
	case event.BlockStarted:
		r.Block = &OpenBlock{ID: b.Block, Role: b.Role, Started: e.Time}
	case event.BlockGrew:
		if r.Block != nil && r.Block.ID == b.Block {
			r.Block.Fresh = r.Block.Text.Len()
			r.Block.Text.at(b.Offset, b.Text)
		}
	case event.BlockEnded:
		block := Block{ID: b.Block, Role: b.Role, Text: b.Text, Path: b.Path, MediaType: b.MediaType}
		if r.Block != nil {
			block.Grown = min(r.Block.Text.Len(), len(b.Text))
		}
		r.Blocks = append(r.Blocks, block)
		r.Block = nil
	case event.CallAnnounced:
		r.Announced = append(r.Announced, b)
	case event.ResponseEnded:
		r.Phase, r.Stop, r.Calls, r.Opaque, r.Usage = Ended, b.Stop, b.Calls, b.Opaque, b.Usage
		for _, id := range b.Calls {
			if s.OpenCall(id) == nil {
				s.Step.Calls = append(s.Step.Calls, &Call{ID: id, Name: r.nameOf(id)})
			}
		}
	case event.ResponseInterrupted:
		r.Phase = Interrupted
	}
}

func (r *Response) nameOf(id event.CallID) string {
	i := slices.IndexFunc(r.Announced, func(a event.CallAnnounced) bool { return a.Call == id })
	if i < 0 {
		return ""
	}
	return r.Announced[i].Name
}

func (s *State) applyCall(e event.Event) {
	if b, ok := e.Body.(event.CallStarted); ok {
		s.startCall(e, b)
		return
	}
	c := s.OpenCall(callOf(e.Body))
	if c == nil {
		return
	}
	switch b := e.Body.(type) {
	case event.PermissionPreviewed:
		c.Preview = &b
	case event.PermissionReady:
		c.Ready = true
	case event.PermissionDecided:
		c.Decided = &b
		if len(b.Arguments) > 0 {
			c.Arguments = b.Arguments
		}
		s.store(b)
	case event.CallGrew:
		c.Fresh = c.Output.Len()
		c.Output.at(b.Offset, b.Text)
	case event.CallEnded:
		c.Grown = c.Output.Len()
		c.Ended, c.Output, c.Preview, c.Fresh = &b, Grown{}, nil, 0
		s.Loose = slices.DeleteFunc(s.Loose, func(l *Call) bool { return l.ID == b.Call })
	}
}

func (s *State) startCall(e event.Event, b event.CallStarted) {
	c := s.OpenCall(b.Call)
	if c == nil {
		c = &Call{ID: b.Call}
		if s.Step != nil && e.Step != "" {
			s.Step.Calls = append(s.Step.Calls, c)
		} else {
			s.Loose = append(s.Loose, c)
		}
	}
	c.Name, c.Arguments, c.Origin, c.Started, c.Shown = b.Name, b.Arguments, b.Origin, e.Time, true
}

func callOf(body event.Body) event.CallID {
	switch b := body.(type) {
	case event.CallStarted:
		return b.Call
	case event.CallGrew:
		return b.Call
	case event.CallEnded:
		return b.Call
	case event.PermissionPreviewed:
		return b.Call
	case event.PermissionReady:
		return b.Call
	case event.PermissionDecided:
		return b.Call
	}
	return ""
}

// store keeps the rules of an answer that hold for the session or the run; the
// wider ones are kept outside the log.
func (s *State) store(b event.PermissionDecided) {
	if b.Scope != "session" && b.Scope != "run" {
		return
	}
	effect := "deny"
	if b.Granted {
		effect = "allow"
	}
	rules := slices.Clip(s.Rules)
	for _, text := range b.Stored {
		// Calls that waited side by side are often answered alike.
		if r := (Rule{text, effect, b.Scope}); !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	s.Rules = rules
}
