package runtime

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/catalog"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/llm"
)

// Named is a model that is meant by a name.
type Named struct {
	Provider config.Resolved
	Name     string // as its server takes it
	// Alias is the word that it was asked for by, default or fast, and Why says why that is this model; both empty: it
	// was asked for by its name.
	Alias, Why string
	// Listed reports whether its server was heard to have it.
	Listed bool
}

// String is provider/model.
func (n Named) String() string { return n.Provider.Name + "/" + n.Name }

// Find returns the model that is meant by a text: provider/model, provider/default, provider/fast, or one of the three
// without the provider. An empty one is the configured model, or else the default of the first provider that is ready;
// default and fast alone are those of the provider beside, or else of that one. Only what it needs to know is asked of
// servers, and nothing where a model is named with its provider.
func (v View) Find(ctx context.Context, text, beside string) (Named, *command.Fault) {
	text = cmp.Or(text, v.cfg.Model)
	provider, name, slash := strings.Cut(text, "/")
	alias := slices.Contains(catalog.Aliases, text)
	if alias && beside == "" {
		beside, _, _ = strings.Cut(v.cfg.Model, "/")
	}
	if p, err := v.cfg.Provider(beside, v.env); err != nil || p.Local {
		beside = "" // it has no aliases
	}
	switch {
	case text == "":
		return v.preset(ctx, catalog.Aliases[0])
	case alias && beside == "":
		return v.preset(ctx, text)
	case alias:
		return v.of(ctx, beside, text)
	case slash && (provider == "" || name == ""):
		_, _, err := config.ParseModel(text)
		return Named{}, command.Faultf(command.Invalid, "%s", err)
	case slash && v.cfg.Has(provider):
		return v.of(ctx, provider, name)
	}
	return v.unique(ctx, text)
}

// of is the model of that name, or alias, of a provider.
func (v View) of(ctx context.Context, provider, name string) (Named, *command.Fault) {
	p, err := v.cfg.Provider(provider, v.env)
	if err != nil {
		return Named{}, command.Faultf(command.Invalid, "%s", err)
	}
	_, own := p.Models[name]
	switch {
	case p.Local || own || !slices.Contains(catalog.Aliases, name):
		return Named{Provider: p, Name: name}, nil
	case !p.Ready():
		return Named{}, noKey(p)
	}
	n, err := v.alias(p, name, v.List(ctx, p)[p.Name])
	if err != nil {
		return Named{}, command.Faultf(command.Invalid, "%s/%s: %s; name a model as %[1]s/MODEL", provider, name, err)
	}
	return n, nil
}

func noKey(p config.Resolved) *command.Fault {
	return command.Faultf(command.Denied, "provider %s has no key: set %s", p.Name, p.KeyEnv)
}

// alias is the model that a word stands for at a provider, which may say that it has one of that very name.
func (v View) alias(p config.Resolved, word string, l llm.Listing) (Named, error) {
	n := Named{Provider: p, Name: word, Listed: true}
	if slices.Contains(l.Models, word) {
		return n, nil
	}
	c, _ := v.m.Catalog()
	id := c.Provider(p.Name, p.BaseURL)
	listed := l.Models
	switch {
	case l.Status != llm.Listed:
		listed = nil
	case listed == nil:
		listed = []string{} // which is an answer
	}
	n.Alias = word
	if own := slices.Sorted(maps.Keys(p.Models)); id == "" && len(own) > 0 {
		// The server is the user's, who said what it is good for.
		at := slices.IndexFunc(own, func(name string) bool { return listed == nil || catalog.Served(name, listed) })
		if at >= 0 {
			n.Name, n.Why, n.Listed = own[at], "the first of those in the configuration", listed != nil
			return n, nil
		}
	}
	r, err := c.Resolve(id, word, listed, v.m.now())
	n.Name, n.Why, n.Listed = r.Name, r.Why, r.Listed
	return n, err
}

// preset is the model that a word stands for at the first provider that is ready. A server that wants no key is ready
// where it answers.
func (v View) preset(ctx context.Context, word string) (Named, *command.Fault) {
	var ask []config.Resolved
	for _, p := range v.ready() {
		ask = append(ask, p)
		if _, err := v.alias(p, word, llm.Listing{}); err == nil && p.KeyEnv != "" {
			break // it is this one at the latest
		}
	}
	lists := v.List(ctx, ask...)
	for _, p := range ask {
		l := lists[p.Name]
		if p.KeyEnv == "" && l.Status != llm.Listed {
			continue
		}
		if n, err := v.alias(p, word, l); err == nil {
			return n, nil
		}
	}
	return Named{}, command.Faultf(command.Invalid, "no model: %s", v.cfg.Advice())
}

