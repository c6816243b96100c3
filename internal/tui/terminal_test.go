package tui

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"parley/internal/event"
	"parley/internal/term"
)

// The tests of this file run the program in terminals that other people wrote.
// Where one is missing they skip, but not in CI.

// childVariable makes the test binary be the program: Run on its own terminal,
// with a story of so many lines.
const (
	childVariable = "PARLEY_TUI_TEST_LINES"
	stepsVariable = "PARLEY_TUI_TEST_STEPS"
)

// stepLines is how many lines are told at a time where the story goes by steps.
const stepLines = 200

func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv(childVariable)); err == nil {
		os.Exit(tellOnStdout(n))
	}
	if os.Getenv(endVariable) != "" {
		os.Exit(waitOnStdout())
	}
	if n, err := strconv.Atoi(os.Getenv(deltasVariable)); err == nil {
		os.Exit(streamOnStdout(n))
	}
	os.Exit(m.Run())
}

// tellOnStdout tells n numbered lines to whoever sits at the terminal.
func tellOnStdout(n int) int {
	terminal, err := term.Open(os.Stdin, os.Stdout, os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	source := newSource()
	go tellLines(source, n)
	if err := Run(context.Background(), Options{Source: source, Terminal: terminal, Session: sessionID, Debug: true}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// storyLine is a numbered line: short, as wide as the screen, wider, or of wide
// characters.
func storyLine(i int) string {
	line := fmt.Sprintf("line %04d ", i)
	switch i % 7 {
	case 1:
		line += strings.Repeat("x", 80-len(line))
	case 3:
		line += strings.Repeat("word ", 30)
	case 5:
		line += strings.Repeat("漢字", 25)
	}
	return strings.TrimRight(line, " ") + " end"
}

// tellLines tells n lines. Where there is a file 3 it stops in the middle of every
// 200th line until a byte comes from it.
func tellLines(s *fakeSource, n int) {
	control := os.NewFile(3, "control")
	_, err := control.Stat()
	steps := err == nil && os.Getenv(stepsVariable) != ""
	s.happen(begin("tell " + fmt.Sprint(n))...)
	s.happen(event.BlockStarted{Block: "b", Role: event.RoleText})
	at := 0
	for i := range n {
		text := storyLine(i) + "\n\n"
		half := len("line 0000 ")
		s.happen(event.BlockGrew{Block: "b", Offset: at, Text: text[:half]})
		if steps && i%stepLines == stepLines-1 {
			control.Read(make([]byte, 1))
		}
		s.happen(event.BlockGrew{Block: "b", Offset: at + half, Text: text[half:]})
		at += len(text)
		time.Sleep(500 * time.Microsecond) // the pace of the story, not of a test
	}
	s.happen(event.BlockEnded{Block: "b", Role: event.RoleText})
	s.happen(finish()...)
}

// missing skips a test that needs a tool, and fails it in CI.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

var numbered = regexp.MustCompile(`line (\d{4})`)

// wholeStory fails unless every line stands once, in order and whole, and
// nothing of the live region stands among them.
func wholeStory(t *testing.T, lines []string, n int) {
	t.Helper()
	var lost, doubled, stale, torn []string
	next, seen := 0, map[int]bool{}
	for _, l := range lines {
		m := numbered.FindStringSubmatch(l)
		if m == nil {
			if next > 0 && next < n && strings.TrimSpace(l) != "" {
				stale = append(stale, l)
			}
			continue
		}
		i, _ := strconv.Atoi(m[1])
		switch {
		case seen[i]:
			doubled = append(doubled, l)
			continue
		case strings.TrimRight(l, " ") != storyLine(i):
			torn = append(torn, l)
		}
		seen[i] = true
		for ; next < i; next++ {
			lost = append(lost, fmt.Sprintf("line %04d", next))
		}
		next = i + 1
	}
	for ; next < n; next++ {
		lost = append(lost, fmt.Sprintf("line %04d", next))
	}
	if len(lost)+len(doubled)+len(stale)+len(torn) > 0 {
		t.Fatalf("%d lines: %d lost %q, %d doubled %q, %d stale %q, %d torn %q", n, len(lost), few(lost), len(doubled), few(doubled), len(stale), few(stale), len(torn), few(torn))
	}
}

func few(l []string) []string { return l[:min(len(l), 6)] }

var resizes = [][2]int{{50, 24}, {110, 30}, {60, 12}, {160, 40}, {80, 10}, {80, 40}, {44, 40}, {100, 24}}

// storyLines is how long the story is. In short tests it is left out: they run
// with the race detector, which has nothing to find in another program.
const storyLines = 2000

func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out in short tests")
	}
}

// Two thousand lines and eight resizes in tmux: none lost, none doubled, no row
// of the live region left behind.
func TestInTmux(t *testing.T) {
	long(t)
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		missing(t, "tmux is not installed")
	}
	socket := filepath.Join(t.TempDir(), "tmux")
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("tmux", append([]string{"-S", socket, "-f", os.DevNull}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %s: %v: %s", args[0], err, out)
		}
		return string(out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tmux("new-session", "-d", "-x", "80", "-y", "24", "sh")
	t.Cleanup(func() { exec.Command("tmux", "-S", socket, "kill-server").Run() })
	tmux("set-option", "-g", "history-limit", "20000")
	tmux("new-window", "sh", "-c", fmt.Sprintf("echo shell; %s=%d %q; echo back; cat", childVariable, storyLines, self))
	tmux("resize-window", "-x", "80", "-y", "24")
	screen := func() string {
		time.Sleep(5 * time.Millisecond) // tmux has other things to do than to tell
		return tmux("capture-pane", "-p")
	}
	last := func() int {
		all := numbered.FindAllStringSubmatch(screen(), -1)
		if len(all) == 0 {
			return -1
		}
		n, _ := strconv.Atoi(all[len(all)-1][1])
		return n
	}
	deadline := time.Now().Add(2 * time.Minute)
	for i, size := range resizes {
		for last() < (i+1)*storyLines/(len(resizes)+2) {
			if time.Now().After(deadline) {
				t.Fatalf("the story does not go on:\n%s", screen())
			}
		}
		tmux("resize-window", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]))
	}
	for !strings.Contains(screen(), "ask for anything") {
		if time.Now().After(deadline) {
			t.Fatalf("the story does not end:\n%s", screen())
		}
	}
	at := strings.Fields(tmux("display-message", "-p", "#{cursor_flag} #{cursor_x} #{alternate_on}"))
	if want := []string{"1", "2", "0"}; strings.Join(at, " ") != strings.Join(want, " ") {
		t.Errorf("cursor flag, column and alternate screen are %v, want %v", at, want)
	}
	tmux("send-keys", "C-d")
	for !strings.Contains(screen(), "back") {
		if time.Now().After(deadline) {
			t.Fatalf("it does not leave:\n%s", screen())
		}
	}
	lines := strings.Split(tmux("capture-pane", "-p", "-J", "-S", "-"), "\n")
	wholeStory(t, lines, storyLines)
	if !strings.Contains(strings.Join(lines, "\n"), "shell\n") {
		t.Error("what the shell wrote before is gone")
	}
	t.Logf("%d lines, %d resizes", storyLines, len(resizes))
}

