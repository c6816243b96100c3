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
	"unicode/utf8"
)

// A Misfit is the error of arguments that a tool does not take. Its text tells a model what to write instead.
type Misfit struct {
	Reason string
	Form   string // what the tool takes, in short; may be empty
}

func (m *Misfit) Error() string { return m.Reason }

// decode checks the arguments of the tool of that name against its schema and decodes them into a. It takes one spelling:
// [Normalise] comes first. Its errors are each a Misfit.
func (s *schema) decode(name string, arguments json.RawMessage, a any) error {
	misfit := func(format string, args ...any) error {
		return &Misfit{Reason: fmt.Sprintf(format, args...), Form: s.form()}
	}
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	value, err := parse(arguments)
	if err != nil {
		return misfit("the arguments of %s are not valid JSON: %v", name, err)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return misfit("%s: the arguments must be an object, not %s", name, withArticle(typeOf(value)))
	}
	if err := s.check(object); err != nil {
		return misfit("%s: %v", name, err)
	}
	if err := json.Unmarshal(encode(object), a); err != nil {
		return misfit("%s: %v", name, err)
	}
	return nil
}

// parse reads one JSON value. It refuses a key that stands twice in an object: which of them counts is
// what a person who was asked could not see.
func parse(text []byte) (any, error) {
	v, _, err := read(text)
	return v, err
}

// read is parse; exact says that every other JSON reader gets the same value. One may not take 2.0 for a whole number, or
// may see half a character where we see none.
func read(text []byte) (v any, exact bool, err error) {
	r := reader{Decoder: json.NewDecoder(bytes.NewReader(text)), exact: true}
	r.UseNumber()
	v, err = r.value(0)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, false, err
	}
	if _, err := r.Token(); err != io.EOF {
		return nil, false, errors.New("there is more after the object")
	}
	return v, r.exact, nil
}

type reader struct {
	*json.Decoder
	exact bool
}

// maxDepth is far deeper than any tool's arguments, and far from what a stack can hold.
const maxDepth = 64

func (d *reader) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("too deep")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return d.object(depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	switch t := t.(type) {
	case json.Number:
		n, err := plainly(t)
		d.exact = d.exact && n == t
		return n, err
	case string:
		d.exact = d.exact && !strings.ContainsRune(t, utf8.RuneError)
	}
	return t, nil
}

func (d *reader) object(depth int) (any, error) {
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
		if object[name], err = d.value(depth + 1); err != nil {
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
