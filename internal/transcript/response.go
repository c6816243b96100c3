package transcript

import (
	"slices"

	"parley/internal/event"
)

func (s *State) applyResponse(e event.Event) {
	if s.Step == nil {
		return
	}
	if b, ok := e.Body.(event.BlockDelta); ok { // by far the most frequent
		s.grow(b)
		return
	}
	if b, ok := e.Body.(event.BlockStarted); !ok || b.Role != event.RoleImage {
		s.goOn(e)
	}
	if b, ok := e.Body.(event.ResponseStarted); ok {
		s.Step.Response = &Response{ID: e.Response, Provider: b.Provider, Model: b.Model, Phase: Open}
		s.Answered = b.Model
		if b.Provider != "" {
			s.Answered = b.Provider + "/" + b.Model
		}
		return
	}
	r := s.Step.Response
	if r == nil {
		return
	}
	switch b := e.Body.(type) {
	case event.BlockStarted:
		r.Block = &OpenBlock{ID: b.Block, Role: b.Role, Started: e.Time, Continues: s.Cut && b.Role == event.RoleText}
		s.Cut, s.Step.Retry = false, nil
	case event.BlockEnded:
		s.endBlock(e, b)
	case event.CallAnnounced:
		r.keepBlock()
		r.Announced = append(r.Announced, b)
		s.Step.Retry = nil
	case event.ResponseEnded:
		r.keepBlock()
		r.Phase, r.Stop, r.Calls, r.Opaque, r.Usage = Ended, b.Stop, b.Calls, b.Opaque, b.Usage
		s.Cut, s.Step.Retry = false, nil
		for _, id := range b.Calls {
			if s.OpenCall(id) == nil {
				s.Step.Calls = append(s.Step.Calls, &Call{ID: id, Name: r.nameOf(id)})
			}
		}
	case event.ResponseInterrupted:
		r.keepBlock()
		s.Cut = b.Reason == event.InterruptedByProvider && s.Replying()
		r.Phase, r.Cut = Interrupted, s.Cut
	}
}

func (s *State) grow(b event.BlockDelta) {
	if open := s.Block(); open != nil && open.ID == b.Block {
		s.wrote(open.Role, open.Text.add(b.Offset, b.Text))
	}
}

// keepBlock keeps what there is of a block whose end a damaged log has lost.
func (r *Response) keepBlock() {
	if b := r.Block; b != nil {
		r.Blocks = append(r.Blocks, Block{ID: b.ID, Role: b.Role, Text: b.Text.String(), Continues: b.Continues})
		r.Block = nil
	}
}

func (s *State) endBlock(e event.Event, b event.BlockEnded) {
	r := s.Step.Response
	block := Block{ID: b.Block, Role: b.Role, Text: b.Text, Path: b.Path, MediaType: b.MediaType}
	have := 0
	if r.Block != nil {
		block.Continues, have = r.Block.Continues, r.Block.Text.Len()
	}
	s.wrote(b.Role, len(b.Text)-have) // less, where the daemon died before all that was seen was kept
	if b.Role == event.RoleText {
		s.Waiting = e.Time
	}
	r.Blocks = append(r.Blocks, block)
	r.Block = nil
}

// wrote counts what the model wrote for people to read.
func (s *State) wrote(role event.Role, n int) {
	if s.Run != nil && role != event.RoleImage {
		s.Run.Written += n
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
			c.Arguments, c.Title = b.Arguments, event.TitleOf(b.Title, b.Arguments)
		}
		s.decided(b)
	case event.CallDelta:
		c.Output.add(b.Offset, b.Text)
	case event.CallEnded:
		c.Ended, c.Output, c.Preview = &b, Buffer{}, nil
		s.Loose = slices.DeleteFunc(s.Loose, func(l *Call) bool { return l.ID == b.Call })
		s.goOn(e)
		if s.Running() == nil && (c.Origin != event.CallerUser || s.Run == nil) {
			s.Waiting = e.Time
		}
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
	c.Title = event.TitleOf(b.Title, b.Arguments)
	s.Counts.Calls++
	if b.Origin != event.CallerUser || s.Run == nil {
		s.goOn(e)
	}
}

func callOf(body event.Body) event.CallID {
	switch b := body.(type) {
	case event.CallStarted:
		return b.Call
	case event.CallDelta:
		return b.Call
	case event.CallEnded:
		return b.Call
	case event.PermissionPreviewed:
		return b.Call
	case event.PermissionReady:
		return b.Call
	case event.PermissionDecided:
		return b.Call
	case event.HostDecided:
		return b.Call
	}
	return ""
}

func (s *State) decided(b event.PermissionDecided) {
	if s.Run != nil && !b.Granted && b.Method == event.MethodUnasked {
		s.Run.Unasked = true
	}
	s.store(b.Granted, b.Scope, b.Stored)
}

// store keeps the rules of an answer that hold for the session or the run; the
// wider ones are kept outside the log.
func (s *State) store(granted bool, scope event.Scope, texts []string) {
	if scope != event.ScopeSession && scope != event.ScopeRun {
		return
	}
	effect := event.EffectDeny
	if granted {
		effect = event.EffectAllow
	}
	rules := slices.Clip(s.Rules)
	for _, text := range texts {
		// Calls that waited side by side are often answered alike.
		if r := (Rule{text, effect, scope}); !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	s.Rules = rules
}
