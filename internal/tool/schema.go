package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds of what a schema may cost: foreign tools come with any schema, and some mean harm.
const (
	maxSchema = 256 << 10 // bytes
	maxParts  = 4000      // schemas within a schema
	maxHere   = 500       // schemas that one value is held against: more is a loop, or as good as one
	// maxCheck bounds the check of one call, in bytes that are looked at; each look counts for at least lookCost.
	maxCheck = 64 << 20
	lookCost = 1024
)

// draft07 is the one older draft that is read as what it is.
const draft07 = "http://json-schema.org/draft-07/schema#"

// schema is the JSON Schema of a tool's arguments, ready to be held against them.
type schema struct {
	root     *jsonschema.Schema
	noun     string // what a property is called
	resolved *jsonschema.Resolved
	parts    map[string]*jsonschema.Schema // by JSON pointer or anchor, as a $ref within the schema names them
	aliases  map[*jsonschema.Schema]map[string]alias
	beside   map[string]string // names of arguments in a list's items that may stand beside the list, and the list
}

// parseSchema reads a schema. It refuses one that could not be checked within bounds, or that needs another document.
func parseSchema(text json.RawMessage, aliases ...Alias) (s *schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("it cannot be read: %v", p)
		}
	}()
	if len(text) > maxSchema {
		return nil, fmt.Errorf("it has %s; the most is %s", Bytes(int64(len(text))), Bytes(maxSchema))
	}
	if _, err := parse(text); err != nil {
		return nil, err
	}
	s = &schema{root: &jsonschema.Schema{}, noun: "argument", parts: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(text, s.root); err != nil {
		return nil, err
	}
	if err := s.index("", s.root); err != nil {
		return nil, err
	}
	for at, part := range s.parts {
		if part.Ref != "" && s.target(part) == nil {
			return nil, fmt.Errorf("its $ref %q leads nowhere in it", part.Ref)
		}
		looks := maxHere * lookCost
		if !s.affords(part, nil, &looks) {
			return nil, fmt.Errorf("it goes in circles at #%s, or is as good as endless there", at)
		}
	}
	if strings.Contains(s.root.Schema, "draft-07") {
		s.root.Schema = draft07
	} else {
		s.root.Schema = "" // read as the newest
	}
	if err := s.learn(aliases); err != nil {
		return nil, err
	}
	s.resolved, err = s.root.Resolve(nil)
	return s, err
}

// index notes a schema and those in it by the name that a $ref has for them.
func (s *schema) index(at string, part *jsonschema.Schema) error {
	switch {
	case part == nil:
		return errors.New("it holds null in the place of a schema")
	case len(s.parts) >= maxParts:
		return fmt.Errorf("it is made of more than %d schemas", maxParts)
	case part.DynamicRef != "":
		return errors.New("$dynamicRef is not read here")
	case part.ID != "" && at != "":
		return errors.New("an $id inside it is not read here")
	}
	s.parts[at] = part
	if part.Anchor != "" {
		s.parts[part.Anchor] = part
	}
	lenient(part)
	var err error
	eachPart(part, func(p subschema) {
		if err == nil {
			err = s.index(at+"/"+p.path(), p.schema)
		}
	})
	return err
}

// lenient leaves out the patterns that are written for another engine: what they would refuse is the tool's to refuse.
func lenient(part *jsonschema.Schema) {
	if _, err := regexp.Compile(part.Pattern); err != nil {
		part.Pattern = ""
	}
	for pattern := range part.PatternProperties {
		if _, err := regexp.Compile(pattern); err != nil {
			delete(part.PatternProperties, pattern)
			part.AdditionalProperties, part.UnevaluatedProperties = nil, nil
		}
	}
}

// target is the schema that a $ref stands for, nil where it stands for none within the document.
func (s *schema) target(part *jsonschema.Schema) *jsonschema.Schema {
	ref := part.Ref
	if s.root.ID != "" {
		ref = strings.TrimPrefix(ref, strings.TrimSuffix(s.root.ID, "#"))
	}
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if text, err := url.PathUnescape(fragment); err == nil {
		fragment = text
	}
	return s.parts[fragment]
}

// place says which value a schema within a schema is held against.
type place int

const (
	apart place = iota // none, until a $ref names it
	here               // the same
	items              // those of a list
	keys               // those of an object
	key                // the one of an object that it is named for
)

// subschema is a schema within a schema.
type subschema struct {
	schema        *jsonschema.Schema
	keyword, name string // name is the key or the number below the keyword, "" where there is none
	place         place
}

