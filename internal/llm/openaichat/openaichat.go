// Package openaichat speaks OpenAI's chat completions, as OpenAI and every compatible server serve them: Ollama, vLLM,
// llama.cpp, OpenRouter, LM Studio, DeepSeek and many more.
//
// The request is made of the official SDK's types and sent by its client; the stream is framed by its event decoder.
// The chunks are decoded here, because compatible servers differ from the SDK's types in small ways that matter, and
// because the SDK takes several times as long for a delta. The differences that are taken are listed at [chunk] and
// [calls]. Thinking is read from reasoning_content, reasoning, and content parts of type thinking; it is given back
// only to the server that sent it, in the field it used, and only within the run of calls it belongs to, or as
// reasoning_details, where the server sends those.
//
// The system prompt has the role system, which every server knows. The package does not retry and reads no
// environment.
package openaichat

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"parley/internal/llm"
)

// Name is the provider's name in opaque data where the options give none.
const Name = "openai-chat"

const standard = "https://api.openai.com"

type model struct{ options llm.Options }

// New makes the model of a chat completions server. Without a BaseURL it is OpenAI's.
func New(o llm.Options) llm.Model {
	if o.Provider == "" {
		o.Provider = Name
	}
	return &model{o}
}

func (m *model) Stream(ctx context.Context, r llm.Request) iter.Seq[llm.Part] {
	return llm.Stream(ctx, m.options, r, func(ctx context.Context, a *llm.Answer) error {
		res, err := m.send(ctx, r)
		if err != nil {
			return err
		}
		a.Body(res.Body)
		return read(ssestream.NewDecoder(res), a)
	})
}

func (m *model) send(ctx context.Context, r llm.Request) (*http.Response, error) {
	base, fault := m.options.Base(standard, "/v1")
	if fault != nil {
		return nil, fault
	}
	// A client made by hand: the SDK's constructor reads OPENAI_* from the environment.
	client := openai.Client{Options: []option.RequestOption{
		option.WithBaseURL(base),
		option.WithAPIKey(m.options.Key),
		option.WithHTTPClient(m.options.Client(r)),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
		option.WithJSONSet("stream", true),
	}}
	var res *http.Response
	err := client.Post(ctx, "chat/completions", params(r, m.options.Provider, base), &res)
	return res, err
}

// read writes the answer from the events of a stream.
func read(events ssestream.Decoder, a *llm.Answer) error {
	s := state{answer: a}
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if len(data) == 0 {
			continue
		}
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			s.done = true
			break
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return llm.Malformed(err)
		}
		if fault := c.fault(data); fault != nil {
			return fault
		}
		if !s.take(&c) {
			return nil
		}
	}
	if err := events.Err(); err != nil {
		return broken(err)
	}
	return s.finish()
}

// broken tells a connection that failed from a line that no decoder takes.
func broken(err error) error {
	if fault, ok := err.(*llm.Fault); ok {
		return fault
	}
	return llm.Malformed(err)
}
