package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/internal/event"
	"parley/test/need"
	"parley/test/rig"
	"parley/test/rig/terminal"
)

// past is a session of so many runs, each of which said its number.
func past(t *testing.T, home *rig.Home, runs int) {
	t.Helper()
	var model strings.Builder
	for i := range runs {
		fmt.Fprintf(&model, `{"text":"This is answer A%04d of many.\n"}`+"\n"+`{"stop":""}`+"\n", i)
	}
	if _, err := home.Write("past.ndjson", model.String()); err != nil {
		t.Fatal(err)
	}
	if out, err := home.Run("sessions", "list"); err != nil || out.Code != 0 {
		t.Fatal(err, out.Err)
	}
	zero := event.Seq(0)
	c, id, err := rig.Hello(home.Socket, "ann", "new", &zero, home.Work)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range runs {
		seen := len(c.Lines())
		r, err := c.Do("prompt", fmt.Sprint(i), id, map[string]any{"text": fmt.Sprintf("question Q%04d", i), "model": "script/past.ndjson"})
		if err != nil || r.Fault() != nil {
			t.Fatal(err, r.Fault())
		}
		if _, _, err := c.Wait(seen, func(l rig.Line) bool { return l.Type == "run.ended" }); err != nil {
			t.Fatal(err)
		}
	}
}

// A long session that is opened again is there with the frame that follows the
// first composer: the last of it, whole, in order and each once, in few bytes; the
// rest comes on demand, on the alternate screen, and leaves the screen as it was.
func TestLongSessionReopened(t *testing.T) {
	need.Time(t)
	t.Parallel()
	const runs = 150
	home := newHome(t)
	past(t, home, runs)
	for _, name := range terminals {
		s := newWindow(t, home, name, shell(home.Parley()+" attach last"))
		last := fmt.Sprintf("A%04d", runs-1)
		s.untilBoth(last, ready)
		b := s.bytes()
		if frames, _ := terminal.Violations(b[:bytes.Index(b, []byte(last))]); frames > 2 {
			t.Errorf("%s: the last answer is in frame %d", name, frames)
		}
		if len(b) > 16<<10 {
			t.Errorf("%s: it took %d bytes", name, len(b))
		}
		var rows []terminal.Row
		for i := firstAnswer(t, s.lines()); i < runs; i++ {
			rows = append(rows, terminal.Row{Text: fmt.Sprintf("$ question Q%04d", i), Apart: true},
				terminal.Row{Text: fmt.Sprintf("This is answer A%04d of many.", i), Apart: true})
		}
		if len(rows) < 24 {
			t.Errorf("%s: only %d rows of the past are there", name, len(rows))
		}
		s.press("\x1b[5~")
		_, err := terminal.Until(s, "pager", func(l terminal.Look) bool { return l.Alternate && strings.Contains(l.Screen(), "A0") })
		s.must(err)
		s.press("\x1b[H")
		_, err = terminal.Until(s, "first answer", func(l terminal.Look) bool {
			if !strings.Contains(l.Screen(), "A0000") {
				s.press("\x1b[H")
			}
			return strings.Contains(l.Screen(), "A0000")
		})
		s.must(err)
		s.press("q")
		_, err = terminal.Until(s, "screen", func(l terminal.Look) bool { return !l.Alternate && strings.Contains(l.Screen(), ready) })
		s.must(err)
		s.press("\x04")
		s.until("back 0")
		before, told, after, err := terminal.Between(s.lines(), rows[0].Text, "parley attach ")
		s.must(err)
		s.holds(told, rows)
		s.kept(slices.DeleteFunc(before, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "…") }), after)
	}
}

