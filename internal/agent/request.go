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
	groups, hidden, err := groupsOf(s)
	if err != nil {
		return r, err
	}
	r.Answered = hidden
	m := newMessages(s, setup)
	if s.Summary != nil {
		m.user(recall(s.Summary))
	}
	for _, g := range groups {
		m.group(g)
	}
	r.Messages = m.out
	return r, nil
}

// A group is a piece of the conversation that goes as a whole or not at all: what a
// person said, or a step of an answer.
type group struct {
	entry *transcript.Entry // nil: of the open turn
	step  int               // of the entry's answer, or of the turn
	part  *transcript.Part  // nil: what a person said
}

// groupsOf is the conversation that is still sent, the oldest first, and how many
// messages of the model are not sent any more.
func groupsOf(s *transcript.State) (out []group, hidden int, err error) {
	path, hidden := kept(s)
	for _, e := range path {
		switch {
		case e.Content == nil:
			return nil, 0, fmt.Errorf("entry %s is not loaded", e.ID)
		case e.Role != "assistant":
			out = append(out, group{entry: e})
			continue
		}
		for i := min(e.Content.Hidden, len(e.Content.Parts)); i < len(e.Content.Parts); i++ {
			out = append(out, group{entry: e, step: i, part: &e.Content.Parts[i]})
		}
	}
	if t := s.Turn; t != nil {
		hidden += transcript.Answers(t.Parts[:t.Hidden])
		for i := t.Hidden; i < len(t.Parts); i++ {
			out = append(out, group{step: i, part: &t.Parts[i]})
		}
	}
	return out, hidden, nil
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
// never summarised: it follows as it was then.
func recall(s *transcript.Summary) string {
	out := "The conversation so far, in short:\n\n" + s.Text
	if s.File != "" {
		out += "\n\nWord for word it is in " + s.File + ", and what had been replaced before that in the conversation-*.txt files beside it: grep or read them where a detail is missing."
	}
	return out + planned(s.Plan)
}

// planned is the plan as it follows a summary.
func planned(steps []event.PlanStep) string {
	if len(steps) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("\n\nThe plan:\n")
	for _, step := range steps {
		fmt.Fprintf(&out, "- [%s] %s\n", step.Status, step.Text)
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
	files  map[event.CallID]string // of results that are elided
	// refused are pictures that the server does not take.
	refused []string
	out     []llm.Message
}

func newMessages(s *transcript.State, setup *Setup) *messages {
	m := &messages{setup: setup, elided: names(s.Elided), files: make(map[event.CallID]string, len(s.Files)), refused: s.Refused}
	for _, f := range s.Files {
		m.files[f.Call] = f.File
	}
	return m
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

func (m *messages) group(g group) {
	if g.part != nil {
		m.part(*g.part)
		return
	}
	parts := []llm.Content{llm.Text{Text: g.entry.Content.Text}}
	for _, a := range g.entry.Content.Attachments {
		parts = append(parts, m.picture(a))
	}
	m.add(llm.User, parts...)
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
	shares := m.setup.shares(p.Calls)
	for i, c := range p.Calls {
		said = append(said, llm.ToolCall{ID: string(c.ID), Name: c.Name, Arguments: object(c.Arguments)})
		result := llm.ToolResult{CallID: string(c.ID), Name: c.Name}
		if c.Ended != nil {
			result.Error = c.Ended.Status != event.StatusSuccess
			images := c.Ended.Images
			if m.elided[c.ID] {
				result.Text, images = m.gone(c), nil
			} else {
				result.Text = excerpt(c.Ended.Result, shares[i], c.Ended.File)
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
