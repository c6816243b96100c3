package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	xterminal "github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"parley/internal/command"
	"parley/internal/term"
	"parley/test/need"
)

// endVariable makes the test binary be the program with a run that goes on for
// ever. A prompt makes it panic.
const endVariable = "PARLEY_TUI_TEST_END"

// The test binary is also the programs that its tests run on terminals.
func TestMain(m *testing.M) {
	if os.Getenv(endVariable) != "" {
		os.Exit(waitOnStdout())
	}
	if n, err := strconv.Atoi(os.Getenv(deltasVariable)); err == nil {
		os.Exit(streamOnStdout(n))
	}
	os.Exit(m.Run())
}

type panickingSource struct{ *fakeSource }

func (panickingSource) Send(string, command.Body) { panic("as the test asked") }

func waitOnStdout() int {
	terminal, err := term.Open(os.Stdin, os.Stdout, os.Getenv)
	if err != nil {
		return 2
	}
	source := newSource()
	source.happen(begin("wait")...)
	err = Run(context.Background(), Options{Source: panickingSource{source}, Terminal: terminal})
	fmt.Printf("left: %v\r\n", err)
	return 0
}

// A seat is a command on a pseudo-terminal of its own, with an emulator at
// the other end.
type seat struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	mu     sync.Mutex
	screen *emulator
	before *xterminal.State
}

func startSeat(t *testing.T, c *exec.Cmd) *seat {
	t.Helper()
	master, slave, err := pty.Open()
	need.No(t, err)
	s := &seat{t: t, master: master, slave: slave, screen: newEmulator(80, 24, term.ReflowLogical)}
	t.Cleanup(func() { master.Close(); slave.Close() })
	s.screen.answer = func(text string) { master.WriteString(text) }
	pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80})
	if s.before, err = xterminal.GetState(slave.Fd()); err != nil {
		t.Fatal(err)
	}
	c.Env = append(os.Environ(), "TERM=xterm-256color", "TMUX=", endVariable+"=1", "PS1=$ ")
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	go func() {
		b := make([]byte, 1<<16)
		for {
			n, err := master.Read(b)
			if err != nil {
				return
			}
			s.mu.Lock()
			s.screen.Write(b[:n])
			s.mu.Unlock()
		}
	}()
	return s
}

func (s *seat) until(what string, ok func(screen string) bool) {
	s.t.Helper()
	deadline := time.Now().Add(testTimeout)
	for {
		s.mu.Lock()
		screen := strings.Join(s.screen.logical(), "\n")
		s.mu.Unlock()
		if ok(screen) {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("no %s on the screen:\n%s", what, screen)
		}
		time.Sleep(time.Millisecond)
	}
}

func (s *seat) untilText(text string) {
	s.t.Helper()
	s.until(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// given fails unless the terminal is as it was, and nothing of the live region
// is left.
func (s *seat) given() {
	s.t.Helper()
	after, err := xterminal.GetState(s.slave.Fd())
	if err != nil {
		s.t.Fatal(err)
	}
	if !reflect.DeepEqual(s.before, after) {
		s.t.Error("the line discipline is not as it was")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.screen
	if !e.shown || !e.wrap || e.alt || e.sync || e.modes["?2004"] || e.modes["?1004"] || e.modes["kitty"] {
		s.t.Errorf("cursor %v, autowrap %v, alternate %v, in a frame %v, modes %v", e.shown, e.wrap, e.alt, e.sync, e.modes)
	}
	if text := strings.Join(e.screen(), "\n"); strings.Contains(text, "›") || strings.Contains(text, "parley ·") {
		s.t.Errorf("of the live region is left:\n%s", text)
	}
}

// However the program ends, the terminal is given back as it was.
func TestTerminalIsGivenBack(t *testing.T) {
	need.Time(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		end  func(*seat, *exec.Cmd)
		said string
	}{
		{"by the user", func(s *seat, _ *exec.Cmd) { s.master.WriteString("\x04\x04") }, "left: <nil>"},
		{"by SIGTERM", func(_ *seat, c *exec.Cmd) { c.Process.Signal(syscall.SIGTERM) }, "left: left on terminated"},
		{"by SIGHUP", func(_ *seat, c *exec.Cmd) { c.Process.Signal(syscall.SIGHUP) }, "left: left on hangup"},
		{"by SIGINT from outside", func(_ *seat, c *exec.Cmd) { c.Process.Signal(syscall.SIGINT) }, "left: left on interrupt"},
		{"by a panic", func(s *seat, _ *exec.Cmd) { s.master.WriteString("x\r") }, "as the test asked"},
		{"in a pager", func(s *seat, c *exec.Cmd) {
			s.master.WriteString("\x1b[5~")
			s.untilText("q back")
			c.Process.Signal(syscall.SIGTERM)
		}, "left: left on terminated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(self)
			s := startSeat(t, cmd)
			s.untilText("waiting for m")
			c.end(s, cmd)
			cmd.Wait()
			s.untilText(c.said)
			s.given()
		})
	}
}

// Ctrl+Z gives the terminal back and stops the program; fg brings it back to
// life, with its modes and its live region.
func TestSuspendGivesTerminalBack(t *testing.T) {
	need.Time(t)
	shell := need.Program(t, "bash") // it has job control
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(shell, "--norc", "--noprofile", "--noediting", "-i")
	s := startSeat(t, c)
	s.untilText("$")
	s.master.WriteString(self + "\n")
	for range 2 {
		s.untilText("waiting for m")
		s.master.WriteString("typed\x1a")
		s.untilText("Stopped")
		s.until("prompt", func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), "$") })
		s.given()
		s.master.WriteString("clear_nothing=1; fg\n")
		s.untilText("typed")
		s.until("live region", func(screen string) bool { return strings.Count(screen, "waiting for m") == 1 })
		s.master.WriteString("\x15")
		s.mu.Lock()
		if !s.screen.modes["?2004"] {
			t.Error("bracketed paste is not set again")
		}
		// The words of the first stop must not be taken for those of the second.
		for i := range s.screen.rows {
			if strings.Contains(s.screen.rows[i].text(), "Stopped") {
				s.screen.rows[i] = erow{}
			}
		}
		s.mu.Unlock()
	}
	s.master.WriteString("\x04\x04")
	s.untilText("left: <nil>")
	s.given()
	s.master.WriteString("exit\n")
	c.Wait()
}