// firstAnswer is the number of the first run that is shown.
func firstAnswer(t *testing.T, lines []string) int {
	t.Helper()
	for _, l := range lines {
		if number, ok := strings.CutPrefix(strings.TrimRight(l, " "), "$ question Q"); ok {
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("no question is shown")
	return 0
}

// given fails unless the terminal is as the shell had it and of the live region
// nothing is left.
func (s *window) given(settings ...string) {
	s.t.Helper()
	l, err := s.Look()
	s.must(err)
	if len(l.Modes) > 0 || l.Hidden || l.Alternate {
		s.t.Errorf("%s: modes %v, cursor hidden %v, alternate screen %v", s.name, l.Modes, l.Hidden, l.Alternate)
	}
	if screen := l.Screen(); strings.Contains(screen, "›") || strings.Contains(screen, "parley ·") {
		s.t.Errorf("%s: of the live region is left:\n%s", s.name, screen)
	}
	var all []string
	for _, name := range settings {
		text, err := os.ReadFile(filepath.Join(s.home.Work, name))
		s.must(err)
		all = append(all, string(text))
	}
	if len(slices.Compact(all)) > 1 {
		s.t.Errorf("%s: the line discipline was %q", s.name, all)
	}
}

// However the program ends in the middle of an answer, the terminal is given back
// as it was, and what was said stays.
func TestTerminalIsGivenBack(t *testing.T) {
	need.Time(t)
	t.Parallel()
	for i, way := range []struct {
		name string
		end  func(s *window, pid int) error
		code int
	}{
		{"ctrl+d", func(s *window, _ int) error { return s.Type("\x04\x04") }, 0},
		{"ctrl+c", func(s *window, _ int) error { return s.Type("\x03\x03") }, 0},
		{"SIGTERM", func(_ *window, pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }, 143},
		{"SIGHUP", func(_ *window, pid int) error { return syscall.Kill(pid, syscall.SIGHUP) }, 129},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			home, _ := newFixtureHome(t, 200, 8, 4)
			s := newWindow(t, home, terminals[1+i%2],
				"stty -g >before; sh -c 'echo $$ >pid; exec "+home.Parley()+" --model script/fixture.ndjson'; code=$?; stty -g >after; echo back $code; exec cat")
			s.until(ready)
			s.press("tell\r")
			s.must(s.Reach(40))
			text, err := os.ReadFile(filepath.Join(home.Work, "pid"))
			s.must(err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			s.must(err)
			s.must(way.end(s, pid))
			l := s.until(fmt.Sprintf("back %d", way.code))
			s.given("before", "after")
			if !strings.Contains(strings.Join(s.lines(), "\n"), "L0030") {
				t.Errorf("what was said is gone:\n%s", l.Screen())
			}
			s.lawful()
		})
	}
}

// Ctrl+Z in the middle of an answer gives the terminal back to the shell; after fg
// the answer is all there, what came meanwhile too, each line once and in order.
func TestSuspendAndForeground(t *testing.T) {
	need.Time(t)
	t.Parallel()
	bash := need.Program(t, "bash")
	for _, name := range terminals[1:] {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, fixture := newFixtureHome(t, 300, 8, 4)
			s := newWindow(t, home, name, "PS1='% ' exec "+bash+" --norc --noprofile --noediting -i")
			s.until("%")
			s.press("stty -g >before; " + home.Parley() + " --model script/fixture.ndjson\n")
			s.until(ready)
			s.press("tell\r")
			for i, line := range []int{60, 150} {
				s.must(s.Reach(line))
				s.press("\x1a")
				_, err := terminal.Until(s, "shell's prompt", func(l terminal.Look) bool {
					return strings.Count(strings.Join(s.lines(), "\n"), "Stopped") == i+1 && strings.HasPrefix(l.Rows[l.Y], "%")
				})
				s.must(err)
				s.press("stty -g >stopped\n")
				s.must(rig.Until(func() (bool, error) {
					text, err := os.ReadFile(filepath.Join(home.Work, "stopped"))
					if os.IsNotExist(err) {
						err = nil
					}
					return len(text) > 0, err
				}))
				s.given("before", "stopped")
				s.must(os.Remove(filepath.Join(home.Work, "stopped")))
				_, err = terminal.Until(s, "shell's prompt", func(l terminal.Look) bool { return strings.TrimSpace(l.Rows[l.Y]) == "%" })
				s.must(err)
				s.press("fg\n")
			}
			s.until(ready)
			l, err := s.Look()
			s.must(err)
			if !slices.Contains(l.Modes, "bracketedPasteMode") {
				t.Errorf("modes are %v", l.Modes)
			}
			s.press("\x04")
			s.until("goes on with")
			s.press("stty -g >after; echo so$((1+1))\n")
			s.until("so2")
			s.given("before", "after")
			_, told, _, err := terminal.Between(s.lines(), "$ tell", "parley attach ")
			s.must(err)
			told = slices.DeleteFunc(told, func(l string) bool {
				return strings.HasPrefix(l, "%") || strings.Contains(l, "Stopped") || strings.Contains(l, "--model script/fixture.ndjson")
			})
			v := terminal.Examine(append([]terminal.Row{{Text: "$ tell"}}, fixture.Rows()...), told)
			v.Blank, v.Glued = nil, nil // the shell leaves rows too
			if !v.OK() {
				t.Errorf("%s: %s", name, v)
			}
		})
	}
}
