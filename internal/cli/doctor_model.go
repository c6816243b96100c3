package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/config"
)

// models tries the keys and the servers of all providers that are of use, and
// says which model a prompt would get.
func (d *doctor) models(ctx context.Context) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if d.env[name] != "" {
			d.say("proxy", good, "", "servers of models are called by way of %s", name)
			break
		}
	}
	var ask []config.Resolved
	for _, name := range d.cfg.Names() {
		if p, err := d.cfg.Provider(name, d.env); err == nil && p.Type != "script" && p.Ready() {
			ask = append(ask, p)
		}
	}
	heard := newAsking(d.env, d.wait).all(ctx, ask)
	preset, err := d.cfg.DefaultModel(d.env, func(p config.Resolved) ([]string, bool) { return heard[p.Name].models, heard[p.Name].ok })
	used, _, _ := strings.Cut(preset, "/")
	var idle []string
	for _, name := range d.cfg.Names() {
		if why := d.provider(name, used, heard); why != "" {
			idle = append(idle, fmt.Sprintf("%s (%s)", name, why))
		}
	}
	if len(idle) > 0 {
		d.say("providers", good, "", "not set up: %s", strings.Join(idle, ", "))
	}
	switch origin := d.origins.Of("model"); {
	case errors.Is(err, config.ErrNoModel):
		d.say("model", broken, "set a key, start Ollama, or name one with --model", "there is none: no provider is ready")
	case err != nil:
		d.say("model", broken, "", "%s", err)
	case d.cfg.Model == "":
		d.say("model", good, "", "%s, of the first provider that is ready", preset)
	default:
		d.say("model", good, "", "%s, from %s", preset, origin)
	}
}

// provider makes the finding on one provider. What is returned says why one that
// nobody asked for is of no use: that is no fault.
func (d *doctor) provider(name, used string, heard map[string]listing) (idle string) {
	p, err := d.cfg.Provider(name, d.env)
	wanted := d.wanted(name)
	worst := poor
	if name == used {
		worst = broken
	}
	switch {
	case err != nil:
		d.say(name, worst, "set that variable", "%s", err)
		return ""
	case p.Type == "script":
		return ""
	case !p.Ready() && !wanted && name != used:
		return p.KeyEnv
	case !p.Ready():
		d.say(name, worst, "set it to a key of "+p.BaseURL, "%s is not set", p.KeyEnv)
		return ""
	}
	l := heard[name]
	key := "no key is wanted"
	if p.KeyEnv != "" {
		key = p.KeyEnv
		worst = broken
	}
	switch {
	case l.ok && p.KeyEnv != "":
		d.say(name, good, "", "%s takes the key in %s", hostOf(p.BaseURL), key)
	case l.ok:
		d.say(name, good, "", "%s answers, with %d models; %s", hostOf(p.BaseURL), len(l.models), key)
	case l.refused && p.KeyEnv == "":
		d.say(name, broken, "give the provider an api_key_env, and set that variable", "%s", l.reason)
	case l.refused:
		d.say(name, broken, "put a valid key into "+p.KeyEnv, "%s in %s", l.reason, p.KeyEnv)
	case l.silent && !wanted && name != used && p.KeyEnv == "":
		return "no server on " + hostOf(p.BaseURL)
	case l.silent:
		d.say(name, worst, "start the server, or correct "+config.Key("providers", name, "base_url"), "%s", l.reason)
	default:
		d.say(name, poor, "whether its key is right shows with the first prompt", "%s", l.reason)
	}
	return ""
}

// wanted reports whether a provider is there, or is as it is, because somebody
// said so.
func (d *doctor) wanted(name string) bool {
	prefix := config.Key("providers", name)
	for _, e := range d.origins.Entries {
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
