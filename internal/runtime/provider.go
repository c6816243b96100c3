package runtime

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/net/http/httpproxy"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/llm/retry"
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

// policyOf is how a failing server is asked again; nil: until the run is stopped.
func policyOf(p *event.Patience) retry.Policy {
	switch {
	case p == nil:
		return retry.Forever
	case p.MS <= 0 && p.Retries <= 0:
		return retry.Never
	}
	return retry.Policy{Patience: time.Duration(max(0, p.MS)) * time.Millisecond, Attempts: max(0, p.Retries)}
}

// setModel resolves the model. Only an unknown provider is refused here: the
// server knows which models it has.
func (r *Resolver) setModel(setup *agent.Setup, cfg config.Config, env config.Env, dir, model string, again retry.Policy) *command.Fault {
	if model == "" {
		var err error
		if model, err = cfg.DefaultModel(env, r.o.Providers.probe(env, r.wait)); err != nil {
			return command.Faultf(command.Invalid, "%s", err)
		}
	}
	name, model, err := cfg.Find(model)
	if err != nil {
		return command.Faultf(command.Invalid, "%s", err)
	}
	resolved, err := cfg.Provider(name, env)
	if err != nil {
		return command.Faultf(command.Invalid, "%s", err)
	}
	setup.Provider, setup.ModelName = name, model
	known := resolved.Model(model)
	setup.ContextLimit, setup.MaxOutput = known.Context, known.MaxOutput
	if !resolved.Ready() {
		return command.Faultf(command.Denied, "provider %s has no key: set %s", name, resolved.KeyEnv)
	}
	provider, ok := r.o.Providers.of(resolved.Type)
	if !ok {
		return command.Faultf(command.Invalid, "provider %s: unknown type %q", name, resolved.Type)
	}
	setup.Thinker = provider.Thinker(model)
	o := optionsOf(resolved, r.client(env), env)
	o.Dir = dir
	made, fault := provider.Model(o, model)
	if fault != nil {
		return command.Faultf(command.Code(fault.Code), "%s", fault.Message)
	}
	setup.Model = retry.Wrap(made, retry.Options{Policy: again})
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
