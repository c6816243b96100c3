package gemini

import (
	"encoding/json"
	"regexp"
	"strconv"

	"parley/internal/llm"
)

// request is the body (https://ai.google.dev/api/generate-content#request-body).
type request struct {
	System   *content   `json:"systemInstruction,omitempty"`
	Contents []content  `json:"contents"`
	Tools    []tools    `json:"tools,omitempty"`
	Config   *generated `json:"generationConfig,omitempty"`
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
	Budget  int    `json:"thinkingBudget,omitempty"`
	Level   string `json:"thinkingLevel,omitempty"`
}

func newRequest(r llm.Request, provider string) request {
	w := writer{provider: provider, model: r.Model, generation: generation(r.Model), ids: make(map[string]string)}
	q := request{Contents: w.contents(r.Messages)}
	if r.System != "" {
		q.System = &content{Parts: []part{{Text: &r.System}}}
	}
	if len(r.Tools) > 0 {
		list := make([]function, len(r.Tools))
		for i, t := range r.Tools {
			list[i] = function{Name: t.Name, Description: t.Description}
			if json.Valid(t.Schema) {
				list[i].Schema = t.Schema
			}
		}
		q.Tools = []tools{{list}}
	}
	config := generated{MaxOutput: r.MaxOutput, Thinking: thinking(r.Reasoning, w.generation)}
	if config != (generated{}) {
		q.Config = &config
	}
	return q
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
var budgets = map[string]int{"low": 2_048, "medium": 8_192, "high": 24_576}

func thinking(effort string, generation int) *think {
	budget, ok := budgets[effort]
	switch {
	case !ok || generation > 0 && generation < 25:
		return nil
	case generation >= third:
		return &think{Include: true, Level: effort}
	}
	return &think{Include: true, Budget: budget}
}
