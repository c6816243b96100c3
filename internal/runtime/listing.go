package runtime

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"parley/internal/config"
	"parley/internal/llm"
)

// probeWait is how long a prompt waits for a server that may give it its model.
const probeWait = 300 * time.Millisecond

// probe returns a way to ask a server that needs no key which models it has.
func (ps Providers) probe(env config.Env, wait time.Duration) func(config.Resolved) ([]string, bool) {
	return func(p config.Resolved) ([]string, bool) {
		l := ps.List(context.Background(), env, wait, []config.Resolved{p})[p.Name]
		return l.Models, l.Status == llm.Listed
	}
}

// List asks the servers of several providers at once, by way of the environment's
// proxies and no longer than wait. The key of the result is the provider's name;
// of those that would get the same request one is asked.
func (ps Providers) List(ctx context.Context, env config.Env, wait time.Duration, resolved []config.Resolved) map[string]llm.Listing {
	client := throughProxies(proxiesOf(env))
	if client == nil {
		client = llm.HTTP(nil)
	}
	defer client.CloseIdleConnections()
	type answer struct {
		request string
		llm.Listing
	}
	answers := make(chan answer)
	asked := map[string][]string{} // the names of providers by their request
	for _, r := range resolved {
		p, ok := ps.of(r.Type)
		if !ok || p.Wire == nil {
			continue
		}
		o := optionsOf(r, client, env)
		request := r.Name
		if r.KeyCommand == "" { // which takes its time, and none of the others'
			if q, err := p.Wire.ListRequest(ctx, o); err == nil {
				request = fmt.Sprint(q.URL, q.Header)
			}
		}
		if asked[request] = append(asked[request], r.Name); len(asked[request]) == 1 {
			go func() { answers <- answer{request, p.Wire.List(ctx, o, wait)} }()
		}
	}
	out := make(map[string]llm.Listing, len(resolved))
	for range asked {
		got := <-answers
		for _, name := range asked[got.request] {
			out[name] = got.Listing
		}
	}
	return out
}

// optionsOf say how a provider is called.
func optionsOf(p config.Resolved, client *http.Client, env config.Env) llm.Options {
	headers := make(map[string]string, len(p.Headers))
	for name, value := range p.Headers {
		headers[name] = value.Reveal()
	}
	return llm.Options{Provider: p.Name, BaseURL: p.BaseURL, Key: keysOf(p, env), Headers: headers, HTTP: client}
}
