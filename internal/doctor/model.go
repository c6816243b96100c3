package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/internal/catalog"
	"parley/internal/config"
	"parley/internal/llm"
	"parley/internal/runtime"
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
	x.catalog()
	v := x.Models.In(x.cfg, x.Env, x.wait)
	listings := v.List(ctx, ask...)
	preset, fault := v.Find(ctx, "", "")
	used := preset.Provider.Name
	if fault != nil {
		used, _, _ = strings.Cut(x.cfg.Model, "/")
	}
	var idle []string
	for _, name := range x.cfg.Names() {
		if why := x.provider(name, used, listings); why != "" {
			idle = append(idle, fmt.Sprintf("%s (%s)", name, why))
		}
	}
	if len(idle) > 0 {
		x.say("providers", Good, "", "not set up: %s", strings.Join(idle, ", "))
	}
	switch {
	case fault == nil:
		x.preset(ctx, preset, listings[used])
	case x.cfg.Model == "":
		x.say("model", Broken, x.cfg.Advice(), "there is none: no provider is ready")
	default:
		x.say("model", Broken, "", "%s, from %s", fault.Message, x.origins.Of("model"))
	}
}

// catalog says how old what is known of models is.
func (x *examination) catalog() {
	c, word := x.Models.Catalog()
	if word != "" {
		x.say("catalog", Poor, "parley models --refresh", "%s", word)
	}
	age := c.Age(x.Now())
	state, do := Good, ""
	if age.Old {
		state, do = Poor, "parley models --refresh"
	}
	x.say("catalog", state, do, "%d models, of %s, %s", c.Count, c.Dated.Format(time.DateOnly), age)
}

// soon is how long before a model's end there is a warning.
const soon = 60 * 24 * time.Hour

// preset says which model is used where nobody names one, whether its server has it, for how long, and how large its
// window is.
func (x *examination) preset(ctx context.Context, n runtime.Named, l llm.Listing) {
	from := "of the first provider that is ready"
	if x.cfg.Model != "" {
		from = "from " + x.origins.Of("model").String()
	}
	if n.Alias != "" {
		from = fmt.Sprintf("which is %s/%s, %s; %s", n.Provider.Name, n.Alias, n.Why, from)
	}
	v := x.Models.In(x.cfg, x.Env, x.wait)
	known := v.Known(n.Provider, n.Name)
	switch day := known.Retires; {
	case l.Status == llm.Listed && !catalog.Served(n.Name, l.Models):
		x.say("model", Poor, "name one that it has, such as "+n.Provider.Name+"/default", "%s, %s: %s", n, from, runtime.Absent(n, known, l.Models))
	case !day.IsZero() && x.Now().Add(soon).After(day):
		x.say("model", Poor, "name another one, such as "+n.Provider.Name+"/default", "%s, %s: its vendor ends it on %s", n, from, day.Format(time.DateOnly))
	default:
		x.say("model", Good, "", "%s, %s", n, from)
	}
	if n.Provider.Local || l.Status == llm.Unreachable || l.Status == llm.Refused {
		return
	}
	state, do := Good, ""
	if known = v.Asked(ctx, n.Provider, n.Name); known.Window.Source == catalog.Guessed {
		state, do = Poor, "say it in "+config.Key("providers", n.Provider.Name, "models", n.Name, "context")
	}
	x.say("window", state, do, "of %s: %s", n, known.Window)
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
	x.unserved(p, l)
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

// unserved finds the models that are configured and that the server does not list.
func (x *examination) unserved(p config.Resolved, l llm.Listing) {
	if l.Status != llm.Listed {
		return
	}
	v := x.Models.In(x.cfg, x.Env, x.wait)
	for _, name := range slices.Sorted(maps.Keys(p.Models)) {
		n := runtime.Named{Provider: p, Name: name}
		if !catalog.Served(name, l.Models) {
			x.say(p.Name, Poor, "correct "+config.Key("providers", p.Name, "models", name), "%s is configured, and %s", n, runtime.Absent(n, v.Known(p, name), l.Models))
		}
	}
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
