package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

const (
	// maxReason is how much is said of what does not fit, in bytes.
	maxReason = 400
	// maxNamed is how many values or ways are named.
	maxNamed = 12
)

// explain says in words for a model why a value that does not fit a schema does not. It decides nothing: of what it has
// no words for it says nothing.
func (s *schema) explain(part *jsonschema.Schema, at string, v any) string {
	if t := s.target(part); t != nil {
		if words := s.explain(t, at, v); words != "" {
			return words
		}
	}
	for _, sub := range part.AllOf {
		if words := s.explain(sub, at, v); words != "" {
			return words
		}
	}
	if words := wrongType(part, at, v); words != "" {
		return words
	}
	if words := wrongValue(part, at, v); words != "" {
		return words
	}
	switch v := v.(type) {
	case map[string]any:
		if words := s.explainObject(part, at, v); words != "" {
			return words
		}
	case []any:
		if part.Items == nil {
			break
		}
		for i, item := range v {
			if words := s.explain(part.Items, fmt.Sprintf("%s[%d]", at, i), item); words != "" {
				return words
			}
		}
	}
	return s.noWay(slices.Concat(part.AnyOf, part.OneOf), at, v)
}

// noWay says why a value fits none of several schemas.
func (s *schema) noWay(ways []*jsonschema.Schema, at string, v any) string {
	var all []string
	for _, way := range ways {
		words := s.explain(way, at, v)
		if words == "" {
			return ""
		}
		if !slices.Contains(all, words) && len(all) < maxNamed {
			all = append(all, words)
		}
	}
	return clipped(strings.Join(all, "; or "))
}

func (s *schema) explainObject(part *jsonschema.Schema, at string, object map[string]any) string {
	inner := func(name string) string {
		if at == "" {
			return name
		}
		return at + "." + name
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		property, known := part.Properties[name]
		switch {
		case known:
			if words := s.explain(property, inner(name), object[name]); words != "" {
				return words
			}
		case closed(part):
			return s.unknown(part, inner(name), name, object)
		}
	}
	for _, name := range part.Required {
		if _, ok := object[name]; !ok {
			return inner(name) + " is missing"
		}
	}
	return ""
}

func (s *schema) unknown(part *jsonschema.Schema, at, name string, object map[string]any) string {
	if a, ok := s.named(part, name); ok {
		for _, other := range slices.Sorted(maps.Keys(object)) {
			if b, ok := s.named(part, other); ok && other != name && b.of == a.of {
				return fmt.Sprintf("%s and %s are one argument with two values; write %s once", clipped(at), clipped(other), a.of)
			}
		}
		return fmt.Sprintf("unknown %s %s, did you mean %q?", s.noun, clipped(at), a.of)
	}
	if list := s.beside[plainName(name)]; list != "" && part == s.root {
		return fmt.Sprintf("%s belongs into %s; write it there, once", clipped(at), list)
	}
	known := slices.Sorted(maps.Keys(part.Properties))
	if near := Nearest(name, known); len(near) > 0 {
		return fmt.Sprintf("unknown %s %s, did you mean %q?", s.noun, clipped(at), near[0])
	}
	if len(known) == 0 {
		return fmt.Sprintf("unknown %s %s; there are none", s.noun, clipped(at))
	}
	return fmt.Sprintf("unknown %s %s; there are %s", s.noun, clipped(at), clipped(strings.Join(known, ", ")))
}

// wrongType says that a value is of another type.
func wrongType(part *jsonschema.Schema, at string, v any) string {
	types := part.Types
	if part.Type != "" {
		types = []string{part.Type}
	}
	got := typeOf(v)
	if len(types) == 0 || slices.Contains(types, got) || got == "integer" && slices.Contains(types, "number") {
		return ""
	}
	is := withArticle(got)
	if n, ok := v.(json.Number); ok && slices.Contains(types, "integer") {
		is = n.String()
	} else if got == "integer" {
		is = "a number"
	}
	want := make([]string, len(types))
	for i, t := range types {
		want[i] = withArticle(t)
	}
	if at == "" {
		at = "the arguments"
	}
	return fmt.Sprintf("%s must be %s, not %s", at, strings.Join(want, " or "), is)
}

