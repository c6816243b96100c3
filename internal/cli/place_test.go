package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/config"
	"parley/internal/tool"
	"parley/test/rig"
)

// The model is told how a background command ended, and the end of its output.
func TestEnding(t *testing.T) {
	start := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	job := tool.Job{ID: "job-1", Command: "make serve", State: tool.JobExited, Started: start, Ended: start.Add(1500 * time.Millisecond)}
	for name, c := range map[string]struct {
		change func(*tool.Job)
		output string
		want   string
	}{
		"by itself": {nil, "one\ntwo\n", "The background command job-1 has ended with exit code 0, after 1.5s: make serve\nThe end of its output:\n\none\ntwo"},
		"fails": {func(j *tool.Job) { j.Exit.Code, j.File = 2, "/out/b1.txt" }, "",
			"The background command job-1 has ended with exit code 2, after 1.5s: make serve\nAll of its output is in /out/b1.txt.\nIt wrote nothing."},
		"by a signal": {func(j *tool.Job) { j.Exit = tool.Exit{Code: 137, Signal: "killed"} }, "x",
			"The background command job-1 has ended by the signal killed, after 1.5s: make serve\nThe end of its output:\n\nx"},
		"stopped": {func(j *tool.Job) { j.State, j.Exit.Code = tool.JobKilled, 143 }, "x",
			"The background command job-1 has ended because it was stopped or its time was over, after 1.5s: make serve\nThe end of its output:\n\nx"},
		"says much": {nil, strings.Repeat("é", lastOutput), "The background command job-1 has ended with exit code 0, after 1.5s: make serve\nThe end of its output:\n\n…" + strings.Repeat("é", lastOutput/2)},
	} {
		j := job
		if c.change != nil {
			c.change(&j)
		}
		if d := cmp.Diff(c.want, ending(j, c.output)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// A background command outlives its call and its run: the model is told of its
// end before the first request after it, once.
func TestJobIsTold(t *testing.T) {
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

// AGENTS.md is read from the root of the project down, each as far as its limit;
// never through a link that leads out of the project, and never what is no file.
func TestInstructions(t *testing.T) {
	dir := t.TempDir()
	root, at := filepath.Join(dir, "project"), filepath.Join(dir, "project", "a", "b", "c", "d", "e")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("secret.txt", "a secret")
	put("project/AGENTS.md", "from the root")
	put("project/CLAUDE.md", "from a link")
	put("project/a/b/c/AGENTS.md", strings.Repeat("long ", agentsLimit))
	for link, to := range map[string]string{"project/a/AGENTS.md": "../CLAUDE.md", "project/a/b/AGENTS.md": "../../../secret.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(at, "AGENTS.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, budget := systemPrompt(at, root, config.Env{})
	for want, there := range map[string]bool{"from the root": true, "from a link": true, "a secret": false, "(cut here)": true} {
		if strings.Contains(text, want) != there {
			t.Errorf("%q is there: %t", want, !there)
		}
	}
	if len(text) > agentsLimit+4096 {
		t.Errorf("the prompt has %d bytes", len(text))
	}
	var names []string
	for _, source := range budget {
		names = append(names, source.Name)
	}
	if d := cmp.Diff([]string{"system", "AGENTS.md", "a/AGENTS.md", "a/b/c/AGENTS.md"}, names); d != "" {
		t.Error(d)
	}
}
