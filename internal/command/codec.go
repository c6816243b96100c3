package command

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"

	"parley/internal/event"
)

var byName = func() map[string]reflect.Type {
	m := make(map[string]reflect.Type, len(bodies))
	for _, b := range bodies {
		m[b.name()] = reflect.TypeOf(b)
	}
	return m
}()

type commandLine struct {
	Type    string          `json:"type"`
	ID      string          `json:"id,omitempty"`
	Session event.SessionID `json:"session,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// MarshalJSON gives the form that the package doc shows. Who and Client do not
// travel: the daemon sets them.
func (c Command) MarshalJSON() ([]byte, error) {
	data, err := marshal(c.Body)
	if err != nil {
		return nil, err
	}
	return marshal(commandLine{c.Body.name(), c.ID, c.Session, data})
}

// Decode reads a command. A fault is always Invalid and says what is wrong; the
// returned command then still carries the id where there was one.
func Decode(line []byte) (Command, *Fault) {
	var l commandLine
	if err := json.Unmarshal(line, &l); err != nil {
		return Command{}, Faultf(Invalid, "not a command: %v", err)
	}
	c := Command{ID: l.ID, Session: l.Session}
	t, ok := byName[l.Type]
	if !ok {
		return c, Faultf(Invalid, "unknown command %q", l.Type)
	}
	v := reflect.New(t)
	if len(l.Data) > 0 {
		if err := json.Unmarshal(l.Data, v.Interface()); err != nil {
			return c, Faultf(Invalid, "%s: %v", l.Type, err)
		}
	}
	c.Body = v.Elem().Interface().(Body)
	return c, nil
}

type faultJSON struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	RetryMS int64  `json:"retry_ms,omitempty"`
}

// MarshalJSON gives {code, message, retry_ms?}.
func (f *Fault) MarshalJSON() ([]byte, error) {
	return marshal(faultJSON{f.Code, f.Message, f.Retry.Milliseconds()})
}

// UnmarshalJSON reads {code, message, retry_ms?}.
func (f *Fault) UnmarshalJSON(b []byte) error {
	var j faultJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*f = Fault{j.Code, j.Message, time.Duration(j.RetryMS) * time.Millisecond}
	return nil
}

type resultLine struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	OK    bool   `json:"ok"`
	Data  Data   `json:"data,omitempty"`
	Error *Fault `json:"error,omitempty"`
}

// MarshalJSON gives the form that the package doc shows.
func (r Result) MarshalJSON() ([]byte, error) {
	return marshal(resultLine{"result", r.ID, r.Fault == nil, r.Data, r.Fault})
}

// A Reply is a result as a client reads it: its data not yet decoded.
type Reply struct {
	ID    string
	Data  json.RawMessage
	Fault *Fault
}

// DecodeReply reads a result line.
func DecodeReply(line []byte) (Reply, error) {
	var l struct {
		ID    string          `json:"id"`
		Data  json.RawMessage `json:"data"`
		Error *Fault          `json:"error"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return Reply{}, err
	}
	return Reply{l.ID, l.Data, l.Error}, nil
}

// marshal is json.Marshal without the escaping for HTML.
func marshal(v any) ([]byte, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(w.Bytes(), []byte("\n")), nil
}
