package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Shape is a JSON Schema that an answer is held against. It is read within the same bounds as that of a tool.
type Shape struct {
	schema *schema
	text   string
}

// NewShape reads a JSON Schema.
func NewShape(text json.RawMessage) (*Shape, error) {
	s, err := parseSchema(text)
	if err != nil {
		return nil, fmt.Errorf("the schema of the answer: %w", err)
	}
	s.noun = "property"
	return &Shape{schema: s, text: string(compact(text))}, nil
}

// String is the schema itself.
func (s *Shape) String() string { return s.text }

// Check reports what of an answer does not fit, in words for a model.
func (s *Shape) Check(answer string) error {
	v, err := parse([]byte(Value(answer)))
	if err != nil {
		return fmt.Errorf("it is not one JSON value and nothing else: %w", err)
	}
	err = s.schema.valid(v)
	if err == nil || errors.Is(err, errTooLarge) {
		return err
	}
	if words := s.schema.explain(s.schema.root, "answer", v); words != "" {
		return errors.New(words)
	}
	return errors.New(clipped(err.Error()))
}

// Value is the JSON of an answer: all of it, or what stands in the one fence that it is made of.
func Value(answer string) string {
	text := strings.TrimSpace(answer)
	inner, fenced := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if language, rest, ok := strings.Cut(inner, "\n"); fenced && closed && ok && !strings.Contains(inner, "```") {
		if language = strings.TrimSpace(language); language == "" || strings.EqualFold(language, "json") {
			return strings.TrimSpace(rest)
		}
	}
	return text
}
