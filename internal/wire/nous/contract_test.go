package nous_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/wire/nous"
	"parley/internal/wire/wiretest"
)

const contractFile = "../../../docs/nous-protocol-v1.json"

// The document is what the types say.
func TestContractDocument(t *testing.T) {
	if wiretest.Updating() {
		if err := os.WriteFile(contractFile, nous.Contract(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(written), string(nous.Contract())); d != "" {
		t.Errorf("-document +types\n%s", d)
	}
}

type shape struct{ Required, Optional map[string]string }

type contract struct {
	Envelopes map[string]shape
	Commands  map[string]struct {
		shape
		Response string
	}
	Responses, Events map[string]shape
	Errors            map[string]string
}

// document reads the contract as a client would, from the document.
func document(t testing.TB) contract {
	t.Helper()
	b, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	var c contract
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The frozen names, and the three that came later.
func TestContractNames(t *testing.T) {
	c := document(t)
	for what, n := range map[string][2]int{"commands": {len(c.Commands), 17}, "events": {len(c.Events), 13}} {
		if n[0] != n[1] {
			t.Errorf("%d %s, want %d", n[0], what, n[1])
		}
	}
	for name := range c.Commands {
		if in := nous.Commands.Decode(peer, nil, []byte(fmt.Sprintf(`{"id":"1","type":%q}`, name))); len(in.Commands)+len(in.Replies) != 1 {
			t.Errorf("%s: %d commands, %d replies", name, len(in.Commands), len(in.Replies))
		} else if len(in.Replies) == 1 && strings.Contains(string(in.Replies[0]), "invalid_command") {
			t.Errorf("%s is not a command: %s", name, in.Replies[0])
		}
	}
}

// object is an object whose keys keep their order.
type object struct {
	keys   []string
	values map[string]json.RawMessage
}

func parse(b []byte) (object, error) {
	o := object{values: make(map[string]json.RawMessage)}
	if err := json.Unmarshal(b, &o.values); err != nil {
		return o, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	for depth := 0; ; {
		tok, err := d.Token()
		if err != nil {
			return o, nil
		}
		switch v := tok.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth == 1 {
				o.keys = append(o.keys, v)
				var skip json.RawMessage
				if err := d.Decode(&skip); err != nil {
					return o, err
				}
			}
		}
	}
}

func (s shape) check(o object) error {
	for key, typ := range s.Required {
		v, there := o.values[key]
		if !there {
			return fmt.Errorf("no %s", key)
		}
		if err := is(typ, v); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	for key, typ := range s.Optional {
		if v, there := o.values[key]; there {
			if err := is(typ, v); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return nil
}

func is(typ string, v json.RawMessage) error {
	var x any
	if err := json.Unmarshal(v, &x); err != nil {
		return err
	}
	got := map[bool]string{true: "array"}[x == nil] // the one null of the protocol
	switch x.(type) {
	case string:
		got = "string"
	case bool:
		got = "boolean"
	case float64:
		got = "number"
	case []any:
		got = "array"
	case map[string]any:
		got = "object"
	}
	if got != typ {
		return fmt.Errorf("is %s, not %s", v, typ)
	}
	return nil
}

// line checks a line of the daemon: a response or an event.
func (c contract) line(b []byte) error {
	o, err := parse(b)
	if err != nil {
		return err
	}
	var kind string
	_ = json.Unmarshal(o.values["type"], &kind)
	payload, err := parse(o.values["payload"])
	if err != nil {
		return err
	}
	if string(o.values["v"]) != `"1"` {
		return fmt.Errorf("v is %s", o.values["v"])
	}
	if _, response := o.values["ok"]; !response {
		return c.event(o, kind, payload)
	}
	return c.response(o, kind, payload)
}

func (c contract) event(o object, kind string, payload object) error {
	if want := []string{"v", "id", "type", "payload", "ts"}; !slices.Equal(o.keys, want) {
		return fmt.Errorf("keys %v", o.keys)
	}
	s, known := c.Events[kind]
	if !known {
		return fmt.Errorf("no event %s", kind)
	}
	if err := c.Envelopes["event"].check(o); err != nil {
		return err
	}
	if !slices.IsSorted(payload.keys) {
		return fmt.Errorf("payload keys %v", payload.keys)
	}
	return s.check(payload)
}

func (c contract) response(o object, kind string, payload object) error {
	envelope, keys := "response", []string{"v", "id", "type", "payload", "ok"}
	if string(o.values["ok"]) == "false" {
		envelope, keys = "error", append(keys, "error")
		problem, err := parse(o.values["error"])
		if err != nil {
			return err
		}
		var code string
		_ = json.Unmarshal(problem.values["code"], &code)
		if _, known := c.Errors[code]; !known || kind != "error" || len(payload.keys) > 0 {
			return fmt.Errorf("error %s", o.values["error"])
		}
	}
	if !slices.Equal(o.keys, keys) {
		return fmt.Errorf("keys %v", o.keys)
	}
	if kind == "accepted" {
		var command string
		_ = json.Unmarshal(payload.values["command"], &command)
		kind += ":" + command
	}
	s, known := c.Responses[kind]
	if !known {
		return fmt.Errorf("no response %s", kind)
	}
	if !slices.IsSorted(payload.keys) {
		return fmt.Errorf("payload keys %v", payload.keys)
	}
	if kind == "result" {
		var events []json.RawMessage
		_ = json.Unmarshal(payload.values["events"], &events)
		for _, e := range events {
			o, err := parse(e)
			if err != nil {
				return err
			}
			if err := c.Envelopes["result event"].check(o); err != nil {
				return fmt.Errorf("event %s: %w", e, err)
			}
		}
	}
	if err := c.Envelopes[envelope].check(o); err != nil {
		return err
	}
	return s.check(payload)
}

// Every line of every traffic file keeps the contract.
func TestTrafficKeepsContract(t *testing.T) {
	c := document(t)
	files, _ := filepath.Glob("testdata/*.traffic")
	n := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range strings.Split(string(b), "\n") {
			if line, ok := strings.CutPrefix(l, "< "); ok {
				n++
				if err := c.line([]byte(line)); err != nil {
					t.Errorf("%s:%d: %v in %s", file, i+1, err, line)
				}
			}
		}
	}
	if n < 500 {
		t.Errorf("%d lines", n)
	}
}

// There is one traffic file for each group of the original's behaviour.
func TestTrafficGroups(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.traffic")
	got := make(map[int]int)
	for _, file := range files {
		n, err := strconv.Atoi(filepath.Base(file)[:2])
		if err != nil {
			t.Errorf("%s has no number", file)
		}
		got[n]++
	}
	want := map[int]int{40: 1, 41: 1} // what permission refuses, there are no hooks; what goes on
	for n := 1; n <= 31; n++ {
		if n != 18 && n != 19 {
			want[n] = 1
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.traffic")
	var seeds []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, l := range strings.Split(string(b), "\n") {
			if frame, ok := strings.CutPrefix(l, "> "); ok {
				seeds = append(seeds, frame)
			}
		}
	}
	c := document(f)
	wiretest.Laws{Dialect: &nous.Commands, Peer: peer, Valid: c.line}.FuzzDecode(f, seeds...)
}
