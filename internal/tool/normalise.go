package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Alias is another name under which models know an argument, from the agents that they were trained with.
type Alias struct {
	// Of is the argument's name; for one in the items of a list the list's name, a dot and its own. Such a one may
	// also stand beside the list, which then has that one item.
	Of string
	// Names are the others. Case, "_" and "-" do not count, in the argument's own name neither.
	Names []string
	// Unit is the unit of a number under these names, where the argument itself is in milliseconds.
	Unit Unit
}

// Unit is what a number counts that stands for milliseconds.
type Unit string

// The units. SecondsOrMilliseconds is for a name that agents have taught models with both: below 1,000 it is seconds, since no
// command is given less than one, and hardly one more than a quarter of an hour.
const (
	Milliseconds          Unit = ""
	Seconds               Unit = "seconds"
	SecondsOrMilliseconds Unit = "seconds or milliseconds"
)

// milliseconds is the number that was meant.
func (u Unit) milliseconds(n json.Number) any {
	f, err := n.Float64()
	if err != nil || u == Milliseconds || u == SecondsOrMilliseconds && f >= 1000 {
		return n
	}
	whole, err := plainly(json.Number(strconv.FormatFloat(f*1000, 'e', -1, 64)))
	if err != nil {
		return n
	}
	return whole
}

// Normaliser is a Tool that knows how models misspell its arguments.
type Normaliser interface {
	// Normalise returns the arguments in the one spelling that the tool takes, and as they are where there is nothing
	// to mend. Of two spellings of one argument with different values both stay, and the call is invalid.
	Normalise(arguments json.RawMessage) json.RawMessage
}

// Normalise gives arguments their one reading: numbers and booleans that were written as strings, JSON inside a string,
// one value where a list is wanted, null for what may be left out, and other names of arguments. It is idempotent, and
// must come before anything looks at a call: what a rule is held against, what a person is shown and what the tool gets
// are then the same bytes.
func Normalise(t Tool, arguments json.RawMessage) json.RawMessage {
	if n, ok := t.(Normaliser); ok {
		return n.Normalise(arguments)
	}
	return arguments
}

// alias is an Alias as it is looked up.
type alias struct {
	of   string
	unit Unit
}

// plainName is what of a name counts in comparing it.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(lower(name))
}

// closed reports whether an object takes no other names than those of its schema.
func closed(part *jsonschema.Schema) bool {
	return part.AdditionalProperties != nil && part.AdditionalProperties.Not != nil && len(part.PatternProperties) == 0
}

// learn takes up the other names of arguments. Where a name is free to mean something else they are refused.
func (s *schema) learn(aliases []Alias) error {
	s.aliases, s.beside = map[*jsonschema.Schema]map[string]alias{}, map[string]string{}
	for _, a := range aliases {
		object, name := s.root, a.Of
		list, inner, within := strings.Cut(a.Of, ".")
		if within {
			object, name = nil, inner
			if p := s.root.Properties[list]; p != nil {
				object = p.Items
			}
		}
		if object == nil || object.Properties[name] == nil || !closed(object) {
			return fmt.Errorf("%s has other names and is no argument of a closed object", a.Of)
		}
		if s.aliases[object] == nil {
			s.aliases[object] = map[string]alias{}
		}
		for _, other := range append(slices.Clone(a.Names), name) {
			if within {
				s.beside[plainName(other)] = list
			}
			if other != name {
				s.aliases[object][plainName(other)] = alias{name, a.Unit}
			}
		}
	}
	return nil
}

// normalise is Normalise for the tool of the schema.
func (s *schema) normalise(arguments json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(arguments)) == 0 {
		return json.RawMessage("{}")
	}
	value, exact, err := read(arguments)
	if err != nil {
		return arguments
	}
	if exact && s.valid(value) == nil {
		return arguments
	}
	value = s.mend(s.root, value, 0)
	err = s.valid(value)
	if errors.Is(err, errTooLarge) {
		return arguments
	}
	if err != nil {
		s.prune(s.root, value)
	}
	return encode(value)
}

// encode writes a value with its keys in order, and no character of a text in another way than need be.
func encode(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // what was read can be written
	return bytes.TrimSpace(b.Bytes())
}

// mend returns a value in the spelling that a part of the schema takes, as far as it can be told.
func (s *schema) mend(part *jsonschema.Schema, v any, depth int) any {
	if part = s.only(part); part == nil || depth > maxDepth {
		return v
	}
	v = s.convert(part, v)
	switch v := v.(type) {
	case map[string]any:
		return s.mendObject(part, v, depth)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = s.mend(part.Items, item, depth+1)
		}
		return out
	}
	return v
}

