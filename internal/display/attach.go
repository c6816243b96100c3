package display

import (
	"parley/internal/event"
	"parley/internal/transcript"
)

// attach feeds the machine of one session with the events that opened what is
// open in s, as they would stand in its log.
func (c *Controller) attach(s *transcript.State) error {
	for _, body := range openings(s) {
		e := event.Event{Time: s.Time, Session: s.Session, Body: body}
		if s.Run != nil {
			e.Run = s.Run.ID
		}
		m, commands := c.machine(e).Next(e)
		c.machines[s.Session] = m
		if err := c.render(commands); err != nil {
			return err
		}
	}
	return nil
}

func openings(s *transcript.State) []event.Body {
	var out []event.Body
	if s.Origin == event.OriginAgent {
		out = append(out, event.SessionOpened{Origin: s.Origin, Parent: s.Parent, Call: s.Call, Profile: s.Profile, Description: s.Description, Prompt: s.Prompt})
	}
	if s.Title != "" {
		out = append(out, event.SessionTitled{Title: s.Title})
	}
	if len(s.Plan) > 0 {
		out = append(out, event.PlanChanged{Steps: s.Plan})
	}
	if s.Usage != (event.UsageChanged{}) {
		out = append(out, s.Usage)
	}
	if s.Run != nil {
		out = append(out, event.RunStarted{Number: s.Run.Number})
		if s.Run.Aborting {
			out = append(out, event.RunAborting{})
		}
	}
	if s.Turn != nil {
		out = append(out, event.TurnStarted{Number: s.Turn.Number, Lane: s.Turn.Lane})
		if n := s.Entry(s.Turn.Entry); n != nil && n.Content != nil {
			out = append(out, event.UserSaid{Entry: n.ID, Parent: n.Parent, Text: n.Content.Text, Attachments: n.Content.Attachments, Origin: n.Lane})
		}
	}
	out = append(out, openStep(s.Step)...)
	for _, call := range s.Loose {
		out = append(out, openCall(call)...)
	}
	for _, a := range s.Asks {
		out = append(out, a)
	}
	return out
}

func openStep(p *transcript.Step) []event.Body {
	if p == nil {
		return nil
	}
	out := []event.Body{event.StepStarted{Number: p.Number}}
	if r := p.Response; r != nil {
		out = append(out, event.ResponseStarted{Provider: r.Provider, Model: r.Model})
		if r.Phase == transcript.Ended {
			out = append(out, event.ResponseEnded{Calls: r.Calls})
		}
		if b := r.Block; b != nil {
			out = append(out, event.BlockStarted{Block: b.ID, Role: b.Role}, event.BlockGrew{Block: b.ID, Text: b.Text.String()})
		}
	}
	for _, call := range p.Calls {
		if call.Shown && call.Ended == nil {
			out = append(out, openCall(call)...)
		}
	}
	return out
}

func openCall(c *transcript.Call) []event.Body {
	out := []event.Body{event.CallStarted{Call: c.ID, Name: c.Name, Arguments: c.Arguments, Origin: c.Origin}}
	if c.Preview != nil {
		out = append(out, *c.Preview)
	}
	if c.Decided != nil {
		out = append(out, *c.Decided)
	}
	if text := c.Output.String(); text != "" {
		out = append(out, event.CallGrew{Call: c.ID, Text: text})
	}
	return out
}
