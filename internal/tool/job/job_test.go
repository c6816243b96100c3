package job_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/tool"
	"parley/internal/tool/job"
	"parley/internal/tool/tooltest"
)

// world has a job that waits, and one that has ended.
func world(t testing.TB, root string) tool.World {
	w := tooltest.World(t, root)
	for _, script := range []string{"echo waits; exec sleep 1000", "exit 3"} {
		if _, err := w.Jobs.Start(w, tool.Task{Call: "c", Command: script, Args: []string{"/bin/sh", "-c", script}, Dir: root, Env: w.Env}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Jobs.Wait(context.Background(), "job-2"); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{Tool: job.New(), World: world, Calls: []string{`{}`, `{"id":"job-1"}`, `{"id":"job-2","wait_ms":1000}`, `{"id":"job-1","end":true}`}})
}

func FuzzArguments(f *testing.F) {
	tooltest.Fuzz(f, job.New(), `{"id":"job-1","end":true,"wait_ms":5}`)
}

// A job is listed, looked at, waited for and ended; what is about one job needs its id.
func TestJob(t *testing.T) {
	w := world(t, t.TempDir())
	for _, c := range []struct{ arguments, want string }{
		{`{}`, "job-1 runs since 0s: echo waits; exec sleep 1000\njob-2 ended with exit code 3: exit 3"},
		{`{"id":"job-2","wait_ms":600000}`, "job-2 ended with exit code 3: exit 3"},
		{`{"id":"job-1","wait_ms":1}`, "job-1 runs"},
		{`{"id":"job-1","end":true}`, "job-1 was ended: echo waits"},
		{`{"id":"job-1"}`, "job-1 was ended"},
		{`{"id":"job-9"}`, "no such job: job-9"},
	} {
		r := job.New().Run(context.Background(), w.Grant(tool.Targets{}), tool.Call{Arguments: json.RawMessage(c.arguments)}, nil)
		if !strings.HasPrefix(r.Text, c.want) {
			t.Errorf("%s: %q, want %q", c.arguments, r.Text, c.want)
		}
	}
	if _, err := job.New().Targets(w, tool.Call{Arguments: json.RawMessage(`{"end":true}`)}); err == nil {
		t.Error("a job is ended without being named")
	}
}
