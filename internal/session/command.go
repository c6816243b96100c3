package session

import (
	"context"
	"slices"
	"strings"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// Do carries out a command of a client and returns when it is answered.
// Commands that are not about one session are not for it.
func (s *Session) Do(ctx context.Context, who Client, c command.Command) command.Result {
	r := command.Result{ID: c.ID, Name: command.Name(c.Body)}
	switch b := c.Body.(type) {
	case command.Prompt:
		return s.prompt(ctx, who, c, b, r)
	case command.Set:
		if c.Body, r.Fault = s.found(ctx, who, b); r.Fault != nil {
			return r
		}
	}
	if !s.post(func() { r.Data, r.Fault = s.do(c) }) {
		r.Fault = command.Faultf(command.Closed, "session %s is closed", s.ID())
	}
	return r
}

// found is a change of settings with the model that it names looked for, and what it says of thinking held against that
// model, as a prompt would.
func (s *Session) found(ctx context.Context, who Client, b command.Set) (command.Body, *command.Fault) {
	if b.Mode != nil {
		if fault := known(*b.Mode); fault != nil {
			return b, fault
		}
	}
	says := func(text *string) bool { return text != nil && *text != "" }
	if !says(b.Model) && !says(b.Reasoning) {
		return b, nil
	}
	setup, fault := s.options.Prepare(ctx, s.log.State(), who, command.Prompt{Set: b.SettingChanged})
	if fault != nil {
		return b, fault
	}
	return command.Set{SettingChanged: named(b.SettingChanged, setup)}, nil
}

// do turns commands into events. It runs in the session's goroutine.
func (s *Session) do(c command.Command) (command.Data, *command.Fault) {
	state := s.log.State()
	switch b := c.Body.(type) {
	case command.Steer:
		when := b.When
		if when == "" {
			when = event.WhenPause
		}
		if !slices.Contains([]event.When{event.WhenPause, event.WhenAfter, event.WhenNow}, when) {
			return nil, command.Faultf(command.Invalid, "when is %q; it is one of pause, after, now", when)
		}
		return s.queue(state, c, event.InputQueued{Lane: event.LaneSteer, When: when, Text: b.Text})
	case command.FollowUp:
		return s.queue(state, c, event.InputQueued{Lane: event.LaneFollowUp, Text: b.Text})
	case command.Abort:
		return s.abort(state, c)
	case command.QueueEdit:
		return s.change(state, c, event.InputChanged{Input: b.Input, Text: &b.Text, Who: c.Who})
	case command.QueueMove:
		return s.change(state, c, event.InputChanged{Input: b.Input, Position: &b.Position, Who: c.Who})
	case command.QueueRemove:
		if fault := queued(state, b.Input); fault != nil {
			return nil, fault
		}
		delete(s.setups, b.Input)
		return s.wrote(c, event.InputDropped{Input: b.Input, Reason: event.DropRemoved, Who: c.Who})
	case command.Answer:
		return s.answer(state, c, b)
	case command.Rename:
		if strings.TrimSpace(b.Title) == "" {
			return nil, command.Faultf(command.Invalid, "a title is needed")
		}
		data, fault := s.wrote(c, event.SessionTitled{Title: b.Title, Description: b.Description})
		if fault == nil {
			s.list(s.log.State(), doing(state))
		}
		return data, fault
	case command.SetLeaf:
		return s.setLeaf(state, c, b)
	case command.Set:
		b.Who = c.Who
		data, fault := s.wrote(c, b.SettingChanged)
		if fault != nil {
			return data, fault
		}
		return command.Changed{Settings: b.SettingChanged}, nil
	case command.Compact:
		return nil, command.Faultf(command.Invalid, "compact needs a model and is done by a run")
	case command.Read:
		return s.read(state, b)
	case command.Prompt, command.Open, command.Attach, command.Detach, command.Branch, command.Remove, command.Do,
		command.ShellStart, command.ShellWait, command.ShellOutput, command.ShellCancel, command.Stop:
		return nil, command.Faultf(command.Invalid, "%s is not a command of a session", command.Name(c.Body))
	}
	return nil, command.Faultf(command.Invalid, "unknown command")
}

// known refuses a mode that there is not.
func known(m event.PermissionMode) *command.Fault {
	switch m {
	case "", event.PermissionAsk, event.PermissionEdits, event.PermissionAll:
		return nil
	}
	return command.Faultf(command.Invalid, "mode %q: it is ask, edits or all", m)
}

func doing(state *transcript.State) event.Activity {
	if state.Run != nil {
		return event.ActivityRunning
	}
	return event.ActivityIdle
}

func (s *Session) wrote(c command.Command, body event.Body) (command.Data, *command.Fault) {
	if err := s.append(s.event(c, body)); err != nil {
		return nil, s.fault(err)
	}
	return nil, nil
}

// prompt resolves what the run needs in the client's own goroutine, then queues
// the prompt in the session's.
func (s *Session) prompt(ctx context.Context, who Client, c command.Command, p command.Prompt, r command.Result) command.Result {
	if r.Fault = sayable(p); r.Fault != nil {
		return r
	}
	if s.options.Attach != nil && len(p.Attachments) > 0 {
		if p.Attachments, r.Fault = s.options.Attach(ctx, p.Attachments); r.Fault != nil {
			return r
		}
	}
	for _, m := range []*event.PermissionMode{&p.Mode, p.Set.Mode} {
		if m != nil && r.Fault == nil {
			r.Fault = known(*m)
		}
	}
	if r.Fault != nil {
		return r
	}
	setup, fault := s.options.Prepare(ctx, s.log.State(), who, p)
	if fault != nil {
		r.Fault = fault
		return r
	}
	p.Set = named(p.Set, setup)
	if !s.post(func() {
		state := s.log.State()
		if p.Continue {
			if r.Fault = resumable(state); r.Fault != nil {
				return
			}
			leaf := state.Leaf
			p.Leaf = &leaf
		}
		in := event.InputQueued{Input: state.NextInput(), Lane: event.LanePrompt, Text: p.Text, Attachments: p.Attachments,
			Position: len(state.Queued(event.LanePrompt)), Run: state.NextRun(), Number: s.options.NextRun(),
			Leaf: p.Leaf, Model: p.Model, Allow: p.Allow, Deny: p.Deny, Patience: p.Patience, Allowance: p.Allowance, Schema: p.Schema, Continue: p.Continue, Mode: p.Mode, Who: c.Who}
		if p.Leaf != nil && *p.Leaf != "" && state.Entry(*p.Leaf) == nil {
			r.Fault = command.Faultf(command.NotFound, "entry %s does not exist in %s", *p.Leaf, s.ID())
			return
		}
		events := s.accepting(c, state, p, in, setup)
		if err := s.append(events...); err != nil {
			r.Fault = s.fault(err)
			return
		}
		s.setups[in.Input] = setup
		if p.Hold {
			a := &waiter{attached: make(chan struct{})}
			if s.options.Latest != nil {
				a.after = s.options.Latest()
			}
			s.unanswered[in.Input] = a
			r.Begin = func() { s.answered(in.Input) }
		}
		leaf := state.Leaf
		if p.Leaf != nil {
			leaf = *p.Leaf
		}
		r.Data = command.Accepted{Session: s.ID(), Input: in.Input, Run: in.Run, Number: in.Number, Leaf: leaf}
		s.begin()
	}) {
		r.Fault = command.Faultf(command.Closed, "session %s is closed", s.ID())
	}
	return r
}

// sayable says what is wrong with a prompt in itself.
func sayable(p command.Prompt) *command.Fault {
	empty := strings.TrimSpace(p.Text) == "" && len(p.Attachments) == 0
	switch {
	case p.Continue && (!empty || p.Leaf != nil):
		return command.Faultf(command.Invalid, "a prompt that continues has no text, no attachments and no leaf")
	case !p.Continue && empty:
		return command.Faultf(command.Invalid, "the prompt is empty")
	}
	return nil
}

// resumable says why a run cannot go on with what is at the leaf.
func resumable(state *transcript.State) *command.Fault {
	switch {
	case state.Run != nil || len(state.Queued(event.LanePrompt)) > 0:
		return command.Faultf(command.Busy, "a run is open or waits in %s", state.Session)
	case !state.Unfinished():
		return command.Faultf(command.Invalid, "there is nothing to go on with in %s: its last run came to its end", state.Session)
	}
	return nil
}

// accepting are the events by which a prompt is accepted. What it sets comes first, so that it never was queued without.
func (s *Session) accepting(c command.Command, state *transcript.State, p command.Prompt, in event.InputQueued, setup *agent.Setup) []event.Event {
	var events []event.Event
	p.Set.Who = ""
	if p.Set != (event.SettingChanged{}) {
		p.Set.Who = c.Who
		events = append(events, s.event(c, p.Set))
	}
	events = append(events, s.event(c, in))
	if state.Title == "" {
		events = append(events, s.event(c, event.SessionTitled{Title: Title(p.Text)}))
	}
	for _, note := range setup.Notes {
		events = append(events, s.event(c, event.NoteAdded{Level: "warn", Text: note, Source: setup.Provider}))
	}
	return events
}

// named puts the full name of the model that was found in the place of what was asked for: the session goes on with that
// one, whatever else the word may mean later.
func named(set event.SettingChanged, setup *agent.Setup) event.SettingChanged {
	if set.Model != nil && *set.Model != "" {
		full := setup.Provider + "/" + setup.ModelName
		set.Model = &full
	}
	return set
}

// Title is a session's title: the first line of its first prompt, at most 80
// bytes of it.
func Title(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if len(line) <= 80 {
		return line
	}
	cut := 79
	for cut > 0 && line[cut]&0xC0 == 0x80 {
		cut--
	}
	return line[:cut] + "…"
}

// queue takes a steer or follow-up of the open run.
func (s *Session) queue(state *transcript.State, c command.Command, in event.InputQueued) (command.Data, *command.Fault) {
	if strings.TrimSpace(in.Text) == "" {
		return nil, command.Faultf(command.Invalid, "the text is empty")
	}
	if state.Run == nil || state.Run.Aborting || s.run == nil {
		return nil, command.Faultf(command.Closed, "no run is open in %s", s.ID())
	}
	in.Input, in.Position, in.Who = state.NextInput(), len(state.Queued(in.Lane)), c.Who
	if _, fault := s.wrote(c, in); fault != nil {
		return nil, fault
	}
	if in.When == event.WhenNow {
		s.run.Steer()
	}
	return command.Accepted{Session: s.ID(), Input: in.Input, Run: state.Run.ID, Number: state.Run.Number}, nil
}

// abort stops the run. Its queued steers and follow-ups are dropped; prompts, which
// have runs of their own, stay.
func (s *Session) abort(state *transcript.State, c command.Command) (command.Data, *command.Fault) {
	if state.Run == nil || state.Run.Aborting || s.run == nil {
		return nil, command.Faultf(command.Closed, "no run is open in %s", s.ID())
	}
	e := s.event(c, event.RunAborting{Who: c.Who})
	e.Run = state.Run.ID
	events := []event.Event{e}
	for _, in := range state.Queue {
		if in.Lane != event.LanePrompt && !in.Taken {
			events = append(events, s.event(c, event.InputDropped{Input: in.Input, Reason: event.DropAborted, Who: c.Who}))
		}
	}
	err := s.append(events...)
	s.run.Abort() // also when the disk is full
	if err != nil {
		return nil, s.fault(err)
	}
	return command.Accepted{Session: s.ID(), Run: state.Run.ID, Number: state.Run.Number}, nil
}

func queued(state *transcript.State, id event.InputID) *command.Fault {
	for _, in := range state.Queue {
		if in.Input == id && !in.Taken {
			return nil
		}
	}
	return command.Faultf(command.NotFound, "input %s is not queued", id)
}

func (s *Session) change(state *transcript.State, c command.Command, b event.InputChanged) (command.Data, *command.Fault) {
	if fault := queued(state, b.Input); fault != nil {
		return nil, fault
	}
	if b.Text != nil && slices.ContainsFunc(state.Queue, func(in transcript.Input) bool { return in.Input == b.Input && in.Continue }) {
		return nil, command.Faultf(command.Invalid, "input %s goes on with what is there and has no text", b.Input)
	}
	if b.Text != nil && strings.TrimSpace(*b.Text) == "" {
		return nil, command.Faultf(command.Invalid, "the text is empty; queue_remove takes an input back")
	}
	return s.wrote(c, b)
}

func (s *Session) setLeaf(state *transcript.State, c command.Command, b command.SetLeaf) (command.Data, *command.Fault) {
	if state.Run != nil {
		return nil, command.Faultf(command.Busy, "a run is open; the leaf moves with it")
	}
	if b.Leaf != "" && state.Entry(b.Leaf) == nil {
		return nil, command.Faultf(command.NotFound, "entry %s does not exist in %s", b.Leaf, s.ID())
	}
	if _, fault := s.wrote(c, event.LeafChanged{Leaf: b.Leaf}); fault != nil {
		return nil, fault
	}
	return command.Moved{Session: s.ID(), Leaf: b.Leaf}, nil
}
