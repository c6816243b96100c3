package cogency

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// members are those of an event beside its type and time, by type. All of them
// are always there.
var members = []struct {
	kind   string
	fields []string
}{
	{"user", []string{"content"}},
	{"think", []string{"content"}},
	{"call", []string{"content"}},
	{"result", []string{"payload"}},
	{"respond", []string{"content"}},
	{"end", nil},
	{"metric", []string{"step", "total"}},
	{"error", []string{"content", "payload"}},
	{"interrupt", nil},
}

// Schema returns the JSON Schema of a line that the dialect writes.
func Schema() (*jsonschema.Schema, error) {
	all, err := jsonschema.For[Event](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Types: []string{"boolean", "string"}},
	}})
	if err != nil {
		return nil, err
	}
	present(all)
	root := &jsonschema.Schema{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		Title:       "cogency",
		Description: "One line of the cogency event stream.",
	}
	for _, m := range members {
		variant := &jsonschema.Schema{
			Type:                 "object",
			Properties:           map[string]*jsonschema.Schema{"type": {Const: jsonschema.Ptr[any](m.kind)}},
			AdditionalProperties: all.AdditionalProperties.CloneSchemas(),
			PropertyOrder:        append(append([]string{"type"}, m.fields...), "timestamp"),
		}
		variant.Required = variant.PropertyOrder
		for _, f := range variant.PropertyOrder[1:] {
			variant.Properties[f] = all.Properties[f].CloneSchemas()
		}
		narrow(m.kind, variant)
		root.OneOf = append(root.OneOf, variant)
	}
	return root, nil
}

// narrow takes the members out of a variant that other types have.
func narrow(kind string, variant *jsonschema.Schema) {
	switch payload := variant.Properties["payload"]; kind {
	case "result":
		payload.Required = []string{"outcome"}
		payload.Properties["error"] = &jsonschema.Schema{Const: jsonschema.Ptr[any](true)}
	case "error":
		payload.Properties = map[string]*jsonschema.Schema{"error": {Type: "string"}}
		payload.PropertyOrder = []string{"error"}
		payload.Required = payload.PropertyOrder
	case "metric":
		step := variant.Properties["step"]
		delete(step.Properties, "duration")
		step.PropertyOrder = step.PropertyOrder[:2]
	}
}

// present takes null from members that are left out rather than null.
func present(s *jsonschema.Schema) {
	for name, p := range s.Properties {
		if !slices.Contains(s.Required, name) && len(p.Types) > 1 && p.Types[0] == "null" {
			p.Types = p.Types[1:]
			if len(p.Types) == 1 {
				p.Type, p.Types = p.Types[0], nil
			}
		}
		present(p)
	}
}
