// Package rig is what the tests of the built program stand on: homes of its
// own for each daemon, clients that keep every line they saw, conversations
// that read as documents, and what a log must be after its daemon died.
//
// It guarantees that nothing of the person who runs the tests is read or
// written, that every daemon it started is gone when its home closes, and that
// no wait is for ever: what does not come within [Patience] is an error that
// says what came instead.
//
// It knows the program from outside only: its arguments, its files and its
// socket. The wire is read as bytes and decoded by the vocabulary, never by the
// program's own client.
package rig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Patience is the longest that anything is waited for. It only ends what hangs.
const Patience = 3 * time.Minute

// A Home is a user of the program: folders, a socket, and an environment that
// names them and nothing else.
type Home struct {
	Dir    string // everything is below it, but the socket
	Work   string // the workspace
	Socket string
	Store  string // the folder of the sessions
	Env    []string
	parley string
	run    string
}

// NewHome makes a home for the program at a path. The socket is in a folder of
// its own in the system's folder for temporary files, because the path of a
// socket is short (unix(7): 108 bytes).
func NewHome(dir, parley string) (*Home, error) {
	run, err := os.MkdirTemp("", "p")
	if err != nil {
		return nil, err
	}
	h := &Home{Dir: dir, Work: filepath.Join(dir, "work"), Socket: filepath.Join(run, "parley", "parley.sock"),
		Store: filepath.Join(dir, "data", "parley"), parley: parley, run: run}
	for _, d := range []string{h.Work, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	h.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + filepath.Join(dir, "tmp"),
		"XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_STATE_HOME=" + filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "XDG_RUNTIME_DIR=" + run,
	}
	return h, nil
}

// Getenv is a variable of the home's environment.
func (h *Home) Getenv(name string) string {
	for _, v := range h.Env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// Write puts a file into the workspace and returns its path.
func (h *Home) Write(name, text string) (string, error) {
	path := filepath.Join(h.Work, name)
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// Command is the program with these arguments, in the workspace.
func (h *Home) Command(args ...string) *exec.Cmd { return h.Through(h.parley, args...) }

// Through is any program in the home, such as one that starts Parley itself.
func (h *Home) Through(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = h.Work, h.Env
	return cmd
}

// Parley is the path of the program.
func (h *Home) Parley() string { return h.parley }

// An Output is what a command left.
type Output struct {
	Out, Err string
	Code     int
}

// Run runs the program to its end.
func (h *Home) Run(args ...string) (Output, error) {
	cmd := h.Command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return Output{out.String(), errs.String(), cmd.ProcessState.ExitCode()}, err
}

// A Daemon is a daemon in the foreground.
type Daemon struct {
	PID  int
	cmd  *exec.Cmd
	said bytes.Buffer
	gone chan struct{}
	home *Home
}

// Serve starts a daemon and returns when it listens.
func (h *Home) Serve(args ...string) (*Daemon, error) {
	return h.Start(h.Command(append([]string{"serve"}, args...)...))
}

// Start starts a daemon by a command of the caller, which may wrap it, and
// returns when it listens.
func (h *Home) Start(cmd *exec.Cmd) (*Daemon, error) {
	if err := os.MkdirAll(filepath.Dir(h.Socket), 0o700); err != nil {
		return nil, err
	}
	d := &Daemon{cmd: cmd, gone: make(chan struct{}), home: h}
	cmd.Stderr = &d.said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d.PID = cmd.Process.Pid
	go func() {
		_ = cmd.Wait() // how it ended is in its state
		close(d.gone)
	}()
	err := until(func() (bool, error) {
		select {
		case <-d.gone:
			return false, fmt.Errorf("the daemon ended at once: %s", d.said.String())
		default:
		}
		c, err := Dial(h.Socket)
		if err != nil {
			return false, nil
		}
		return true, c.Close()
	})
	if err != nil {
		return nil, errors.Join(err, d.Kill())
	}
	return d, nil
}

// Kill ends the daemon as a power failure would.
func (d *Daemon) Kill() error { return d.end(syscall.SIGKILL) }

// Stop ends the daemon as a service manager would.
func (d *Daemon) Stop() error { return d.end(syscall.SIGTERM) }

func (d *Daemon) end(s syscall.Signal) error {
	// It may have ended by itself.
	_ = d.cmd.Process.Signal(s)
	select {
	case <-d.gone:
		return nil
	case <-time.After(Patience):
		return errors.Join(fmt.Errorf("the daemon did not end on %s", s), d.cmd.Process.Kill())
	}
}

// Gone is closed when the daemon has ended.
func (d *Daemon) Gone() <-chan struct{} { return d.gone }

// Said is what the daemon wrote to stderr. It is for a daemon that has ended.
func (d *Daemon) Said() string { return d.said.String() }

// Log is the daemon's own log.
func (h *Home) Log() string {
	text, err := os.ReadFile(filepath.Join(h.Getenv("XDG_STATE_HOME"), "parley", "daemon.log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Holder is the pid of the daemon that has the store open; 0 where none has.
func (h *Home) Holder() (int, error) { return holder(h.Store) }

func holder(store string) (int, error) {
	file, err := os.Open(filepath.Join(store, "lock"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	defer file.Close()
	switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); {
	case err == nil:
		return 0, nil
	case !errors.Is(err, syscall.EWOULDBLOCK):
		return 0, err
	}
	var said struct {
		PID int `json:"pid"`
	}
	err = json.NewDecoder(file).Decode(&said)
	return said.PID, err
}

// Close stops the daemon that a command of the home may have started, and
// removes the socket's folder. A daemon that does not leave when it is asked to
// is killed, and an error.
func (h *Home) Close() error {
	defer os.RemoveAll(h.run)
	pid, err := h.Holder()
	if err != nil || pid == 0 {
		return err
	}
	// It may be leaving already: then there is nobody to ask.
	out, err := h.Run("daemon", "stop")
	gone := until(func() (bool, error) {
		now, err := h.Holder()
		return now != pid, err
	})
	if gone != nil {
		return errors.Join(fmt.Errorf("pid %d: %w; daemon stop: exit %d: %s", pid, gone, out.Code, out.Err), syscall.Kill(pid, syscall.SIGKILL))
	}
	return err
}

// until asks again and again, for what gives no sign of its own: a process that
// is not the tests' child, a file that another one writes.
func until(done func() (bool, error)) error {
	end := time.Now().Add(Patience)
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("it did not come about within %s", Patience)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Until is for conditions on files and on processes of others.
func Until(done func() (bool, error)) error { return until(done) }
