package bash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
	"parley/internal/tool/bash"
	"parley/internal/tool/tooltest"
	"parley/test/need"
)

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{
		Tool:  bash.New(),
		Calls: []string{`{"command":"echo hello; ls"}`, `{"command":"true","timeout_ms":60000,"description":"nothing"}`, `{"command":"true","background":true}`},
	})
}

func FuzzArguments(f *testing.F) {
	tooltest.Fuzz(f, bash.New(), `{"command":"a","timeout_ms":1,"background":true,"description":"b"}`)
}

type args map[string]any

// chunk is a piece of live output.
type chunk struct {
	Stream tool.Stream
	Text   string
}

func call(t testing.TB, ctx context.Context, w tool.World, a args, live func(chunk)) tool.Result {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var grown strings.Builder
	r := bash.New().Run(ctx, w, tool.Call{ID: "call-1", Name: "bash", Arguments: text}, func(s tool.Stream, text string) {
		grown.WriteString(text)
		if live != nil {
			live(chunk{s, text})
		}
	})
	tooltest.Check(t, r, grown.String())
	return r
}

func run(t testing.TB, w tool.World, command string) tool.Result {
	t.Helper()
	return call(t, context.Background(), w, args{"command": command}, nil)
}

// What commands print and how they end, in the words a model gets.
func TestOutput(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	w.Env = append(w.Env, "GREETING=hello")
	for _, tt := range []struct {
		command, text, summary string
		code                   int
	}{
		{"echo a; echo b", "a\nb\n", "2 lines", 0},
		{"printf a", "a", "1 line", 0},
		{"true", "(no output)", "no output", 0},
		{"false", "Command exited with code 1", "exit 1", 1},
		{"echo a; exit 3", "a\n\nCommand exited with code 3", "exit 3", 3},
		{"printf a; exit 3", "a\n\nCommand exited with code 3", "exit 3", 3},
		{"echo oops >&2; exit 1", "oops\n\nCommand exited with code 1", "exit 1", 1},
		{"kill -KILL $$", "Command exited with code 137 (killed)", "exit 137", 137},
		{"cat; echo $?", "0\n", "1 line", 0},
		{"test -t 0 || test -t 1 || echo no terminal", "no terminal\n", "1 line", 0},
		{"echo $GREETING", "hello\n", "1 line", 0},
		{"pwd; test $(pwd) = \"$PWD\"", w.Root + "\n", "1 line", 0},
		{`printf '\303'; printf '\244\n'`, "ä\n", "1 line", 0},
		{`printf 'a\377b\303'`, "a\ufffdb\ufffd", "1 line", 0},
		{`printf '\303' >&2; printf x`, "x\ufffd", "1 line", 0},
		{"no-such-program-anywhere 2>/dev/null", "Command exited with code 127", "exit 127", 127},
	} {
		r := run(t, w, tt.command)
		want := tool.Result{Status: tool.Success, Text: tt.text, Summary: tt.summary, Display: tool.Display{ExitCode: &tt.code}}
		if tt.code != 0 {
			want.Status = tool.Error
		}
		if strings.Contains(tt.command, ">&2; printf") {
			// The two streams are two pipes: only the order within each is sure.
			if r.Text != tt.text && r.Text != "\ufffdx" {
				t.Errorf("%s: %q", tt.command, r.Text)
			}
			continue
		}
		if d := cmp.Diff(want, r); d != "" {
			t.Errorf("%s: %s", tt.command, d)
		}
	}
}

// Output comes while the command runs, with its stream: each line is answered before the next is written.
func TestOutputComesWhileItRuns(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	var got []chunk
	step := 0
	r := call(t, context.Background(), w, args{"command": `
		wait_for() { while ! test -e "$1"; do sleep 0.01; done; }
		echo one; wait_for 1; echo two >&2; wait_for 2; echo three`},
		func(c chunk) {
			got = append(got, c)
			step++
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(step)), nil, 0o666); err != nil {
				t.Error(err)
			}
		})
	want := []chunk{{tool.Stdout, "one\n"}, {tool.Stderr, "two\n"}, {tool.Stdout, "three\n"}}
	if d := cmp.Diff(want, got); d != "" || r.Status != tool.Success {
		t.Error(d, r.Text)
	}
}

// An abort keeps the output so far; a time limit says how long it was. Both name the end.
func TestAbortAndTimeout(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	r := call(t, ctx, w, args{"command": "echo before; sleep 99; echo after"}, func(chunk) { cancel() })
	want := tool.Result{Status: tool.Aborted, Text: "before\n\nCommand aborted", Summary: "aborted"}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
	r = call(t, context.Background(), w, args{"command": "echo before; sleep 99", "timeout_ms": 1000}, nil)
	want = tool.Result{Status: tool.Error, Text: "before\n\nCommand timed out after 1 seconds", Summary: "timed out after 1s"}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
	r = call(t, context.Background(), w, args{"command": "true", "timeout_ms": 600_001}, nil)
	if !strings.HasPrefix(r.Text, "timeout_ms is 600001; the most is 600000") {
		t.Errorf("%+v", r)
	}
}

