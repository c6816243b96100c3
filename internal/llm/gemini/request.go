package gemini

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
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
	Include bool       `json:"includeThoughts"`
	Budget  int        `json:"thinkingBudget,omitempty"`
	Level   llm.Effort `json:"thinkingLevel,omitempty"`
}

func encode(r llm.Request, to llm.Target) (string, []byte, error) {
	path, fault := resource(r.Model)
	if fault != nil {
		return "", nil, fault
	}
	w := writer{provider: to.Provider, model: r.Model, generation: generation(r.Model), ids: make(map[string]string)}
	q := request{Tools: functions(r.Tools)}
	if r.System != "" {
		q.System = &content{Parts: []part{text(r.System)}}
	}
	config := generated{MaxOutput: r.MaxOutput, Thinking: thinking(r.Reasoning, w.generation)}
	if config != (generated{}) {
		q.Config = &config
	}
	body, err := llm.Join(q, "contents", w.contents(r.Messages))
	return "/" + path + ":streamGenerateContent?alt=sse", body, err
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

var version = regexp.MustCompile(`gemini-(\d+)(?:\.(\d))?`)

// generation is the model's version times ten, 0 for models that are not Gemini.
func generation(model string) int {
	m := version.FindStringSubmatch(model)
	if m == nil {
		return 0
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major*10 + minor
}

// third is the generation from which a level is asked for instead of a budget, signatures are insisted on, and a
// response may hold pictures.
const third = 30

// budgets are the tokens an effort is worth; the most that every 2.5 model takes is 24,576
// (https://ai.google.dev/gemini-api/docs/thinking#set-budget).
var budgets = map[llm.Effort]int{llm.Low: 2_048, llm.Medium: 8_192, llm.High: 24_576}

func thinking(effort llm.Effort, generation int) *think {
	budget, ok := budgets[effort]
	switch {
	case !ok || generation > 0 && generation < 25:
		return nil
	case generation >= third:
		return &think{Include: true, Level: effort}
	}
	return &think{Include: true, Budget: budget}
}
