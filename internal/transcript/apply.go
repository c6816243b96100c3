package transcript

import (
	"slices"
	"strings"

	"parley/internal/event"
)

// Apply folds one event in. It is total.
func (s *State) Apply(e event.Event) {
	if s.Session == "" && e.Session != "" {
		s.Session = e.Session
		if _, opened := e.Body.(event.SessionOpened); !opened {
			s.Partial = true
		}
	}
	var before *State
	if _, begins := e.Body.(event.RunStarted); begins && e.Session == s.Session {
		before = s.beforeRun()
	}
	s.Seq = max(s.Seq, e.Seq)
	s.Time = e.Time
	s.Counts.Events++
	if e.Session != s.Session {
		s.applyChild(e)
		return
	}
	s.apply(e)
	if before != nil {
		s.Run.Before = before
	}
}

// beforeRun is what a checkpoint needs of the state that a run begins from.
func (s *State) beforeRun() *State {
	if s.Run != nil {
		return s.Run.Before // only a damaged log has this
	}
	c := s.Clone()
	c.Entries = nil // the first of those that there are later
	return c
}

// applyChild routes an event of a sub-agent. A child that closed is forgotten.
func (s *State) applyChild(e event.Event) {
	child := s.Children[e.Session]
	if child == nil {
		if s.Children == nil {
			s.Children = make(map[event.SessionID]*State)
		}
		child = New()
		s.Children[e.Session] = child
	}
	child.Apply(e)
	switch b := e.Body.(type) { // an answer given in a sub-agent holds for the whole session
	case event.PermissionDecided:
		s.decided(b)
	case event.HostDecided:
		s.store(b.Granted, b.Scope, b.Stored)
	}
	if child.Closed {
		delete(s.Children, e.Session)
	}
}

func (s *State) apply(e event.Event) {
	switch b := e.Body.(type) {
	case event.SessionOpened, event.SessionTitled, event.SessionClosed, event.SettingChanged,
		event.AgentChanged, event.LeafChanged, event.ClientJoined, event.ClientLeft:
		s.applySession(e)
	case event.RunStarted, event.RunAborting, event.RunEnded, event.TurnStarted, event.TurnEnded,
		event.StepStarted, event.StepEnded:
		s.applyRun(e)
	case event.InputQueued, event.InputChanged, event.InputTaken, event.InputDropped, event.UserSaid, event.DeveloperSaid:
		s.applyInput(e)
	case event.ResponseStarted, event.BlockStarted, event.BlockDelta, event.BlockEnded, event.CallAnnounced,
		event.ResponseEnded, event.ResponseInterrupted:
		s.applyResponse(e)
	case event.CallStarted, event.CallDelta, event.CallEnded, event.PermissionPreviewed, event.PermissionReady, event.PermissionDecided:
		s.applyCall(e)
	case event.HostDecided:
		s.store(b.Granted, b.Scope, b.Stored)
	case event.AskOpened:
		s.Asks = append(s.Asks, b)
		s.Counts.Asks++
	case event.AskClosed:
		s.Asks = slices.DeleteFunc(s.Asks, func(a event.AskOpened) bool { return a.Ask == b.Ask })
	case event.ToolsChanged:
		s.applyTools(b)
	case event.PlanChanged:
		s.Plan = b.Steps
	case event.PlanCleared:
		s.Plan = nil
	case event.UsageChanged:
		s.applyUsage(b)
	case event.BudgetChanged:
		s.applyBudget(b)
	case event.ContextCompacted:
		s.applyCompacted(e, b)
	case event.ImagesRefused:
		if s.Window == 0 {
			s.Refused = append(slices.Clip(s.Refused), b.Images...)
		}
	case event.RetryScheduled:
		s.goOn(e)
		if s.Step != nil {
			s.Step.Retry = &Retry{b, e.Time}
		}
	case event.FaultRaised:
		s.Failed, s.Cut = true, false
		if s.Run != nil {
			s.Run.Fault = &b
		}
	case event.AskAnswered, event.TurnRecovered, event.NoteAdded, event.InitProgressed,
		event.FilesChanged, event.SessionListed, event.SessionUnlisted, event.ActiveChanged, event.Unknown:
		// Nothing of these outlives its moment, or it belongs to the catalog.
	}
}

