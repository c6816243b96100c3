package transcript

import (
	"cmp"
	"strings"
	"time"

	"parley/internal/event"
)

// Opening returns the events that would have opened what is open in s, in order:
// the session, its settings, title, clients, tools, plan, usage, budget and queue; the
// run and its turn, with the steps that have ended since the last compaction;
// the step with its response, blocks and calls; what a person runs beside it;
// the asks; then the same of each sub-agent. A client that joins is shown these.
//
// Folded onto New they give what is open in s. They have no seq. Their times are
// those at which it happened where s knows them, else that of s. What s does not
// keep is not in them: the entries before the open turn, the rules that answers
// stored, and the model and permissions that the prompt of the open run named.
func Opening(s *State) []event.Event {
	o := &opening{s: s, t: New()}
	o.session()
	o.run()
	o.step()
	for _, c := range s.Loose {
		o.call(c, o.beside)
	}
	for _, a := range s.Asks {
		o.at = s.Time
		if c := s.OpenCall(a.Call); c != nil {
			o.at = c.Started
		}
		o.add(a)
	}
	if s.Failed {
		o.fault(s.Time)
	}
	for _, child := range s.Agents() {
		for _, e := range Opening(child) {
			o.take(e)
		}
	}
	return o.out
}

// opening folds as it goes, so that each event gets the envelope that those
// before it opened.
type opening struct {
	s, t *State
	at   time.Time // of the next event
	out  []event.Event
}

func (o *opening) take(e event.Event) {
	o.t.Apply(e)
	o.out = append(o.out, e)
}

func (o *opening) add(bodies ...event.Body) {
	for _, b := range bodies {
		o.named(b, func(*event.Event) {})
	}
}

// named adds what begins something, which has a name already.
func (o *opening) named(b event.Body, name func(*event.Event)) {
	e := o.t.Now(b)
	e.Session, e.Time = o.s.Session, o.at
	name(&e)
	o.take(e)
}

// beside adds what happens outside the run.
func (o *opening) beside(bodies ...event.Body) {
	for _, b := range bodies {
		o.take(event.Event{Session: o.s.Session, Time: o.at, Body: b})
	}
}

func (o *opening) session() {
	s := o.s
	if o.at = s.Opened; !s.Opened.IsZero() {
		o.add(event.SessionOpened{Origin: s.Origin, Parent: s.Parent, Entry: s.From, Call: s.Call, Profile: s.Profile,
			Description: s.Description, Prompt: s.Prompt, Workspace: s.Workspace})
	}
	o.at = s.Time
	o.add(s.Settings.change())
	if s.Title != "" {
		o.add(event.SessionTitled{Title: s.Title})
	}
	if s.Agent != "" {
		o.add(event.AgentChanged{State: s.Agent})
	}
	for _, c := range s.Clients {
		o.add(c)
	}
	if len(s.Tools) > 0 {
		o.add(event.ToolsChanged{Joined: s.Tools})
	}
	if len(s.Plan) > 0 {
		o.add(event.PlanChanged{Steps: s.Plan})
	}
	if len(s.Budget) > 0 {
		o.add(event.BudgetChanged{Sources: s.Budget})
	}
	if s.Run == nil || s.Run.Usage != s.Usage.Run {
		o.usage()
	}
	for _, in := range s.Queue {
		in.Position = o.t.lane(in.Lane)
		o.named(in.InputQueued, func(e *event.Event) { e.Cause = in.Cause })
		if in.Taken {
			o.add(event.InputTaken{Inputs: []event.InputID{in.Input}, Lane: in.Lane})
		}
	}
}

func (o *opening) usage() {
	if o.s.Usage != (event.UsageChanged{}) {
		o.add(o.s.Usage)
	}
}

func (o *opening) run() {
	r, t := o.s.Run, o.s.Turn
	if r != nil {
		o.at = r.Started
		o.named(event.RunStarted{Number: r.Number}, func(e *event.Event) { e.Run, e.Cause = r.ID, r.Cause })
		if r.Usage == o.s.Usage.Run && !o.counted() {
			o.usage()
		}
		if r.Aborting {
			o.at = r.Stopping
			o.add(event.RunAborting{})
		}
	}
	if t == nil {
		return
	}
	if !o.s.Failed {
		o.fault(o.at) // in an earlier turn of the run
	}
	said := o.s.Entry(t.Entry)
	if o.at = o.s.Waiting; said != nil && said.Time.Before(o.at) {
		o.at = said.Time
	}
	o.named(event.TurnStarted{Number: t.Number, Inputs: t.Inputs, Lane: t.Lane, From: t.From}, func(e *event.Event) { e.Turn = t.ID })
	if said != nil && said.Content != nil {
		o.add(event.UserSaid{Entry: said.ID, Parent: said.Parent, Text: said.Content.Text, Attachments: said.Content.Attachments, Origin: said.Lane})
	}
	for _, p := range t.Parts[min(t.Hidden, len(t.Parts)):] {
		o.part(p)
	}
}

