package klaude

import (
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// attach is what a client gets on joining: the past in one event, the welcome,
// and what is open as it would have come.
func attach(p wire.Peer, s *transcript.State) []wire.Frame {
	if s == nil || s.Session == "" {
		return nil
	}
	var out []any
	past, begun := history(s)
	if len(past) > 0 {
		out = append(out, ReplayHistoryEvent{At: here(s), Events: past, UpdatedAt: seconds(s.Time), IsLoad: true})
	}
	out = append(out, welcome(s, here(s)))
	return append(frames(out...), wire.Opening(p.Class, s, encode, func(e event.Event) bool {
		switch b := e.Body.(type) {
		case event.SessionOpened:
			return b.Origin != event.OriginAgent // the welcome says more
		case event.RunStarted:
			return begun && e.Session == s.Session
		}
		return false
	})...)
}

// history is the past that the state still has: the active branch since the last
// compaction, up to the open turn. Each run is a finished task, except the open one;
// begun says that the open run has a turn before the open turn.
func history(s *transcript.State) (out []Line, begun bool) {
	add := func(e any) { out = append(out, lineOf(e)) }
	run := event.RunID("")
	result := ""
	at := here(s)
	finish := func() {
		if run != "" {
			add(TaskFinishEvent{At: at, TaskResult: result})
		}
		run, result = "", ""
	}
	if s.Summary != nil && s.Summary.Text != "" {
		add(DeveloperMessageEvent{at, DeveloperMessage{"developer", []TextPart{{"text", s.Summary.Text}}, "summary"}})
	}
	for _, n := range s.Path(s.Leaf) {
		if n.Content == nil || s.Turn != nil && n.ID == s.Turn.Entry {
			continue
		}
		if n.Run != run || n.Run == "" {
			finish()
			run = n.Run
			at.Timestamp = seconds(n.Time)
			add(TaskStartEvent{at, subAgent(s)})
		}
		at.Timestamp = seconds(n.Time)
		if n.Role == "user" {
			add(UserMessageEvent{at, n.Content.Text, images(n.Content.Attachments)})
			continue
		}
		steps(at, n.Content.Parts, add)
		if text := resultOf(n); text != "" {
			result = text
		}
		if n.Reason == event.ReasonAborted {
			add(InterruptEvent{at})
			result = "task cancelled"
		}
	}
	if s.Run != nil && s.Run.ID == run {
		return out, true
	}
	finish()
	return out, false
}

func resultOf(n *transcript.Entry) string { return result(n.Content.Parts) }

// steps adds the steps of an answer: each response as its snapshot, or as its text so
// far where it was cut, and its calls with their results.
func steps(at At, parts []transcript.Part, add func(any)) {
	for _, p := range parts {
		add(TurnStartEvent{at})
		of := Of{At: at}
		for _, b := range p.Blocks {
			if b.Role == event.RoleImage || p.Interrupted {
				for _, e := range whole(of, b) {
					add(e)
				}
			}
		}
		if len(p.Blocks) > 0 && !p.Interrupted {
			add(complete(of, p.Blocks))
		}
		calls(of, p.Calls, add)
		for _, text := range p.Said {
			add(DeveloperMessageEvent{at, DeveloperMessage{"developer", []TextPart{{"text", text}}, ""}})
		}
		add(TurnEndEvent{at})
	}
}

func calls(of Of, calls []*transcript.Call, add func(any)) {
	for _, c := range calls {
		add(toolCall(of, c.ID, c.Name, c.Arguments))
	}
	left := len(calls)
	for _, c := range calls {
		if left--; c.Ended != nil {
			add(toolResult(of, *c.Ended, left == 0))
		}
	}
}

// whole is a block that has ended, as its stream.
func whole(of Of, b transcript.Block) []any {
	if b.Role == event.RoleImage {
		return []any{AssistantImageDeltaEvent{of, b.Path}}
	}
	return append(begun(of, b.Role, b.Text), boundary(b.Role, ThinkingEndEvent{of}, AssistantTextEndEvent{of})...)
}

// begun is the start of a block and its text so far.
func begun(of Of, role event.Role, text string) []any {
	out := boundary(role, ThinkingStartEvent{of}, AssistantTextStartEvent{of})
	if text != "" {
		out = append(out, boundary(role, ThinkingDeltaEvent{of, text}, AssistantTextDeltaEvent{of, text})...)
	}
	return out
}
