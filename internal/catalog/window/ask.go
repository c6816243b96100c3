package window

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"parley/internal/catalog"
)

// A Server is one that serves models in the manner of OpenAI.
type Server struct {
	HTTP *http.Client
	// Base is the address of the configuration, with or without /v1.
	Base string
	// Authorize adds what the server wants to see with each request; nil adds nothing.
	Authorize func(http.Header)
}

// mostBody is how much of an answer is read.
const mostBody = 4 << 20

// question is one of the ways to learn a window.
type question struct {
	path string // below the version or, after a slash, below the root
	post bool   // with the name as the model
	read func(body []byte, name string) catalog.Window
}

var questions = []question{
	{path: "models", read: List},
	{path: "/props", read: func(body []byte, _ string) catalog.Window { return LlamaProps(body) }},
	{path: "/api/ps", read: OllamaRunning},
	{path: "/api/show", post: true, read: func(body []byte, _ string) catalog.Window { return OllamaShow(body) }},
	{path: "/api/v0/models", read: LMStudio},
}

// Ask asks a server for the window of a model, in all ways at once, and returns the answer that is most to be believed of
// those that came in time; the zero window where none did. What is asked of a model that is loaded is the last word.
func Ask(ctx context.Context, s Server, name string, within time.Duration) catalog.Window {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answers := make(chan catalog.Window, len(questions))
	for _, q := range questions {
		go func() { answers <- s.ask(ctx, q, name) }()
	}
	var best catalog.Window
	for range questions {
		best = catalog.Best(best, <-answers)
		if best.Source == catalog.Loaded {
			break
		}
	}
	return best
}

func (s Server) ask(ctx context.Context, q question, name string) catalog.Window {
	method, body := http.MethodGet, []byte(nil)
	if q.post {
		method = http.MethodPost
		var err error
		if body, err = json.Marshal(map[string]string{"model": name}); err != nil {
			return catalog.Window{}
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, s.address(q.path), bytes.NewReader(body))
	if err != nil {
		return catalog.Window{}
	}
	if s.Authorize != nil {
		s.Authorize(r.Header)
	}
	client := *s.HTTP
	// A key must not follow a redirect.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(r)
	if err != nil {
		return catalog.Window{}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return catalog.Window{}
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, mostBody))
	if err != nil {
		return catalog.Window{}
	}
	return q.read(answer, name)
}

func (s Server) address(path string) string {
	root := strings.TrimSuffix(strings.TrimRight(s.Base, "/"), "/v1")
	if strings.HasPrefix(path, "/") {
		return root + path
	}
	return root + "/v1/" + path
}