// ready are the providers with a server that have the key that they want.
func (v View) ready() []config.Resolved {
	var out []config.Resolved
	for _, name := range v.cfg.Names() {
		if p, err := v.cfg.Provider(name, v.env); err == nil && p.Ready() && !p.Local {
			out = append(out, p)
		}
	}
	return out
}

// unique is the model of a name that was given without its provider.
func (v View) unique(ctx context.Context, name string) (Named, *command.Fault) {
	ready := v.ready()
	lists := v.List(ctx, ready...)
	var offers []catalog.Offer
	var all []string
	for _, p := range ready {
		o := catalog.Offer{Provider: p.Name, Server: p.BaseURL, Models: v.offered(p, name, lists[p.Name])}
		offers = append(offers, o)
		for _, model := range o.Models {
			all = append(all, p.Name+"/"+model)
		}
	}
	provider, among := catalog.Unique(name, offers)
	switch {
	case provider != "":
		p, err := v.cfg.Provider(provider, v.env)
		if err != nil {
			return Named{}, command.Faultf(command.Invalid, "%s", err)
		}
		return Named{Provider: p, Name: name, Listed: catalog.Served(name, lists[provider].Models)}, nil
	case len(among) > 0:
		for i := range among {
			among[i] += "/" + name
		}
		return Named{}, command.Faultf(command.Invalid, "%q is a model of %d providers: name one of %s", name, len(among), strings.Join(among, ", "))
	}
	return Named{}, v.unknown(name, all)
}

// offered are the models of a provider among which a name is looked for: those in the configuration and those that its
// server lists, or else the catalog.
func (v View) offered(p config.Resolved, name string, l llm.Listing) []string {
	names := slices.AppendSeq(slices.Clone(l.Models), maps.Keys(p.Models))
	if l.Status == llm.Listed {
		if catalog.Served(name, l.Models) {
			names = append(names, name)
		}
		return names
	}
	return append(names, v.catalogued(p)...)
}

// catalogued are the models that the catalog has of a provider.
func (v View) catalogued(p config.Resolved) []string {
	c, _ := v.m.Catalog()
	var names []string
	for m := range c.Models(c.Provider(p.Name, p.BaseURL)) {
		names = append(names, m.Name)
	}
	return names
}

// unknown is the fault of a name that no provider which is ready has, with what is near to it among all that they have.
func (v View) unknown(name string, all []string) *command.Fault {
	for _, other := range v.cfg.Names() {
		p, err := v.cfg.Provider(other, v.env)
		if err == nil && !p.Ready() && slices.Contains(v.offered(p, name, llm.Listing{}), name) {
			return command.Faultf(command.Denied, "%s is a model of %s, which has no key: set %s", name, other, p.KeyEnv)
		}
	}
	if v.cfg.Has(name) {
		return command.Faultf(command.Invalid, "%s is a provider: name a model of it, such as %[1]s/default", name)
	}
	provider, _, slash := strings.Cut(name, "/")
	if slash {
		return command.Faultf(command.Invalid, "%s", v.cfg.Unknown(provider))
	}
	if near := nearest(name, all); near != "" {
		return command.Faultf(command.Invalid, "no provider that is ready has a model %q; near to it: %s", name, near)
	}
	return command.Faultf(command.Invalid, "no provider that is ready has a model %q: name one as provider/model, such as %s; 'parley models' lists them", name, v.example())
}

// nearest are the full names whose model is near to a name, in words.
func nearest(name string, all []string) string {
	full := map[string]string{}
	var bare []string
	for _, other := range all {
		_, model, _ := strings.Cut(other, "/")
		if full[model] == "" {
			full[model] = other
			bare = append(bare, model)
		}
	}
	var out []string
	for _, model := range catalog.Nearest(name, bare) {
		out = append(out, full[model])
	}
	return strings.Join(out, ", ")
}

// example is a name of a model that can be asked for here.
func (v View) example() string {
	if ready := v.ready(); len(ready) > 0 {
		return fmt.Sprintf("%s/default", ready[0].Name)
	}
	return "openai/default"
}