// goOn says that something goes on after a failure.
func (s *State) goOn(e event.Event) {
	if s.Failed {
		s.Failed, s.Waiting = false, e.Time
	}
}

func (s *State) applySession(e event.Event) {
	switch b := e.Body.(type) {
	case event.SessionOpened:
		if s.Opened.IsZero() {
			s.Origin, s.Parent, s.From, s.Call = b.Origin, b.Parent, b.Entry, b.Call
			s.Profile, s.Description, s.Prompt, s.Workspace = b.Profile, b.Description, b.Prompt, b.Workspace
			s.Opened = e.Time
			if b.Origin == event.OriginBranch && len(s.Entries) == 0 && b.Base > 0 {
				// The parent's part of the tree is not in this log.
				s.Partial, s.Leaf, s.Counts.Entries = true, b.Entry, max(s.Counts.Entries, b.Base)
			}
		}
	case event.SessionTitled:
		s.Title = b.Title
		if b.Description != "" {
			s.Description = b.Description
		}
	case event.SessionClosed:
		s.Run, s.Turn, s.Step = nil, nil, nil // a legal log has closed them
		s.Closed, s.Failed, s.Cut = true, failing(b.Reason), false
	case event.SettingChanged:
		s.Settings = s.Settings.With(b)
		if b.Mode != nil && s.Run != nil {
			s.Run.Mode = ""
		}
	case event.AgentChanged:
		s.Agent = b.State
	case event.LeafChanged:
		s.Leaf = b.Leaf
	case event.ClientJoined:
		s.Clients = append(s.Clients, b)
	case event.ClientLeft:
		s.Clients = slices.DeleteFunc(s.Clients, func(c event.ClientJoined) bool { return c.Client == b.Client })
	}
}

func (s *State) applyRun(e event.Event) {
	switch b := e.Body.(type) {
	case event.RunStarted:
		s.startRun(e, b)
	case event.RunAborting:
		if s.Run != nil {
			s.Run.Aborting, s.Run.Stopping = true, e.Time
		}
	case event.RunEnded:
		s.endRun(e, b)
	case event.TurnStarted:
		if s.Failed || b.Number > 1 {
			s.Waiting = e.Time
		}
		s.Turn = &Turn{ID: e.Turn, Number: b.Number, Lane: b.Lane, Inputs: b.Inputs, From: b.From}
		s.Step, s.Failed, s.Cut = nil, false, false
		if s.Run != nil {
			s.Run.Turns, s.Run.Resumed = max(s.Run.Turns, b.Number), s.Run.Resumed || b.From != ""
		}
		s.Queue = slices.DeleteFunc(s.Queue, func(in Input) bool { return slices.Contains(b.Inputs, in.Input) })
	case event.TurnEnded:
		s.endTurn(e, b)
	case event.StepStarted:
		s.goOn(e)
		s.Step = &Step{ID: e.Step, Number: b.Number}
		if s.Turn != nil {
			s.Turn.Steps = max(s.Turn.Steps, b.Number)
		}
	case event.StepEnded:
		if s.Step != nil && s.Turn != nil {
			s.Turn.Parts = append(s.Turn.Parts, s.Step.part())
		}
		s.Step = nil
	}
}

