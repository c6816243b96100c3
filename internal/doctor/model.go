package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/config"
	"parley/internal/llm"
)

// models tries the keys and the servers of all providers that are of use, and
// says which model a prompt would get.
func (x *examination) models(ctx context.Context) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if x.Env[name] != "" {
			x.say("proxy", Good, "", "servers of models are called by way of %s", name)
			break
		}
	}
	var ask []config.Resolved
	for _, name := range x.cfg.Names() {
		if p, err := x.cfg.Provider(name, x.Env); err == nil && !p.Local && p.Ready() {
			ask = append(ask, p)
		}
	}
	listings := x.Providers.List(ctx, x.Env, x.wait, ask)
	preset, err := x.cfg.DefaultModel(x.Env, func(p config.Resolved) ([]string, bool) {
		l := listings[p.Name]
		return l.Models, l.Status == llm.Listed
	})
	used, _, _ := strings.Cut(preset, "/")
	var idle []string
	for _, name := range x.cfg.Names() {
		if why := x.provider(name, used, listings); why != "" {
			idle = append(idle, fmt.Sprintf("%s (%s)", name, why))
		}
	}
	if len(idle) > 0 {
		x.say("providers", Good, "", "not set up: %s", strings.Join(idle, ", "))
	}
	switch origin := x.origins.Of("model"); {
	case errors.Is(err, config.ErrNoModel):
		x.say("model", Broken, x.cfg.Advice(), "there is none: no provider is ready")
	case err != nil:
		x.say("model", Broken, "", "%s", err)
	case x.cfg.Model == "":
		x.say("model", Good, "", "%s, of the first provider that is ready", preset)
	default:
		x.say("model", Good, "", "%s, from %s", preset, origin)
	}
}

// provider makes the finding on one provider. The text that it returns says why a
// provider that is not configured cannot be used, which is no fault.
func (x *examination) provider(name, used string, listings map[string]llm.Listing) (idle string) {
	p, err := x.cfg.Provider(name, x.Env)
	wanted := x.wanted(name)
	worst := Poor
	if name == used {
		worst = Broken
	}
	switch {
	case err != nil:
		x.say(name, worst, "set that variable", "%s", err)
		return ""
	case p.Local:
		return ""
	case !p.Ready() && !wanted && name != used:
		return p.KeyEnv
	case !p.Ready():
		x.say(name, worst, "set it to a key of "+p.BaseURL, "%s is not set", p.KeyEnv)
		return ""
	}
	l := listings[name]
	key := "no key is wanted"
	if p.KeyEnv != "" {
		key = p.KeyEnv
		worst = Broken
	}
	switch {
	case l.Status == llm.Listed && p.KeyEnv != "":
		x.say(name, Good, "", "%s takes the key in %s", hostOf(p.BaseURL), key)
	case l.Status == llm.Listed:
		x.say(name, Good, "", "%s answers, with %d models; %s", hostOf(p.BaseURL), len(l.Models), key)
	case l.Status == llm.Refused && p.KeyEnv == "":
		x.say(name, Broken, "give the provider an api_key_env, and set that variable", "%s", l.Reason)
	case l.Status == llm.Refused:
		x.say(name, Broken, "put a valid key into "+p.KeyEnv, "%s in %s", l.Reason, p.KeyEnv)
	case l.Status == llm.Unreachable && !wanted && name != used && p.KeyEnv == "":
		return "no server on " + hostOf(p.BaseURL)
	case l.Status == llm.Unreachable:
		x.say(name, worst, "start the server, or correct "+config.Key("providers", name, "base_url"), "%s", l.Reason)
	default:
		x.say(name, Poor, "whether its key is right shows with the first prompt", "%s", l.Reason)
	}
	return ""
}

// wanted reports whether a provider is there, or is as it is, because somebody
// said so.
func (x *examination) wanted(name string) bool {
	prefix := config.Key("providers", name)
	for _, e := range x.origins.Entries {
		if e.Origin.Layer != config.LayerBuiltin && (e.Key == prefix || strings.HasPrefix(e.Key, prefix+".")) {
			return true
		}
	}
	return false
}

// hostOf is the part of an address that people look at, without a password.
func hostOf(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return "the server"
	}
	host, _, _ := strings.Cut(rest, "/")
	return host[strings.LastIndexByte(host, '@')+1:]
}
