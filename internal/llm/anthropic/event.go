package anthropic

import (
	"encoding/json"

	"parley/internal/llm"
)

// event is what any event of the stream may hold of interest
// (https://platform.claude.com/docs/en/build-with-claude/streaming).
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	Block json.RawMessage `json:"content_block"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		Partial    string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// usage is cumulative: each report that has a number replaces the one before.
type usage struct {
	Input      int `json:"input_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	Output     int `json:"output_tokens"`
	Details    struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u *usage) update(n usage) {
	for _, pair := range []struct {
		have *int
		now  int
	}{
		{&u.Input, n.Input}, {&u.CacheRead, n.CacheRead}, {&u.CacheWrite, n.CacheWrite}, {&u.Output, n.Output},
		{&u.Details.Thinking, n.Details.Thinking},
	} {
		if pair.now != 0 {
			*pair.have = pair.now
		}
	}
}

// tokens counts the whole prompt as input; Anthropic counts what was not cached.
func (u usage) tokens() llm.Usage {
	return llm.Usage{
		Input: u.Input + u.CacheRead + u.CacheWrite, Output: u.Output, CachedRead: u.CacheRead,
		CachedWrite: u.CacheWrite, Reasoning: u.Details.Thinking,
	}
}

// block is one content block while it is open.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`

	at      llm.Place
	written llm.Written
}

// state is what an answer needs to remember between events.
type state struct {
	answer *llm.Answer
	open   map[int]*block
	order  []*block
	usage  usage
	reason string
}

func decode(a *llm.Answer) llm.Decoder { return &state{answer: a} }

// End takes the end of a stream without its last event. The reason comes after all content; some servers leave out what
// follows it.
func (s *state) End() error {
	if s.reason == "" {
		return llm.Cut()
	}
	s.finish()
	return nil
}

// Event writes what one event adds.
func (s *state) Event(data []byte) (over bool, err error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return false, err
	}
	a := s.answer
	if known(e.Type) {
		a.Ping()
	}
	switch e.Type {
	case "message_start":
		a.End.ResponseModel = e.Message.Model
		s.usage.update(e.Message.Usage)
		a.End.Usage = s.usage.tokens()
	case "content_block_start":
		return false, s.start(&e)
	case "content_block_delta":
		s.delta(&e)
	case "content_block_stop":
		s.stop(s.open[e.Index])
	case "message_delta":
		s.usage.update(e.Usage)
		a.End.Usage = s.usage.tokens()
		if e.Delta.StopReason != "" {
			s.reason = e.Delta.StopReason
		}
	case "message_stop":
		s.finish()
		return true, nil
	case "error":
		return true, llm.StreamFault(data)
	}
	return false, nil
}

// known tells the API's own events, pings among them: they are a sign that it is at work.
func known(kind string) bool {
	switch kind {
	case "ping", "message_start", "message_delta", "content_block_start", "content_block_delta", "content_block_stop":
		return true
	}
	return false
}

func (s *state) start(e *event) error {
	a := s.answer
	b := &block{at: a.Place()}
	if err := json.Unmarshal(e.Block, b); err != nil {
		return err
	}
	if s.open == nil {
		s.open = make(map[int]*block)
	}
	s.open[e.Index] = b
	s.order = append(s.order, b)
	switch b.Type {
	case "text":
		a.Text(b.Text)
	case "thinking":
		b.written.WriteString(b.Thinking)
		a.Thinking(b.Thinking)
	case "tool_use":
		b.ID = a.Start(b.ID, b.Name)
		a.Grow(len(b.Input))
	case "redacted_thinking":
		a.Grow(len(b.Data))
	}
	return nil
}

func (s *state) delta(e *event) {
	b := s.open[e.Index]
	if b == nil {
		return
	}
	switch d := &e.Delta; d.Type {
	case "text_delta":
		s.answer.Text(d.Text)
	case "thinking_delta":
		b.written.WriteString(d.Thinking)
		s.answer.Thinking(d.Thinking)
	case "signature_delta":
		s.answer.Grow(len(d.Signature))
		b.Signature += d.Signature
	case "input_json_delta":
		s.answer.Grow(len(d.Partial))
		b.written.WriteString(d.Partial)
	}
}

// stop closes a block: what must go back is now whole.
func (s *state) stop(b *block) {
	if b == nil {
		return
	}
	kind := b.Type
	b.Type = ""
	switch kind {
	case "thinking":
		if b.Signature != "" {
			s.keep(b.at, thought{Type: kind, Thinking: b.written.String(), Signature: b.Signature})
		}
	case "redacted_thinking":
		s.keep(b.at, redacted{Type: kind, Data: b.Data})
	case "tool_use":
		arguments := b.written.String()
		if arguments == "" {
			arguments = string(b.Input)
		}
		s.answer.Call(b.ID, b.Name, arguments)
	}
}

// thought and redacted are blocks as they go back.
type thought struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

type redacted struct {
	Type string `json:"type"`
	Data string `json:"data"`
}

func (s *state) keep(at llm.Place, v any) {
	if data, err := json.Marshal(v); err == nil {
		s.answer.OpaqueAt(at, data)
	}
}

// finish ends the answer. A call that the token limit cut off was not closed.
func (s *state) finish() {
	for _, b := range s.order {
		if b.Type == "tool_use" {
			s.stop(b)
		}
	}
	switch s.reason {
	case "max_tokens":
		s.answer.End.Reason = llm.Length
	case "model_context_window_exceeded":
		s.answer.End.Reason, s.answer.End.Room = llm.Length, llm.Full
	case "refusal":
		s.answer.End.Reason = llm.Filtered
	}
}
