package klaude

import (
	"slices"

	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// attach is what a client gets on joining: the past in one event, the welcome,
// and what is open as it would have come.
func attach(_ wire.Peer, s *transcript.State) []wire.Frame {
	if s == nil || s.Session == "" {
		return nil
	}
	var out []any
	if past := history(s); len(past) > 0 {
		out = append(out, ReplayHistoryEvent{At: here(s), Events: past, UpdatedAt: seconds(s.Time), IsLoad: true})
	}
	out = append(out, welcome(s, here(s)))
	if len(s.Plan) > 0 {
		out = append(out, TodoChangeEvent{here(s), todos(s.Plan)})
	}
	out = append(out, open(s)...)
	ids := make([]event.SessionID, 0, len(s.Children))
	for id := range s.Children {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		out = append(out, open(s.Children[id])...)
	}
	return frames(out...)
}

// history is what the session still knows of its past: the active branch since
// the last compaction, and the steps of the open turn that have ended. Each run
// is a task that finishes, but the one that is open.
func history(s *transcript.State) []Line {
	var out []Line
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
		if n.Content == nil {
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
		if s.Turn != nil {
			steps(at, s.Turn.Parts, add)
		}
		return out
	}
	finish()
	return out
}

func resultOf(n *transcript.Entry) string { return result(n.Content.Parts) }

// steps adds the steps of an answer: each response as its snapshot, or as the
// text that it came to where it was cut, its calls with their results.
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

// open is what is open of a session, from the start of its task where the past
// does not hold that.
func open(s *transcript.State) []any {
	if s.Run == nil {
		return nil
	}
	var out []any
	at := here(s)
	if last := s.Entry(s.Leaf); s.Origin == event.OriginAgent || last == nil || last.Run != s.Run.ID {
		out = append(out, TaskStartEvent{at, subAgent(s)})
	}
	if s.Step == nil {
		return out
	}
	out = append(out, TurnStartEvent{at})
	r := s.Step.Response
	if r == nil {
		return out
	}
	of := Of{At: at, ResponseID: pointer(string(r.ID))}
	for _, b := range r.Blocks {
		out = append(out, whole(of, b)...)
	}
	if b := r.Block; b != nil {
		out = append(out, begun(of, b.Role, b.Text.String())...)
	}
	for _, a := range r.Announced {
		out = append(out, ToolCallStartEvent{of, string(a.Call), a.Name})
	}
	if r.Phase == transcript.Ended {
		out = append(out, complete(of, r.Blocks))
	}
	for _, c := range s.Step.Calls {
		if c.Shown {
			out = append(out, toolCall(of, c.ID, c.Name, c.Arguments))
		}
		if c.Ended != nil {
			out = append(out, toolResult(of, *c.Ended, false))
		}
	}
	return out
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
