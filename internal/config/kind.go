package config

import (
	"reflect"
	"slices"
	"strings"

	"parley/internal/catalog"
)

// Kind is a type of provider. This package knows none by itself: whoever wires the program hands over those that there
// are ([Sources]).
type Kind struct {
	// Type is its name.
	Type string
	// Local says that it has no server: a file, or the program itself, is the model. It wants no entry in the
	// configuration; its type is its name there.
	Local bool
	// Servers are the built-in providers of this type.
	Servers []Server
}

// Server is a built-in provider.
type Server struct {
	Name    string
	BaseURL string
	// KeyEnv is the environment variable that holds its key; empty: it wants none.
	KeyEnv string
	// BaseEnv is the environment variable that holds another address for it, and ReadBase makes one of its value; nil:
	// the value is an address.
	BaseEnv  string
	ReadBase func(value string) string
}

// Kinds are the types of providers that there are.
type Kinds []Kind

// types are their names.
func (k Kinds) types() []string {
	out := make([]string, len(k))
	for i, kind := range k {
		out[i] = kind.Type
	}
	return out
}

// local reports whether models of a type have no server.
func (k Kinds) local(name string) bool {
	return slices.ContainsFunc(k, func(kind Kind) bool { return kind.Type == name && kind.Local })
}

// servers are the built-in providers in the order in which a model is looked for where nobody names one: those that want a key
// first, which they have or have not, then those that have to be asked whether they are there.
func (k Kinds) servers() []Server {
	var keyed, open []Server
	for _, kind := range k {
		for _, s := range kind.Servers {
			if s.KeyEnv != "" {
				keyed = append(keyed, s)
			} else {
				open = append(open, s)
			}
		}
	}
	return append(keyed, open...)
}

// names are the built-in providers' names.
func (k Kinds) names() []string {
	var out []string
	for _, s := range k.servers() {
		out = append(out, s.Name)
	}
	return out
}

// KeyVariables are the environment variables with the keys of the built-in providers.
func (k Kinds) KeyVariables() []string {
	return variablesOf(k, func(s Server) string { return s.KeyEnv })
}

// BaseVariables are the environment variables with other addresses for the built-in providers.
func (k Kinds) BaseVariables() []string {
	return variablesOf(k, func(s Server) string { return s.BaseEnv })
}

func variablesOf(k Kinds, of func(Server) string) []string {
	var out []string
	for _, s := range k.servers() {
		if name := of(s); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// settings are what the built-in configuration says of the providers.
func (k Kinds) settings() []setting {
	var out []setting
	add := func(value string, path ...string) {
		if value != "" {
			out = append(out, setting{path: append([]string{"providers"}, path...), value: value, origin: Origin{Layer: LayerBuiltin}})
		}
	}
	for _, kind := range k {
		for _, s := range kind.Servers {
			add(kind.Type, s.Name, "type")
			add(s.BaseURL, s.Name, "base_url")
			add(s.KeyEnv, s.Name, "api_key_env")
		}
	}
	return out
}

// values are the texts that a field may have, by its tag; nil: any.
func (k Kinds) values(tag reflect.StructTag) []string {
	switch enum := tag.Get("enum"); enum {
	case "":
		return nil
	case "types":
		return k.types()
	case "efforts":
		return catalog.EffortNames
	default:
		return strings.Split(enum, ",")
	}
}