// fault adds what went wrong in the run.
func (o *opening) fault(at time.Time) {
	if o.at = at; o.s.Run != nil && o.s.Run.Fault != nil {
		o.add(*o.s.Run.Fault)
	}
}

// counted reports whether the usage is that of the open response.
func (o *opening) counted() bool {
	r := o.s.Response()
	return r != nil && r.Counted
}

// part adds a step that has ended.
func (o *opening) part(p Part) {
	if p.Step == "" {
		o.said(p)
		return
	}
	number := number(string(p.Step[strings.LastIndexByte(string(p.Step), '.')+1:]), "s")
	o.named(event.StepStarted{Number: number}, func(e *event.Event) { e.Step = p.Step })
	if p.Response != "" {
		r := &Response{ID: p.Response, Provider: p.Provider, Model: p.Model, Phase: Ended, Stop: p.Stop, Blocks: p.Blocks, Opaque: p.Opaque, Cut: p.Cut}
		for _, c := range p.Calls {
			r.Announced = append(r.Announced, event.CallAnnounced{Call: c.ID, Name: c.Name})
			r.Calls = append(r.Calls, c.ID)
		}
		if p.Interrupted {
			r.Phase = Interrupted
		}
		o.response(r)
	}
	for _, c := range p.Calls {
		o.call(c, o.add)
	}
	o.said(p)
	o.add(event.StepEnded{Number: number})
}

// said adds what the model was told. The first word after a cut is that it goes
// on.
func (o *opening) said(p Part) {
	for i, text := range p.Said {
		b := event.DeveloperSaid{Text: text}
		if p.Cut && i == 0 {
			b.Origin = event.ReminderContinue
		}
		o.add(b)
	}
}

func (o *opening) step() {
	p := o.s.Step
	if p == nil {
		return
	}
	o.named(event.StepStarted{Number: p.Number}, func(e *event.Event) { e.Step = p.ID })
	if p.Response != nil {
		o.response(p.Response)
	}
	if p.Retry != nil {
		o.at = p.Retry.At
		o.add(p.Retry.RetryScheduled)
	}
	for _, c := range p.Calls {
		o.call(c, o.add)
	}
	o.said(Part{Said: p.Said, Cut: p.Response != nil && p.Response.Cut})
}

func (o *opening) response(r *Response) {
	o.named(event.ResponseStarted{Provider: r.Provider, Model: r.Model}, func(e *event.Event) { e.Response = r.ID })
	blocks := make([]event.BlockID, len(r.Blocks))
	for i, b := range r.Blocks {
		blocks[i] = b.ID
		o.add(event.BlockStarted{Block: b.ID, Role: b.Role})
		o.ends(event.BlockEnded{Block: b.ID, Role: b.Role, Text: b.Text, Path: b.Path, MediaType: b.MediaType})
	}
	for _, a := range r.Announced {
		o.add(a)
	}
	if b := r.Block; b != nil {
		o.at = b.Started
		o.add(event.BlockStarted{Block: b.ID, Role: b.Role})
		if b.Text.Len() > 0 {
			o.add(event.BlockDelta{Block: b.ID, Text: b.Text.String()})
		}
	}
	switch r.Phase {
	case Ended:
		o.add(event.ResponseEnded{Blocks: blocks, Calls: r.Calls, Stop: r.Stop, Usage: r.Usage, Opaque: r.Opaque})
		if r.Counted {
			o.usage()
		}
	case Interrupted:
		reason := event.InterruptedByAbort
		if r.Cut {
			reason = event.InterruptedByProvider
		}
		o.add(event.ResponseInterrupted{Reason: reason})
	case Open:
	}
}

// ends adds what the model was waited for again after: no later than that began.
func (o *opening) ends(b event.Body) {
	if at := o.s.Waiting; !at.IsZero() {
		o.at = at
	}
	o.add(b)
}

// call adds a call to the step, or beside it.
func (o *opening) call(c *Call, add func(...event.Body)) {
	if c.Shown {
		o.at = c.Started
		add(event.CallStarted{Call: c.ID, Name: c.Name, Title: c.Title, Arguments: c.Arguments, Origin: cmp.Or(c.Origin, event.CallerModel)})
	}
	if c.Preview != nil {
		add(*c.Preview)
	}
	if c.Ready {
		add(event.PermissionReady{Call: c.ID, Tool: c.Name})
	}
	if c.Decided != nil {
		add(*c.Decided)
	}
	if c.Output.Len() > 0 {
		add(event.CallDelta{Call: c.ID, Stream: event.Stdout, Text: c.Output.String()})
	}
	if c.Ended != nil {
		if at := o.s.Waiting; !at.IsZero() {
			o.at = at
		}
		add(*c.Ended)
	}
}
