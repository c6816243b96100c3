package command_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
)

// Every command survives its JSON form, empty and as decoded from it.
func TestRoundTrip(t *testing.T) {
	for _, b := range command.Bodies() {
		in := command.Command{ID: "7", Session: "sess-1", Body: b}
		line, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out, fault := command.Decode(line)
		if fault != nil {
			t.Fatalf("%s: %v", line, fault)
		}
		if d := cmp.Diff(in, out); d != "" {
			t.Errorf("%s: %s", line, d)
		}
	}
}

// A bad line is Invalid, and keeps the id where there was one.
func TestDecodeFaults(t *testing.T) {
	for _, c := range []struct{ line, id, message string }{
		{`{oops`, "", "not a command: invalid character 'o' looking for beginning of object key string"},
		{`{"type":"fly","id":"9"}`, "9", `unknown command "fly"`},
		{`{"type":"prompt","id":"9","data":{"text":3}}`, "9", "prompt: json: cannot unmarshal number into Go struct field Prompt.text of type string"},
	} {
		got, fault := command.Decode([]byte(c.line))
		if fault == nil || fault.Code != command.Invalid || fault.Message != c.message || got.ID != c.id {
			t.Errorf("%s: %q %v", c.line, got.ID, fault)
		}
	}
}

// A fault survives its JSON form.
func TestFault(t *testing.T) {
	r := command.Result{ID: "7", Fault: &command.Fault{Code: command.Busy, Message: "a <run> is open", Retry: 1500 * time.Millisecond}}
	line, err := json.Marshal(r)
	if err != nil || len(line) == 0 {
		t.Fatalf("%s %v", line, err)
	}
	reply, err := command.DecodeReply(line)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(command.Reply{ID: "7", Fault: r.Fault}, reply); d != "" {
		t.Error(d)
	}
}

func FuzzDecode(f *testing.F) {
	for _, b := range command.Bodies() {
		line, _ := json.Marshal(command.Command{ID: "7", Body: b})
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		c, fault := command.Decode(line)
		if (c.Body == nil) != (fault != nil) {
			t.Errorf("%v and %v", c.Body, fault)
		}
		if fault == nil {
			if _, err := json.Marshal(c); err != nil {
				t.Error(err)
			}
		}
	})
}