func (s *State) startRun(e event.Event, b event.RunStarted) {
	s.Run = &Run{ID: e.Run, Number: b.Number, First: e.Seq, Started: e.Time, Cause: e.Cause}
	s.Turn, s.Step = nil, nil
	s.Failed, s.Cut, s.Waiting = false, false, e.Time
	s.Counts.Runs = max(s.Counts.Runs, number(string(e.Run), "r"))
	for _, in := range s.Queue {
		if in.Lane == event.LanePrompt && in.Run == e.Run {
			s.Run.Model, s.Run.Allow, s.Run.Deny, s.Run.Mode = in.Model, in.Allow, in.Deny, in.Mode
		}
	}
}

func (s *State) endRun(e event.Event, b event.RunEnded) {
	s.Last = &LastRun{Run: e.Run, Reason: b.Reason}
	if s.Run != nil {
		s.Last.Number, s.Last.Unasked = s.Run.Number, s.Run.Unasked
		if s.Run.Fault != nil {
			s.Last.Fault = s.Run.Fault.Message
		}
	}
	s.Run, s.Turn, s.Step = nil, nil, nil
	s.Failed, s.Cut = failing(b.Reason), false
	s.Rules = slices.DeleteFunc(slices.Clone(s.Rules), func(r Rule) bool { return r.Scope == event.ScopeRun })
}

// failing reports whether what ends for this reason has failed.
func failing(r event.Reason) bool { return r == event.ReasonError || r == event.ReasonLimit }

// part is what stays of a step.
func (p *Step) part() Part {
	out := Part{Step: p.ID, Calls: p.Calls, Said: p.Said}
	if r := p.Response; r != nil {
		out.Response, out.Provider, out.Model = r.ID, r.Provider, r.Model
		out.Blocks, out.Opaque, out.Stop = r.Blocks, r.Opaque, r.Stop
		out.Interrupted, out.Cut = r.Phase == Interrupted, r.Cut
	}
	return out
}

func (s *State) endTurn(e event.Event, b event.TurnEnded) {
	t := s.Turn
	s.Turn, s.Step = nil, nil
	s.Failed, s.Cut = failing(b.Reason), false
	s.keepWindow()
	if t != nil && b.Entry != "" {
		content := &Content{Parts: t.Parts, Hidden: t.Hidden}
		s.addEntry(&Entry{ID: b.Entry, Parent: b.Parent, Role: "assistant", Seq: e.Seq, Time: e.Time, Run: e.Run,
			Lane: t.Lane, Reason: b.Reason, Snippet: snippet(content.Answer()), Answers: Answers(content.Parts), Content: content})
	}
}

func (s *State) addEntry(n *Entry) {
	if s.Run != nil {
		n.Number = s.Run.Number
	}
	if n.First == 0 {
		n.First = n.Seq
	}
	s.Entries = append(s.Entries, n)
	s.Counts.Entries = max(s.Counts.Entries+1, number(string(n.ID), "e"))
	s.Leaf = n.ID
	s.keepWindow()
}

// Answers counts the parts that a request shows as a message of the model.
func Answers(parts []Part) int {
	n := 0
	for _, p := range parts {
		if len(p.Calls) > 0 || slices.ContainsFunc(p.Blocks, func(b Block) bool { return b.Text != "" && b.Role != event.RoleImage }) {
			n++
		}
	}
	return n
}

// Answer returns the text of an answer: its blocks of text, in order, with a
// blank line before each that does not go on with the one before it.
func (c *Content) Answer() string {
	var out strings.Builder
	for _, p := range c.Parts {
		for _, b := range p.Blocks {
			if b.Role != event.RoleText || b.Text == "" {
				continue
			}
			if out.Len() > 0 && !b.Continues {
				out.WriteString("\n\n")
			}
			out.WriteString(b.Text)
		}
	}
	return out.String()
}

// Conclusion returns the steps of an answer that hold what it came to: the last
// that said something, and those before it that it goes on from.
func Conclusion(parts []Part) []Part {
	to := len(parts)
	for to > 0 && (&Content{Parts: parts[to-1 : to]}).Answer() == "" {
		to--
	}
	from := max(0, to-1)
	for from > 0 && parts[from].continues() {
		from--
	}
	return parts[from:to]
}

