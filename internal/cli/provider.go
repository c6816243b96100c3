package cli

import (
	"net/http"
	"net/url"
	"path/filepath"
	"slices"

	"golang.org/x/net/http/httpproxy"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/llm"
	"parley/internal/llm/retry"
	"parley/internal/llm/script"
	"parley/internal/session"
)

// http is a client that uses the proxies of an environment. It is kept, and so
// are its connections.
func (e *engine) http(env config.Env) *http.Client {
	proxies := httpproxy.Config{
		HTTPProxy: firstOf(env["HTTP_PROXY"], env["http_proxy"]), HTTPSProxy: firstOf(env["HTTPS_PROXY"], env["https_proxy"]),
		NoProxy: firstOf(env["NO_PROXY"], env["no_proxy"]),
	}
	if proxies == (httpproxy.Config{}) {
		return nil
	}
	key := proxies.HTTPProxy + " " + proxies.HTTPSProxy + " " + proxies.NoProxy
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.clients[key]; c != nil {
		return c
	}
	choose := proxies.ProxyFunc()
	c := llm.HTTP(func(r *http.Request) (*url.URL, error) { return choose(r.URL) })
	e.clients[key] = c
	return c
}

// choose resolves the model. Only an unknown provider is refused here: the
// server knows which models it has.
func (e *engine) choose(setup *agent.Setup, cfg config.Config, env config.Env, dir, model string) *command.Fault {
	if model == "" {
		var err error
		if model, err = cfg.DefaultModel(env, probe(env)); err != nil {
			return command.Faultf(command.Invalid, "%s", err)
		}
	}
	if model == "mock/mock" {
		return mockModel(setup)
	}
	name, model, err := cfg.Find(model)
	if err != nil {
		return command.Faultf(command.Invalid, "%s", err)
	}
	provider, err := cfg.Provider(name, env)
	if err != nil {
		return command.Faultf(command.Invalid, "%s", err)
	}
	setup.Provider, setup.ModelName = name, model
	known := provider.Model(model)
	setup.ContextLimit, setup.MaxOutput = known.Context, known.MaxOutput
	if provider.Type == "script" {
		return e.script(setup, dir, model)
	}
	if !provider.Ready() {
		return command.Faultf(command.Denied, "provider %s has no key: set %s", name, provider.KeyEnv)
	}
	headers := make(map[string]string, len(provider.Headers))
	for key, value := range provider.Headers {
		headers[key] = value.Reveal()
	}
	wire, ok := e.models[provider.Type]
	if !ok {
		return command.Faultf(command.Invalid, "provider %s: unknown type %q", name, provider.Type)
	}
	setup.Model = retry.Wrap(wire(llm.Options{Provider: name, BaseURL: provider.BaseURL, Key: provider.Key.Reveal(), Headers: headers, HTTP: e.http(env)}), retry.Options{})
	return nil
}

func (e *engine) script(setup *agent.Setup, dir, file string) *command.Fault {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	model, err := script.Open(file)
	if err != nil {
		return command.Faultf(command.Invalid, "%s", err)
	}
	setup.Model = retry.Wrap(model, retry.Options{})
	return nil
}

// entries lists the models that can be asked for.
func (e *engine) entries(c session.Client) ([]command.ModelEntry, *command.Fault) {
	env, dir := e.world(c)
	cfg, _, fault := e.load(env, dir)
	if fault != nil {
		return nil, fault
	}
	resolved, err := cfg.Resolve(env)
	if err != nil && resolved == nil {
		return nil, command.Faultf(command.Invalid, "%s", err)
	}
	preset, _ := cfg.DefaultModel(env, nil)
	var out []command.ModelEntry
	for _, p := range resolved {
		names := make([]string, 0, len(p.Models))
		for name := range p.Models {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			full := p.Name + "/" + name
			out = append(out, command.ModelEntry{Name: full, Context: p.Model(name).Context, Default: full == preset, Ready: p.Ready()})
		}
	}
	return out, nil
}
