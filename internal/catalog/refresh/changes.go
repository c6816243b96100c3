package refresh

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/catalog"
)

// A Change is what is different of one model between two catalogs.
type Change struct {
	Provider, Name string
	// What is "new", "gone", or what its facts were and are: "output 64000 → 128000".
	What string
}

// String is the change as a line for people.
func (c Change) String() string { return c.Provider + "/" + c.Name + ": " + c.What }

// Changes tells the difference between two catalogs, by provider and name.
func Changes(from, to *catalog.Catalog) []Change {
	var out []Change
	before, after := models(from), models(to)
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for _, key := range slices.SortedFunc(maps.Keys(keys), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		old, was := before[key]
		m, is := after[key]
		c := Change{Provider: key[0], Name: key[1]}
		switch {
		case !was:
			c.What = "new"
		case !is:
			c.What = "gone"
		default:
			c.What = difference(old, m)
		}
		if c.What != "" {
			out = append(out, c)
		}
	}
	return out
}

func models(c *catalog.Catalog) map[[2]string]catalog.Model {
	out := map[[2]string]catalog.Model{}
	for _, provider := range c.Providers() {
		for m := range c.Models(provider) {
			out[[2]string{provider, m.Name}] = m
		}
	}
	return out
}

func difference(a, b catalog.Model) string {
	var out []string
	for _, f := range []struct {
		what     string
		from, to any
	}{
		{"context", a.Context, b.Context},
		{"output", a.Output, b.Output},
		{"thinking", a.Thinking.String(), b.Thinking.String()},
		{"images", a.Images, b.Images},
		{"price", price(a.Price), price(b.Price)},
	} {
		if f.from != f.to {
			out = append(out, fmt.Sprintf("%s %v → %v", f.what, f.from, f.to))
		}
	}
	return strings.Join(out, ", ")
}

func price(p catalog.Price) string {
	text := p.Rates.String()
	for _, t := range p.Tiers {
		text += fmt.Sprintf(" (above %d: %s)", t.Above, t.Rates)
	}
	return text
}
