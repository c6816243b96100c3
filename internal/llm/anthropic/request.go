package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"parley/internal/llm"
)

// idLength is the longest tool_use id that goes out; the server takes letters, digits, _ and - alone.
const idLength = 64

// request is the body without its messages (https://platform.claude.com/docs/en/api/messages).
type request struct {
	Model     string      `json:"model"`
	MaxTokens int         `json:"max_tokens"`
	Stream    bool        `json:"stream"`
	System    []textBlock `json:"system,omitempty"`
	Thinking  *thinking   `json:"thinking,omitempty"`
	Output    *output     `json:"output_config,omitempty"`
	Tools     []tool      `json:"tools,omitempty"`
}

type textBlock struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Cache *cache `json:"cache_control,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *cache          `json:"cache_control,omitempty"`
}

// cache makes what it stands in the end of a cached prefix.
type cache struct {
	Type string `json:"type"`
}

var ephemeral = &cache{"ephemeral"}

func encode(r llm.Request, to llm.Target) (post llm.Post, err error) {
	q := request{Model: r.Model, MaxTokens: maxTokens(r), Stream: true, Tools: tools(r.Tools)}
	if strings.TrimSpace(r.System) != "" {
		q.System = []textBlock{{"text", r.System, ephemeral}}
	}
	post.Path = "/messages"
	q.Thinking, q.Output, post.Header = think(r, q.MaxTokens, to.Provider)
	post.Body, err = llm.Join(q, "messages", messages(r, to.Provider))
	return post, err
}

func tools(specs []llm.ToolSpec) []tool {
	var out []tool
	for _, t := range specs {
		out = append(out, tool{Name: t.Name, Description: t.Description, Schema: t.Object()})
	}
	if len(out) > 0 {
		out[len(out)-1].Cache = ephemeral
	}
	return out
}

// turn is a message: user and tool messages in a row are one, as the API wants results first and together.
type turn struct {
	role   from
	blocks llm.Elements
}

type from struct {
	Role string `json:"role"`
}

var (
	user      = from{"user"}
	assistant = from{"assistant"}
)

// messages joins what each message of the conversation becomes.
func messages(r llm.Request, provider string) llm.Elements {
	var turns []turn
	add := func(role from, blocks llm.Elements) {
		if blocks.Len() == 0 {
			return
		}
		if n := len(turns); n == 0 || role != user || turns[n-1].role != user {
			turns = append(turns, turn{role: role})
		}
		turns[len(turns)-1].blocks.Append(blocks)
	}
	for _, m := range r.Messages {
		if m.Role != llm.Assistant {
			add(user, said(m.Parts))
			continue
		}
		blocks, pictures := answered(llm.Arrange(m.Parts, provider, r.Model))
		add(assistant, blocks)
		add(user, pictures)
	}
	mark(turns)
	var out llm.Elements
	for _, t := range turns {
		out.AddJoined(t.role, "content", t.blocks)
	}
	return out
}

// mark makes the last block of each of the last two user turns the end of a cached prefix.
func mark(turns []turn) {
	marks := 2
	for i := len(turns) - 1; i >= 0 && marks > 0; i-- {
		if turns[i].role != user {
			continue
		}
		marks--
		block := turns[i].blocks.Last()
		marked := append([]byte(nil), (*block)[:len(*block)-1]...)
		*block = append(marked, `,"cache_control":{"type":"ephemeral"}}`...)
	}
}

// said is what a user's or tool's message becomes.
func said(parts []llm.Content) (out llm.Elements) {
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			// The server refuses a text block without text.
			if strings.TrimSpace(c.Text) != "" {
				out.Add(text(c.Text))
			}
		case llm.Image:
			out.Add(picture(c))
		case llm.ToolResult:
			out.Add(result(c))
		}
	}
	return out
}

func text(s string) textBlock { return textBlock{Type: "text", Text: s} }

type imageBlock struct {
	Type   string `json:"type"`
	Source source `json:"source"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

func picture(i llm.Image) imageBlock {
	return imageBlock{"image", source{"base64", i.MediaType, base64.StdEncoding.EncodeToString(i.Data)}}
}

type resultBlock struct {
	Type    string `json:"type"`
	CallID  string `json:"tool_use_id"`
	Error   bool   `json:"is_error,omitempty"`
	Content []any  `json:"content,omitempty"`
}

func result(r llm.ToolResult) resultBlock {
	b := resultBlock{Type: "tool_result", CallID: llm.WireID(r.CallID, idLength), Error: r.Error}
	if r.Text != "" {
		b.Content = append(b.Content, text(r.Text))
	}
	for _, i := range r.Images {
		b.Content = append(b.Content, picture(i))
	}
	return b
}

type callBlock struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// answered encodes an answer that is sent back. Thinking is sent only with its signature, as opaque data; pictures that
// the assistant made elsewhere are sent in the next user turn.
func answered(parts []llm.Content) (blocks, pictures llm.Elements) {
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			if strings.TrimSpace(c.Text) != "" {
				blocks.Add(text(c.Text))
			}
		case llm.Opaque:
			blocks.Add(c.Block())
		case llm.ToolCall:
			blocks.Add(callBlock{"tool_use", llm.WireID(c.ID, idLength), c.Name, c.Arguments})
		case llm.Image:
			if pictures.Len() == 0 {
				pictures.Add(text("You made:"))
			}
			pictures.Add(picture(c))
		}
	}
	return blocks, pictures
}
