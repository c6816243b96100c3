package openairesponses

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"parley/internal/llm"
)

// idLength is the longest call_id that the server takes.
const idLength = 64

// request is the body without its input (https://platform.openai.com/docs/api-reference/responses/create).
type request struct {
	Model        string   `json:"model"`
	Stream       bool     `json:"stream"`
	Store        bool     `json:"store"`
	Instructions string   `json:"instructions,omitempty"`
	Include      []string `json:"include,omitempty"`
	Reasoning    *effort  `json:"reasoning,omitempty"`
	MaxOutput    int      `json:"max_output_tokens,omitempty"`
	CacheKey     string   `json:"prompt_cache_key,omitempty"`
	Tools        []any    `json:"tools,omitempty"`
}

type effort struct {
	Effort  string `json:"effort"`
	Summary string `json:"summary,omitempty"`
}

// function is a tool; strict is the server's standard and demands schemas of a form that few tools have.
type function struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Strict      bool            `json:"strict"`
	Parameters  json.RawMessage `json:"parameters"`
}

type imageTool struct {
	Type string `json:"type"`
}

// today is how a model is asked that nobody knows (https://platform.openai.com/docs/guides/reasoning).
var today = llm.Thinker{Way: llm.Words, Levels: llm.Same(llm.None, llm.Low, llm.Medium, llm.High, llm.XHigh, llm.Max)}

func encode(r llm.Request, to llm.Target) (post llm.Post, err error) {
	q := request{
		Model: r.Model, Stream: true, Instructions: r.System, MaxOutput: r.MaxOutput, CacheKey: r.Session, Tools: tools(r.Tools),
	}
	if level, ok := r.Thinker.Or(today).Asks(r.Reasoning); ok && level.Word != "" {
		q.Reasoning = &effort{level.Word, "auto"}
		if level.Effort == llm.None {
			q.Reasoning.Summary = ""
		}
	}
	// A model that never reasons refuses to be asked for its reasoning.
	if r.Thinker.Way != llm.Never {
		q.Include = []string{"reasoning.encrypted_content"}
	}
	var input llm.Elements
	for _, m := range r.Messages {
		input.Append(items(m, to.Provider, r.Model))
	}
	post.Path = "/responses"
	post.Body, err = llm.Join(q, "input", input)
	return post, err
}

func tools(specs []llm.ToolSpec) []any {
	var out []any
	for _, t := range specs {
		if t.Name == ImageTool && len(t.Schema) == 0 {
			out = append(out, imageTool{"image_generation"})
			continue
		}
		out = append(out, function{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Object()})
	}
	return out
}

// items are what a message becomes.
func items(m llm.Message, provider, model string) (out llm.Elements) {
	switch m.Role {
	case llm.Assistant:
		return assistant(llm.Arrange(m.Parts, provider, model))
	case llm.Tool:
		for _, c := range m.Parts {
			if r, ok := c.(llm.ToolResult); ok {
				out.Add(result(r))
			}
		}
		return out
	}
	return user(m.Parts)
}

// said is a message whose content is a text; the phase is an assistant's.
type said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Phase   string `json:"phase,omitempty"`
}

// from is the role of a message whose content is a list.
type from struct {
	Role string `json:"role"`
}

type inputText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type inputImage struct {
	Type   string `json:"type"`
	Detail string `json:"detail,omitempty"`
	URL    string `json:"image_url"`
}

func text(s string) inputText { return inputText{"input_text", s} }

func picture(i llm.Image, detail string) inputImage {
	return inputImage{"input_image", detail, "data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Data)}
}

// user is a user's message, none where it says nothing.
func user(parts []llm.Content) (out llm.Elements) {
	if len(parts) == 1 {
		if only, ok := parts[0].(llm.Text); ok {
			out.Add(said{Role: "user", Content: only.Text})
			return out
		}
	}
	var list llm.Elements
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			list.Add(text(c.Text))
		case llm.Image:
			list.Add(picture(c, "auto"))
		}
	}
	if list.Len() > 0 {
		out.AddJoined(from{"user"}, "content", list)
	}
	return out
}

// functionCall is a call given back.
type functionCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// assistant is an answer given back as the items it came in.
func assistant(parts []llm.Content) (out llm.Elements) {
	phase := ""
	var pictures []llm.Content
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			if strings.TrimSpace(c.Text) != "" {
				out.Add(said{"assistant", c.Text, phase})
			}
		case llm.Opaque:
			var m mark
			block := c.Block()
			if json.Unmarshal(block, &m) != nil {
				continue
			}
			if m.Type == "message" {
				phase = m.Phase
				continue
			}
			out.Add(block)
		case llm.ToolCall:
			out.Add(functionCall{"function_call", llm.WireID(c.ID, idLength), c.Name, string(c.Arguments)})
		case llm.Image:
			pictures = append(pictures, c)
		}
	}
	if pictures != nil {
		out.Append(user(append([]llm.Content{llm.Text{Text: "You made:"}}, pictures...)))
	}
	return out
}

// output is the answer to a call: a text, or a list of texts and pictures.
type output struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"`
}

func result(r llm.ToolResult) output {
	out := output{Type: "function_call_output", CallID: llm.WireID(r.CallID, idLength)}
	if len(r.Images) == 0 {
		out.Output = r.Text
		return out
	}
	var list []any
	if r.Text != "" {
		list = append(list, text(r.Text))
	}
	for _, i := range r.Images {
		list = append(list, picture(i, ""))
	}
	out.Output = list
	return out
}
