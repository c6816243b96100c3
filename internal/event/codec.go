package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// MarshalJSON gives the form that the package doc shows, in that order of keys.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// AppendJSON appends the JSON form to b, without a line end. It fails only for
// a body that is missing or holds JSON that is not valid.
func (e Event) AppendJSON(b []byte) ([]byte, error) {
	if e.Body == nil {
		return b, errors.New("event: no body")
	}
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, uint64(e.Seq), 10)
	b = append(b, `,"time":"`...)
	b = e.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	b = appendKey(b, "session", string(e.Session))
	b = appendKey(b, "run", string(e.Run))
	b = appendKey(b, "turn", string(e.Turn))
	b = appendKey(b, "step", string(e.Step))
	b = appendKey(b, "response", string(e.Response))
	b = appendKey(b, "cause", string(e.Cause))
	b = appendKey(b, "type", e.Body.kind())
	b = append(b, `,"data":`...)
	b, err := appendData(b, e.Body)
	if err != nil {
		return b, fmt.Errorf("event: %s: %w", e.Body.kind(), err)
	}
	return append(b, '}'), nil
}

func appendKey(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	return appendString(b, value)
}

// appendString writes plain ASCII directly and leaves the rest to the standard
// encoder.
func appendString(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return appendEncoded(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func appendEncoded(b []byte, v any) []byte {
	w := bytes.NewBuffer(b)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// A string cannot fail to encode.
	_ = enc.Encode(v)
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}

func appendData(b []byte, body Body) ([]byte, error) {
	switch v := body.(type) {
	case Unknown:
		if !json.Valid(v.Data) {
			return b, errors.New("data is not JSON")
		}
		return append(b, v.Data...), nil
	case BlockDelta: // by far the most frequent kind
		b = append(b, `{"block":`...)
		b = appendString(b, string(v.Block))
		b = append(b, `,"offset":`...)
		b = strconv.AppendInt(b, int64(v.Offset), 10)
		b = append(b, `,"text":`...)
		return append(appendString(b, v.Text), '}'), nil
	}
	w := bytes.NewBuffer(b)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return b, err
	}
	return bytes.TrimSuffix(w.Bytes(), []byte("\n")), nil
}

type line struct {
	Seq      Seq             `json:"seq"`
	Time     time.Time       `json:"time"`
	Session  SessionID       `json:"session"`
	Run      RunID           `json:"run"`
	Turn     TurnID          `json:"turn"`
	Step     StepID          `json:"step"`
	Response ResponseID      `json:"response"`
	Cause    Cause           `json:"cause"`
	Type     string          `json:"type"`
	Data     json.RawMessage `json:"data"`
}

// UnmarshalJSON reads the form that the package doc shows.
func (e *Event) UnmarshalJSON(data []byte) error {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	if l.Type == "" {
		return errors.New("event: no type")
	}
	body, err := decodeBody(l.Type, l.Data)
	if err != nil {
		return fmt.Errorf("event: %s: %w", l.Type, err)
	}
	*e = Event{l.Seq, l.Time.UTC(), l.Session, l.Run, l.Turn, l.Step, l.Response, l.Cause, body}
	return nil
}

func decodeBody(kind string, data json.RawMessage) (Body, error) {
	t, known := byKind[kind]
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	if !known {
		return Unknown{Type: kind, Data: bytes.Clone(data)}, nil
	}
	v := reflect.New(t)
	if err := json.Unmarshal(data, v.Interface()); err != nil {
		return nil, err
	}
	return v.Elem().Interface().(Body), nil
}

// Decode reads one event from a line of JSON.
func Decode(data []byte) (Event, error) {
	var e Event
	err := json.Unmarshal(data, &e)
	return e, err
}