// Output past the cap keeps its beginning and its end; what is between is in the file that the text names.
func TestLongOutputKeepsBothEnds(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	r := run(t, w, `i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done; exit 2`)
	if !strings.HasPrefix(r.Text, "line 0\nline 1\n") || !strings.HasSuffix(r.Text, "line 19999\n\nCommand exited with code 2") {
		t.Errorf("%.100q … %q", r.Text, r.Text[len(r.Text)-100:])
	}
	if !strings.Contains(r.Text, "bytes left out here; the whole output is in "+r.File+", read it with offset and limit]\nline ") {
		t.Error("the cut is not explained")
	}
	whole, err := os.ReadFile(r.File)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	if string(whole) != want.String() {
		t.Errorf("the file has %d bytes, want %d", len(whole), want.Len())
	}
	w.Spill = nil
	r = run(t, w, "head -c 100000 /dev/zero | tr '\\0' x")
	if !strings.Contains(r.Text, "the whole output could not be kept: keeping whole outputs: not available here]") || r.File != "" {
		t.Errorf("%s", r.Text[40<<10:41<<10])
	}
}

// A command that prints without end costs little memory and disk, and can be aborted.
func TestEndlessOutputIsBounded(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	r := run(t, w, "head -c 68000000 /dev/zero | tr '\\0' x")
	if !strings.Contains(r.Text, "the first 64 MiB are in ") {
		t.Error("the cut of the file is not explained")
	}
	if stat, err := os.Stat(r.File); err != nil || stat.Size() != tool.MaxSpill {
		t.Errorf("%v %v", stat, err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 16<<20 || m.HeapSys > 128<<20 {
		t.Errorf("heap %d, from the system %d", m.HeapAlloc, m.HeapSys)
	}
	ctx, cancel := context.WithCancel(context.Background())
	grown := 0
	r = call(t, ctx, w, args{"command": "yes"}, func(c chunk) {
		if grown += len(c.Text); grown > 30<<10 {
			cancel()
		}
	})
	if r.Status != tool.Aborted || grown > tool.MaxText {
		t.Errorf("%s, %d bytes live", r.Status, grown)
	}
}

// Where there is no bash, sh runs the command; without a PATH there still is /bin/sh.
func TestShells(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	bin := t.TempDir()
	sh := need.Program(t, "sh")
	if err := os.Symlink(sh, filepath.Join(bin, "sh")); err != nil {
		t.Fatal(err)
	}
	var used []string
	exec := w.Exec
	w.Exec = func(ctx context.Context, c tool.Command) (tool.Exit, error) {
		used = append(used, c.Args[0])
		return exec(ctx, c)
	}
	for _, look := range []func(string) (string, error){
		func(name string) (string, error) {
			if name == "sh" {
				return filepath.Join(bin, "sh"), nil
			}
			return "", errors.New("not there")
		},
		func(string) (string, error) { return "", errors.New("not there") },
	} {
		w.LookPath = look
		if r := run(t, w, "echo ok"); r.Text != "ok\n" {
			t.Errorf("%+v", r)
		}
	}
	if d := cmp.Diff([]string{filepath.Join(bin, "sh"), "/bin/sh"}, used); d != "" {
		t.Error(d)
	}
}

// A command in the background is a job: it outlives the call, its output goes to a file, it can be waited
// for and ended.
func TestBackground(t *testing.T) {
	dir := t.TempDir()
	w := tooltest.World(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	r := call(t, ctx, w, args{"command": "echo started; while ! test -e go; do sleep 0.01; done; echo done; exit 4", "background": true}, nil)
	cancel()
	jobs := w.Jobs.List()
	if len(jobs) != 1 {
		t.Fatalf("%+v", jobs)
	}
	job := jobs[0]
	want := tool.Result{
		Status: tool.Success, Summary: "job-1", File: job.File,
		Text: fmt.Sprintf("Started job-1 in the background, process %d. Its output goes to %s: look at it with the read tool. The tool job says how it is, and ends it.",
			job.PID, job.File),
	}
	if d := cmp.Diff(want, r); d != "" || job.State != tool.JobRunning {
		t.Error(d, job)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	job, err := w.Jobs.Wait(context.Background(), "job-1")
	if err != nil || job.State != tool.JobExited || job.Exit.Code != 4 || job.Bytes != 13 {
		t.Errorf("%+v %v", job, err)
	}
	if text, err := w.Jobs.Output("job-1"); text != "started\ndone\n" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if kept, err := os.ReadFile(job.File); string(kept) != "started\ndone\n" || err != nil {
		t.Errorf("%q %v", kept, err)
	}
	call(t, context.Background(), w, args{"command": "sleep 99", "background": true}, nil)
	if job, err = w.Jobs.Kill("job-2"); err != nil || job.State != tool.JobKilled {
		t.Errorf("%+v %v", job, err)
	}
	call(t, context.Background(), w, args{"command": "sleep 99", "background": true, "timeout_ms": 50}, nil)
	if job, err = w.Jobs.Wait(context.Background(), "job-3"); err != nil || job.State != tool.JobKilled {
		t.Errorf("%+v %v", job, err)
	}
	w.Jobs = nil
	if r := call(t, context.Background(), w, args{"command": "true", "background": true}, nil); r.Text != "background jobs: not available here" {
		t.Errorf("%+v", r)
	}
}

// Permission is told the command and where it runs.
func TestTargets(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	got, err := bash.New().Targets(w, tool.Call{Arguments: json.RawMessage(`{"command":"ls"}`)})
	if d := cmp.Diff(tool.Targets{Command: "ls", Dir: w.Root}, got); d != "" || err != nil {
		t.Error(d, err)
	}
}