var pointer = strings.NewReplacer("~", "~0", "/", "~1")

func (p subschema) path() string {
	if p.name == "" {
		return p.keyword
	}
	return p.keyword + "/" + pointer.Replace(p.name)
}

// eachPart visits the schemas directly within a schema, in the same order each time.
func eachPart(s *jsonschema.Schema, visit func(subschema)) {
	one := func(place place, keyword string, part *jsonschema.Schema) {
		if part != nil {
			visit(subschema{part, keyword, "", place})
		}
	}
	list := func(place place, keyword string, parts []*jsonschema.Schema) {
		for i, part := range parts {
			visit(subschema{part, keyword, strconv.Itoa(i), place})
		}
	}
	named := func(place place, keyword string, parts map[string]*jsonschema.Schema) {
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			visit(subschema{parts[name], keyword, name, place})
		}
	}
	named(apart, "$defs", s.Defs)
	named(apart, "definitions", s.Definitions)
	one(apart, "contentSchema", s.ContentSchema)
	list(here, "allOf", s.AllOf)
	list(here, "anyOf", s.AnyOf)
	list(here, "oneOf", s.OneOf)
	one(here, "not", s.Not)
	one(here, "if", s.If)
	one(here, "then", s.Then)
	one(here, "else", s.Else)
	named(here, "dependentSchemas", s.DependentSchemas)
	named(here, "dependencies", s.DependencySchemas)
	list(items, "prefixItems", s.PrefixItems)
	one(items, "items", s.Items)
	list(items, "items", s.ItemsArray)
	one(items, "additionalItems", s.AdditionalItems)
	one(items, "contains", s.Contains)
	one(items, "unevaluatedItems", s.UnevaluatedItems)
	named(key, "properties", s.Properties)
	named(keys, "patternProperties", s.PatternProperties)
	one(keys, "additionalProperties", s.AdditionalProperties)
	one(keys, "propertyNames", s.PropertyNames)
	one(keys, "unevaluatedProperties", s.UnevaluatedProperties)
}

// eachPair visits the schemas directly within a schema, and what its $ref stands for, with each value that it would be
// held against.
func (s *schema) eachPair(part *jsonschema.Schema, v any, visit func(*jsonschema.Schema, any)) {
	if t := s.target(part); t != nil {
		visit(t, v)
	}
	list, _ := v.([]any)
	object, _ := v.(map[string]any)
	eachPart(part, func(p subschema) {
		switch p.place {
		case here:
			visit(p.schema, v)
		case items:
			for _, item := range list {
				visit(p.schema, item)
			}
		case keys:
			for _, value := range object {
				visit(p.schema, value)
			}
		case key:
			if value, ok := object[p.name]; ok {
				visit(p.schema, value)
			}
		case apart:
		}
	})
}

// affords reports whether the check of v against a part keeps within what is left to be looked at, and takes it off. It
// takes every way that the check could take, so that no schema makes the check itself endless.
func (s *schema) affords(part *jsonschema.Schema, v any, left *int) bool {
	if *left -= lookCost + size(v); *left < 0 {
		return false
	}
	ok := true
	s.eachPair(part, v, func(part *jsonschema.Schema, v any) { ok = ok && s.affords(part, v, left) })
	return ok
}

// size is about how many bytes a value has.
func size(v any) int {
	n := 8
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, item := range v {
			n += size(item)
		}
	case map[string]any:
		for name, item := range v {
			n += len(name) + size(item)
		}
	}
	return n
}

// errTooLarge is what valid says of arguments that it does not look at.
var errTooLarge = errors.New("the arguments are too large for their schema to be checked; make the call with less, or in parts")

// valid holds a value against the schema.
func (s *schema) valid(v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the arguments cannot be checked: %v", p)
		}
	}()
	left := maxCheck
	if !s.affords(s.root, v, &left) {
		return errTooLarge
	}
	return s.resolved.Validate(numbers(v))
}

// check reports what of the arguments does not fit, in words for a model.
func (s *schema) check(arguments map[string]any) error {
	err := s.valid(arguments)
	if err == nil || errors.Is(err, errTooLarge) {
		return err
	}
	if words := s.explain(s.root, "", arguments); words != "" {
		return errors.New(words)
	}
	text := err.Error()
	if len(text) > maxReason {
		text = Head(text, maxReason) + "…"
	}
	return fmt.Errorf("the arguments do not fit: %s", text)
}

// numbers is a value as the check reads it: with numbers of Go in the place of their digits.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // parse refused what is out of range
		return f
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = numbers(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = numbers(item)
		}
		return out
	}
	return v
}
