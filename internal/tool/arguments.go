package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
)

// schema is the part of JSON Schema that tools use.
type schema struct {
	Type       string             `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	MinItems   int                `json:"minItems"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinLength  int                `json:"minLength"`
}

// decode checks the arguments of the tool of that name against its schema and decodes them into a. Its
// errors tell a model what to write instead.
func (s *schema) decode(name string, arguments json.RawMessage, a any) error {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	value, err := parse(arguments)
	if err != nil {
		return fmt.Errorf("the arguments of %s are not valid JSON: %w", name, err)
	}
	if err := s.check("", value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	clean, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(clean, a); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// parse reads one JSON value. It refuses a key that stands twice in an object: which of them counts is
// what a person who was asked could not see.
func parse(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := value(d, 0)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after the object")
	}
	return v, nil
}

// maxDepth is far deeper than any tool's arguments, and far from what a stack can hold.
const maxDepth = 64

func value(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("too deep")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name, ok := key.(string)
			if !ok {
				return nil, fmt.Errorf("%v is not a key", key)
			}
			if _, twice := object[name]; twice {
				return nil, fmt.Errorf("%q stands there twice", name)
			}
			if object[name], err = value(d, depth+1); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

// check reports the first thing that does not fit. An optional property that is null is dropped: models
// made to fill in every key write null for "nothing".
func (s *schema) check(at string, v any) error {
	switch v := v.(type) {
	case map[string]any:
		if s.Type != "object" {
			return s.wrong(at, "an object")
		}
		return s.object(at, v)
	case []any:
		if s.Type != "array" {
			return s.wrong(at, "a list")
		}
		if len(v) < s.MinItems {
			return fmt.Errorf("%s needs at least %d", at, s.MinItems)
		}
		for i, item := range v {
			if err := s.Items.check(fmt.Sprintf("%s[%d]", at, i), item); err != nil {
				return err
			}
		}
	case string:
		if s.Type != "string" {
			return s.wrong(at, "a string")
		}
		if len(v) < s.MinLength {
			return fmt.Errorf("%s is empty", at)
		}
	case bool:
		if s.Type != "boolean" {
			return s.wrong(at, "a boolean")
		}
	case json.Number:
		if s.Type != "integer" && s.Type != "number" {
			return s.wrong(at, "a number")
		}
		n, err := v.Float64()
		if err != nil || s.Type == "integer" && strings.ContainsAny(v.String(), ".eE") {
			return s.wrong(at, v.String())
		}
		if s.Minimum != nil && n < *s.Minimum {
			return fmt.Errorf("%s is %s; the least is %v", at, v, *s.Minimum)
		}
		if s.Maximum != nil && n > *s.Maximum {
			return fmt.Errorf("%s is %s; the most is %.0f", at, v, *s.Maximum)
		}
	case nil:
		return s.wrong(at, "null")
	}
	return nil
}

func (s *schema) wrong(at, got string) error {
	if at == "" {
		return fmt.Errorf("the arguments must be an object, not %s", got)
	}
	article := "a"
	if s.Type == "integer" || s.Type == "object" || s.Type == "array" {
		article = "an"
	}
	return fmt.Errorf("%s must be %s %s, not %s", at, article, s.Type, got)
}

func (s *schema) object(at string, object map[string]any) error {
	inner := func(name string) string {
		if at == "" {
			return name
		}
		return at + "." + name
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		property, known := s.Properties[name]
		if !known {
			return s.unknown(inner(name), name)
		}
		if object[name] == nil && !slices.Contains(s.Required, name) {
			delete(object, name)
			continue
		}
		if err := property.check(inner(name), object[name]); err != nil {
			return err
		}
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s is missing", inner(name))
		}
	}
	return nil
}

func (s *schema) unknown(at, name string) error {
	known := make([]string, 0, len(s.Properties))
	for k := range s.Properties {
		known = append(known, k)
	}
	sort.Strings(known)
	if near := Nearest(name, known); len(near) > 0 {
		return fmt.Errorf("unknown argument %s, did you mean %q?", at, near[0])
	}
	return fmt.Errorf("unknown argument %s; there are %s", at, strings.Join(known, ", "))
}
