package runtime

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"

	"golang.org/x/net/http/httpproxy"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/llm"
	"parley/internal/llm/anthropic"
	"parley/internal/llm/gemini"
	"parley/internal/llm/mock"
	"parley/internal/llm/openaichat"
	"parley/internal/llm/openairesponses"
	"parley/internal/llm/retry"
	"parley/internal/llm/script"
	"parley/internal/session"
)

// client is an HTTP client that uses the proxies of an environment; nil where
// there are none. It is kept, and so are its connections.
func (r *Resolver) client(env config.Env) *http.Client {
	proxies := proxiesOf(env)
	key := proxies.HTTPProxy + " " + proxies.HTTPSProxy + " " + proxies.NoProxy
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.clients[key]
	if !ok {
		c = throughProxies(proxies)
		r.clients[key] = c
	}
	return c
}

func proxiesOf(env config.Env) httpproxy.Config {
	return httpproxy.Config{
		HTTPProxy: cmp.Or(env["HTTP_PROXY"], env["http_proxy"]), HTTPSProxy: cmp.Or(env["HTTPS_PROXY"], env["https_proxy"]),
		NoProxy: cmp.Or(env["NO_PROXY"], env["no_proxy"]),
	}
}

// throughProxies makes an HTTP client that uses these proxies; nil where there
// are none.
func throughProxies(proxies httpproxy.Config) *http.Client {
	if proxies == (httpproxy.Config{}) {
		return nil
	}
	choose := proxies.ProxyFunc()
	return llm.HTTP(func(r *http.Request) (*url.URL, error) { return choose(r.URL) })
}

// constructors make the models of each type of provider but script.
var constructors = map[string]func(llm.Options) llm.Model{
	"openai-chat": openaichat.New, "openai-responses": openairesponses.New, "anthropic": anthropic.New, "gemini": gemini.New,
}

// setModel resolves the model. Only an unknown provider is refused here: the
// server knows which models it has.
func (r *Resolver) setModel(setup *agent.Setup, cfg config.Config, env config.Env, dir, model string) *command.Fault {
	if model == "" {
		var err error
		if model, err = cfg.DefaultModel(env, probe(env)); err != nil {
			return command.Faultf(command.Invalid, "%s", err)
		}
	}
	if model == "mock/mock" {
		// It needs no configuration.
		setup.Model, setup.Provider, setup.ModelName, setup.ContextLimit = mock.New(), "mock", "mock", 128_000
		return nil
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
		return setScript(setup, dir, model)
	}
	if !provider.Ready() {
		return command.Faultf(command.Denied, "provider %s has no key: set %s", name, provider.KeyEnv)
	}
	headers := make(map[string]string, len(provider.Headers))
	for key, value := range provider.Headers {
		headers[key] = value.Reveal()
	}
	construct, ok := constructors[provider.Type]
	if !ok {
		return command.Faultf(command.Invalid, "provider %s: unknown type %q", name, provider.Type)
	}
	setup.Model = retry.Wrap(construct(llm.Options{Provider: name, BaseURL: provider.BaseURL, Key: provider.Key.Reveal(), Headers: headers, HTTP: r.client(env)}), retry.Options{})
	return nil
}

// setScript makes the model play a file.
func setScript(setup *agent.Setup, dir, file string) *command.Fault {
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

// Models lists the models that can be asked for, as far as the configuration
// knows them.
func (r *Resolver) Models(c session.Client) ([]command.ModelEntry, *command.Fault) {
	env, dir := r.world(c)
	cfg, _, fault := r.load(env, dir)
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
		for _, name := range slices.Sorted(maps.Keys(p.Models)) {
			full := p.Name + "/" + name
			out = append(out, command.ModelEntry{Name: full, Context: p.Model(name).Context, Default: full == preset, Ready: p.Ready()})
		}
	}
	return out, nil
}
