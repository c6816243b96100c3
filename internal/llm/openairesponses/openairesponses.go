// Package openairesponses speaks OpenAI's responses API, as OpenAI and Azure serve it.
//
// Nothing is stored at the server: store is false, every request carries the whole conversation, and reasoning goes
// back as the encrypted items that came (https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items).
// The phase of an assistant's message goes back with it. A tool spec with the name image_generation is the server's
// own image tool, whose picture comes as an llm.Image.
//
// The request is made of the official SDK's types and sent by its client; the stream is framed by its event decoder
// and decoded here into the few members that matter, which costs a fraction of the SDK's union types. The package does
// not retry and reads no environment.
package openairesponses

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"parley/internal/llm"
)

// Name is the provider's name in opaque data where the options give none.
const Name = "openai"

// ImageTool is the name of a tool spec that stands for the server's own image generation.
const ImageTool = "image_generation"

const standard = "https://api.openai.com"

type model struct{ options llm.Options }

// New makes the model of a responses server. Without a BaseURL it is OpenAI's.
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
	err := client.Post(ctx, "responses", params(r, m.options.Provider), &res)
	return res, err
}

// read writes the answer from the events of a stream.
func read(events ssestream.Decoder, a *llm.Answer) error {
	s := state{answer: a}
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if len(data) == 0 || bytes.HasPrefix(data, []byte("[DONE]")) {
			continue
		}
		var e event
		if err := json.Unmarshal(data, &e); err != nil {
			return llm.Malformed(err)
		}
		over, err := s.take(&e, data)
		if over || err != nil {
			return err
		}
	}
	if err := events.Err(); err != nil {
		var fault *llm.Fault
		if errors.As(err, &fault) {
			return fault
		}
		return llm.Malformed(err)
	}
	return llm.Cut()
}