// An xterm is xterm.js in a process of its own.
type xterm struct {
	t      *testing.T
	in     *json.Encoder
	out    *bufio.Scanner
	master *os.File
	answer chan map[string]json.RawMessage
}

func newXterm(t *testing.T, w, h int) *xterm {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed")
	}
	modules, err := filepath.Abs("../../.cache/node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "NODE_PATH="+modules+string(filepath.ListSeparator)+os.Getenv("NODE_PATH"))
	probe := exec.Command(node, "-e", "require('@xterm/headless')")
	probe.Env = env
	if out, err := probe.CombinedOutput(); err != nil {
		missing(t, "@xterm/headless is not installed (sh test/tools.sh): %s", firstLine(out))
	}
	c := exec.Command(node, filepath.Join("testdata", "xterm.cjs"), fmt.Sprint(w), fmt.Sprint(h))
	c.Env = env
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); c.Wait() })
	x := &xterm{t: t, in: json.NewEncoder(in), out: bufio.NewScanner(out), answer: make(chan map[string]json.RawMessage, 1)}
	x.out.Buffer(nil, 64<<20)
	return x
}

func firstLine(b []byte) string {
	for l := range strings.SplitSeq(string(b), "\n") {
		if strings.Contains(l, "Error") {
			return l
		}
	}
	return string(b)
}

// listen hands what the terminal says to the program, and answers to the test.
func (x *xterm) listen() {
	for x.out.Scan() {
		var o map[string]json.RawMessage
		if json.Unmarshal(x.out.Bytes(), &o) != nil {
			continue
		}
		if data, ok := o["data"]; ok {
			var s string
			json.Unmarshal(data, &s)
			x.master.WriteString(s)
			continue
		}
		x.answer <- o
	}
}

// Two thousand lines and eight resizes in xterm.js.
func TestInXterm(t *testing.T) {
	long(t)
	t.Parallel()
	x := newXterm(t, 80, 24)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", childVariable, storyLines), "TERM=xterm-256color", "TERM_PROGRAM=", "TMUX=")
	c.Env = append(c.Env, stepsVariable+"=1")
	told, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	defer tell.Close()
	c.ExtraFiles = []*os.File{told}
	if x.master, err = pty.StartWithSize(c, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	go x.listen()
	wrote := make(chan []byte)
	go func() {
		defer close(wrote)
		for {
			b := make([]byte, 1<<16)
			n, err := x.master.Read(b)
			if err != nil {
				return
			}
			wrote <- b[:n]
		}
	}()
	step, next, done := 1, 0, false
	var end string // of what was written
	for b := range wrote {
		x.in.Encode(map[string]any{"write": b})
		end += string(b)
		end = end[max(0, len(end)-1<<16):]
		// xterm.js cuts off the line that the cursor is on and moves the cursor when
		// it becomes narrower: a frame must not be on its way then. So the story
		// waits, in the middle of a line, while the size changes.
		if strings.HasSuffix(end, "\x1b[?2026l") && strings.Contains(end, fmt.Sprintf("line %04d", step*stepLines-1)) && step*stepLines <= storyLines {
			step++
			if next < len(resizes) {
				size := resizes[next]
				next++
				x.in.Encode(map[string]any{"resize": size})
				<-x.answer
				pty.Setsize(x.master, &pty.Winsize{Cols: uint16(size[0]), Rows: uint16(size[1])})
			}
			tell.Write([]byte{1})
		}
		if !done && step*stepLines > storyLines && strings.Contains(end, "ask for anything") {
			done = true
			x.master.WriteString("\x04")
		}
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("the program ended with %v", err)
	}
	x.in.Encode(map[string]any{"dump": true})
	var lines []string
	if err := json.Unmarshal((<-x.answer)["lines"], &lines); err != nil {
		t.Fatal(err)
	}
	wholeStory(t, lines, storyLines)
	if next != len(resizes) {
		t.Errorf("%d resizes, want %d", next, len(resizes))
	}
	t.Logf("%d lines, %d resizes", storyLines, next)
}
