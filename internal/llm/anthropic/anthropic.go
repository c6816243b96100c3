// Package anthropic speaks Anthropic's messages API, as Anthropic and compatible servers serve it.
//
// Thinking blocks, with their signatures, and redacted ones are kept as opaque data and given back whole, at their
// places. The prompt is cached at the end of the tools, of the system prompt, and of the last two user turns
// (https://platform.claude.com/docs/en/build-with-claude/prompt-caching). How an effort is asked for depends on the
// model: from 4.6 on the model thinks as much as it sees fit, older ones get a budget.
//
// The request is made of the official SDK's types and sent by its client; the stream is framed by its event decoder
// and decoded here. The package does not retry and reads no environment, nor any of the SDK's profile files.
package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"parley/internal/llm"
)

// Name is the provider's name in opaque data where the options give none.
const Name = "anthropic"

const standard = "https://api.anthropic.com"

type model struct{ options llm.Options }

// New makes the model of a messages server. Without a BaseURL it is Anthropic's.
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
	options := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(m.options.Client(r)),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
		option.WithJSONSet("stream", true),
	}
	if m.options.Key != "" {
		options = append(options, option.WithAPIKey(m.options.Key))
	}
	// A client made by hand: the SDK's constructor reads ANTHROPIC_* and profile files.
	client := sdk.Client{Options: options}
	var res *http.Response
	err := client.Post(ctx, "messages", params(r, m.options.Provider), &res)
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
	// The reason comes after all content; some servers leave out what follows it.
	if s.reason == "" {
		return llm.Cut()
	}
	s.finish()
	return nil
}
