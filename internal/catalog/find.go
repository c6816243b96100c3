package catalog

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A Match says how the facts of a model were found.
type Match struct {
	How How
	// Of is the provider and name that the facts are of.
	Of string
}

// How is how near the entry is to the name that was asked for.
type How int

// The kinds of match, the best first but for None.
const (
	// None: nothing is known.
	None How = iota
	// Exact: the provider's model of that name.
	Exact
	// Undated: the name without its date.
	Undated
	// Vendor: the model as another provider serves it, such as behind a gateway. What it costs here is not known.
	Vendor
	// Kin: the newest model of its family, for one that is not in the catalog. What it costs is not known.
	Kin
)

// String is the match for people.
func (m Match) String() string {
	switch m.How {
	case Exact:
		return "in the catalog"
	case Undated:
		return "in the catalog as " + m.Of
	case Vendor:
		return "not in the catalog here; taken for " + m.Of
	case Kin:
		return "not in the catalog; taken to be like " + m.Of
	}
	return "not in the catalog"
}

// Find returns what is known of a name, and how it was found. provider is the catalog's, as [Catalog.Provider] returns
// it; an empty one is a server that the catalog does not know.
func (c *Catalog) Find(provider, name string) (Model, Match) {
	if m, ok := c.Lookup(provider, name); ok {
		return m, Match{Exact, provider + "/" + name}
	}
	if base := Dateless(name); base != name {
		if m, ok := c.Lookup(provider, base); ok {
			m.Name = name
			return m, Match{Undated, m.Provider + "/" + base}
		}
	}
	if m, ok := c.elsewhere(name); ok {
		facts := lent(m, provider, name)
		facts.Thinking = Thinking{} // how it is asked to think is a matter of the server
		return facts, Match{Vendor, m.Provider + "/" + m.Name}
	}
	if m, ok := c.kin(provider, name); ok {
		return lent(m, provider, name), Match{Kin, provider + "/" + m.Name}
	}
	m := Model{Provider: provider, Name: name}
	dates().apply(&m)
	return m, Match{}
}

// lent are the facts of a model under another name: what it costs and how long it is there are its own matter. One that
// the package has dropped may still have a day on which it ended.
func lent(m Model, provider, name string) Model {
	out := Model{
		Provider: provider, Name: name, Context: m.Context, Output: m.Output,
		Thinking: m.Thinking, Images: m.Images, Tools: m.Tools,
	}
	dates().apply(&out)
	return out
}

// elsewhere finds a name as gateways write it: vendor/model, or as the vendor itself does.
func (c *Catalog) elsewhere(name string) (Model, bool) {
	if vendor, rest, ok := strings.Cut(name, "/"); ok {
		if m, ok := c.Lookup(c.Provider(vendor, ""), rest); ok {
			return m, true
		}
		return c.Lookup("openrouter", name)
	}
	for _, vendor := range []string{"anthropic", "openai", "google"} {
		if m, ok := c.Lookup(vendor, name); ok {
			return m, true
		}
	}
	return Model{}, false
}

// kin is the newest model of the same family.
func (c *Catalog) kin(provider, name string) (best Model, ok bool) {
	of := parseName(name)
	if of.family == "" || len(of.version) == 0 {
		return best, false
	}
	for m := range c.Models(provider) {
		if parseName(m.Name).family == of.family && (!ok || newer(m.Name, best.Name) < 0) {
			best, ok = m, true
		}
	}
	return best, ok
}

// vendors are the built-in providers that the catalog has under another name.
var vendors = map[string]string{"gemini": "google", "openai-chat": "openai"}

// Provider returns which provider of the catalog a configured one is: by its address or, where the catalog does not have
// that, by its name. Empty: it is none.
func (c *Catalog) Provider(name, base string) string {
	best, longest := "", -1
	for _, s := range c.sections {
		if n := shared(s.base, base); n > longest {
			best, longest = s.provider, n
		}
	}
	if best != "" {
		return best
	}
	if vendor, ok := vendors[name]; ok {
		name = vendor
	}
	if slices.Contains(c.Providers(), name) {
		return name
	}
	return ""
}

// shared is how many parts of their paths two addresses of one host have in common; -1: they are not of one host.
func shared(a, b string) int {
	x, err := url.Parse(a)
	y, err2 := url.Parse(b)
	if err != nil || err2 != nil || x.Host == "" || !strings.EqualFold(x.Host, y.Host) {
		return -1
	}
	p, q := strings.Split(strings.Trim(x.Path, "/"), "/"), strings.Split(strings.Trim(y.Path, "/"), "/")
	n := 0
	for n < min(len(p), len(q)) && p[n] != "" && p[n] == q[n] {
		n++
	}
	return n
}

// Window is the size of the window that the facts of a match tell.
func (m Match) Window(c *Catalog, model Model) Window {
	switch m.How {
	case None:
		return Window{}
	case Kin:
		return Window{model.Context, Kindred, m.Of}
	}
	return Window{model.Context, Catalogued, fmt.Sprintf("%s, of %s", m.Of, c.Dated.Format("2006-01-02"))}
}
