package klaude

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/internal/event"
	"parley/internal/transcript"
)

func welcome(s *transcript.State, at At) WelcomeEvent {
	w := WelcomeEvent{At: at, WorkDir: s.Workspace, ShowKlaudeCodeInfo: true}
	if s.Settings.Model != "" {
		w.LLMConfig.ProviderName, w.LLMConfig.ModelID = split(s.Settings.Model)
	} else {
		w.LLMConfig.ProviderName, w.LLMConfig.ModelID = answered(s)
	}
	w.LLMConfig.Effort = some(s.Settings.Reasoning)
	return w
}

// answered is the model that answered last, as far as the session still knows it.
func answered(s *transcript.State) (provider, model string) {
	for _, n := range slices.Backward(s.Path(s.Leaf)) {
		if n.Content == nil {
			continue
		}
		for _, p := range slices.Backward(n.Content.Parts) {
			if p.Model != "" {
				return p.Provider, p.Model
			}
		}
	}
	return "", ""
}

// split takes provider/model apart.
func split(model string) (provider, name string) {
	if provider, name, ok := strings.Cut(model, "/"); ok {
		return provider, name
	}
	return "", model
}

func subAgent(s *transcript.State) *SubAgentState {
	if s.Origin != event.OriginAgent {
		return nil
	}
	return &SubAgentState{SubAgentType: s.Profile, SubAgentDesc: s.Description, SubAgentPrompt: s.Prompt}
}

func images(attachments []event.Attachment) []Image {
	var out []Image
	for _, a := range attachments {
		if !strings.HasPrefix(a.MediaType, "image/") {
			continue
		}
		address := "sha256:" + a.Blob
		if a.Path != "" {
			address = (&url.URL{Scheme: "file", Path: a.Path}).String()
		}
		out = append(out, Image{"image_url", address})
	}
	return out
}

func todos(steps []event.PlanStep) []Todo {
	out := make([]Todo, 0, len(steps))
	for _, p := range steps {
		status := p.Status
		switch status {
		case event.PlanPending, event.PlanInProgress, event.PlanCompleted:
		default:
			// Skipped or failed: nothing is left to do of it.
			status = event.PlanCompleted
		}
		out = append(out, Todo{p.Text, string(status)})
	}
	return out
}

func toolCall(of Of, id event.CallID, name string, arguments json.RawMessage) ToolCallEvent {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	return ToolCallEvent{of, string(id), name, string(arguments)}
}

func toolResult(of Of, b event.CallEnded, last bool) ToolResultEvent {
	status := "error"
	if b.Status == event.StatusSuccess {
		status = "success"
	}
	return ToolResultEvent{Of: of, ToolCallID: string(b.Call), ToolName: b.Name, Result: b.Result, UIExtra: extra(b), Status: status, IsLastInTurn: last}
}

func extra(b event.CallEnded) *UIExtra {
	var pieces []UIPiece
	if d := b.Display; d != nil {
		if d.Diff != "" {
			pieces = append(pieces, UIPiece{Type: "diff", FilePath: some(d.File), Language: some(d.Language), Diff: &d.Diff})
		}
		if d.Agent != "" {
			pieces = append(pieces, UIPiece{Type: "session_id", SessionID: pointer(string(d.Agent))})
		}
	}
	if b.File != "" {
		pieces = append(pieces, UIPiece{Type: "truncation", FilePath: &b.File})
	}
	switch len(pieces) {
	case 0:
		return nil
	case 1:
		p := pieces[0]
		return &UIExtra{Type: p.Type, FilePath: p.FilePath, Language: p.Language, Diff: p.Diff, SessionID: p.SessionID}
	}
	return &UIExtra{Type: "multi", Items: pieces}
}

// some is a pointer to a text, nil for the empty one.
func some(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// answerRoom is what the program kept free for an answer where it knew no better,
// in tokens.
const answerRoom = 32000

// percent is how full the context is, without the room that is kept for an answer
// unless the context is no larger than that room.
func percent(size, limit int) *float64 {
	if limit <= 0 {
		return nil
	}
	if limit > answerRoom {
		limit -= answerRoom
	}
	return pointer(float64(size) / float64(limit) * 100)
}

// usage is a count with what is known of its context.
func usage(u event.Usage, in event.UsageChanged, at time.Time) Usage {
	out := Usage{
		InputTokens: u.Input, CachedTokens: u.CachedRead, ReasoningTokens: u.Reasoning, OutputTokens: u.Output,
		Currency: "USD", CreatedAt: naive(at), TotalTokens: u.Input + u.Output,
		ContextUsagePercent: percent(in.ContextUsed, in.ContextLimit),
	}
	if in.ContextUsed > 0 {
		out.ContextSize = &in.ContextUsed
	}
	if in.ContextLimit > 0 {
		out.ContextLimit = &in.ContextLimit
	}
	return out
}

func (c encoder) usageChanged(b event.UsageChanged) []any {
	var out []any
	if r := c.response(); r != nil && c.e.Step != "" {
		u := usage(b.Step, b, c.e.Time)
		u.ResponseID, u.ModelName, u.Provider = pointer(string(r.ID)), r.Model, some(r.Provider)
		out = append(out, UsageEvent{c.inResponse(), u})
	}
	if p := percent(b.ContextUsed, b.ContextLimit); p != nil {
		out = append(out, ContextUsageEvent{c.at, *p})
	}
	return out
}

// metadata is the cost of a run. A response is a turn there.
func (c encoder) metadata(b event.RunEnded, parts []transcript.Part) TaskMetadataItem {
	u := usage(b.Usage, c.s.Usage, c.e.Time)
	task := TaskMetadata{Usage: &u}
	provider, model := split(c.s.Settings.Model)
	for _, p := range parts {
		if len(p.Blocks)+len(p.Calls) > 0 || p.Stop != "" || p.Interrupted {
			task.TurnCount++
		}
		if p.Model != "" {
			provider, model = p.Provider, p.Model
		}
	}
	task.ModelName, task.Provider = model, some(provider)
	u.ModelName, u.Provider = model, some(provider)
	if b.DurationMS > 0 {
		task.TaskDurationS = pointer(Seconds(float64(b.DurationMS) / 1000))
		u.TaskDurationS = task.TaskDurationS
	}
	return TaskMetadataItem{MainAgent: task, SubAgentTaskMetadata: []TaskMetadata{}, CreatedAt: naive(c.e.Time)}
}
