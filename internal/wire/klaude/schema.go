package klaude

import (
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema of a line. The events inside a replayed history
// are described by their shape; each is valid as a line of its own.
func Schema() (*jsonschema.Schema, error) {
	root := &jsonschema.Schema{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		Title:       "klaude",
		Description: "One line of klaude's stream-json.",
		Defs:        make(map[string]*jsonschema.Schema),
	}
	line := &jsonschema.Schema{Ref: "#"}
	for _, class := range classes {
		t := reflect.TypeOf(class)
		data, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[Line](): line}})
		if err != nil {
			return nil, err
		}
		present(data)
		if s := data.Properties["status"]; s != nil {
			s.Enum = []any{"success", "error"}
		}
		if t == reflect.TypeFor[EndEvent]() {
			data.Properties["session_id"].Const = jsonschema.Ptr[any](App)
		}
		root.Defs[t.Name()] = data
		root.OneOf = append(root.OneOf, &jsonschema.Schema{
			Type:                 "object",
			Properties:           map[string]*jsonschema.Schema{"type": {Const: jsonschema.Ptr[any](t.Name())}, "data": {Ref: "#/$defs/" + t.Name()}},
			PropertyOrder:        []string{"type", "data"},
			Required:             []string{"type", "data"},
			AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		})
	}
	return root, nil
}

// nullable are the lists that may be null.
var nullable = []string{"images"}

// present takes null from lists that are never null and from members that are
// left out rather than null.
func present(s *jsonschema.Schema) {
	for name, p := range s.Properties {
		list := slices.Contains(p.Types, "array") && !slices.Contains(nullable, name)
		if (list || !slices.Contains(s.Required, name)) && len(p.Types) > 1 && p.Types[0] == "null" {
			p.Types = p.Types[1:]
			if len(p.Types) == 1 {
				p.Type, p.Types = p.Types[0], nil
			}
		}
		present(p)
		if p.Items != nil {
			present(p.Items)
		}
	}
}
