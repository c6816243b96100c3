package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"parley/internal/llm"
)

// idLength is the longest tool_use id that goes out; the server takes letters, digits, _ and - alone.
const idLength = 64

// params is the request's body.
func params(r llm.Request, provider string) sdk.MessageNewParams {
	p := sdk.MessageNewParams{
		Model:     r.Model,
		MaxTokens: maxTokens(r),
		Tools:     tools(r.Tools),
		Messages:  messages(r, provider),
	}
	if strings.TrimSpace(r.System) != "" {
		p.System = []sdk.TextBlockParam{{Text: r.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	think(&p, r, provider)
	return p
}

func tools(specs []llm.ToolSpec) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for i, t := range specs {
		schema := t.Schema
		if !json.Valid(schema) {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		tool := &sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		if i == len(specs)-1 {
			tool.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
		out = append(out, sdk.ToolUnionParam{OfTool: tool})
	}
	return out
}

// messages are the turns: user and tool messages in a row are one, as the API wants results first and together.
func messages(r llm.Request, provider string) []sdk.MessageParam {
	var (
		out   []sdk.MessageParam
		turn  []sdk.ContentBlockParamUnion
		users []int
	)
	flush := func() {
		if len(turn) > 0 {
			users = append(users, len(out))
			out, turn = append(out, sdk.NewUserMessage(turn...)), nil
		}
	}
	for _, m := range r.Messages {
		if m.Role != llm.Assistant {
			turn = append(turn, said(m.Parts)...)
			continue
		}
		blocks, pictures := answered(llm.Arrange(m.Parts, provider, r.Model))
		if len(blocks) > 0 {
			flush()
			out = append(out, sdk.NewAssistantMessage(blocks...))
		}
		turn = append(turn, pictures...)
	}
	flush()
	for _, i := range users[max(0, len(users)-2):] {
		blocks := out[i].Content
		mark(&blocks[len(blocks)-1])
	}
	return out
}

// mark makes a block the end of a cached prefix.
func mark(b *sdk.ContentBlockParamUnion) {
	if at := b.GetCacheControl(); at != nil {
		*at = sdk.NewCacheControlEphemeralParam()
	}
}

// said is a user's or tool's message.
func said(parts []llm.Content) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			// The server refuses a text block without text.
			if strings.TrimSpace(c.Text) != "" {
				out = append(out, sdk.NewTextBlock(c.Text))
			}
		case llm.Image:
			out = append(out, picture(c))
		case llm.ToolResult:
			out = append(out, result(c))
		}
	}
	return out
}

func picture(i llm.Image) sdk.ContentBlockParamUnion {
	return sdk.NewImageBlockBase64(i.MediaType, base64.StdEncoding.EncodeToString(i.Data))
}

func result(r llm.ToolResult) sdk.ContentBlockParamUnion {
	b := &sdk.ToolResultBlockParam{ToolUseID: llm.WireID(r.CallID, idLength)}
	if r.Error {
		b.IsError = param.NewOpt(true)
	}
	if r.Text != "" {
		b.Content = append(b.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: r.Text}})
	}
	for _, i := range r.Images {
		b.Content = append(b.Content, sdk.ToolResultBlockParamContentUnion{OfImage: picture(i).OfImage})
	}
	return sdk.ContentBlockParamUnion{OfToolResult: b}
}

// answered is an answer given back as its blocks. Thinking goes only with its signature, as opaque data; pictures that
// the assistant made elsewhere are shown in the next user turn.
func answered(parts []llm.Content) (blocks, pictures []sdk.ContentBlockParamUnion) {
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			if strings.TrimSpace(c.Text) != "" {
				blocks = append(blocks, sdk.NewTextBlock(c.Text))
			}
		case llm.Opaque:
			blocks = append(blocks, param.Override[sdk.ContentBlockParamUnion](c.Block()))
		case llm.ToolCall:
			blocks = append(blocks, sdk.NewToolUseBlock(llm.WireID(c.ID, idLength), c.Arguments, c.Name))
		case llm.Image:
			pictures = append(pictures, picture(c))
		}
	}
	if pictures != nil {
		pictures = append([]sdk.ContentBlockParamUnion{sdk.NewTextBlock("You made:")}, pictures...)
	}
	return blocks, pictures
}
