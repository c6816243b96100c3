package llm

import (
	"bytes"
	"encoding/json"
)

// Elements are JSON values that were encoded one by one. A wire encodes each message by itself and joins the results, so
// the encoding of a finished message can be kept, and the size of a request is the sum of its elements.
// The first value that could not be encoded is their error, which [Join] returns.
type Elements struct {
	list []json.RawMessage
	err  error
}

// Add encodes values.
func (e *Elements) Add(values ...any) {
	for _, v := range values {
		one, err := encode(v)
		if err != nil && e.err == nil {
			e.err = err
		}
		e.list = append(e.list, one)
	}
}

// AddJoined adds what [Join] makes.
func (e *Elements) AddJoined(head any, name string, elements Elements) {
	one, err := Join(head, name, elements)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.list = append(e.list, one)
}

// Append adds what is encoded already.
func (e *Elements) Append(other Elements) {
	if e.err == nil {
		e.err = other.err
	}
	e.list = append(e.list, other.list...)
}

// Len is the number of elements.
func (e *Elements) Len() int { return len(e.list) }

// Last is the last element, which may be replaced by another that is JSON; there must be one.
func (e *Elements) Last() *json.RawMessage { return &e.list[len(e.list)-1] }

// Join is the JSON of head, which is an object, with one more member, the array of the elements.
func Join(head any, name string, elements Elements) (json.RawMessage, error) {
	if elements.err != nil {
		return nil, elements.err
	}
	object, err := encode(head)
	if err != nil {
		return nil, err
	}
	size := len(object) + len(name) + len(`,"":[]`) + len(elements.list)
	for _, e := range elements.list {
		size += len(e)
	}
	out := append(make([]byte, 0, size), object[:len(object)-1]...)
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(append(append(out, '"'), name...), `":[`...)
	for i, e := range elements.list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e...)
	}
	return append(out, "]}"...), nil
}

// encode is the JSON of a value. Unlike json.Marshal it leaves <, > and & as they are: code is full of them, and each
// would take six bytes.
func encode(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
