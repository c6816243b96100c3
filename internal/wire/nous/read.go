package nous

import (
	"context"
	"strings"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

func (h *host) read(ctx context.Context, c command.Command, b command.Read) (command.Data, *command.Fault) {
	switch b.What {
	case command.ReadState:
		return h.readState(ctx)
	case readActive:
		if _, fault := h.state(ctx, c.Session); fault != nil {
			return nil, fault
		}
		h.SetActive(h.family.name, c.Session)
		return command.Opened{Session: c.Session}, nil
	case command.ReadEntries:
		s, fault := h.named(ctx, c.Session)
		if fault != nil {
			return nil, fault
		}
		return raw(messagesOf(s, b.Leaf)), nil
	case command.ReadTree:
		s, fault := h.named(ctx, c.Session)
		if fault != nil {
			return nil, fault
		}
		return raw(treeOf(s)), nil
	}
	r := h.Daemon.Do(ctx, c)
	return r.Data, r.Fault
}

func raw(v any) command.Raw { return command.Raw{JSON: line(v)} }

// named returns a session, the active one where none is named, and an empty
// state where there is none.
func (h *host) named(ctx context.Context, id event.SessionID) (*transcript.State, *command.Fault) {
	if id == "" {
		id = h.active()
	}
	if id == "" {
		return transcript.New(), nil
	}
	return h.state(ctx, id)
}

func (h *host) readState(ctx context.Context) (command.Data, *command.Fault) {
	out := state{RunState: "idle", SteeringMode: string(event.ModeOne), FollowUpMode: string(event.ModeOne)}
	if id := h.active(); id != "" {
		s, fault := h.state(ctx, id)
		switch {
		case fault == nil:
			out.SessionID = string(id)
			out.SteeringMode, out.FollowUpMode = string(s.Settings.Steering), string(s.Settings.FollowUp)
		case fault.Code != command.NotFound:
			return nil, fault
		}
	}
	if set := h.family.over(event.SettingChanged{}); set.Steering != nil || set.FollowUp != nil {
		if set.Steering != nil {
			out.SteeringMode = string(*set.Steering)
		}
		if set.FollowUp != nil {
			out.FollowUpMode = string(*set.FollowUp)
		}
	}
	s, fault := h.running(ctx)
	if fault != nil {
		return nil, fault
	}
	if s != nil {
		out.RunState, out.RunID = "running", runID(openNumber(s))
		if s.Run != nil && s.Run.Aborting {
			out.RunState = "aborting"
		}
		out.PendingCounts = pending{FollowUp: len(s.Queued(event.LaneFollowUp)), Steer: len(s.Queued(event.LaneSteer))}
	}
	return raw(out), nil
}

// openNumber is the number of the open run, or of the one that is about to be.
func openNumber(s *transcript.State) int {
	if s.Run != nil {
		return s.Run.Number
	}
	return s.Queued(event.LanePrompt)[0].Number
}

// messagesOf is the path to a leaf, or all entries where that leaf is unknown.
func messagesOf(s *transcript.State, asked *event.EntryID) messages {
	at := s.Leaf
	if asked != nil {
		at = *asked
	}
	out := messages{LeafID: string(at), Messages: []message{}, SessionID: string(s.Session)}
	path := s.Path(at)
	if path == nil {
		path = s.Entries
	}
	if s.Summary != nil && len(path) > 0 {
		out.Messages = append(out.Messages, summaryOf(s, path))
	}
	for _, n := range path {
		if n.Content != nil {
			m := messageOf(n)
			if s.Summary != nil && n.ID == s.Summary.FirstKept {
				m.ParentID = string(s.Summary.Entry)
			}
			out.Messages = append(out.Messages, m)
		}
	}
	if len(out.Messages) == 0 && asked != nil && s.Session != "" {
		out.Messages = nil // as the original answers
	}
	return out
}

func messageOf(n *transcript.Entry) message {
	m := message{Type: "message", ID: string(n.ID), ParentID: string(n.Parent), Role: n.Role, Text: textOf(n), TurnKind: string(n.Lane), CreatedAt: stamp(n.Time)}
	if n.Number > 0 {
		m.RunID = runID(n.Number)
	}
	return m
}

// summaryOf is what a compaction left, as a message of the assistant.
func summaryOf(s *transcript.State, path []*transcript.Entry) message {
	at := path[0].Time
	for _, n := range path {
		if n.ID == s.Summary.FirstKept {
			at = n.Time
		}
	}
	return message{Type: "message", ID: string(s.Summary.Entry), Role: "assistant", Text: s.Summary.Text, CreatedAt: stamp(at)}
}

func textOf(n *transcript.Entry) string {
	switch {
	case n.Content == nil:
		return n.Snippet
	case n.Role == "assistant":
		return answerText(n.Content)
	}
	return n.Content.Text
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func treeOf(s *transcript.State) tree {
	out := tree{LeafID: string(s.Leaf), Nodes: []node{}, SessionID: string(s.Session)}
	if s.Summary != nil {
		out.Nodes = append(out.Nodes, node{string(s.Summary.Entry), "", "assistant", snippet(s.Summary.Text)})
	}
	for _, n := range s.Entries {
		parent := string(n.Parent)
		if s.Summary != nil && n.ID == s.Summary.FirstKept {
			parent = string(s.Summary.Entry)
		}
		if n.Content != nil {
			out.Nodes = append(out.Nodes, node{string(n.ID), parent, n.Role, snippet(textOf(n))})
		}
	}
	return out
}

// snippet is a text for a tree: at most 80 bytes of it, never half a character.
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

// setLeaf moves the leaf of a session to one of its entries.
func (h *host) setLeaf(ctx context.Context, c command.Command, b command.SetLeaf) command.Result {
	r := command.Result{ID: c.ID, Name: command.Name(c.Body)}
	s, fault := h.required(ctx, c.Session)
	switch {
	case fault != nil:
		r.Fault = fault
	case s.Entry(b.Leaf) == nil:
		r.Fault = command.Faultf(command.Denied, "leaf_not_found")
	default:
		c.Session = s.Session
		r = h.Daemon.Do(ctx, c)
	}
	return r
}

// required returns a session, the active one where none is named.
func (h *host) required(ctx context.Context, id event.SessionID) (*transcript.State, *command.Fault) {
	if id == "" {
		id = h.active()
	}
	if id == "" {
		return nil, command.Faultf(command.Invalid, "session_id is required")
	}
	return h.state(ctx, id)
}

// kept is how many tokens of a session a compaction leaves alone, by the
// original's estimate.
const kept = 2000

func (h *host) compact(ctx context.Context, c command.Command, b command.Compact) (command.Data, *command.Fault) {
	s, fault := h.required(ctx, c.Session)
	if fault != nil {
		return nil, fault
	}
	tokens := 0
	for _, n := range s.Path(s.Leaf) {
		if n.Content != nil {
			tokens += (len(textOf(n))+3)/4 + 4
		}
	}
	if tokens <= kept {
		return nil, command.Faultf(command.Denied, "nothing_to_compact")
	}
	c.Session = s.Session
	r := h.Daemon.Do(ctx, c)
	if r.Fault != nil {
		return nil, r.Fault
	}
	d, ok := r.Data.(command.Compacted)
	if !ok {
		return nil, command.Faultf(command.Denied, "nothing_to_compact")
	}
	return raw(compaction{FirstKept: string(d.FirstKept), Instruction: b.Instruction, SessionID: string(s.Session),
		Summary: d.Summary, TokensBefore: d.Tokens, Trigger: "manual"}), nil
}
