package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

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
	object, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: the arguments must be an object, not %s", name, withArticle(typeOf(value)))
	}
	if err := s.check(object); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	clean, err := json.Marshal(object)
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
		return object(d, depth)
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
	if n, ok := t.(json.Number); ok {
		return plainly(n)
	}
	return t, nil
}

func object(d *json.Decoder, depth int) (any, error) {
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
}

// plainly writes a whole number without point and exponent, as those who decode it into an integer expect, and
// refuses one that is too large to be compared.
func plainly(n json.Number) (json.Number, error) {
	f, err := n.Float64()
	if err != nil {
		return "", fmt.Errorf("%.40s is too large a number", n)
	}
	if strings.ContainsAny(n.String(), ".eE") && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return json.Number(strconv.FormatInt(int64(f), 10)), nil
	}
	return n, nil
}
