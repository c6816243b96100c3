package openaichat

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"parley/internal/llm"
)

// idLength is the longest tool_call_id that OpenAI takes.
const idLength = 40

// params is the request's body.
func params(r llm.Request, provider, base string) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:           r.Model,
		Messages:        messages(r, provider),
		ReasoningEffort: shared.ReasoningEffort(r.Reasoning),
		StreamOptions:   openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	for _, t := range r.Tools {
		f := shared.FunctionDefinitionParam{Name: t.Name, Parameters: schema(t.Schema)}
		if t.Description != "" {
			f.Description = param.NewOpt(t.Description)
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	// Only OpenAI itself has these: others know max_tokens alone, and some refuse members they do not know.
	own := isOpenAI(base)
	if own && r.Session != "" {
		p.PromptCacheKey = param.NewOpt(r.Session)
	}
	switch {
	case r.MaxOutput > 0 && own:
		p.MaxCompletionTokens = param.NewOpt(int64(r.MaxOutput))
	case r.MaxOutput > 0:
		p.MaxTokens = param.NewOpt(int64(r.MaxOutput))
	}
	return p
}

func isOpenAI(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

// schema is a tool's schema as the SDK takes it. One that is not an object is left out: the tool then has no
// arguments.
func schema(raw json.RawMessage) shared.FunctionParameters {
	var s shared.FunctionParameters
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return shared.FunctionParameters{"type": "object", "properties": map[string]any{}}
	}
	return s
}

func messages(r llm.Request, provider string) []openai.ChatCompletionMessageParamUnion {
	out := make([]openai.ChatCompletionMessageParamUnion, 0, len(r.Messages)+1)
	if r.System != "" {
		out = append(out, openai.SystemMessage(r.System))
	}
	// Thinking before the last user message is of no use to a server; some refuse it.
	current := 0
	for i, m := range r.Messages {
		if m.Role == llm.User {
			current = i
		}
	}
	// Pictures of results follow the last result: the wire takes only text in a tool message, and only tool messages
	// directly after calls. What the model drew itself is shown to it there too: an assistant's message is text.
	var pictures []openai.ChatCompletionContentPartUnionParam
	for i, m := range r.Messages {
		if m.Role != llm.Tool && pictures != nil {
			out, pictures = append(out, openai.UserMessage(pictures)), nil
		}
		switch m.Role {
		case llm.Assistant:
			out = append(out, assistant(llm.Arrange(m.Parts, provider, r.Model), i > current)...)
			for _, c := range m.Parts {
				if image, ok := c.(llm.Image); ok {
					pictures = append(pictures, openai.TextContentPart("You made:"), picture(image))
				}
			}
		case llm.Tool:
			for _, c := range m.Parts {
				result, ok := c.(llm.ToolResult)
				if !ok {
					continue
				}
				out = append(out, openai.ToolMessage(result.Text, llm.WireID(result.CallID, idLength)))
				for _, image := range result.Images {
					pictures = append(pictures, openai.TextContentPart("Image from "+result.Name+":"), picture(image))
				}
			}
		default:
			out = append(out, user(m.Parts)...)
		}
	}
	if pictures != nil {
		out = append(out, openai.UserMessage(pictures))
	}
	return out
}

func user(parts []llm.Content) []openai.ChatCompletionMessageParamUnion {
	var list []openai.ChatCompletionContentPartUnionParam
	plain := true
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			list = append(list, openai.TextContentPart(c.Text))
		case llm.Image:
			list, plain = append(list, picture(c)), false
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case plain && len(list) == 1:
		return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(list[0].OfText.Text)}
	}
	return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(list)}
}

func picture(i llm.Image) openai.ChatCompletionContentPartUnionParam {
	return openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
		URL: "data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Data),
	})
}

// assistant is an answer given back; none where nothing of it can be said on this wire.
func assistant(parts []llm.Content, current bool) []openai.ChatCompletionMessageParamUnion {
	var (
		m              openai.ChatCompletionAssistantMessageParam
		text, thinking strings.Builder
		trails         []block
	)
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			text.WriteString(c.Text)
		case llm.Thinking:
			thinking.WriteString(c.Text)
		case llm.Opaque:
			var b block
			if json.Unmarshal(c.Block(), &b) == nil {
				trails = append(trails, b)
			}
		case llm.ToolCall:
			m.ToolCalls = append(m.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
					ID: llm.WireID(c.ID, idLength),
					Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
						Name: c.Name, Arguments: string(c.Arguments),
					},
				},
			})
		}
	}
	if text.Len() == 0 && m.ToolCalls == nil {
		return nil
	}
	if text.Len() > 0 {
		m.Content.OfString = param.NewOpt(text.String())
	}
	extra := make(map[string]any)
	for _, b := range trails {
		switch {
		case b.Details != nil:
			extra["reasoning_details"] = b.Details
		case b.Field != "" && current && thinking.Len() > 0:
			extra[b.Field] = thinking.String()
		}
	}
	if len(extra) > 0 {
		m.SetExtraFields(extra)
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &m}}
}
