package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema (draft 2020-12) of a configuration file, made
// of the types of this package and those of providers.
func Schema(kinds Kinds) ([]byte, error) {
	s, err := schemaOf(reflect.TypeFor[Config](), kinds)
	if err != nil {
		return nil, fmt.Errorf("make the schema: %w", err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Parley configuration"
	s.Description = "~/.config/parley/config.jsonc, and .parley/config.jsonc in a workspace; comments and trailing commas are allowed"
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("make the schema: %w", err)
	}
	return append(b, '\n'), nil
}

func schemaOf(t reflect.Type, kinds Kinds) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Secret]():   {Type: "string"},
		reflect.TypeFor[Duration](): {Type: "string", Pattern: `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`, Examples: []any{"30m", "1h30m"}},
	}})
	if err != nil {
		return nil, err
	}
	refine(s, field{kind: t}, refinement{kinds, builtinValues()})
	return s, nil
}

// refinement is what the types do not say.
type refinement struct {
	kinds   Kinds
	builtin map[string]json.RawMessage
}

// refine adds what the tags say, and takes out that a value may be null.
func refine(s *jsonschema.Schema, f field, r refinement) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if f.kind.Kind() == reflect.Pointer {
		f.kind = f.kind.Elem()
	}
	switch {
	case f.kind.Kind() == reflect.Struct && s.Properties != nil:
		for _, inner := range fieldsOf(f.kind) {
			refine(s.Properties[inner.name], inner, r)
		}
	case f.kind.Kind() == reflect.Map:
		refine(s.AdditionalProperties, field{kind: f.kind.Elem()}, r)
	case f.kind.Kind() == reflect.Slice:
		refine(s.Items, field{kind: f.kind.Elem(), tag: f.tag}, refinement{kinds: r.kinds})
	}
	for _, value := range r.kinds.values(f.tag) {
		s.Enum = append(s.Enum, value)
	}
	if f.kind.Kind() == reflect.Int || f.kind.Kind() == reflect.Float64 {
		s.Minimum, s.Maximum = bound(f.tag.Get("min")), bound(f.tag.Get("max"))
	}
	if f.tag.Get("format") == "url" {
		s.Format = "uri"
	}
	s.Default = r.builtin[f.name]
}

func bound(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &n
}

// builtinValues are the built-in values by the last name of their key, but
// those of providers.
func builtinValues() map[string]json.RawMessage {
	settings, _ := parse(defaults, Origin{Layer: LayerBuiltin}, grammar{})
	out := map[string]json.RawMessage{}
	for _, s := range settings {
		if b, err := json.Marshal(s.value); err == nil {
			out[s.path[len(s.path)-1]] = b
		}
	}
	return out
}
