package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/test/rig"
)

// A background command outlives its call and its run: the model is told of its
// end before the first request after it, once.
func TestModelIsToldOfEndedJob(t *testing.T) {
	h := newHome(t)
	if _, err := h.Write("play.ndjson", `{"when":"The background command job-1 has ended with exit code 3"}
{"text":"So it goes."}
{"stop":""}
{"when":"begin"}
{"call":{"id":"b1","name":"bash","arguments":{"command":"read line < pipe; echo $line; exit 3","background":true}}}
{"stop":""}
{"when":"Started job-1"}
{"text":"It runs."}
{"stop":""}
{"when":"and now?"}
{"text":"Nothing new."}
{"stop":""}
`); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(h.Work, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := h.run("run", "--allow", "bash", "--model", "script/play.ndjson", "begin"); r.Code != 0 || !strings.Contains(r.Out, "It runs.") {
		t.Fatal(r)
	}
	// Opening it waits for the reader, and closing it lets that go on.
	if err := os.WriteFile(pipe, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	ask := func() ran { return h.run("run", "--session", "last", "--model", "script/play.ndjson", "and now?") }
	err := rig.Until(func() (bool, error) {
		r := ask()
		if r.Code != 0 {
			return false, errors.New(r.String())
		}
		return strings.Contains(r.Out, "So it goes."), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := ask(); !strings.Contains(r.Out, "Nothing new.") {
		t.Error(r)
	}
	if r := h.run("sessions", "export", "last"); strings.Count(r.Out, `"type":"developer.said"`) != 1 {
		t.Error(r)
	}
}
