package openairesponses

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"parley/internal/llm"
)

// idLength is the longest call_id that the server takes.
const idLength = 64

// params is the request's body.
func params(r llm.Request, provider string) responses.ResponseNewParams {
	p := responses.ResponseNewParams{
		Model: r.Model,
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: input(r, provider)},
		Store: param.NewOpt(false),
		Tools: tools(r.Tools),
	}
	if r.System != "" {
		p.Instructions = param.NewOpt(r.System)
	}
	if r.Session != "" {
		p.PromptCacheKey = param.NewOpt(r.Session)
	}
	if r.MaxOutput > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(r.MaxOutput))
	}
	if r.Reasoning != "" {
		p.Reasoning = shared.ReasoningParam{
			Effort: shared.ReasoningEffort(r.Reasoning), Summary: shared.ReasoningSummaryAuto,
		}
	}
	if r.Reasoning != "" || thinks(r.Model) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	return p
}

// thinks tells whether a model may reason without being asked to. Those that never do refuse to be asked for encrypted
// reasoning.
func thinks(model string) bool {
	for _, older := range []string{"gpt-3", "gpt-4", "chatgpt-4"} {
		if strings.HasPrefix(model, older) {
			return false
		}
	}
	return true
}

func tools(specs []llm.ToolSpec) []responses.ToolUnionParam {
	var out []responses.ToolUnionParam
	for _, t := range specs {
		if t.Name == ImageTool && len(t.Schema) == 0 {
			out = append(out, responses.ToolUnionParam{OfImageGeneration: &responses.ToolImageGenerationParam{}})
			continue
		}
		// Strict is the server's standard and demands schemas of a form that few tools have.
		f := responses.FunctionToolParam{Name: t.Name, Strict: param.NewOpt(false)}
		if json.Unmarshal(t.Schema, &f.Parameters) != nil || f.Parameters == nil {
			f.Parameters = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		if t.Description != "" {
			f.Description = param.NewOpt(t.Description)
		}
		out = append(out, responses.ToolUnionParam{OfFunction: &f})
	}
	return out
}

type items = responses.ResponseInputParam

func input(r llm.Request, provider string) items {
	out := make(items, 0, len(r.Messages)+1)
	for _, m := range r.Messages {
		switch m.Role {
		case llm.Assistant:
			out = assistant(out, llm.Arrange(m.Parts, provider, r.Model))
		case llm.Tool:
			for _, c := range m.Parts {
				if result, ok := c.(llm.ToolResult); ok {
					out = append(out, output(result))
				}
			}
		default:
			out = user(out, m.Parts)
		}
	}
	return out
}

func user(out items, parts []llm.Content) items {
	var list responses.ResponseInputMessageContentListParam
	plain := true
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			list = append(list, responses.ResponseInputContentUnionParam{OfInputText: &responses.ResponseInputTextParam{Text: c.Text}})
		case llm.Image:
			plain = false
			list = append(list, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
				Detail: responses.ResponseInputImageDetailAuto, ImageURL: param.NewOpt(dataURL(c)),
			}})
		}
	}
	switch {
	case len(list) == 0:
		return out
	case plain && len(list) == 1:
		return append(out, responses.ResponseInputItemParamOfMessage(list[0].OfInputText.Text, responses.EasyInputMessageRoleUser))
	}
	return append(out, responses.ResponseInputItemParamOfMessage(list, responses.EasyInputMessageRoleUser))
}

func dataURL(i llm.Image) string {
	return "data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}

// assistant is an answer given back as the items it came in.
func assistant(out items, parts []llm.Content) items {
	phase := ""
	var pictures []llm.Content
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			if strings.TrimSpace(c.Text) == "" {
				continue
			}
			message := responses.ResponseInputItemParamOfMessage(c.Text, responses.EasyInputMessageRoleAssistant)
			message.OfMessage.Phase = responses.EasyInputMessagePhase(phase)
			out = append(out, message)
		case llm.Opaque:
			var m mark
			if json.Unmarshal(c.Block(), &m) != nil {
				continue
			}
			if m.Type == "message" {
				phase = m.Phase
				continue
			}
			out = append(out, param.Override[responses.ResponseInputItemUnionParam](c.Block()))
		case llm.ToolCall:
			out = append(out, responses.ResponseInputItemParamOfFunctionCall(string(c.Arguments), llm.WireID(c.ID, idLength), c.Name))
		case llm.Image:
			pictures = append(pictures, c)
		}
	}
	if pictures != nil {
		out = user(out, append([]llm.Content{llm.Text{Text: "You made:"}}, pictures...))
	}
	return out
}

func output(r llm.ToolResult) responses.ResponseInputItemUnionParam {
	o := responses.ResponseInputItemFunctionCallOutputParam{CallID: param.NewOpt(llm.WireID(r.CallID, idLength))}
	if len(r.Images) == 0 {
		o.Output.OfString = param.NewOpt(r.Text)
		return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &o}
	}
	list := &o.Output.OfResponseFunctionCallOutputItemArray
	if r.Text != "" {
		*list = append(*list, responses.ResponseFunctionCallOutputItemUnionParam{
			OfInputText: &responses.ResponseInputTextContentParam{Text: r.Text},
		})
	}
	for _, i := range r.Images {
		*list = append(*list, responses.ResponseFunctionCallOutputItemUnionParam{
			OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: param.NewOpt(dataURL(i))},
		})
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &o}
}
