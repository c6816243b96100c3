package klaude

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// Dialect is stream-json as a wire dialect. It only writes.
var Dialect = wire.Dialect{
	Name:      "klaude",
	WriteOnly: true,
	Error:     refuse,
	Attach:    attach,
	Encode:    encode,
	Answer:    answer,
	Decode:    decode,
	Detach:    detach,
}

// here is the place of an event about the session as a whole.
func here(s *transcript.State) At {
	if s == nil || s.Session == "" {
		return At{SessionID: App}
	}
	return At{string(s.Session), seconds(s.Time)}
}

func refuse(_ wire.Peer, s *transcript.State, f *command.Fault) []wire.Frame {
	return frames(ErrorEvent{here(s), f.Message, f.Retry > 0})
}

func answer(p wire.Peer, s *transcript.State, r command.Result) []wire.Frame {
	if r.Fault == nil {
		return nil
	}
	return refuse(p, s, r.Fault)
}

func decode(p wire.Peer, s *transcript.State, _ wire.Frame) wire.Decoded {
	return wire.Decoded{Peer: p, Replies: frames(ErrorEvent{At: here(s), ErrorMessage: "stream-json only goes out: nothing that is sent to it is read"})}
}

func detach(_ wire.Peer, s *transcript.State) []wire.Frame {
	at := here(s)
	at.SessionID = App
	return frames(EndEvent{at})
}

// encoder is one event in the state of its own session.
type encoder struct {
	s  *transcript.State
	e  event.Event
	at At
}

func encode(_ wire.Class, root *transcript.State, e event.Event) []wire.Frame {
	c := encoder{s: root, e: e, at: At{string(e.Session), seconds(e.Time)}}
	if e.Session != root.Session {
		c.s = root.Children[e.Session]
		if c.s == nil {
			return nil // its last event, after the end of its run: nothing is left to say
		}
	}
	return frames(c.events()...)
}

// inResponse is the place of an event of the open response.
func (c encoder) inResponse() Of {
	of := Of{At: c.at}
	if r := c.response(); r != nil {
		of.ResponseID = pointer(string(r.ID))
	}
	return of
}

func (c encoder) response() *transcript.Response {
	if c.s.Step == nil {
		return nil
	}
	return c.s.Step.Response
}

func (c encoder) events() []any {
	switch b := c.e.Body.(type) {
	case event.SessionOpened:
		if b.Origin == event.OriginAgent {
			return nil // its task says what it is
		}
		return []any{welcome(c.s, c.at)}
	case event.RunStarted:
		return []any{TaskStartEvent{c.at, subAgent(c.s)}}
	case event.RunEnded:
		return c.runEnded(b)
	case event.UserSaid:
		return []any{UserMessageEvent{c.at, b.Text, images(b.Attachments)}}
	case event.DeveloperSaid:
		return []any{DeveloperMessageEvent{c.at, DeveloperMessage{"developer", []TextPart{{"text", b.Text}}, string(b.Origin)}}}
	case event.StepStarted:
		return []any{TurnStartEvent{c.at}}
	case event.StepEnded:
		return []any{TurnEndEvent{c.at}}
	case event.BlockStarted, event.BlockDelta, event.BlockEnded, event.CallAnnounced, event.ResponseEnded, event.UsageChanged:
		return c.responded()
	case event.CallStarted:
		return []any{toolCall(c.inResponse(), b.Call, b.Name, b.Arguments)}
	case event.CallEnded:
		return c.callEnded(b)
	case event.PlanChanged:
		return []any{TodoChangeEvent{c.at, todos(b.Steps)}}
	case event.PlanCleared:
		return []any{TodoChangeEvent{c.at, todos(nil)}}
	case event.RetryScheduled:
		return []any{ErrorEvent{c.at, fmt.Sprintf("Retrying %s in %.1fs - %s", b.Count("/"), float64(b.DelayMS)/1000, b.Reason), true}}
	case event.FaultRaised:
		return []any{ErrorEvent{c.at, b.Message, false}}
	case event.SessionTitled, event.SessionClosed, event.SettingChanged, event.AgentChanged, event.LeafChanged,
		event.ClientJoined, event.ClientLeft, event.SessionListed, event.SessionUnlisted, event.ActiveChanged,
		event.RunAborting, event.TurnStarted, event.TurnEnded, event.TurnRecovered,
		event.InputQueued, event.InputChanged, event.InputTaken, event.InputDropped,
		event.ResponseStarted, event.ResponseInterrupted, event.CallDelta,
		event.PermissionPreviewed, event.PermissionReady, event.PermissionDecided, event.HostDecided,
		event.AskOpened, event.AskAnswered, event.AskClosed,
		event.ToolsChanged, event.BudgetChanged, event.ContextCompacted, event.ImagesRefused, event.NoteAdded, event.InitProgressed, event.FilesChanged, event.Unknown:
		// The 26 classes have no word for these.
	}
	return nil
}