// only follows a part to where its type stands: a $ref, and the one way beside null that there is.
func (s *schema) only(part *jsonschema.Schema) *jsonschema.Schema {
	for range maxDepth {
		if part == nil || part.Type != "" || part.Types != nil || part.Properties != nil {
			return part
		}
		next := s.target(part)
		for _, way := range slices.Concat(part.AnyOf, part.OneOf, part.AllOf) {
			if way.Type == "null" {
				continue
			}
			if next != nil {
				return part
			}
			next = way
		}
		if next == nil {
			return part
		}
		part = next
	}
	return part
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// convert returns a value of a type that a part takes, where it is one in another spelling.
func (s *schema) convert(part *jsonschema.Schema, v any) any {
	types := part.Types
	if part.Type != "" {
		types = []string{part.Type}
	}
	takes := func(v any) bool {
		t := typeOf(v)
		return slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
	}
	if len(types) == 0 || takes(v) || v == nil {
		return v
	}
	if text, ok := v.(string); ok {
		v = unquoted(text, types)
		if takes(v) {
			return v
		}
	}
	if !slices.Contains(types, "array") {
		return v
	}
	item := s.only(part.Items)
	if _, object := v.(map[string]any); object || item != nil && item.Type == typeOf(v) {
		return []any{v}
	}
	return v
}

// unquoted is what a text holds of these types, else the text.
func unquoted(text string, types []string) any {
	inner := strings.Trim(text, " \t\r\n")
	switch {
	case number.MatchString(inner) && (slices.Contains(types, "integer") || slices.Contains(types, "number")):
		if n, err := plainly(json.Number(inner)); err == nil {
			return n
		}
	case slices.Contains(types, "boolean") && lower(inner) == "true":
		return true
	case slices.Contains(types, "boolean") && lower(inner) == "false":
		return false
	case strings.HasPrefix(inner, "{") || strings.HasPrefix(inner, "["):
		v, err := parse([]byte(inner))
		if err == nil && (slices.Contains(types, "array") || slices.Contains(types, typeOf(v))) {
			return v
		}
	}
	return text
}

// mendObject is mend for an object: its names, then what they stand for.
func (s *schema) mendObject(part *jsonschema.Schema, object map[string]any, depth int) any {
	out, spelt := map[string]any{}, map[string][]string{} // by argument: the names that it was given under
	item, list := map[string]any{}, ""
	for _, name := range slices.Sorted(maps.Keys(object)) {
		a, known := s.named(part, name)
		switch in := s.beside[plainName(name)]; {
		case known:
			spelt[a.of] = append(spelt[a.of], name)
		case in != "" && part == s.root && (list == "" || list == in):
			item[name], list = object[name], in
		default:
			out[name] = object[name]
		}
	}
	for name, spellings := range spelt {
		if v, one := s.agreed(part, object, spellings, depth); one {
			out[name] = v
			continue
		}
		for _, name := range spellings {
			out[name] = object[name]
		}
	}
	if list != "" {
		alone := s.mend(part.Properties[list], []any{item}, depth+1)
		if there := out[list]; there != nil && !reflect.DeepEqual(there, alone) {
			maps.Copy(out, item)
		} else {
			out[list] = alone
		}
	}
	return out
}

// named is the argument that a name stands for.
func (s *schema) named(part *jsonschema.Schema, name string) (alias, bool) {
	if part.Properties[name] != nil {
		return alias{of: name}, true
	}
	if !closed(part) {
		return alias{}, false
	}
	var like []string
	for known := range part.Properties {
		if plainName(known) == plainName(name) {
			like = append(like, known)
		}
	}
	if len(like) == 1 {
		return alias{of: like[0]}, true
	}
	a, ok := s.aliases[part][plainName(name)]
	return a, ok
}

// agreed is the value of an argument that was given under these names; false where they do not agree. Null says nothing.
func (s *schema) agreed(part *jsonschema.Schema, object map[string]any, spellings []string, depth int) (agreed any, one bool) {
	for _, name := range spellings {
		a, _ := s.named(part, name)
		v := s.mend(part.Properties[a.of], object[name], depth+1)
		if n, ok := v.(json.Number); ok {
			v = a.unit.milliseconds(n)
		}
		switch {
		case agreed == nil:
			agreed = v
		case v != nil && !reflect.DeepEqual(agreed, v):
			return nil, false
		}
	}
	return agreed, true
}

// prune removes optional arguments that are null: models that have to fill in every key write null for "nothing".
func (s *schema) prune(part *jsonschema.Schema, v any) {
	if object, ok := v.(map[string]any); ok {
		for name := range part.Properties {
			if value, there := object[name]; there && value == nil && !slices.Contains(part.Required, name) {
				delete(object, name)
			}
		}
	}
	s.eachPair(part, v, s.prune)
}
