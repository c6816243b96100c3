package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/test/need"
	"parley/test/rig"
	"parley/test/rig/terminal"
)

// terminals are those of other people that the program is run in.
var terminals = []string{"tmux", "xterm.js 5.5", "xterm.js 6.0"}

// A window is a terminal in front of a home.
type window struct {
	t    *testing.T
	home *rig.Home
	terminal.Terminal
	name string
}

// newWindow opens a terminal that runs a shell's commands in the home.
func newWindow(t *testing.T, home *rig.Home, name, commands string) *window {
	t.Helper()
	program := home.Through("sh", "-c", commands)
	size := [2]int{80, 24}
	s := &window{t: t, home: home, name: name}
	var err error
	if version, ok := strings.CutPrefix(name, "xterm.js "); ok {
		modules, failed := filepath.Abs("../../.cache/node/node_modules")
		if failed != nil {
			t.Fatal(failed)
		}
		need.No(t, terminal.Missing(modules, version))
		program.Env = append(slices.Clip(program.Env), "TERM=xterm-256color")
		s.Terminal, err = terminal.Open(terminal.Opening{Dir: t.TempDir(), Modules: modules, Version: version, Size: size, Cut: uint32(*cutReads)}, program)
	} else {
		need.Program(t, "tmux")
		s.Terminal, err = terminal.OpenTmux(t.TempDir(), size, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	return s
}

// end closes the terminal, and keeps what happened to it where the test failed.
func (s *window) end() {
	if s.t.Failed() {
		path := filepath.Join(s.t.ArtifactDir(), strings.ReplaceAll(s.name, " ", "-")+".tape")
		if tape, err := s.Tape(); err == nil && tape.Save(path) == nil {
			s.t.Logf("what happened to %s: %s (kept with -artifacts)", s.name, path)
		}
	}
	if err := s.Close(); err != nil {
		s.t.Error(err)
	}
}

func (s *window) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", s.name, err, tail(s.home.Log(), 2000))
	}
}

func (s *window) until(text string) terminal.Look {
	s.t.Helper()
	l, err := terminal.UntilText(s, text)
	s.must(err)
	return l
}

func (s *window) lines() []string {
	s.t.Helper()
	lines, err := s.Lines()
	s.must(err)
	return lines
}

func (s *window) press(keys string) {
	s.t.Helper()
	s.must(s.Type(keys))
}

func (s *window) bytes() []byte {
	s.t.Helper()
	tape, err := s.Tape()
	s.must(err)
	return tape.Bytes()
}

// wrote waits until the program has written a text, which may be gone again.
func (s *window) wrote(text string) {
	s.t.Helper()
	_, err := terminal.Until(s, text, func(terminal.Look) bool { return bytes.Contains(s.bytes(), []byte(text)) })
	s.must(err)
}

// lawful holds the bytes so far to the laws of terminal.Violations.
func (s *window) lawful() {
	s.t.Helper()
	frames, problems := terminal.Violations(s.bytes())
	for _, p := range problems {
		s.t.Errorf("%s: %s", s.name, p)
	}
	if frames == 0 {
		s.t.Errorf("%s: no frames", s.name)
	}
}

// ready is what a composer says in which nothing is written, while nothing runs.
const ready = "ask for anything"

// shell runs the program as a person does, with something before and after.
func shell(command string) string {
	return `i=1; while [ $i -le 30 ]; do echo "shell $i"; i=$((i+1)); done; ` + command + `; echo "back $?"; exec cat`
}

// kept fails unless what the shell wrote is there, in order, and nothing else.
func (s *window) kept(before, after []string) {
	s.t.Helper()
	said := func(lines []string) string { return strings.Join(strings.Fields(strings.Join(lines, " ")), " ") }
	var want []string
	for i := range 30 {
		want = append(want, fmt.Sprintf("shell %d", i+1))
	}
	if got, want := said(before), strings.Join(want, " "); got != want {
		s.t.Errorf("%s: before the program stands %q, want %q", s.name, got, want)
	}
	if got := said(after); !strings.HasSuffix(got, "goes on with this session back 0") {
		s.t.Errorf("%s: after the program stands %q", s.name, got)
	}
}

// holds fails unless the lines are these rows and nothing else.
func (s *window) holds(lines []string, rows []terminal.Row) {
	s.t.Helper()
	if v := terminal.Examine(rows, lines); !v.OK() {
		s.t.Errorf("%s: %s", s.name, v)
	}
}

// idle is how long a screen where nothing happens is looked at.
const idle = 2 * time.Second

// quiet fails if the screen does not come to rest: if something is written again
// and again while nothing happens. Frames may be on their way for as long as the
// machine is busy. This is the one wait that is the thing measured.
func (s *window) quiet() {
	s.t.Helper()
	last := s.bytes()
	for range 10 {
		time.Sleep(idle)
		now := s.bytes()
		if len(now) == len(last) {
			return
		}
		now, last = now[len(last):], now
		s.t.Logf("%s: idle for %s it wrote %q", s.name, idle, now)
	}
	s.t.Errorf("%s: it writes while nothing happens", s.name)
}

// configure writes the user's configuration.
func configure(t *testing.T, home *rig.Home, text string) {
	t.Helper()
	path := filepath.Join(home.Getenv("XDG_CONFIG_HOME"), "parley", "config.jsonc")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newFixtureHome is a home in which the model writes a fixture, and may use its tool.
func newFixtureHome(t *testing.T, lines, parts int, seconds float64) (*rig.Home, terminal.Fixture) {
	t.Helper()
	home := newHome(t)
	fixture := terminal.NewFixture(lines, parts, seconds, terminal.Widths())
	for name, text := range map[string]string{"fixture.ndjson": fixture.Script, "noise.sh": fixture.Noise} {
		if _, err := home.Write(name, text); err != nil {
			t.Fatal(err)
		}
	}
	configure(t, home, `{"permission":{"allow":["bash"]}}`)
	return home, fixture
}
