package runtime

import (
	"context"
	"maps"
	"net/http"
	"time"

	"parley/internal/catalog"
	"parley/internal/catalog/window"
	"parley/internal/config"
	"parley/internal/llm"
)

// Known is what is known of a model: the user's own entry over the catalog's.
type Known struct {
	catalog.Model
	// Match says how the catalog's entry was found.
	Match catalog.Match
	// Window is the size of its window, and whose word that is.
	Window catalog.Window
	// Local says that it has no server: it has no window, and costs nothing.
	Local bool
}

// Known returns what is known of a model without asking its server.
func (v View) Known(p config.Resolved, name string) Known {
	if p.Local {
		return Known{Local: true, Window: catalog.Window{Tokens: catalog.GuessedTokens}}
	}
	c, _ := v.m.Catalog()
	base, match := c.Find(c.Provider(p.Name, p.BaseURL), name)
	own := facts(p.Model(name))
	k := Known{Model: own.Over(base), Match: match}
	k.Window = catalog.Best(own.Configured(), match.Window(c, base), catalog.Guess())
	return k
}

// Asked is Known, and the window is asked of the server where that may tell it better: one whose address is not in the
// catalog may have loaded the model with less than it could take.
func (v View) Asked(ctx context.Context, p config.Resolved, name string) Known {
	k := v.Known(p, name)
	c, _ := v.m.Catalog()
	kind, ok := v.m.providers.of(p.Type)
	if !ok || kind.Wire == nil || !p.Ready() || k.Window.Source == catalog.Configured || c.Provider("", p.BaseURL) != "" {
		return k
	}
	k.Window = catalog.Best(v.window(ctx, kind.Wire, p, name), k.Window)
	return k
}

// facts are what the user says of a model.
func facts(m config.Model) catalog.Model {
	rate := func(dollars *float64) catalog.Rate {
		if dollars == nil {
			return catalog.Rate{}
		}
		return catalog.USD(*dollars)
	}
	out := catalog.Model{Context: m.Context, Output: m.MaxOutput}
	out.Price.Rates = catalog.Rates{
		Input: rate(m.Price.Input), Output: rate(m.Price.Output), CachedRead: rate(m.Price.CachedRead), CachedWrite: rate(m.Price.CachedWrite),
	}
	return out
}

// How long what a server said of a window is believed: a model may be loaded anew with another. One that says nothing
// will not say more soon.
const (
	toldFor   = time.Minute
	untoldFor = 10 * time.Minute
)

// told is what a server said of a window.
type told struct {
	catalog.Window
	until time.Time
}

// window asks a server for the window of a model. What it says of the model's training is not kept: it knows better once
// the model is loaded.
func (v View) window(ctx context.Context, wire *llm.Wire, p config.Resolved, name string) catalog.Window {
	key := p.BaseURL + " " + name
	v.m.mu.Lock()
	known, ok := v.m.windows[key]
	v.m.mu.Unlock()
	left := time.Until(v.until)
	if ok && time.Now().Before(known.until) || left <= 0 {
		return known.Window
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	client := v.m.HTTP(v.env)
	q, err := wire.ListRequest(ctx, optionsOf(p, client, v.env))
	if err != nil {
		return catalog.Window{}
	}
	authorize := func(h http.Header) { maps.Copy(h, q.Header) }
	w := window.Ask(ctx, window.Server{HTTP: client, Base: p.BaseURL, Authorize: authorize}, name, left)
	lasts := toldFor
	switch w.Source {
	case catalog.Trained:
		return w
	case catalog.Nobody:
		lasts = untoldFor
	}
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	v.m.windows[key] = told{w, time.Now().Add(lasts)}
	return w
}

// answer is the most tokens of one answer that a request may ask for; 0 leaves it to the server. What another server
// gives out, or another model, says nothing about this one, and an answer as long as the window leaves no room for the
// question.
func (k Known) answer(own config.Model) int {
	switch {
	case own.MaxOutput > 0:
		return own.MaxOutput
	case k.Match.How != catalog.Exact && k.Match.How != catalog.Undated, k.Output > k.Window.Tokens/2:
		return 0
	}
	return k.Output
}

// cost is what the use of the model costs, in millionths of a dollar, and how many tokens there is no price for.
func (k Known) cost(u llm.Usage) (micros int64, unpriced int) {
	if k.Local {
		return 0, 0
	}
	c := k.Price.Cost(catalog.Usage{Input: u.Input, Output: u.Output, CachedRead: u.CachedRead, CachedWrite: u.CachedWrite, Reasoning: u.Reasoning})
	if !c.Known() {
		unpriced = u.Input + u.Output
	}
	return c.Micros(), unpriced
}

// guess reports whether nobody tells the window.
func (k Known) guess() bool { return k.Window.Source == catalog.Guessed }
