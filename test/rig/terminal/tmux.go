package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Tmux is a server of its own with one window, which nobody is attached to.
type Tmux struct {
	dir    string
	socket string // in a folder of its own: the path of a socket is short
	env    []string
	begun  time.Time

	mu    sync.Mutex
	sizes []sized
}

// sized is a change of size, after so many bytes.
type sized struct {
	after int
	size  [2]int
	ms    int64
}

// OpenTmux runs a program in a tmux whose files are in dir.
func OpenTmux(dir string, size [2]int, program *exec.Cmd) (*Tmux, error) {
	// The program's variables are those of the server; tmux takes characters for
	// bytes where they do not say otherwise.
	env := append([]string{"LC_ALL=C.UTF-8", "TERM=xterm-256color"}, program.Env...)
	socket, err := os.MkdirTemp("", "t")
	if err != nil {
		return nil, err
	}
	m := &Tmux{dir: dir, socket: socket, env: env, begun: time.Now()}
	args := append([]string{"set-option", "-g", "history-limit", strconv.Itoa(scrollback), ";",
		"new-session", "-d", "-x", strconv.Itoa(size[0]), "-y", strconv.Itoa(size[1]), "-c", program.Dir}, program.Args...)
	// In one breath: tmux reads the program's first bytes after that.
	args = append(args, ";", "pipe-pane", "-O", "exec cat >"+m.tape(), ";", "set-option", "-g", "status", "off")
	if out, err := m.run(args...); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s", err, out), os.RemoveAll(socket))
	}
	return m, m.Resize(size[0], size[1])
}

func (m *Tmux) tape() string { return filepath.Join(m.dir, "bytes") }

func (m *Tmux) run(args ...string) (string, error) {
	c := exec.Command("tmux", append([]string{"-u", "-S", filepath.Join(m.socket, "tmux"), "-f", os.DevNull}, args...)...)
	c.Env = m.env
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w", args[0], err)
	}
	return string(out), err
}

// Type hands keys to the program; the end of a line is the enter key.
func (m *Tmux) Type(keys string) error {
	args := []string{"send-keys", "-H"}
	for _, b := range []byte(keys) {
		args = append(args, fmt.Sprintf("%02x", b))
	}
	out, err := m.run(args...)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return err
}

// Resize changes the size. Tmux changes the screen at once, and tells the program
// when it likes.
func (m *Tmux) Resize(w, h int) error { return m.drag([][2]int{{w, h}}) }

// drag changes the size several times without a pause.
func (m *Tmux) drag(sizes [][2]int) error {
	var args []string
	after := 0
	if stat, err := os.Stat(m.tape()); err == nil {
		after = int(stat.Size())
	}
	m.mu.Lock()
	for _, size := range sizes {
		m.sizes = append(m.sizes, sized{after, size, time.Since(m.begun).Milliseconds()})
		args = append(args, "resize-window", "-x", strconv.Itoa(size[0]), "-y", strconv.Itoa(size[1]), ";")
	}
	m.mu.Unlock()
	out, err := m.run(args[:len(args)-1]...)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return err
}

// Look returns what can be seen.
func (m *Tmux) Look() (Look, error) {
	out, err := m.run("display-message", "-p", "#{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{pane_height}", ";",
		"capture-pane", "-p")
	if err != nil {
		return Look{}, fmt.Errorf("%w: %s", err, out)
	}
	rows := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	var l Look
	var flag, alternate, height int
	if _, err := fmt.Sscan(rows[0], &l.X, &l.Y, &flag, &alternate, &height); err != nil || len(rows) != 1+height {
		return l, fmt.Errorf("tmux says %.200q: %w", out, err)
	}
	l.Hidden, l.Alternate, l.Rows = flag == 0, alternate == 1, rows[1:]
	return l, nil
}

// Lines returns the lines of scrollback and screen, soft-wrapped rows joined.
func (m *Tmux) Lines() ([]string, error) {
	out, err := m.run("capture-pane", "-p", "-J", "-S", "-")
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n"), nil
}

// Bytes is all that the program wrote so far.
func (m *Tmux) Bytes() ([]byte, error) { return os.ReadFile(m.tape()) }

// Tape returns all that happened so far. Where exactly among the bytes a size
// changed is not known; it was about there.
func (m *Tmux) Tape() (Tape, error) {
	b, err := m.Bytes()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var t Tape
	at := 0
	for _, s := range m.sizes {
		if s.after > at {
			t = append(t, Moment{Write: b[at:s.after], MS: s.ms})
			at = s.after
		}
		t = append(t, Moment{Resize: s.size[:], MS: s.ms})
	}
	return append(t, Moment{Write: b[at:]}), nil
}

// Storm changes sizes while the program tells its fixture; what it returns waits
// for the end of that.
func (m *Tmux) Storm(s Storm) (wait func() error, err error) {
	ended := make(chan error, 1)
	go func() { ended <- m.storm(s) }()
	return func() error { return <-ended }, nil
}

func (m *Tmux) storm(s Storm) error {
	for _, move := range s {
		if err := m.Reach(move.At); err != nil {
			return err
		}
		var sizes [][2]int
		for _, step := range move.Steps {
			// Tmux 3.3 breaks a line in two, whoever wrote it, when it wraps it anew at an
			// odd width before a wide character (41 to 61 columns: grid.c, grid_reflow_join).
			sizes = append(sizes, [2]int{step.Size[0] &^ 1, step.Size[1]})
			// A hand is slower than a command: some of the steps come one by one.
			if step.Gap > 4 || step.Told {
				if err := m.drag(sizes); err != nil {
					return err
				}
				sizes = nil
			}
		}
		if len(sizes) > 0 {
			if err := m.drag(sizes); err != nil {
				return err
			}
		}
	}
	return nil
}

// mark is the number of a line of a fixture.
var mark = regexp.MustCompile(`L(\d{4}) `)

// Reach waits until the program has written a line of its fixture.
func (m *Tmux) Reach(line int) error {
	end := time.Now().Add(2 * waitLimit)
	for {
		b, err := m.end(1 << 14)
		if err != nil {
			return err
		}
		for _, found := range mark.FindAllSubmatch(b, -1) {
			if n, err := strconv.Atoi(string(found[1])); err == nil && n >= line {
				return nil
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("the fixture does not get to line %d", line)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// end is the last of what the program wrote.
func (m *Tmux) end(most int64) ([]byte, error) {
	file, err := os.Open(m.tape())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(most, stat.Size()))
	n, err := file.ReadAt(b, stat.Size()-int64(len(b)))
	if err == io.EOF {
		err = nil
	}
	return b[:n], err
}

// Close ends the program and the server.
func (m *Tmux) Close() error {
	out, err := m.run("kill-server")
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return errors.Join(err, os.RemoveAll(m.socket))
}
