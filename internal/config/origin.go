package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Layer is where a value may come from.
type Layer string

// The layers, from the weakest.
const (
	LayerBuiltin     Layer = "built-in"
	LayerUser        Layer = "user"
	LayerWorkspace   Layer = "workspace"
	LayerEnvironment Layer = "environment"
	LayerFlag        Layer = "flag"
)

// Origin says where a value came from.
type Origin struct {
	Layer Layer
	// Name is the flag or the environment variable.
	Name string
	// File is the absolute path of a configuration file, and Line the line in
	// it, from 1.
	File string
	Line int
}

// String is such as "/home/u/.config/parley/config.jsonc:3", "environment
// OPENAI_BASE_URL", "flag --model" or "built-in".
func (o Origin) String() string {
	if o.File != "" && o.Line > 0 {
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	}
	return o.place()
}

func (o Origin) place() string {
	switch {
	case o.File != "":
		return o.File
	case o.Name != "":
		return string(o.Layer) + " " + o.Name
	}
	return string(o.Layer)
}

// Entry is one effective value.
type Entry struct {
	// Key is the path to it, as [Key] writes it; elements of a list share one.
	Key string
	// Value is JSON, with secrets hidden.
	Value  string
	Origin Origin
}

// File is a configuration file that was looked for.
type File struct {
	Path  string
	Layer Layer
	// Found says that it is there; Sum is then the SHA-256 of what was read, in
	// hexadecimal digits.
	Found bool
	Sum   string
	// Trusted says that all of it counts. The user's own file always is.
	Trusted bool
}

// Origins tells where the values of a [Config] came from.
type Origins struct {
	// Entries are the effective values, sorted by key; list elements stand in
	// the order of the list.
	Entries []Entry
	// Withheld are the values of workspace files that wait for the user's trust.
	Withheld []Entry
	// Files are the files that were looked for, the strongest first.
	Files []File
}

// Of returns the origin of a value by its key; of a list, that of its first
// element. An unset value is built-in.
func (o Origins) Of(key string) Origin {
	for _, e := range o.Entries {
		if e.Key == key {
			return e.Origin
		}
	}
	return Origin{Layer: LayerBuiltin}
}

// List returns the origins of a list's elements, in their order.
func (o Origins) List(key string) []Origin {
	var out []Origin
	for _, e := range o.Entries {
		if e.Key == key {
			out = append(out, e.Origin)
		}
	}
	return out
}

func entries(settings []setting) []Entry {
	out := make([]Entry, 0, len(settings))
	for _, s := range settings {
		out = append(out, Entry{Key: s.key(), Value: s.shown(), Origin: s.origin})
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// shown is the value as JSON, without what must not be seen.
func (s setting) shown() string {
	value := s.value
	text, isText := value.(string)
	switch {
	case len(s.path) > 1 && s.path[len(s.path)-2] == "headers":
		value = hidden
	case isText && s.path[len(s.path)-1] == "base_url":
		if u, err := url.Parse(text); err == nil && u.User != nil {
			value = u.Redacted()
		} else if err != nil {
			value = hidden // it may hold a password that does not parse
		}
	}
	b, err := json.Marshal(value)
	if err != nil {
		return hidden
	}
	return string(b)
}
