package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema (draft 2020-12) of a configuration file, made
// of the types of this package.
func Schema() ([]byte, error) {
	s, err := schemaOf(reflect.TypeFor[Config]())
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

func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Secret]():   {Type: "string"},
		reflect.TypeFor[Duration](): {Type: "string", Pattern: `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`, Examples: []any{"30m", "1h30m"}},
	}})
	if err != nil {
		return nil, err
	}
	refine(s, t, "", builtinValues())
	return s, nil
}

// refine adds what the tags say, and takes out that a value may be null.
func refine(s *jsonschema.Schema, t reflect.Type, tag reflect.StructTag, builtin map[string]json.RawMessage) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	switch {
	case t.Kind() == reflect.Struct && s.Properties != nil:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			refine(s.Properties[name], f.Type, f.Tag, builtin)
		}
	case t.Kind() == reflect.Map:
		refine(s.AdditionalProperties, t.Elem(), "", builtin)
	case t.Kind() == reflect.Slice:
		refine(s.Items, t.Elem(), tag, nil)
	}
	if enum := tag.Get("enum"); enum != "" {
		for value := range strings.SplitSeq(enum, ",") {
			s.Enum = append(s.Enum, value)
		}
	}
	if t.Kind() == reflect.Int || t.Kind() == reflect.Float64 {
		s.Minimum, s.Maximum = bound(tag.Get("min")), bound(tag.Get("max"))
	}
	if tag.Get("format") == "url" {
		s.Format = "uri"
	}
	name, _, _ := strings.Cut(tag.Get("json"), ",")
	s.Default = builtin[name]
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
	settings, _ := parse(defaults, Origin{Layer: LayerBuiltin}, nil)
	out := map[string]json.RawMessage{}
	for _, s := range settings {
		if s.path[0] == "providers" {
			continue
		}
		if b, err := json.Marshal(s.value); err == nil {
			out[s.path[len(s.path)-1]] = b
		}
	}
	return out
}
