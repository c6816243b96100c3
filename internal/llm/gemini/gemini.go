// Package gemini speaks Google's Gemini API (generativelanguage, v1beta), as Google and compatible servers serve it.
//
// It is a small client of its own over net/http; docs/adr/0002-gemini-client.md says why. Calls mostly come without
// ids: those get ids here and are given back without. Thought signatures are kept as opaque data and go back in the
// part they came in (https://ai.google.dev/gemini-api/docs/thought-signatures); a call that another model made gets the
// documented stand-in for one. Thinking is read, and never given back.
//
// The package does not retry and reads no environment.
package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/llm"
)

// Name is the provider's name in opaque data where the options give none.
const Name = "gemini"

const standard = "https://generativelanguage.googleapis.com"

type model struct{ options llm.Options }

// New makes the model of a Gemini server. Without a BaseURL it is Google's.
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
		s := state{answer: a}
		return s.read(res.Body)
	})
}

func (m *model) send(ctx context.Context, r llm.Request) (*http.Response, error) {
	base, fault := m.options.Base(standard, "/v1beta")
	if fault != nil {
		return nil, fault
	}
	name, fault := path(r.Model)
	if fault != nil {
		return nil, fault
	}
	body, err := json.Marshal(newRequest(r, m.options.Provider))
	if err != nil {
		return nil, &llm.Fault{Code: llm.CodeInvalid, Message: llm.Line(err.Error())}
	}
	address := base + "/" + name + ":streamGenerateContent?alt=sse"
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, &llm.Fault{Code: llm.CodeInvalid, Message: llm.Line(err.Error())}
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "text/event-stream")
	if m.options.Key != "" {
		// In a header, because addresses end up in logs.
		q.Header.Set("X-Goog-Api-Key", m.options.Key)
	}
	return m.options.Client(r).Do(q)
}

// path is the model's resource name: models/NAME, or the name itself where it has a kind, as in tunedModels/NAME.
func path(name string) (string, *llm.Fault) {
	if !strings.Contains(name, "/") {
		name = "models/" + name
	}
	segments := strings.Split(name, "/")
	for i, s := range segments {
		if s == "" || s == "." || s == ".." {
			return "", &llm.Fault{Code: llm.CodeInvalid, Message: "not a model's name: " + llm.Line(name)}
		}
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/"), nil
}
