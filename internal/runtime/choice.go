package runtime

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"parley/internal/catalog"
	"parley/internal/config"
	"parley/internal/llm"
)

// A Choice is a model that can be asked for, or a word that stands for one.
type Choice struct {
	Name string `json:"name"` // provider/model
	// Is is the model that a word stands for, as provider/model, and Why says why that one.
	Is  string `json:"is,omitempty"`
	Why string `json:"why,omitempty"`

	Context     int      `json:"context,omitempty"`
	ContextFrom string   `json:"context_from,omitempty"` // who tells Context
	Guess       bool     `json:"guess,omitempty"`        // nobody does
	MaxOutput   int      `json:"max_output,omitempty"`
	Efforts     []string `json:"efforts,omitempty"`
	Images      *bool    `json:"images,omitempty"`
	Price       *Price   `json:"price,omitempty"`
	Retires     string   `json:"retires,omitempty"` // the day on which its vendor ends it
	Known       string   `json:"known,omitempty"`   // how the catalog's entry was found

	Listed  bool   `json:"listed,omitempty"` // its server says that it has it
	Default bool   `json:"default,omitempty"`
	Ready   bool   `json:"ready"`
	Reason  string `json:"reason,omitempty"` // why it is not ready, or what else is to be said of it
	// Placeholder says that the name stands for those of the user's own.
	Placeholder bool `json:"-"`
	// Obscure says that the catalog knows nothing of a vendor's model: it may not be one that writes text.
	Obscure bool `json:"-"`
}

// Price is what a million tokens cost in US dollars, as far as it is known.
type Price struct {
	Input       *float64 `json:"input,omitempty"`
	Output      *float64 `json:"output,omitempty"`
	CachedRead  *float64 `json:"cached_read,omitempty"`
	CachedWrite *float64 `json:"cached_write,omitempty"`
}

// mostAsked is how many models of a server are asked for their windows, some at once.
const (
	mostAsked = 32
	askedAt   = 8
)

// Choices are the models of all providers, and the name of the one that is used where nobody names one; empty: there is
// none. Servers are asked what they have and, with windows, those at home how large the windows of their models are.
func (v View) Choices(ctx context.Context, windows bool) ([]Choice, string) {
	lists := v.List(ctx, v.ready()...)
	v = v.m.In(v.cfg, v.env, v.wait) // one slow server takes no time from the others' windows
	preset, fault := v.Find(ctx, "", "")
	var out []Choice
	for _, name := range v.cfg.Names() {
		p, err := v.cfg.Provider(name, v.env)
		switch {
		case err != nil:
			out = append(out, Choice{Name: name + "/MODEL", Reason: err.Error(), Placeholder: true})
		case p.Local:
			kind, _ := v.m.providers.of(p.Type)
			out = append(out, Choice{Name: name + "/" + kind.Local.Name, Ready: true, Reason: kind.Local.About, Placeholder: true})
		default:
			out = append(out, v.choicesOf(ctx, p, lists[name], windows)...)
		}
	}
	if fault != nil {
		return out, ""
	}
	at := slices.IndexFunc(out, func(c Choice) bool { return c.Name == preset.String() && c.Is == "" })
	if at < 0 {
		at = len(out)
		out = append(out, v.choice(preset.Provider, preset.Name, lists[preset.Provider.Name]))
	}
	out[at].Default = true
	return out, preset.String()
}