// continues reports whether the text of a step goes on with that before it.
func (p Part) continues() bool {
	return len(p.Blocks) == 0 || p.Blocks[0].Continues
}

func (s *State) applyInput(e event.Event) {
	switch b := e.Body.(type) {
	case event.InputQueued:
		in := Input{InputQueued: b, Cause: e.Cause}
		s.Queue = insert(s.Queue, in, b.Position)
		s.Counts.Inputs = max(s.Counts.Inputs+1, number(string(b.Input), "i"))
		s.Counts.Runs = max(s.Counts.Runs, number(string(b.Run), "r"))
	case event.InputChanged:
		s.changeInput(b)
	case event.InputTaken:
		for i := range s.Queue {
			if slices.Contains(b.Inputs, s.Queue[i].Input) {
				s.Queue[i].Taken = true
			}
		}
	case event.InputDropped:
		s.Queue = slices.DeleteFunc(s.Queue, func(in Input) bool { return in.Input == b.Input })
	case event.UserSaid:
		first := e.Seq
		if s.Turn != nil {
			s.Turn.Entry = b.Entry
		}
		s.addEntry(&Entry{ID: b.Entry, Parent: b.Parent, Role: "user", Seq: e.Seq, First: first, Time: e.Time, Run: e.Run,
			Lane: b.Origin, Snippet: snippet(b.Text), Content: &Content{Text: b.Text, Attachments: b.Attachments}})
	case event.DeveloperSaid:
		switch {
		case s.Step != nil:
			s.Step.Said = append(s.Step.Said, b.Text)
		case s.Turn != nil:
			s.Turn.Parts = append(s.Turn.Parts, Part{Said: []string{b.Text}})
		}
	}
}

func (s *State) changeInput(b event.InputChanged) {
	i := slices.IndexFunc(s.Queue, func(in Input) bool { return in.Input == b.Input })
	if i < 0 {
		return
	}
	in := s.Queue[i]
	if b.Text != nil {
		in.Text = *b.Text
	}
	s.Queue[i] = in
	if b.Position != nil {
		s.Queue = insert(slices.Delete(s.Queue, i, i+1), in, *b.Position)
	}
}

// insert puts an input at a position of its lane; a position past the end is
// the end.
func insert(queue []Input, in Input, position int) []Input {
	at, seen := len(queue), 0
	for i, q := range queue {
		if q.Lane != in.Lane {
			continue
		}
		if seen == position {
			at = i
			break
		}
		seen++
	}
	return slices.Insert(queue, at, in)
}

func (s *State) applyUsage(b event.UsageChanged) {
	if b.Strategy == "" {
		b.Strategy = s.Usage.Strategy
	}
	if b.Threshold == 0 {
		b.Threshold = s.Usage.Threshold
	}
	s.Usage = b
	if s.Run != nil {
		s.Run.Usage = b.Run
	}
	if s.Step != nil && s.Step.Response != nil {
		s.Step.Response.Counted = true
	}
}

func (s *State) applyBudget(b event.BudgetChanged) {
	budget := slices.Clone(s.Budget)
	for _, src := range b.Sources {
		i := slices.IndexFunc(budget, func(have event.BudgetSource) bool { return have.Name == src.Name })
		if i < 0 {
			budget = append(budget, src)
		} else {
			budget[i] = src
		}
	}
	s.Budget = budget
}

// snippet is the first line's worth of a text, for lists and trees.
func snippet(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= 80 {
		return text
	}
	cut := 80
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "..."
}

// number reads the digits after a prefix: 12 of "r12" or of "r12.t1"; 0 for
// anything else.
func number(id, prefix string) int {
	rest, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return 0
	}
	n := 0
	for i := 0; i < len(rest) && i < 9; i++ {
		c := rest[i]
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}
