package tui

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
)

func (s *harness) sent() []command.Body {
	var out []command.Body
	for _, i := range s.intents {
		if send, ok := i.(Send); ok {
			out = append(out, send.Body)
		}
	}
	s.intents = nil
	return out
}

// What the keys of the composer send, idle and while a run is open.
func TestComposerSends(t *testing.T) {
	for _, c := range []struct {
		name    string
		running bool
		keys    []string
		want    []command.Body
		left    string
	}{
		{"a prompt", false, []string{"h", "i", "enter"}, []command.Body{command.Prompt{Text: "hi"}}, ""},
		{"nothing", false, []string{"space", "enter"}, nil, " "},
		{"a line's end when idle", false, []string{"a", "alt+enter", "b"}, nil, "a\nb"},
		{"esc when idle", false, []string{"a", "esc"}, nil, "a"},
		{"a steer", true, []string{"h", "i", "enter"}, []command.Body{command.Steer{Text: "hi", When: event.WhenPause}}, ""},
		{"a steer after the step", true, []string{"a", "tab", "enter"}, []command.Body{command.Steer{Text: "a", When: event.WhenAfter}}, ""},
		{"a steer now", true, []string{"a", "tab", "tab", "enter"}, []command.Body{command.Steer{Text: "a", When: event.WhenNow}}, ""},
		{"a follow-up", true, []string{"h", "i", "alt+enter"}, []command.Body{command.FollowUp{Text: "hi"}}, ""},
		{"an interruption", true, []string{"a", "esc"}, []command.Body{command.Abort{}}, "a"},
		{"ctrl+c empties first", true, []string{"a", "ctrl+c"}, nil, ""},
		{"ctrl+c then stops", true, []string{"ctrl+c"}, []command.Body{command.Abort{}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newHarness(t, 60, 24, term.ReflowLogical)
			if c.running {
				s.happen(begin("go")...)
			}
			s.press(c.keys...)
			if d := cmp.Diff(c.want, s.sent()); d != "" {
				t.Error(d)
			}
			if got := s.model.composer.text; got != c.left {
				t.Errorf("left in the composer: %q", got)
			}
		})
	}
}

func quits(s *harness) bool {
	for _, i := range s.intents {
		if _, ok := i.(Quit); ok {
			return true
		}
	}
	return false
}

// From idle Ctrl+D leaves, and Ctrl+C twice within two seconds.
func TestLeaveKeys(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*harness)
		want bool
	}{
		{"ctrl+d", func(s *harness) { s.press("ctrl+d") }, true},
		{"ctrl+d in a text", func(s *harness) { s.press("a", "ctrl+d") }, false},
		{"ctrl+c once", func(s *harness) { s.press("ctrl+c") }, false},
		{"ctrl+c twice", func(s *harness) { s.press("ctrl+c"); s.pass(time.Second); s.press("ctrl+c") }, true},
		{"ctrl+c twice, too slow", func(s *harness) { s.press("ctrl+c"); s.pass(3 * time.Second); s.press("ctrl+c") }, false},
		{"ctrl+c, a key, ctrl+c", func(s *harness) { s.press("ctrl+c", "left", "ctrl+c") }, false},
		{"ctrl+d in a run", func(s *harness) { s.happen(begin("go")...); s.press("ctrl+d") }, false},
		{"ctrl+d twice in a run", func(s *harness) { s.happen(begin("go")...); s.press("ctrl+d", "ctrl+d") }, true},
		{"sigterm", func(s *harness) { s.reduce(Typed{term.Signal{Signal: os.Interrupt}}) }, true},
		{"the window is closed", func(s *harness) { s.reduce(Typed{term.Gone{}}) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newHarness(t, 60, 24, term.ReflowLogical)
			c.do(s)
			if got := quits(s); got != c.want {
				t.Errorf("left %v, want %v", got, c.want)
			}
		})
	}
}

// What was refused is said, and the text that could not be sent comes back.
func TestRefusedTextComesBack(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.write("hello")
	s.press("enter")
	s.reduce(Answered{command.Result{ID: "1", Name: "prompt", Fault: command.Faultf(command.Busy, "the disk is full")}})
	if got := s.model.composer.text; got != "hello" {
		t.Errorf("the composer holds %q", got)
	}
	p := s.draw()
	if got := p.Live[len(p.Live)-1].Text(); got != "  the disk is full" {
		t.Errorf("the last row says %q", got)
	}
}

// Without a connection what is written stays.
func TestLostConnection(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.reduce(Lost{})
	s.write("hello")
	s.press("enter")
	if got := s.sent(); len(got) > 0 {
		t.Errorf("sent %+v", got)
	}
	s.reduce(Opened{Client: "again"})
	s.press("enter")
	if d := cmp.Diff([]command.Body{command.Prompt{Text: "hello"}}, s.sent()); d != "" {
		t.Error(d)
	}
}

// Queued inputs are edited from the last one up; an emptied one is removed.
func TestQueueEditing(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.happen(begin("go")...)
	s.happen(event.InputQueued{Input: "i2", Lane: event.LaneSteer, Text: "first"}, event.InputQueued{Input: "i3", Lane: event.LaneFollowUp, Text: "second"})
	s.press("alt+up", "x", "enter")
	s.press("alt+up", "alt+up", "ctrl+u", "enter")
	s.press("alt+up", "esc")
	want := []command.Body{command.QueueEdit{Input: "i3", Text: "secondx"}, command.QueueRemove{Input: "i2"}}
	if d := cmp.Diff(want, s.sent()); d != "" {
		t.Error(d)
	}
	if got := s.model.composer.text; got != "" {
		t.Errorf("the composer holds %q", got)
	}
}

// What ctrl+r goes on with: a run that failed or was stopped, and nothing else.
func TestResumeKey(t *testing.T) {
	for _, c := range []struct {
		reason event.Reason
		want   []command.Body
		hint   bool
	}{
		{event.ReasonError, []command.Body{command.Prompt{Continue: true}}, true},
		{event.ReasonAborted, []command.Body{command.Prompt{Continue: true}}, false},
		{event.ReasonDone, nil, false},
	} {
		t.Run(string(c.reason), func(t *testing.T) {
			s := newHarness(t, 60, 24, term.ReflowLogical)
			s.happen(begin("go")...)
			s.press("ctrl+r")
			if got := s.sent(); got != nil {
				t.Errorf("sent %v while a run was open", got)
			}
			s.happen(event.ResponseInterrupted{Reason: event.InterruptedByProvider}, event.StepEnded{Number: 1},
				event.TurnEnded{Number: 1, Reason: c.reason, Entry: "e2", Parent: "e1"}, event.RunEnded{Reason: c.reason})
			if got := strings.Contains(s.model.stateRow(60).Text(), "ctrl+r"); got != c.hint {
				t.Errorf("the row is %q", s.model.stateRow(60).Text())
			}
			s.press("ctrl+r")
			if d := cmp.Diff(c.want, s.sent()); d != "" {
				t.Error(d)
			}
		})
	}
}
