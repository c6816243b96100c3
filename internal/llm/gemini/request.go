package gemini

import (
	"encoding/json"
	"net/url"
	"strings"

	"parley/internal/llm"
)

// request is the body without its contents (https://ai.google.dev/api/generate-content#request-body).
type request struct {
	System *content   `json:"systemInstruction,omitempty"`
	Tools  []tools    `json:"tools,omitempty"`
	Config *generated `json:"generationConfig,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

// part holds one of text, a call, a response and data.
type part struct {
	Text      *string `json:"text,omitempty"`
	Thought   bool    `json:"thought,omitempty"`
	Signature string  `json:"thoughtSignature,omitempty"`
	Call      *call   `json:"functionCall,omitempty"`
	Result    *result `json:"functionResponse,omitempty"`
	Data      *blob   `json:"inlineData,omitempty"`
}

func (p *part) text() string {
	if p.Text == nil {
		return ""
	}
	return *p.Text
}

type call struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type result struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
	Parts    []part            `json:"parts,omitempty"`
}

type blob struct {
	MediaType string `json:"mimeType"`
	Data      []byte `json:"data"`
}

type tools struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type generated struct {
	MaxOutput int    `json:"maxOutputTokens,omitempty"`
	Thinking  *think `json:"thinkingConfig,omitempty"`
}

type think struct {
	Include bool   `json:"includeThoughts"`
	Budget  *int   `json:"thinkingBudget,omitempty"`
	Level   string `json:"thinkingLevel,omitempty"`
}

func encode(r llm.Request, to llm.Target) (post llm.Post, err error) {
	path, fault := resource(r.Model)
	if fault != nil {
		return post, fault
	}
	w := writer{provider: to.Provider, model: r.Model, older: older(r.Thinker), ids: make(map[string]string)}
	q := request{Tools: functions(r.Tools)}
	if r.System != "" {
		q.System = &content{Parts: []part{text(r.System)}}
	}
	config := generated{MaxOutput: r.MaxOutput, Thinking: thinking(r)}
	if config != (generated{}) {
		q.Config = &config
	}
	post.Path = "/" + path + ":streamGenerateContent?alt=sse"
	post.Body, err = llm.Join(q, "contents", w.contents(r.Messages))
	return post, err
}

func functions(specs []llm.ToolSpec) []tools {
	if len(specs) == 0 {
		return nil
	}
	list := make([]function, len(specs))
	for i, t := range specs {
		list[i] = function{Name: t.Name, Description: t.Description}
		if json.Valid(t.Schema) {
			list[i].Schema = t.Schema
		}
	}
	return []tools{{list}}
}

// resource is the model's name in the path: models/NAME, or the name itself where it has a kind, as in tunedModels/NAME.
func resource(name string) (string, *llm.Fault) {
	if !strings.Contains(name, "/") {
		name = "models/" + name
	}
	segments := strings.Split(name, "/")
	for i, s := range segments {
		if s == "" || s == "." || s == ".." {
			return "", &llm.Fault{Code: llm.CodeInvalid, Message: "not a model's name: " + llm.Line(name)}
		}
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/"), nil
}

// older tells the models before the third generation from those since: they take a budget instead of a level, do without
// signatures, and take no pictures in a response.
func older(t llm.Thinker) bool { return t.Way == llm.Budget || t.Way == llm.Never }

// most is the largest budget that every model takes which takes one
// (https://ai.google.dev/gemini-api/docs/thinking#set-budget).
const most = 24_576

// today is how a model is asked that nobody knows (https://ai.google.dev/gemini-api/docs/thinking#thinking-levels).
var today = llm.Thinker{Way: llm.Words, Levels: llm.Same(llm.Low, llm.Medium, llm.High)}

func thinking(r llm.Request) *think {
	thinker := r.Thinker.Or(today)
	level, ok := thinker.Asks(r.Reasoning)
	switch {
	case !ok:
		return nil
	case thinker.Way == llm.Budget:
		budget := min(level.Effort.Budget(), most)
		return &think{Include: budget > 0, Budget: &budget}
	case level.Word == "":
		return nil
	}
	return &think{Include: true, Level: level.Word}
}
