package catalog

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed models.txt
var models string

// Embedded is the catalog that this program was built with.
var Embedded = sync.OnceValue(func() *Catalog {
	c, err := Open(models)
	if err != nil {
		panic("the embedded catalog: " + err.Error()) // a test reads it whole
	}
	return c
})

// A Catalog is what a data file tells of models.
type Catalog struct {
	Header
	sections []section
}

// Header says where the facts of a catalog are from.
type Header struct {
	// Package and Version name the public package, Integrity is its sum as the registry tells it, and Licence its terms.
	Package, Version, Integrity, Licence string
	// Dated is the day on which the package was published.
	Dated time.Time
	// Images are the classes of limits for pictures that lines refer to, by letter.
	Images []Images
	// Tools says whether the models of the package call tools.
	Tools Answer
	// Count is how many models it has.
	Count int
}

// section holds the models of one provider that share an address and a wire, a line each, in order of their names.
type section struct {
	provider, wire, base string
	lines                string // each line with its line feed, after one of the section's head
}

// Open reads a data file's header and finds its sections. [Catalog.Check] reads the rest.
func Open(text string) (*Catalog, error) {
	head, rest, ok := cut(text, "\nprovider ")
	if !ok {
		return nil, fmt.Errorf("it has no provider")
	}
	header, err := parseHeader(head)
	if err != nil {
		return nil, err
	}
	body, ok := strings.CutSuffix(rest, fmt.Sprintf("\nend %d\n", header.Count))
	if !ok {
		return nil, fmt.Errorf("its end is missing")
	}
	c := &Catalog{Header: header}
	for more := true; more; {
		var one string
		one, body, more = cut(body, "\nprovider ")
		s, err := parseSection(one)
		if err != nil {
			return nil, err
		}
		c.sections = append(c.sections, s)
	}
	return c, nil
}

// cut is strings.Cut that leaves the separator's line feed to the part before it.
func cut(text, separator string) (before, after string, found bool) {
	i := strings.Index(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i+1], text[i+len(separator):], true
}

// all are the sections of a provider.
func (c *Catalog) all(provider string) iter.Seq[section] {
	return func(yield func(section) bool) {
		for _, s := range c.sections {
			if s.provider == provider && !yield(s) {
				return
			}
		}
	}
}

// Providers are the names of those who serve models, in order.
func (c *Catalog) Providers() []string {
	var names []string
	for _, s := range c.sections {
		names = append(names, s.provider)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Models are the models of a provider, by address and name.
func (c *Catalog) Models(provider string) iter.Seq[Model] {
	return func(yield func(Model) bool) {
		for s := range c.all(provider) {
			for line := range strings.Lines(s.lines) {
				m, err := c.parseLine(s.provider, strings.TrimSuffix(line, "\n"))
				if err == nil && !yield(m) {
					return
				}
			}
		}
	}
}

// Lookup returns a provider's model of exactly that name.
func (c *Catalog) Lookup(provider, name string) (Model, bool) {
	if !plain(name) {
		return Model{}, false
	}
	for s := range c.all(provider) {
		var line string
		if strings.HasPrefix(s.lines, name+"\t") {
			line = s.lines
		} else if i := strings.Index(s.lines, "\n"+name+"\t"); i >= 0 {
			line = s.lines[i+1:]
		} else {
			continue
		}
		line, _, _ = strings.Cut(line, "\n")
		m, err := c.parseLine(provider, line)
		return m, err == nil
	}
	return Model{}, false
}

// Check reads the whole catalog and returns what is wrong with it.
func (c *Catalog) Check() error {
	models := 0
	seen := map[[3]string]bool{}
	for _, s := range c.sections {
		key := [3]string{s.provider, s.wire, s.base}
		if seen[key] {
			return fmt.Errorf("provider %s %s %s is there twice", s.provider, s.wire, s.base)
		}
		seen[key] = true
		before := ""
		for line := range strings.Lines(s.lines) {
			m, err := c.parseLine(s.provider, strings.TrimSuffix(line, "\n"))
			switch {
			case err != nil:
				return err
			case m.Name <= before:
				return fmt.Errorf("%s/%s is out of order", s.provider, m.Name)
			}
			before = m.Name
			models++
		}
	}
	if models != c.Count {
		return fmt.Errorf("it has %d models, not the %d that it says", models, c.Count)
	}
	return nil
}
