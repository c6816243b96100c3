package agent

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/transcript"
)

// Request returns the model request that the transcript calls for. It is a pure
// function, except that setup.Load reads the content of attachments.
func Request(s *transcript.State, setup *Setup) (llm.Request, error) {
	r := llm.Request{Model: setup.ModelName, System: setup.System, MaxOutput: setup.MaxOutput, Window: setup.ContextLimit,
		Reasoning: llm.EffortOf(setup.Reasoning), Thinker: setup.Thinker, Images: setup.Images, Session: string(s.Session)}
	if s.Settings.Reasoning != "" {
		r.Reasoning = llm.EffortOf(s.Settings.Reasoning)
	}
	for _, spec := range setup.active(s).Specs() {
		r.Tools = append(r.Tools, llm.ToolSpec{Name: spec.Name, Description: spec.Description, Schema: spec.Schema})
	}
	m := &messages{setup: setup, elided: names(s.Elided), refused: s.Refused}
	path, hidden := kept(s)
	r.Answered = hidden
	if s.Summary != nil {
		m.user(recall(s))
	}
	for _, entry := range path {
		if err := m.entry(entry); err != nil {
			return r, err
		}
	}
	if s.Turn != nil {
		r.Answered += transcript.Answers(s.Turn.Parts[:s.Turn.Hidden])
		for _, part := range s.Turn.Parts[s.Turn.Hidden:] {
			m.part(part)
		}
	}
	r.Messages = m.out
	return r, nil
}

// kept is the part of the active branch that is still sent whole, and how many
// messages of the model are not sent any more.
func kept(s *transcript.State) (path []*transcript.Entry, hidden int) {
	path = s.Path(s.Leaf)
	from := 0
	if s.Summary != nil {
		for from < len(path) && path[from].ID != s.Summary.FirstKept && path[from].Content == nil {
			hidden += path[from].Answers
			from++
		}
	}
	path = path[from:]
	for _, e := range path {
		if e.Content != nil && e.Content.Hidden > 0 {
			hidden += transcript.Answers(e.Content.Parts[:e.Content.Hidden])
		}
	}
	return path, hidden
}

// recall is the text in place of the entries that a summary replaced. The plan is
// never summarised.
func recall(s *transcript.State) string {
	var out strings.Builder
	out.WriteString("The conversation so far, in short:\n\n" + s.Summary.Text)
	if len(s.Plan) > 0 {
		out.WriteString("\n\nThe plan:\n")
		for _, step := range s.Plan {
			fmt.Fprintf(&out, "- [%s] %s\n", step.Status, step.Text)
		}
	}
	return out.String()
}

// names is a list of calls as a set: there are as many of them as a long session
// has had.
func names(calls []event.CallID) map[event.CallID]bool {
	set := make(map[event.CallID]bool, len(calls))
	for _, id := range calls {
		set[id] = true
	}
	return set
}

type messages struct {
	setup  *Setup
	elided map[event.CallID]bool
	// refused are pictures that the server does not take.
	refused []string
	out     []llm.Message
}

func (m *messages) add(role llm.Role, parts ...llm.Content) {
	if len(parts) == 0 {
		return
	}
	if n := len(m.out); n > 0 && m.out[n-1].Role == role && role != llm.Assistant {
		m.out[n-1].Parts = append(m.out[n-1].Parts, parts...)
		return
	}
	m.out = append(m.out, llm.Message{Role: role, Parts: parts})
}

func (m *messages) user(text string) { m.add(llm.User, llm.Text{Text: text}) }

func (m *messages) entry(e *transcript.Entry) error {
	c := e.Content
	if c == nil {
		return fmt.Errorf("entry %s is not loaded", e.ID)
	}
	if e.Role != "assistant" {
		parts := []llm.Content{llm.Text{Text: c.Text}}
		for _, a := range c.Attachments {
			parts = append(parts, m.picture(a))
		}
		m.add(llm.User, parts...)
		return nil
	}
	for _, p := range c.Parts[min(c.Hidden, len(c.Parts)):] {
		m.part(p)
	}
	return nil
}

// part is one step of an answer: what the model said, then what its calls gave.
func (m *messages) part(p transcript.Part) {
	var said []llm.Content
	for _, b := range p.Blocks {
		switch {
		case b.Role == event.RoleThinking && b.Text != "":
			said = append(said, llm.Thinking{Text: b.Text})
		case b.Role == event.RoleText && b.Text != "":
			said = append(said, llm.Text{Text: b.Text})
		case b.Role == event.RoleImage && b.Path != "":
			// The last element of the path is the content's digest.
			said = append(said, m.picture(event.Attachment{MediaType: b.MediaType, Blob: filepath.Base(b.Path), Path: b.Path}))
		}
	}
	var results []llm.Content
	for _, c := range p.Calls {
		said = append(said, llm.ToolCall{ID: string(c.ID), Name: c.Name, Arguments: object(c.Arguments)})
		result := llm.ToolResult{CallID: string(c.ID), Name: c.Name}
		if c.Ended != nil {
			result.Text, result.Error = c.Ended.Result, c.Ended.Status != event.StatusSuccess
			images := c.Ended.Images
			if m.elided[c.ID] {
				result.Text, images = "(Old output, no longer here. Run the call again if it is needed.)", nil
			}
			for _, a := range images {
				switch p := m.picture(a).(type) {
				case llm.Image:
					result.Images = append(result.Images, p)
				case llm.Text:
					result.Text = strings.TrimPrefix(result.Text+"\n"+p.Text, "\n")
				}
			}
		}
		results = append(results, result)
	}
	if len(said) > 0 {
		for _, o := range p.Opaque {
			said = append(said, llm.Opaque{Provider: o.Provider, Model: o.Model, Data: o.Data})
		}
	}
	m.add(llm.Assistant, said...)
	m.add(llm.Tool, results...)
	for _, text := range p.Said {
		m.user(text)
	}
}

// picture is a picture that is kept beside the log, or a word in its place
// where it is gone or not taken: the conversation goes on without it.
func (m *messages) picture(a event.Attachment) llm.Content {
	if slices.Contains(m.refused, a.Blob) {
		return llm.Text{Text: strings.TrimSpace("[a picture is left out here, the server did not take it "+a.Name) + "]"}
	}
	if m.setup.Load != nil {
		if data, err := m.setup.Load(a); err == nil {
			return llm.Image{MediaType: a.MediaType, Data: data}
		}
	}
	return llm.Text{Text: strings.TrimSpace("[a picture that is no longer kept "+a.Name) + "]"}
}

func object(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage("{}")
	}
	return b
}
