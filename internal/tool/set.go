package tool

import (
	"maps"
	"slices"
)

// Set is the tools a session can use, by name. The zero Set is empty; a Set never changes.
type Set struct{ tools map[string]Tool }

// NewSet returns a set of tools. It panics where two have the same name, which is a bug of its caller.
func NewSet(tools ...Tool) Set {
	s := Set{make(map[string]Tool, len(tools))}
	for _, t := range tools {
		name := t.Spec().Name
		if s.tools[name] != nil {
			panic("two tools named " + name)
		}
		s.tools[name] = t
	}
	return s
}

// Get returns the tool of that name.
func (s Set) Get(name string) (Tool, bool) {
	t, ok := s.tools[name]
	return t, ok
}

// Names returns the names in order.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s.tools)) }

// Specs returns what a model is told, in the order of names, so that equal sets make equal requests.
func (s Set) Specs() []Spec {
	var specs []Spec
	for _, name := range s.Names() {
		specs = append(specs, s.tools[name].Spec())
	}
	return specs
}

// Only returns the set of those tools that are named; unknown lists the names that are none.
func (s Set) Only(names ...string) (only Set, unknown []string) {
	only = Set{map[string]Tool{}}
	for _, name := range names {
		if t, ok := s.tools[name]; ok {
			only.tools[name] = t
		} else {
			unknown = append(unknown, name)
		}
	}
	return only, unknown
}

// Suggest returns the names of the set that look most like an unknown one.
func (s Set) Suggest(name string) []string { return Nearest(name, s.Names()) }
