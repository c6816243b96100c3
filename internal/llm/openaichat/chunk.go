package openaichat

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"parley/internal/llm"
)

// chunk is a chat.completion.chunk (https://platform.openai.com/docs/api-reference/chat-streaming), and what
// compatible servers put beside it: an error object or text in an event of its own, null for any member, usage in
// every chunk, content as a list of parts (Mistral), reasoning under two names, pictures (OpenRouter).
type chunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Index  int    `json:"index"`
		Delta  delta  `json:"delta"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type delta struct {
	Content          words           `json:"content"`
	ReasoningContent words           `json:"reasoning_content"`
	Reasoning        words           `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
	Refusal          words           `json:"refusal"`
	Images           []imageDelta    `json:"images"`
	ToolCalls        []callDelta     `json:"tool_calls"`
}

// imageDelta is a picture that the model made, as OpenRouter gives it
// (https://openrouter.ai/docs/features/multimodal/image-generation).
type imageDelta struct {
	ImageURL struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

// picture takes a data URL (RFC 2397) apart; ok is false for one that is not a picture in base64.
func (d imageDelta) picture() (i llm.Image, ok bool) {
	rest, ok := strings.CutPrefix(d.ImageURL.URL, "data:")
	if !ok {
		return i, false
	}
	kind, data, ok := strings.Cut(rest, ";base64,")
	if !ok || !strings.HasPrefix(kind, "image/") {
		return i, false
	}
	content, err := base64.StdEncoding.DecodeString(data)
	return llm.Image{MediaType: kind, Data: content}, err == nil && len(content) > 0
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	// CacheHit is DeepSeek's own name for cached_tokens.
	CacheHit int `json:"prompt_cache_hit_tokens"`
	Details  struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u usage) tokens() llm.Usage {
	return llm.Usage{
		Input: u.Prompt, Output: u.Completion, CachedRead: max(u.Details.Cached, u.CacheHit),
		CachedWrite: u.Details.Written, Reasoning: u.OutputDetails.Reasoning,
	}
}

// words is text that a server writes as a string, as null, or as a list of parts of type text and thinking.
type words struct{ text, thinking string }

type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking json.RawMessage `json:"thinking"`
}

func (w *words) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] == '"':
		return json.Unmarshal(data, &w.text)
	case data[0] != '[':
		return nil
	}
	var parts []part
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type != "thinking" {
			w.text += p.Text
			continue
		}
		var inner words
		if len(p.Thinking) > 0 && inner.UnmarshalJSON(p.Thinking) == nil {
			w.thinking += inner.text
		}
	}
	return nil
}

// fault is the error that a chunk carries, else nil. A code that is an HTTP status counts as that status.
func (c *chunk) fault(data []byte) error {
	if len(c.Error) == 0 || string(c.Error) == "null" {
		return nil
	}
	return llm.StreamFault(data)
}

// state is what an answer needs to remember between chunks.
type state struct {
	answer  *llm.Answer
	calls   calls
	trail   trail
	reason  string
	refused bool
}

func decode(a *llm.Answer) llm.Decoder { return &state{answer: a} }

// Event takes one chunk, or the word that there are no more.
func (s *state) Event(data []byte) (over bool, err error) {
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return true, s.finish()
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, err
	}
	if fault := c.fault(data); fault != nil {
		return false, fault
	}
	s.take(&c)
	return false, nil
}

// End takes the end of a stream without that word, which some servers leave out.
func (s *state) End() error {
	if s.reason == "" {
		return llm.Cut()
	}
	return s.finish()
}

// take writes what one chunk adds.
func (s *state) take(c *chunk) {
	a := s.answer
	if c.Model != "" {
		a.End.ResponseModel = c.Model
	}
	if c.Usage != nil {
		a.End.Usage = c.Usage.tokens()
	}
	// A chunk without anything is a gateway's, for the sake of the connection.
	if len(c.Choices) == 0 && c.Usage != nil {
		a.Ping()
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index != 0 {
			continue
		}
		if choice.Finish != "" {
			s.reason = choice.Finish
			a.Ping()
		}
		s.delta(&choice.Delta)
	}
}

func (s *state) delta(d *delta) {
	a := s.answer
	thinking, field := d.ReasoningContent.text, fieldContent
	if thinking == "" {
		thinking, field = d.Reasoning.text, fieldPlain
	}
	s.trail.add(field, thinking, d.ReasoningDetails)
	a.Grow(len(d.ReasoningDetails))
	a.Thinking(thinking)
	a.Thinking(d.Content.thinking)
	a.Text(d.Content.text)
	if d.Refusal.text != "" {
		s.refused = true
		a.Text(d.Refusal.text)
	}
	for _, image := range d.Images {
		if picture, ok := image.picture(); ok {
			a.Image(picture)
		}
	}
	for i := range d.ToolCalls {
		s.calls.add(a, &d.ToolCalls[i])
	}
}

// finish ends the answer after the last chunk.
func (s *state) finish() error {
	a := s.answer
	switch strings.ToLower(s.reason) {
	case "length", "max_tokens":
		a.End.Reason = llm.Length
	// Mistral's (https://docs.mistral.ai/openapi.yaml) and z.ai's.
	case "model_length", "model_context_window_exceeded":
		a.End.Reason, a.End.Room = llm.Length, llm.Full
	case "content_filter", "refusal", "safety":
		a.End.Reason = llm.Filtered
	case "error":
		return &llm.Fault{Code: llm.CodeProvider, Message: "the server ended the answer with an error", Retryable: true}
	}
	if s.refused {
		a.End.Reason = llm.Filtered
	}
	if block := s.trail.block(); block != nil {
		a.OpaqueAt(llm.Place{}, block)
	}
	s.calls.finish(a)
	return nil
}