func withArticle(t string) string {
	switch t {
	case "null":
		return t
	case "integer", "object", "array":
		return "an " + t
	}
	return "a " + t
}

// typeOf is the name that a schema has for the type of a value.
func typeOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			return "integer"
		}
		return "number"
	}
	return "null"
}

// wrongValue says that a value of the right type is none of those that are taken.
func wrongValue(part *jsonschema.Schema, at string, v any) string {
	if part.Enum != nil && !slices.ContainsFunc(part.Enum, func(e any) bool { return same(e, v) }) {
		return fmt.Sprintf("%s must be one of %s", at, listed(part.Enum))
	}
	if part.Const != nil && !same(*part.Const, v) {
		return fmt.Sprintf("%s must be %s", at, listed([]any{*part.Const}))
	}
	switch v := v.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		switch {
		case part.MinLength != nil && n < *part.MinLength && n == 0:
			return at + " is empty"
		case part.MinLength != nil && n < *part.MinLength:
			return fmt.Sprintf("%s has %d characters; the least is %d", at, n, *part.MinLength)
		case part.MaxLength != nil && n > *part.MaxLength:
			return fmt.Sprintf("%s has %d characters; the most is %d", at, n, *part.MaxLength)
		}
	case []any:
		switch {
		case part.MinItems != nil && len(v) < *part.MinItems:
			return fmt.Sprintf("%s needs at least %d", at, *part.MinItems)
		case part.MaxItems != nil && len(v) > *part.MaxItems:
			return fmt.Sprintf("%s has %d; the most is %d", at, len(v), *part.MaxItems)
		}
	case json.Number:
		n, _ := v.Float64()
		switch {
		case part.Minimum != nil && n < *part.Minimum:
			return fmt.Sprintf("%s is %s; the least is %s", at, v, digits(*part.Minimum))
		case part.Maximum != nil && n > *part.Maximum:
			return fmt.Sprintf("%s is %s; the most is %s", at, v, digits(*part.Maximum))
		}
	}
	return ""
}

func digits(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// same compares a value of the schema with one of the arguments.
func same(want, got any) bool { return reflect.DeepEqual(floats(want), floats(numbers(got))) }

func floats(v any) any {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v
}

// listed names values as JSON, at most maxNamed of them.
func listed(values []any) string {
	var all []string
	for i, v := range values {
		if i == maxNamed {
			all = append(all, "…")
			break
		}
		text, err := json.Marshal(v)
		if err == nil {
			all = append(all, string(text))
		}
	}
	return clipped(strings.Join(all, ", "))
}

func clipped(text string) string {
	if len(text) <= maxReason {
		return text
	}
	return Head(Valid(text), maxReason) + "…"
}

// maxForm is how long a form may be that is worth its tokens.
const maxForm = 600

// form is what the tool takes, in short, such as {path: string, limit?: integer}; empty where that is long.
func (s *schema) form() string {
	var b strings.Builder
	s.formOf(&b, s.root, 0)
	if b.Len() > maxForm || s.only(s.root).Properties == nil {
		return ""
	}
	return b.String()
}

func (s *schema) formOf(b *strings.Builder, part *jsonschema.Schema, depth int) {
	part = s.only(part)
	switch {
	case b.Len() > maxForm:
	case part == nil || depth > maxDepth:
		b.WriteString("any")
	case part.Enum != nil:
		b.WriteString(strings.ReplaceAll(listed(part.Enum), ", ", " | "))
	case part.Properties != nil:
		separator := "{"
		for _, name := range slices.Sorted(maps.Keys(part.Properties)) {
			b.WriteString(separator + name)
			if separator = ", "; !slices.Contains(part.Required, name) {
				b.WriteString("?")
			}
			b.WriteString(": ")
			s.formOf(b, part.Properties[name], depth+1)
		}
		b.WriteString("}")
	case part.Type == "array":
		b.WriteString("[")
		s.formOf(b, part.Items, depth+1)
		b.WriteString("]")
	case part.Type != "":
		b.WriteString(part.Type)
	case part.Types != nil:
		b.WriteString(strings.Join(part.Types, " | "))
	default:
		b.WriteString("any")
	}
}
