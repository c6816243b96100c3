package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// stubProgram is testdata/stub, built once, in stubFolder.
var stubProgram = sync.OnceValues(func() (file string, err error) {
	if stubFolder, err = os.MkdirTemp("", "stub"); err != nil {
		return "", err
	}
	file = filepath.Join(stubFolder, "stub")
	out, err := exec.Command("go", "build", "-o", file, "./testdata/stub").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return file, err
})

var stubFolder string

func TestMain(m *testing.M) {
	code := m.Run()
	if stubFolder != "" {
		os.RemoveAll(stubFolder)
	}
	os.Exit(code)
}

// machine is a workspace on the disk with stub programs that really run.
type machine struct {
	root, programs, log string
	env                 []string
	disk                *Disk
	before              map[string]string // as they were
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	program, err := stubProgram()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{}
	m.root, m.programs = fixture(t, program)
	m.log = filepath.Join(filepath.Dir(m.root), "log")
	m.env = []string{"PATH=" + m.programs, "HOME=" + m.root, "LC_ALL=C.UTF-8", "STUB_LOG=" + m.log}
	m.disk = openDisk(t, m.root)
	m.before = m.files(t)
	return m
}

// reset undoes what redirections did in the workspace.
func (m *machine) reset(t testing.TB) {
	t.Helper()
	os.Remove(m.log)
	for name, content := range m.files(t) {
		old, known := m.before[name]
		var err error
		switch {
		case !known:
			err = os.Remove(filepath.Join(m.root, name))
		case content != old:
			err = os.WriteFile(filepath.Join(m.root, name), []byte(old), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// host runs programs of a plan.
func (m *machine) host() Host {
	return Host{Open: m.disk.Open, Start: func(ctx context.Context, s Step, env []string, streams Streams) (func() int, error) {
		dir, leave, err := m.disk.Enter(s)
		if err != nil {
			return nil, err
		}
		defer leave()
		cmd := &exec.Cmd{
			Path: s.Path, Args: s.Args, Env: env, Dir: dir,
			Stdin: streams.In, Stdout: streams.Out, Stderr: streams.Err, SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		return func() int {
			_ = cmd.Wait()
			stop()
			return ExitCode(cmd.ProcessState)
		}, nil
	}}
}

// outcome is what a line left behind.
type outcome struct {
	Calls    []string
	Out, Err string
	Files    map[string]string
	Code     int
}

// run runs a plan with real processes.
func (m *machine) run(t testing.TB, p Plan) outcome {
	t.Helper()
	return m.observed(t, func(s Streams) int {
		code, err := p.Run(t.Context(), m.host(), s)
		if err != nil {
			t.Fatal(err)
		}
		return code
	})
}

// bash runs the text of a line.
func (m *machine) bash(t testing.TB, bash, text string) outcome {
	t.Helper()
	return m.observed(t, func(s Streams) int {
		cmd := exec.Command(bash, slices.Concat(BashOptions, []string{"-c", text})...)
		cmd.Dir, cmd.Env = m.root, slices.Concat(Unattended(m.env), gitGuards, []string{"PWD=" + m.root})
		cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, s.Out, s.Err
		_ = cmd.Run()
		return ExitCode(cmd.ProcessState)
	})
}

// observed runs something in the workspace as it was at first.
func (m *machine) observed(t testing.TB, run func(Streams) int) outcome {
	t.Helper()
	m.reset(t)
	return m.observe(t, run)
}

// observe runs something and looks at what came of it.
func (m *machine) observe(t testing.TB, run func(Streams) int) outcome {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	streams := Streams{In: null}
	var o outcome
	var readers sync.WaitGroup
	for to, file := range map[*string]**os.File{&o.Out: &streams.Out, &o.Err: &streams.Err} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		*file = write
		readers.Go(func() {
			var b bytes.Buffer
			_, _ = b.ReadFrom(read)
			read.Close()
			*to = b.String()
		})
	}
	o.Code = run(streams)
	streams.Out.Close()
	streams.Err.Close()
	readers.Wait()
	o.Err = said(o.Err)
	o.Out = complaints.ReplaceAllString(o.Out, "")
	o.Calls = m.calls(t)
	o.Files = m.files(t)
	for name, content := range o.Files {
		o.Files[name] = complaints.ReplaceAllString(content, "")
	}
	return o
}

// complaints are what a shell says itself of a file that it cannot open.
var complaints = regexp.MustCompile(`(?m)^(\S*bash: line \d+|parley): .*\n`)

// said is what stubs wrote on standard error; the words of the shell itself differ.
func said(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "stub: ") {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func (m *machine) calls(t testing.TB) []string {
	t.Helper()
	content, _ := os.ReadFile(m.log)
	var calls []string
	for line := range strings.Lines(string(content)) {
		var c struct {
			Args, Env []string
			Folder    string
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		c.Env = slices.DeleteFunc(c.Env, func(v string) bool {
			return strings.HasPrefix(v, "_=") || strings.HasPrefix(v, "SHLVL=") || strings.HasPrefix(v, "OLDPWD=")
		})
		text, _ := json.Marshal(c)
		calls = append(calls, string(text))
	}
	slices.Sort(calls)
	return calls
}

func (m *machine) files(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(m.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "prog" {
			return err
		}
		content, err := os.ReadFile(name)
		files[strings.TrimPrefix(name, m.root+"/")] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