// choicesOf are the aliases and models of one provider with a server.
func (v View) choicesOf(ctx context.Context, p config.Resolved, l llm.Listing, windows bool) []Choice {
	var out []Choice
	for _, word := range catalog.Aliases {
		if c, ok := v.aliasOf(p, word, l); ok && !slices.ContainsFunc(out, func(o Choice) bool { return o.Is == c.Is }) {
			out = append(out, c)
		}
	}
	names := slices.Sorted(maps.Keys(p.Models))
	names = append(names, slices.DeleteFunc(slices.Clone(l.Models), func(name string) bool { return slices.Contains(names, name) })...)
	models := make([]Choice, len(names))
	var asking sync.WaitGroup
	slot := make(chan bool, askedAt)
	for i, name := range names {
		models[i] = v.choice(p, name, l)
		if windows && i < mostAsked && l.Status == llm.Listed {
			asking.Go(func() {
				slot <- true
				models[i].size(v.Asked(ctx, p, name))
				<-slot
			})
		}
	}
	asking.Wait()
	for i := range out { // the words, with the windows of what they stand for
		if at := slices.IndexFunc(models, func(c Choice) bool { return c.Name == out[i].Is }); at >= 0 {
			out[i].Context, out[i].ContextFrom, out[i].Guess = models[at].Context, models[at].ContextFrom, models[at].Guess
		}
	}
	if out = append(out, models...); len(out) == 0 {
		c := v.choice(p, "MODEL", l)
		return []Choice{{Name: c.Name, Ready: c.Ready, Reason: c.Reason, Placeholder: true}}
	}
	return out
}

// aliasOf is the row of a word that stands for a model.
func (v View) aliasOf(p config.Resolved, word string, l llm.Listing) (Choice, bool) {
	n, err := v.alias(p, word, l)
	if _, own := p.Models[word]; err != nil || own || n.Alias == "" || p.KeyEnv == "" && l.Status != llm.Listed {
		return Choice{}, false
	}
	c := v.choice(p, n.Name, l)
	c.Name, c.Is, c.Why, c.Listed = p.Name+"/"+word, n.String(), n.Why, n.Listed
	return c, true
}

// soon is how long before a model's end people are told of it.
const soon = 60 * 24 * time.Hour

// choice is what is known of one model.
func (v View) choice(p config.Resolved, name string, l llm.Listing) Choice {
	k := v.Known(p, name)
	c := Choice{Name: p.Name + "/" + name, Ready: p.Ready(), MaxOutput: k.Output, Listed: catalog.Served(name, l.Models)}
	if p.Local {
		return c
	}
	c.size(k)
	for _, e := range k.Thinking.Efforts {
		c.Efforts = append(c.Efforts, e.Name)
	}
	if k.Images.Taken != catalog.Unknown {
		takes := k.Images.Taken == catalog.Yes
		c.Images = &takes
	}
	c.Price = priceOf(k.Price.Rates)
	if k.Match.How != catalog.None {
		c.Known = k.Match.String()
	}
	cat, _ := v.m.Catalog()
	c.Obscure = k.Match.How == catalog.None && cat.Provider("", p.BaseURL) != ""
	switch _, own := p.Models[name]; {
	case !c.Ready:
		c.Reason = p.KeyEnv + " is not set"
	case l.Status != llm.Listed:
		// A server without a list may well have models.
		c.Ready, c.Reason = l.Status == llm.Unlisted, l.Reason
	case len(l.Models) == 0:
		c.Reason = "its server lists no model"
	case own && !c.Listed:
		c.Reason = "its server does not list it"
	}
	if now := v.m.now(); !k.Retires.IsZero() && now.Add(soon).After(k.Retires) {
		c.Retires = k.Retires.Format(time.DateOnly)
	}
	return c
}

// size takes over the window that is known.
func (c *Choice) size(k Known) {
	c.Context, c.ContextFrom, c.Guess = k.Window.Tokens, k.Window.Source.String(), k.guess()
}

// priceOf is what is known of a price; nil: nothing.
func priceOf(r catalog.Rates) *Price {
	dollars := func(r catalog.Rate) *float64 {
		if d, ok := r.Dollars(); ok {
			return &d
		}
		return nil
	}
	p := Price{dollars(r.Input), dollars(r.Output), dollars(r.CachedRead), dollars(r.CachedWrite)}
	if p == (Price{}) {
		return nil
	}
	return &p
}
