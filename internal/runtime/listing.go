package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/internal/config"
	"parley/internal/llm"
)

// A Listing is what a provider's server said when it was asked which models it
// has: the request that needs the key and costs nothing.
type Listing struct {
	Status ListingStatus
	Models []string // in the server's order
	Reason string   // why there is no list, in words; never a key
}

// A ListingStatus says how asking a server for its models went.
type ListingStatus int

// What comes of asking.
const (
	Unlisted    ListingStatus = iota // it answered, or would, but not with a list
	Listed                           // it answered with a list
	Refused                          // it does not take the key
	Unreachable                      // no connection came about, or no answer in time
)

// Bounds of a list that a server sends.
const (
	listingSize   = 4 << 20 // bytes
	listingModels = 2000
	listingName   = 200 // bytes
)

// listingPaths say where each kind of server has its list, below the version
// segment that is added to an address without one.
var listingPaths = map[string]struct{ version, path string }{
	"openai-chat":      {"/v1", "/models"},
	"openai-responses": {"/v1", "/models"},
	"anthropic":        {"/v1", "/models?limit=1000"},
	"gemini":           {"/v1beta", "/models?pageSize=1000"},
}

// A lister asks servers for their models: by way of the environment's proxies,
// and no longer than wait.
type lister struct {
	http *http.Client
	wait time.Duration
}

func newLister(env config.Env, wait time.Duration) lister {
	client := throughProxies(proxiesOf(env))
	if client == nil {
		client = llm.HTTP(nil)
	}
	// A key must not follow a redirect.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return lister{client, wait}
}

// list asks a provider's server for its models.
func (l lister) list(ctx context.Context, p config.Resolved) Listing {
	where, ok := listingPaths[p.Type]
	if !ok {
		return Listing{Reason: "it has no list of models"}
	}
	base, fault := llm.Options{BaseURL: p.BaseURL}.Base(p.BaseURL, where.version)
	if fault != nil {
		return Listing{Reason: fault.Message}
	}
	within, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	q, err := http.NewRequestWithContext(within, http.MethodGet, base+where.path, nil)
	if err != nil {
		return Listing{Reason: "the address cannot be asked"}
	}
	authorize(q.Header, p)
	res, err := l.http.Do(q)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return Listing{Status: Unreachable, Reason: fmt.Sprintf("%s: no answer within %s", q.URL.Host, l.wait)}
		}
		return Listing{Status: Unreachable, Reason: llm.AsFault(ctx, err).Message}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, listingSize))
	if err != nil {
		return Listing{Status: Unreachable, Reason: q.URL.Host + ": the answer broke off"}
	}
	return readListing(res, body)
}

// probeWait is how long a prompt waits for a server that may give it its model.
const probeWait = 300 * time.Millisecond

// probe returns a way to ask a server that needs no key which models it has.
func probe(env config.Env) func(config.Resolved) ([]string, bool) {
	return func(p config.Resolved) ([]string, bool) {
		l := newLister(env, probeWait)
		defer l.http.CloseIdleConnections()
		got := l.list(context.Background(), p)
		return got.Models, got.Status == Listed
	}
}

// authorize adds the key as each kind of server wants it, and the headers of the
// configuration, which come last as they do in requests to the model.
func authorize(h http.Header, p config.Resolved) {
	if key := p.Key.Reveal(); key != "" {
		switch p.Type {
		case "anthropic":
			h.Set("X-Api-Key", key)
		case "gemini":
			h.Set("X-Goog-Api-Key", key)
		default:
			h.Set("Authorization", "Bearer "+key)
		}
	}
	if p.Type == "anthropic" {
		// https://docs.anthropic.com/en/api/versioning
		h.Set("Anthropic-Version", "2023-06-01")
	}
	for name, value := range p.Headers {
		h.Set(name, value.Reveal())
	}
}

// readListing reads an answer. Its words are not repeated: some servers echo the
// key.
func readListing(res *http.Response, body []byte) Listing {
	host := res.Request.URL.Host
	switch status := res.StatusCode; {
	case status == http.StatusOK:
		names, ok := modelNames(body)
		if !ok {
			return Listing{Reason: host + " answers, but not with a list of models"}
		}
		return Listing{Status: Listed, Models: names}
	// Gemini has no 401: https://ai.google.dev/gemini-api/docs/troubleshooting
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == http.StatusBadRequest && strings.Contains(string(body), "API_KEY_INVALID"):
		return Listing{Status: Refused, Reason: fmt.Sprintf("%s refuses the key (status %d)", host, status)}
	case status >= 300 && status < 400:
		to := "elsewhere"
		if at, err := url.Parse(res.Header.Get("Location")); err == nil && at.Host != "" {
			to = "to " + at.Host
		}
		return Listing{Reason: fmt.Sprintf("%s redirects %s (status %d), which is not followed", host, to, status)}
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		return Listing{Reason: fmt.Sprintf("%s answers, but has no list of models (status %d)", host, status)}
	default:
		return Listing{Reason: fmt.Sprintf("%s answers with status %d", host, status)}
	}
}

// modelNames reads {"data":[{"id":…}]}, which all but Gemini send, and
// {"models":[{"name":"models/…"}]}.
func modelNames(body []byte) ([]string, bool) {
	var sent struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
		Models []struct {
			Name    string   `json:"name"`
			Methods []string `json:"supportedGenerationMethods"`
		} `json:"models"`
	}
	if json.Unmarshal(body, &sent) != nil || sent.Data == nil && sent.Models == nil {
		return nil, false
	}
	var names []string
	add := func(name string) {
		// The names go to a terminal.
		bad := func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
		if name != "" && len(name) <= listingName && len(names) < listingModels && !strings.ContainsFunc(name, bad) {
			names = append(names, name)
		}
	}
	for _, m := range sent.Data {
		add(m.ID)
	}
	for _, m := range sent.Models {
		if m.Methods == nil || slices.Contains(m.Methods, "generateContent") {
			add(strings.TrimPrefix(m.Name, "models/"))
		}
	}
	return names, true
}

// List asks the servers of several providers at once, by way of the environment's
// proxies and no longer than wait. The key of the result is the provider's name;
// those of one address, key and headers are asked once.
func List(ctx context.Context, env config.Env, wait time.Duration, providers []config.Resolved) map[string]Listing {
	l := newLister(env, wait)
	defer l.http.CloseIdleConnections()
	type answer struct {
		names []string
		Listing
	}
	var asked []config.Resolved
	answers := make(chan answer)
	shared := map[int][]string{}
	for _, p := range providers {
		same := func(other config.Resolved) bool {
			return listingPaths[p.Type] == listingPaths[other.Type] && p.Type != "anthropic" && p.BaseURL == other.BaseURL &&
				p.Key.Equal(other.Key) && maps.EqualFunc(p.Headers, other.Headers, config.Secret.Equal)
		}
		at := slices.IndexFunc(asked, same)
		if at < 0 {
			at = len(asked)
			asked = append(asked, p)
		}
		shared[at] = append(shared[at], p.Name)
	}
	for i, p := range asked {
		go func() { answers <- answer{shared[i], l.list(ctx, p)} }()
	}
	out := make(map[string]Listing, len(providers))
	for range asked {
		got := <-answers
		for _, name := range got.names {
			out[name] = got.Listing
		}
	}
	return out
}
