package cogency

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/internal/command"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// Token is the capability of a peer that takes thoughts and replies in pieces.
const Token = "token"

// Dialect is the event stream as a wire dialect. It only writes.
var Dialect = wire.Dialect{
	Name:      "cogency",
	WriteOnly: true,
	Error:     refuse,
	Attach:    attach,
	Encode:    encode,
	Answer:    answer,
	Decode:    decode,
}

func frame(at *transcript.State, e Event) wire.Frame {
	if at != nil {
		e.Timestamp = seconds(at.Time)
	}
	return line(e)
}

func line(v any) wire.Frame {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// Only strings, numbers and JSON that was decoded before.
	_ = enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func text(kind, content string) Event { return Event{Type: kind, Content: &content} }

func failure(message string) Event {
	e := text("error", message)
	e.Payload = &Payload{Error: line(message)}
	return e
}

func refuse(_ wire.Peer, s *transcript.State, f *command.Fault) []wire.Frame {
	return []wire.Frame{frame(s, failure(f.Message))}
}

func answer(_ wire.Peer, s *transcript.State, r command.Result) []wire.Frame {
	if r.Fault == nil {
		return nil
	}
	return []wire.Frame{frame(s, failure(r.Fault.Message))}
}

func decode(p wire.Peer, s *transcript.State, _ wire.Frame) wire.Decoded {
	return wire.Decoded{Peer: p, Replies: []wire.Frame{frame(s, failure("this stream only goes out: nothing that is sent to it is read"))}}
}

// attach repeats the open turn, as far as it has come.
func attach(p wire.Peer, s *transcript.State) []wire.Frame {
	if s == nil {
		return nil
	}
	return wire.Opening(p.Class, s, encode, nil)
}

func pieces(c wire.Class) bool {
	for name := range strings.SplitSeq(c.Capabilities, ",") {
		if name == Token {
			return true
		}
	}
	return false
}

// kindOf is the type of a block's events; empty for a block without any.
func kindOf(r event.Role) string {
	switch r {
	case event.RoleThinking:
		return "think"
	case event.RoleText:
		return "respond"
	}
	return ""
}

func encode(c wire.Class, s *transcript.State, e event.Event) []wire.Frame {
	if e.Session != s.Session {
		return nil // a sub-agent: there are no sessions here
	}
	var out []wire.Frame
	for _, ev := range events(c, s, e) {
		ev.Timestamp = seconds(e.Time)
		out = append(out, line(ev))
	}
	return out
}

func events(c wire.Class, s *transcript.State, e event.Event) []Event {
	switch b := e.Body.(type) {
	case event.UserSaid:
		return []Event{text("user", b.Text)}
	case event.BlockDelta:
		if s.Step == nil || s.Step.Response == nil || s.Step.Response.Block == nil || !pieces(c) {
			return nil
		}
		if kind := kindOf(s.Step.Response.Block.Role); kind != "" && b.Text != "" {
			return []Event{text(kind, join(s, b.Block, b.Offset)+b.Text)}
		}
	case event.BlockEnded:
		if kind := kindOf(b.Role); kind != "" && b.Text != "" && !pieces(c) {
			return []Event{text(kind, join(s, b.Block, 0)+b.Text)}
		}
	case event.CallStarted:
		if call := s.OpenCall(b.Call); call != nil && alone(s, b.Call) {
			return []Event{callEvent(call)}
		}
	case event.CallEnded:
		return ended(s, b)
	case event.RunEnded:
		return runEnded(s, b)
	case event.FaultRaised:
		return []Event{failure(b.Message)}
	case event.SessionOpened, event.SessionTitled, event.SessionClosed, event.SettingChanged, event.AgentChanged, event.LeafChanged,
		event.ClientJoined, event.ClientLeft, event.SessionListed, event.SessionUnlisted, event.ActiveChanged,
		event.RunStarted, event.RunAborting, event.TurnStarted, event.TurnEnded, event.StepStarted, event.StepEnded, event.TurnRecovered,
		event.InputQueued, event.InputChanged, event.InputTaken, event.InputDropped, event.DeveloperSaid,
		event.ResponseStarted, event.BlockStarted, event.CallAnnounced, event.ResponseEnded, event.ResponseInterrupted,
		event.CallDelta, event.PermissionPreviewed, event.PermissionReady, event.PermissionDecided, event.HostDecided,
		event.AskOpened, event.AskAnswered, event.AskClosed, event.PlanChanged, event.PlanCleared,
		event.ToolsChanged, event.UsageChanged, event.BudgetChanged, event.ContextCompacted, event.ImagesRefused,
		event.NoteAdded, event.InitProgressed, event.RetryScheduled, event.FilesChanged, event.Unknown:
		// The protocol has no word for these.
	}
	return nil
}

// join is the separator between a block and the one before it in its response, if
// both have the same role: the protocol has no end between them.
func join(s *transcript.State, id event.BlockID, offset int) string {
	if offset > 0 || s.Step == nil || s.Step.Response == nil {
		return ""
	}
	r := s.Step.Response
	before := r.Blocks
	role := event.Role("")
	if n := len(before); n > 0 && before[n-1].ID == id {
		before, role = before[:n-1], before[n-1].Role
	} else if r.Block != nil {
		role = r.Block.Role
	}
	if n := len(before); n > 0 && before[n-1].Role == role && before[n-1].Text != "" {
		return "\n\n"
	}
	return ""
}

// alone reports whether a call is the only one of its step, so that its result
// follows it.
func alone(s *transcript.State, id event.CallID) bool {
	return s.Step != nil && s.Step.Response != nil && len(s.Step.Response.Calls) == 1 && s.Step.Response.Calls[0] == id
}

func callEvent(c *transcript.Call) Event {
	args := c.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return text("call", string(line(Call{c.Name, args})))
}

func ended(s *transcript.State, b event.CallEnded) []Event {
	call := s.OpenCall(b.Call)
	if call == nil {
		return nil // a person's, beside the model
	}
	end := display.EndCall{Ended: b, Arguments: call.Arguments, Decided: call.Decided}
	var out []Event
	if !call.Shown || !alone(s, b.Call) {
		out = append(out, callEvent(call))
	}
	words := end.Words()
	p := &Payload{Outcome: &words.Text}
	if words.Content != "" {
		p.Content = &words.Content
	}
	if !words.Good {
		p.Error = json.RawMessage("true")
	}
	return append(out, Event{Type: "result", Payload: p})
}

func runEnded(s *transcript.State, b event.RunEnded) []Event {
	switch b.Reason {
	case event.ReasonAborted:
		return []Event{{Type: "interrupt"}}
	case event.ReasonError, event.ReasonLimit:
		return nil // the fault has said so
	}
	total := &Count{Input: b.Usage.Input, Output: b.Usage.Output}
	if b.DurationMS > 0 {
		d := Seconds(float64(b.DurationMS) / 1000)
		total.Duration = &d
	}
	step := &Count{Input: s.Usage.Step.Input, Output: s.Usage.Step.Output}
	return []Event{{Type: "end"}, {Type: "metric", Step: step, Total: total}}
}
