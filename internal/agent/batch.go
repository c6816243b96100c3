package agent

import (
	"slices"
	"strings"
	"time"

	"parley/internal/event"
	"parley/internal/transcript"
)

// batch makes events one after the other, each in the envelope that the ones
// before it left open.
type batch struct {
	s   *transcript.State // a copy: events are applied as they are made
	out []event.Event
}

func newBatch(s *transcript.State) *batch { return &batch{s: s.Clone()} }

func (b *batch) emit(bodies ...event.Body) {
	for _, body := range bodies {
		b.add(b.s.Now(body))
	}
}

func (b *batch) add(events ...event.Event) {
	for _, e := range events {
		b.s.Apply(e)
		b.out = append(b.out, e)
	}
}

// endTurn ends the open step and turn, if they are open.
func (b *batch) endTurn(reason event.Reason) {
	if b.s.Turn == nil {
		return
	}
	if b.s.Step != nil {
		b.emit(event.StepEnded{Number: b.s.Step.Number})
	}
	end := event.TurnEnded{Number: b.s.Turn.Number, Reason: reason}
	if b.s.Turn.Answered() {
		end.Entry, end.Parent = b.s.NextEntry(), b.s.Turn.Parent()
	}
	b.emit(end)
}

// budget records what instructions cost, where that has changed.
func (b *batch) budget(sources []event.BudgetSource) {
	var changed []event.BudgetSource
	for _, source := range sources {
		if !slices.Contains(b.s.Budget, source) {
			changed = append(changed, source)
		}
	}
	if changed != nil {
		b.emit(event.BudgetChanged{Sources: changed})
	}
}

// spend adds what sub-agents cost to the run's usage. It does nothing within a
// step, whose one usage.changed is that of its own response.
func (b *batch) spend(u event.Usage) {
	if u == (event.Usage{}) || b.s.Run == nil || b.s.Step != nil {
		return
	}
	total := b.s.Usage
	total.Run, total.Session = b.s.Run.Usage.Plus(u), total.Session.Plus(u)
	b.emit(total)
}

func (b *batch) endRun(reason event.Reason, now time.Time) event.Event {
	var usage event.Usage
	var spent int64
	if b.s.Run != nil {
		usage, spent = b.s.Run.Usage, max(0, now.Sub(b.s.Run.Started).Milliseconds())
	}
	return b.s.Now(event.RunEnded{Reason: reason, Usage: usage, DurationMS: spent})
}

// NextInputs returns the queued inputs that the next turn of the open run
// takes: steers before follow-ups, one or all by the mode of their queue.
func NextInputs(s *transcript.State) []transcript.Input {
	for _, lane := range []struct {
		lane event.Lane
		mode event.Mode
	}{{event.LaneSteer, s.Settings.Steering}, {event.LaneFollowUp, s.Settings.FollowUp}} {
		if queued := s.Queued(lane.lane); len(queued) > 0 {
			if lane.mode != event.ModeAll {
				queued = queued[:1]
			}
			return queued
		}
	}
	return nil
}

// take begins the next turn of the run with these inputs.
func (b *batch) take(inputs []transcript.Input) {
	ids := make([]event.InputID, len(inputs))
	for i, in := range inputs {
		ids[i] = in.Input
	}
	b.emit(event.InputTaken{Inputs: ids, Lane: inputs[0].Lane})
	b.begin(inputs)
}

func (b *batch) begin(inputs []transcript.Input) {
	var texts []string
	var ids []event.InputID
	var attachments []event.Attachment
	for _, in := range inputs {
		if strings.TrimSpace(in.Text) != "" {
			texts = append(texts, in.Text)
		}
		if in.Input != "" {
			ids = append(ids, in.Input)
		}
		attachments = append(attachments, in.Attachments...)
	}
	_, n := b.s.NextTurn()
	lane := inputs[0].Lane
	b.emit(event.TurnStarted{Number: n, Inputs: ids, Lane: lane},
		event.UserSaid{Entry: b.s.NextEntry(), Parent: b.s.Leaf, Text: strings.Join(texts, "\n"), Attachments: attachments, Origin: lane})
}

// Begin returns the events that begin the run of a queued prompt.
func Begin(s *transcript.State, prompt transcript.Input) []event.Event {
	b := newBatch(s)
	if prompt.Leaf != nil && *prompt.Leaf != s.Leaf {
		b.add(event.Event{Session: s.Session, Cause: prompt.Cause, Body: event.LeafChanged{Leaf: *prompt.Leaf}})
	}
	b.add(event.Event{Session: s.Session, Run: prompt.Run, Cause: prompt.Cause, Body: event.RunStarted{Number: prompt.Number}})
	if prompt.Continue {
		b.resume(prompt)
	} else {
		b.begin([]transcript.Input{prompt})
	}
	return b.out
}

// resume begins a turn that goes on with what is at the leaf.
func (b *batch) resume(prompt transcript.Input) {
	_, n := b.s.NextTurn()
	b.emit(event.TurnStarted{Number: n, Inputs: []event.InputID{prompt.Input}, Lane: prompt.Lane, From: b.s.Leaf})
	e := b.s.Entry(b.s.Leaf)
	if e == nil || e.Content == nil || len(e.Content.Parts) == 0 {
		return
	}
	if last := e.Content.Parts[len(e.Content.Parts)-1]; len(last.Blocks) > 0 && len(last.Calls) == 0 && len(last.Said) == 0 {
		b.emit(event.DeveloperSaid{Text: cutOff, Origin: event.ReminderContinue})
	}
}
