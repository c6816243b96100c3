package catalog

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:embed aliases.txt
var aliases string

// Aliases are the words that stand for a model of a provider: provider/default and provider/fast.
var Aliases = []string{"default", "fast"}

// A Resolution is the model that an alias stands for, and why.
type Resolution struct {
	// Name is the model's, without its provider.
	Name string
	// Why says it for people, as the end of "anthropic/default is claude-sonnet-5-5, …".
	Why string
	// Listed reports whether the server said that it has the model.
	Listed bool
}

// families are those that an alias of a provider stands for, the preferred first.
func families(provider, alias string) []string {
	for line := range strings.Lines(aliases) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == provider && f[1] == alias {
			return f[2:]
		}
	}
	return nil
}

// Resolve returns the model that an alias stands for. provider is the catalog's, as [Catalog.Provider] returns it, and
// listed what the server says it has; nil: it did not say. Of the alias's families the first counts that has a model
// which is not retired, no preview, and no name such as gemini-pro-latest; and of it the newest version.
func (c *Catalog) Resolve(provider, alias string, listed []string, now time.Time) (Resolution, error) {
	if !slices.Contains(Aliases, alias) {
		return Resolution{}, fmt.Errorf("%q is no alias; there are: %s", alias, strings.Join(Aliases, ", "))
	}
	rows, from := c.candidates(provider, listed, now), "that the server lists"
	if listed == nil {
		from = "of the catalog of " + c.Dated.Format(time.DateOnly)
	}
	for _, pass := range passes {
		for _, family := range families(provider, alias) {
			var found []string
			for _, r := range rows {
				if r.family == family && (pass.moving || !r.moving) && (pass.retired || !r.retired) {
					found = append(found, r.name)
				}
			}
			if len(found) > 0 && (listed != nil || !pass.retired) {
				why := fmt.Sprintf("the newest %s %s%s", family, from, pass.word)
				return Resolution{slices.MinFunc(found, newer), why, listed != nil}, nil
			}
		}
	}
	if len(listed) > 0 {
		return Resolution{c.firstKnown(provider, listed), "the first that the server lists", true}, nil
	}
	return Resolution{}, unresolved(provider, listed)
}

// passes are what is taken where there is nothing better.
var passes = []struct {
	moving, retired bool
	word            string
}{
	{},
	{moving: true, word: ", a preview or a name that moves"},
	{moving: true, retired: true, word: ", though its vendor has ended it"},
}

// candidate is a model that an alias may stand for.
type candidate struct {
	name, family string
	moving       bool // a preview, which ends at short notice, or the name of whatever is the latest
	retired      bool
}

// candidates are the models that a server lists or, where it has no list, those of the catalog.
func (c *Catalog) candidates(provider string, listed []string, now time.Time) []candidate {
	known := map[string]Model{}
	var names []string
	for m := range c.Models(provider) {
		known[m.Name] = m
		names = append(names, m.Name)
	}
	if listed != nil {
		names = listed
	}
	var out []candidate
	for _, text := range names {
		n := parseName(text)
		m, ok := known[text]
		if !ok {
			m = known[Dateless(text)]
		}
		out = append(out, candidate{text, n.family, n.preview || n.latest, m.Retired(now)})
	}
	return out
}

// firstKnown is the first name that the catalog knows, or else the first.
func (c *Catalog) firstKnown(provider string, listed []string) string {
	for _, name := range listed {
		if _, ok := c.Lookup(provider, name); ok {
			return name
		}
	}
	return listed[0]
}

func unresolved(provider string, listed []string) error {
	switch {
	case listed != nil:
		return fmt.Errorf("the server lists no model")
	case provider == "":
		return fmt.Errorf("the server did not say which models it has, and the catalog does not know it")
	}
	return fmt.Errorf("the server did not say which models it has, and the catalog knows none of %s that the word stands for", provider)
}
