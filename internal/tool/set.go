package tool

import (
	"maps"
	"slices"
	"strings"
)

// Set is the tools a session can use, by name and in an order. The zero Set is empty; a Set never changes.
type Set struct {
	tools map[string]Tool
	names []string
}

// NewSet returns a set of tools in the order of their names, so that equal sets make equal requests. It panics where
// two have the same name, which is a bug of its caller.
func NewSet(tools ...Tool) Set {
	s := Set{tools: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		name := t.Spec().Name
		if s.tools[name] != nil {
			panic("two tools named " + name)
		}
		s.tools[name] = t
	}
	s.names = slices.Sorted(maps.Keys(s.tools))
	return s
}

// With returns the set with another tool at its end, or as it is where a tool of that name is there already.
func (s Set) With(t Tool) Set {
	name := t.Spec().Name
	if s.tools[name] != nil {
		return s
	}
	s.tools = maps.Clone(s.tools)
	if s.tools == nil {
		s.tools = map[string]Tool{}
	}
	s.tools[name] = t
	s.names = append(slices.Clip(s.names), name)
	return s
}

// Get returns the tool of that name.
func (s Set) Get(name string) (Tool, bool) {
	t, ok := s.tools[name]
	return t, ok
}

// before are what models put before the names of tools: the namespaces that they were trained with, and what other
// programs call ours.
var before = []string{"functions.", "functions:", "function.", "default_api.", "default_api:", "tools.", "tool.", "mcp__parley__", "parley__", "parley."}

// Name is the name of the tool that a model meant: it may be in another case, and have a word before it. What means no
// tool, or more than one, stays as it is.
func (s Set) Name(written string) string {
	for name := strings.TrimSpace(written); ; {
		if s.tools[name] != nil {
			return name
		}
		like := slices.DeleteFunc(s.Names(), func(known string) bool { return lower(known) != lower(name) })
		if len(like) == 1 {
			return like[0]
		}
		i := slices.IndexFunc(before, func(word string) bool { return strings.HasPrefix(lower(name), word) })
		if i < 0 {
			return written
		}
		name = name[len(before[i]):]
	}
}

// lower is s with its ASCII letters in lower case: other letters do not become any of a tool's name.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Names returns the names in order.
func (s Set) Names() []string { return slices.Clone(s.names) }

// Specs returns what the tools say of themselves, in order.
func (s Set) Specs() []Spec {
	var specs []Spec
	for _, name := range s.names {
		specs = append(specs, s.tools[name].Spec())
	}
	return specs
}

// Filter returns the set of those tools that keep says of, in the same order.
func (s Set) Filter(keep func(Spec) bool) Set {
	out := Set{tools: map[string]Tool{}}
	for _, name := range s.names {
		if t := s.tools[name]; keep(t.Spec()) {
			out.tools[name] = t
			out.names = append(out.names, name)
		}
	}
	return out
}

// Only returns the set of those tools that are named; unknown lists the names that are none.
func (s Set) Only(names ...string) (only Set, unknown []string) {
	for _, name := range names {
		if s.tools[name] == nil {
			unknown = append(unknown, name)
		}
	}
	return s.Filter(func(t Spec) bool { return slices.Contains(names, t.Name) }), unknown
}

// Suggest returns the names of the set that look most like an unknown one.
func (s Set) Suggest(name string) []string { return Nearest(name, s.names) }
