package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley/internal/catalog"
	"parley/internal/near"
)

// Resolved is a provider that is ready to be called.
type Resolved struct {
	Name string
	Type string
	// Local says that it has no server.
	Local   bool
	BaseURL string
	// KeyEnv is the variable that holds the key, and Key its value; both empty:
	// the server wants none.
	KeyEnv string
	Key    Secret
	// KeyCommand prints a key; empty: KeyEnv holds it.
	KeyCommand string
	Headers    map[string]Secret
	Models     map[string]Model
}

// Ready reports whether the provider has the key that it wants, or a way to it.
func (r Resolved) Ready() bool { return r.KeyEnv == "" || !r.Key.Empty() || r.KeyCommand != "" }

// Model is what the user says of a model: under its own name or, of one with a date such as gpt-4o-2024-08-06, under the
// name without it.
func (r Resolved) Model(name string) Model {
	if m, ok := r.Models[name]; ok {
		return m
	}
	return r.Models[catalog.Dateless(name)]
}

// Names are the providers in the order in which a model is looked for where nobody names one: those that the
// user named, by name, then the built-in ones.
func (c Config) Names() []string {
	var own []string
	builtin := c.kinds.names()
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if !slices.Contains(builtin, name) {
			own = append(own, name)
		}
	}
	for _, name := range builtin {
		if _, ok := c.Providers[name]; ok {
			own = append(own, name)
		}
	}
	return own
}

// Resolve lists all providers with the keys of that environment: those that
// the user named, by name, then the built-in ones. The error joins what is
// missing in the environment for headers; those providers are left out.
func (c Config) Resolve(env Env) ([]Resolved, error) {
	var out []Resolved
	var errs []error
	for _, name := range c.Names() {
		r, err := c.Provider(name, env)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, r)
	}
	return out, errors.Join(errs...)
}

// Provider resolves one provider. An unknown name is an error that lists the
// known ones.
func (c Config) Provider(name string, env Env) (Resolved, error) {
	p, ok := c.provider(name)
	if !ok {
		return Resolved{}, c.Unknown(name)
	}
	r, err := p.resolve(name, env)
	r.Local = c.kinds.local(p.Type)
	return r, err
}

// provider is the entry of that name, or the one that a type without a server
// needs none for.
func (c Config) provider(name string) (Provider, bool) {
	p, ok := c.Providers[name]
	if !ok && c.kinds.local(name) {
		return Provider{Type: name}, true
	}
	return p, ok
}

// Has reports whether there is a provider of that name.
func (c Config) Has(name string) bool {
	_, ok := c.provider(name)
	return ok
}

// SecretEnv are the environment variables that hold something secret, sorted: keys of
// all providers, the built-in ones included, and what headers refer to. Commands
// that the model runs do not get them.
func (c Config) SecretEnv() []string {
	names := c.kinds.KeyVariables()
	for _, p := range c.Providers {
		if p.APIKeyEnv != "" {
			names = append(names, p.APIKeyEnv)
		}
		for _, value := range p.Headers {
			for _, m := range reference.FindAllStringSubmatch(value.Reveal(), -1) {
				names = append(names, m[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

func (p Provider) resolve(name string, env Env) (Resolved, error) {
	r := Resolved{
		Name: name, Type: p.Type, BaseURL: p.BaseURL, KeyEnv: p.APIKeyEnv, KeyCommand: p.APIKeyCommand,
		Headers: map[string]Secret{}, Models: maps.Clone(p.Models),
	}
	if p.APIKeyEnv != "" {
		r.Key = NewSecret(strings.TrimSpace(env[p.APIKeyEnv]))
	}
	for _, header := range slices.Sorted(maps.Keys(p.Headers)) {
		var missing string
		value := reference.ReplaceAllStringFunc(p.Headers[header].Reveal(), func(ref string) string {
			variable := ref[2 : len(ref)-1]
			if env[variable] == "" {
				missing = variable
			}
			return env[variable]
		})
		if missing != "" {
			return Resolved{}, fmt.Errorf("provider %s: the header %s wants the environment variable %s, which is not set", name, header, missing)
		}
		r.Headers[header] = NewSecret(value)
	}
	return r, nil
}

// Unknown is the error of a provider's name that there is not: it lists the known ones.
func (c Config) Unknown(name string) error {
	known := c.Names()
	if best, ok := near.Word(name, known); ok {
		return fmt.Errorf("there is no provider %q: did you mean %q? There are: %s", name, best, strings.Join(known, ", "))
	}
	return fmt.Errorf("there is no provider %q; there are: %s", name, strings.Join(known, ", "))
}

// ParseModel splits provider/model at the first slash; the model may hold
// more, as in script/dir/FILE.
func ParseModel(text string) (provider, model string, err error) {
	provider, model, ok := strings.Cut(text, "/")
	if !ok || provider == "" || model == "" {
		return "", "", fmt.Errorf("%q does not name a model: write provider/model, such as openai/default", text)
	}
	return provider, model, nil
}

// Find splits provider/model and checks that the provider is there; any model
// will do.
func (c Config) Find(text string) (provider, model string, err error) {
	provider, model, err = ParseModel(text)
	if err != nil {
		return "", "", err
	}
	if !c.Has(provider) {
		return "", "", c.Unknown(provider)
	}
	return provider, model, nil
}

// Advice says what a person does to have a model.
func (c Config) Advice() string {
	var ways []string
	if keys := c.kinds.KeyVariables(); len(keys) > 0 {
		set := "set " + strings.Join(keys, ", ")
		if n := len(keys) - 1; n > 0 {
			set = "set " + strings.Join(keys[:n], ", ") + " or " + keys[n]
		}
		ways = append(ways, set)
	}
	for _, kind := range c.kinds {
		for _, s := range kind.Servers {
			if s.KeyEnv == "" && !kind.Local {
				ways = append(ways, "start "+s.Name)
			}
		}
	}
	if ways == nil {
		return "name one with --model provider/model"
	}
	return strings.Join(ways, ", ") + ", or name one with --model provider/model"
}
