package openaichat

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"parley/internal/llm"
)

// idLength is the longest tool_call_id that OpenAI takes.
const idLength = 40

// request is the body without its messages (https://platform.openai.com/docs/api-reference/chat/create).
type request struct {
	Model               string  `json:"model"`
	Stream              bool    `json:"stream"`
	Options             options `json:"stream_options"`
	Effort              string  `json:"reasoning_effort,omitempty"`
	MaxTokens           int     `json:"max_tokens,omitempty"`
	MaxCompletionTokens int     `json:"max_completion_tokens,omitempty"`
	CacheKey            string  `json:"prompt_cache_key,omitempty"`
	Tools               []tool  `json:"tools,omitempty"`
}

type options struct {
	Usage bool `json:"include_usage"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func encode(r llm.Request, to llm.Target) (post llm.Post, err error) {
	q := request{Model: r.Model, Stream: true, Options: options{Usage: true}}
	if level, ok := r.Thinker.Asks(r.Reasoning); ok {
		q.Effort = level.Word
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, tool{"function", function{t.Name, t.Description, t.Object()}})
	}
	// Only OpenAI itself has these: others know max_tokens alone, and some refuse members they do not know.
	if isOpenAI(to.Base) {
		q.CacheKey, q.MaxCompletionTokens = r.Session, r.MaxOutput
	} else {
		q.MaxTokens = r.MaxOutput
	}
	post.Path = "/chat/completions"
	post.Body, err = llm.Join(q, "messages", messages(r, to.Provider))
	return post, err
}

func isOpenAI(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

// from is the role of a message whose content is a list.
type from struct {
	Role string `json:"role"`
}

// said is a message whose content is a text.
type said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// messages joins what each message of the conversation becomes.
func messages(r llm.Request, provider string) llm.Elements {
	var out llm.Elements
	if r.System != "" {
		out.Add(said{"system", r.System})
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
	var pictures llm.Elements
	flush := func() {
		if pictures.Len() > 0 {
			out.AddJoined(from{"user"}, "content", pictures)
			pictures = llm.Elements{}
		}
	}
	for i, m := range r.Messages {
		if m.Role != llm.Tool {
			flush()
		}
		var shown llm.Elements
		switch m.Role {
		case llm.Assistant:
			out.Append(assistant(llm.Arrange(m.Parts, provider, r.Model), i > current, r.Thinker.Between))
			shown = drawn(m.Parts)
		case llm.Tool:
			var results llm.Elements
			results, shown = answers(m.Parts)
			out.Append(results)
		default:
			out.Append(user(m.Parts))
		}
		pictures.Append(shown)
	}
	flush()
	return out
}

// textPart and imagePart are pieces of a content that is a list.
type textPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type imagePart struct {
	Type  string   `json:"type"`
	Image imageURL `json:"image_url"`
}

type imageURL struct {
	URL string `json:"url"`
}

func text(s string) textPart { return textPart{"text", s} }

func picture(i llm.Image) imagePart {
	return imagePart{"image_url", imageURL{"data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Data)}}
}

// user is a user's message, none where it says nothing.
func user(parts []llm.Content) llm.Elements {
	var out, list llm.Elements
	if len(parts) == 1 {
		if only, ok := parts[0].(llm.Text); ok {
			out.Add(said{"user", only.Text})
			return out
		}
	}
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			list.Add(text(c.Text))
		case llm.Image:
			list.Add(picture(c))
		}
	}
	if list.Len() > 0 {
		out.AddJoined(from{"user"}, "content", list)
	}
	return out
}

// result is the answer to a call.
type result struct {
	Role    string `json:"role"`
	CallID  string `json:"tool_call_id"`
	Content string `json:"content"`
}

// answers are a tool's message, and the pictures in it.
func answers(parts []llm.Content) (out, pictures llm.Elements) {
	for _, c := range parts {
		r, ok := c.(llm.ToolResult)
		if !ok {
			continue
		}
		out.Add(result{"tool", llm.WireID(r.CallID, idLength), r.Text})
		for _, i := range r.Images {
			pictures.Add(text("Image from "+r.Name+":"), picture(i))
		}
	}
	return out, pictures
}

// drawn are the pictures of an answer.
func drawn(parts []llm.Content) (pictures llm.Elements) {
	for _, c := range parts {
		if i, ok := c.(llm.Image); ok {
			pictures.Add(text("You made:"), picture(i))
		}
	}
	return pictures
}

// answer is an assistant's message. Its thinking has a name of each server's own.
type answer struct {
	Role             string          `json:"role"`
	Content          string          `json:"content,omitempty"`
	ReasoningContent *string         `json:"reasoning_content,omitempty"`
	Reasoning        string          `json:"reasoning,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
	Calls            []toolCall      `json:"tool_calls,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function called `json:"function"`
}

type called struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// assistant is an answer given back; none where nothing of it can be said on this wire. Its thinking goes back while
// the run of calls that it belongs to is the current one, or always where the server insists on that: an answer of
// another model is given back with an empty one then (https://api-docs.deepseek.com/guides/thinking_mode#tool-calls).
func assistant(parts []llm.Content, current bool, between llm.Between) (out llm.Elements) {
	var text, thinking strings.Builder
	m := answer{Role: "assistant"}
	field := ""
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			text.WriteString(c.Text)
		case llm.Thinking:
			thinking.WriteString(c.Text)
		case llm.Opaque:
			var t block
			switch err := json.Unmarshal(c.Block(), &t); {
			case err != nil:
			case t.Details != nil:
				m.ReasoningDetails = t.Details
			case t.Field != "":
				field = t.Field
			}
		case llm.ToolCall:
			m.Calls = append(m.Calls, toolCall{llm.WireID(c.ID, idLength), "function", called{c.Name, string(c.Arguments)}})
		}
	}
	if text.Len() == 0 && m.Calls == nil {
		return out
	}
	m.Content = text.String()
	thought := thinking.String()
	switch {
	case between == llm.Echo:
		if field == "" {
			thought = ""
		}
		m.ReasoningContent = &thought
	case !current, thought == "":
	case field == fieldContent:
		m.ReasoningContent = &thought
	case field == fieldPlain:
		m.Reasoning = thinking.String()
	}
	out.Add(m)
	return out
}
