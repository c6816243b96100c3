package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"parley/internal/config"
	"parley/internal/doctor"
)

var findings = []doctor.Finding{
	{Name: "config", State: doctor.Good, What: "/home/ann/config.jsonc"},
	{Name: "locale", State: doctor.Poor, What: "\"C\" is not UTF-8", Do: "export LANG=C.UTF-8"},
	{Name: "paths", State: doctor.Broken, What: "HOME is \"\"\nPARLEY_SOCKET is \"x\"", Do: "correct <the> variable"},
}

// Each finding is a line with a mark, and what to do is below it. That one is
// broken is the exit code; two are counted.
func TestDoctorReport(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out}
	err := a.report(findings, false)
	want := `✓ config: /home/ann/config.jsonc
! locale: "C" is not UTF-8
  → export LANG=C.UTF-8
✗ paths: HOME is ""
  PARLEY_SOCKET is "x"
  → correct <the> variable
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var e exit
	if !errors.As(err, &e) || e.code != 1 || e.Error() != "one thing is broken" {
		t.Errorf("the error is %v", err)
	}
	if err := a.report(append(findings, findings...), false); !errors.As(err, &e) || e.Error() != "2 things are broken" {
		t.Errorf("the error is %v", err)
	}
	if err := a.report(findings[:2], false); err != nil {
		t.Error(err)
	}
}

// The JSON form says the same, an object a line.
func TestDoctorJSON(t *testing.T) {
	var out bytes.Buffer
	var e exit
	if err := (&app{out: &out}).report(findings, true); !errors.As(err, &e) || e.code != 1 {
		t.Errorf("the error is %v", err)
	}
	var got []doctor.Finding
	for d := json.NewDecoder(&out); ; {
		var f doctor.Finding
		err := d.Decode(&f)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f)
	}
	if diff := cmp.Diff(findings, got); diff != "" {
		t.Errorf("findings (-said +printed):\n%s", diff)
	}
}

// On a terminal the marks have colours, unless they are unwanted.
func TestDoctorMarks(t *testing.T) {
	for _, c := range []struct {
		env  config.Env
		want string
	}{
		{config.Env{"TERM": "xterm"}, "\x1b[32m✓\x1b[0m config: /home/ann/config.jsonc\n\x1b[33m!\x1b[0m locale"},
		{config.Env{"TERM": "xterm", "NO_COLOR": "1"}, "✓ config: /home/ann/config.jsonc\n! locale"},
		{config.Env{"TERM": "dumb"}, "✓ config: /home/ann/config.jsonc\n! locale"},
	} {
		screen, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { screen.Close(); tty.Close() })
		var seen bytes.Buffer
		read := make(chan error, 1)
		go func() {
			// A terminal that is closed reads as an error (EIO), not as an end.
			_, err := io.Copy(&seen, screen)
			read <- err
		}()
		if err := (&app{out: tty, env: c.env}).report(findings[:2], false); err != nil {
			t.Error(err)
		}
		if err := tty.Close(); err != nil {
			t.Fatal(err)
		}
		<-read
		if got := strings.ReplaceAll(seen.String(), "\r\n", "\n"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q", c.env, got)
		}
	}
}

// Beside a daemon that runs the doctor says who it is, and what differs between
// it and the doctor's own program and environment.
func TestDoctorDaemon(t *testing.T) {
	h := newHome(t)
	server := newModelServer(t, answer("true"))
	h.write("config/parley/config.jsonc", fmt.Sprintf(`{"model": "mine/large", "providers": {"mine": {"type": "openai-chat", "base_url": %q}}}`, server.URL))
	said := func(r ran, code int, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if r.Code != code || !strings.Contains(r.Out, part) {
				t.Errorf("want exit %d and %q; %s", code, part, r)
			}
		}
	}
	said(h.run("doctor"), 0, "✓ daemon: none runs")
	if r := h.run("run", "--allow", "bash", "go"); r.Code != 0 {
		t.Fatal(r)
	}
	pid, err := h.Holder()
	if err != nil || pid == 0 {
		t.Fatalf("pid %d: %v", pid, err)
	}
	said(h.run("doctor", "--deep"), 0,
		fmt.Sprintf("✓ store: %s; pid %d has it open and listens on native+%s", h.Store, pid, h.Socket), "✓ sessions: 1, whose files are well",
		"✓ socket: "+h.Socket, fmt.Sprintf("✓ daemon: pid %d, version %s, since ", pid, version))

	copied := filepath.Join(t.TempDir(), "parley")
	if out, err := exec.Command("cp", h.Parley(), copied).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := h.Through(copied, "doctor")
	cmd.Env = append(cmd.Env, "PARLEY_STORE=sqlite:"+filepath.Join(h.Dir, "other"))
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("the doctor of another build: %v", err)
	}
	for _, want := range []string{
		fmt.Sprintf("! daemon: pid %d is of another build", pid),
		fmt.Sprintf("! daemon: it keeps its sessions in %s, and here %s is set", h.Store, filepath.Join(h.Dir, "other")),
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("not said: %s; it says:\n%s", want, out)
		}
	}
}

// A world without a home is a finding; what can be looked at without one is.
func TestDoctorWithoutHome(t *testing.T) {
	h := newHome(t)
	cmd := h.Command("doctor")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PARLEY_SOCKET=relative"}
	out, err := cmd.Output()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != 1 {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"✗ paths: neither HOME nor XDG_CONFIG_HOME is an absolute path", `  PARLEY_SOCKET is "relative", which is not an absolute path`, " bash: "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("not said: %s; it says:\n%s", want, out)
		}
	}
}