func (c encoder) responded() []any {
	of := c.inResponse()
	switch b := c.e.Body.(type) {
	case event.BlockStarted:
		return boundary(b.Role, ThinkingStartEvent{of}, AssistantTextStartEvent{of})
	case event.BlockDelta:
		if r := c.response(); r != nil && r.Block != nil && b.Text != "" {
			return boundary(r.Block.Role, ThinkingDeltaEvent{of, b.Text}, AssistantTextDeltaEvent{of, b.Text})
		}
	case event.BlockEnded:
		if b.Role == event.RoleImage {
			return []any{AssistantImageDeltaEvent{of, b.Path}}
		}
		return boundary(b.Role, ThinkingEndEvent{of}, AssistantTextEndEvent{of})
	case event.CallAnnounced:
		return []any{ToolCallStartEvent{of, string(b.Call), b.Name}}
	case event.ResponseEnded:
		if r := c.response(); r != nil {
			return []any{complete(of, r.Blocks)}
		}
	case event.UsageChanged:
		return c.usageChanged(b)
	}
	return nil
}

// boundary returns the start or end event for a block of this role: one of the two
// that it is given, or none.
func boundary(role event.Role, thinking, text any) []any {
	switch role {
	case event.RoleThinking:
		return []any{thinking}
	case event.RoleText:
		return []any{text}
	}
	return nil
}

// complete is the snapshot of a response.
func complete(of Of, blocks []transcript.Block) ResponseCompleteEvent {
	var text, thinking strings.Builder
	for _, b := range blocks {
		switch b.Role {
		case event.RoleText:
			text.WriteString(b.Text)
		case event.RoleThinking:
			thinking.WriteString(b.Text)
		case event.RoleImage:
		}
	}
	out := ResponseCompleteEvent{Of: of, Content: text.String()}
	if thinking.Len() > 0 {
		out.ThinkingText = pointer(thinking.String())
	}
	return out
}

func (c encoder) callEnded(b event.CallEnded) []any {
	var out []any
	of := c.inResponse()
	if call := c.s.OpenCall(b.Call); call != nil && !call.Shown {
		// It was skipped before anybody saw it.
		out = append(out, toolCall(of, b.Call, b.Name, call.Arguments))
	}
	last := c.s.Step == nil || !slices.ContainsFunc(c.s.Step.Calls, func(call *transcript.Call) bool { return call.Ended == nil })
	return append(out, toolResult(of, b, last))
}

func (c encoder) runEnded(b event.RunEnded) []any {
	parts := runParts(c.s, c.e.Run)
	metadata := TaskMetadataEvent{c.at, c.metadata(b, parts)}
	switch b.Reason {
	case event.ReasonError, event.ReasonLimit:
		return nil // ErrorEvent was the last word
	case event.ReasonAborted:
		return []any{InterruptEvent{c.at}, metadata, TaskFinishEvent{At: c.at, TaskResult: "task cancelled"}}
	}
	return []any{metadata, TaskFinishEvent{At: c.at, TaskResult: result(parts)}}
}

// runParts returns the steps of a run's answers, oldest first.
func runParts(s *transcript.State, run event.RunID) []transcript.Part {
	i := len(s.Entries)
	for i > 0 && s.Entries[i-1].Run == run {
		i--
	}
	var out []transcript.Part
	for _, n := range s.Entries[i:] {
		if n.Content != nil && n.Role == "assistant" {
			out = append(out, n.Content.Parts...)
		}
	}
	return out
}

// result is the text that an answer came to.
func result(parts []transcript.Part) string {
	text := ""
	for _, p := range transcript.Conclusion(parts) {
		text += complete(Of{}, p.Blocks).Content
	}
	return text
}

func pointer[T any](v T) *T { return &v }
