package display_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
)

// A tape is a renderer that keeps what it is given.
type tape struct{ commands []display.RenderCommand }

func (t *tape) Render(c display.RenderCommand) error {
	t.commands = append(t.commands, c)
	return nil
}

func record(log []event.Event) []display.RenderCommand {
	var t tape
	c := display.New(main, &t)
	for _, e := range log {
		_ = c.Apply(e)
	}
	return t.commands
}

// name is the type of a command, such as "StartText".
func name(c display.RenderCommand) string { return reflect.TypeOf(c).Name() }

var voice = display.Voice{Name: "research", Style: cell.Style{Color: cell.Magenta}}

// reach brings a machine into each state, inside a run and, where that can be,
// with something open.
var reach = []struct {
	phase  display.Phase
	bodies []event.Body
}{
	{display.Idle, nil},
	{display.Thinking, []event.Body{event.RunStarted{}, event.StepStarted{}}},
	{display.StreamingText, []event.Body{event.RunStarted{}, event.BlockStarted{Block: "r1.t1.s1.b1", Role: event.RoleText}}},
	{display.ToolExecuting, []event.Body{event.RunStarted{}, event.CallStarted{Call: "call_1", Name: "read", Origin: "model"}}},
	{display.Error, []event.Body{event.RunStarted{}, event.FaultRaised{Message: "x"}, event.RunEnded{Reason: event.ReasonError}}},
}

// variants are further samples of a kind whose effect depends on what it holds.
func variants() []event.Event {
	var out []event.Event
	for _, e := range eventtest.All() {
		out = append(out, e)
		switch b := e.Body.(type) {
		case event.BlockStarted:
			b.Role = event.RoleThinking
			e.Body = b
			out = append(out, e)
			b.Role = event.RoleImage
			e.Body = b
			out = append(out, e)
		case event.RunEnded:
			b.Reason = event.ReasonError
			e.Body = b
			out = append(out, e)
		case event.CallStarted:
			b.Origin, b.Call = "user", "u1"
			e.Body = b
			out = append(out, e)
		}
	}
	return append(out, event.Event{Session: main, Body: event.Unknown{Type: "later.kind", Data: []byte("{}")}})
}

// Every state × every kind of event: the next state and the commands, for the
// main session and for a sub-agent. The golden file is the table in full.
func TestTransitions(t *testing.T) {
	var b strings.Builder
	seen := make(map[display.Phase]bool)
	for _, who := range []struct {
		title string
		voice display.Voice
	}{{"main session", display.Voice{}}, {"sub-agent", voice}} {
		fmt.Fprintf(&b, "%s\n\n", who.title)
		for _, e := range variants() {
			label := e.Kind()
			switch body := e.Body.(type) {
			case event.BlockStarted:
				label += " " + string(body.Role)
			case event.RunEnded:
				label += " " + string(body.Reason)
			case event.CallStarted:
				label += " " + body.Origin
			}
			fmt.Fprintf(&b, "%s\n", label)
			for _, from := range reach {
				m := display.NewMachine(main, who.voice)
				for _, body := range from.bodies {
					m, _ = m.Next(event.Event{Session: main, Body: body})
				}
				if m.Phase() != from.phase {
					t.Fatalf("%v was not reached: %v", from.phase, m.Phase())
				}
				next, commands := m.Next(e)
				seen[next.Phase()] = true
				var names []string
				for _, c := range commands {
					names = append(names, name(c))
				}
				fmt.Fprintf(&b, "  %-15s → %-15s %s\n", from.phase, next.Phase(), strings.Join(names, " "))
				if last := len(names) - 1; slices.Contains(names, "EnterPhase") != (next.Phase() != from.phase) || next.Phase() != from.phase && names[last] != "EnterPhase" {
					t.Errorf("%s in %v: the change of state is not the last command: %v", label, from.phase, names)
				}
			}
		}
		b.WriteString("\n")
	}
	if len(seen) != 5 {
		t.Errorf("only these states are entered: %v", seen)
	}
	golden(t, filepath.Join("testdata", "transitions.txt"), b.String())
}

// Next is pure: the same machine and the same event give the same again, and the
// machine is what it was.
func TestMachineIsAValue(t *testing.T) {
	for scenario, log := range scenarios() {
		m := display.NewMachine(main, display.Voice{})
		var machines []display.Machine
		var events []event.Event
		var want [][]display.RenderCommand
		for _, e := range log {
			if e.Session != main {
				continue
			}
			next, commands := m.Next(e)
			machines, events, want = append(machines, m), append(events, e), append(want, commands)
			m = next
		}
		for i := range machines {
			if _, got := machines[i].Next(events[i]); !reflect.DeepEqual(got, want[i]) {
				t.Errorf("%s: %s gives other commands the second time", scenario, events[i].Kind())
			}
		}
	}
}

// check holds the laws of commands that need no golden: boundaries are never
// nested and always closed, text belongs to the main session, an append repeats
// and skips nothing.
func check(t *testing.T, what string, commands []display.RenderCommand) (text string) {
	t.Helper()
	open := ""
	for i, c := range commands {
		sub := c.Where().Voice.Name != ""
		switch c := c.(type) {
		case display.StartThought, display.StartText:
			if open != "" || sub {
				t.Errorf("%s: %d: %s in %q", what, i, name(c), open)
			}
			open = strings.TrimPrefix(name(c), "Start")
		case display.AppendThought, display.AppendText, display.EndThought, display.EndText:
			if !strings.HasSuffix(name(c), open) || open == "" || sub {
				t.Errorf("%s: %d: %s in %q", what, i, name(c), open)
			}
			if strings.HasPrefix(name(c), "End") {
				open = ""
			}
			if a, ok := c.(display.AppendText); ok {
				text += a.Text
			}
		}
	}
	if open != "" {
		t.Errorf("%s: %s is left open", what, open)
	}
	return text
}

// The commands of every scenario keep the laws, and the text that they show is
// the text of the log.
func TestBoundaries(t *testing.T) {
	for scenario, log := range scenarios() {
		want := ""
		for _, e := range log {
			if b, ok := e.Body.(event.BlockEnded); ok && b.Role == event.RoleText && e.Session == main {
				want += b.Text
			}
		}
		if got := check(t, scenario, record(log)); got != want {
			t.Errorf("%s: %s", scenario, cmp.Diff(want, got))
		}
	}
}

// A log with events dropped, doubled or swapped, as from a damaged file, still
// gives commands that keep the laws; only what was open at its end stays open.
func TestDamagedLogKeepsTheLaws(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for scenario, log := range scenarios() {
		for range 40 {
			damaged := slices.Clone(log)
			for range 1 + random.IntN(5) {
				i := random.IntN(len(damaged))
				switch random.IntN(3) {
				case 0:
					damaged = slices.Delete(damaged, i, i+1)
				case 1:
					damaged = slices.Insert(damaged, i, damaged[i])
				case 2:
					j := random.IntN(len(damaged))
					damaged[i], damaged[j] = damaged[j], damaged[i]
				}
			}
			damaged = append(damaged, event.Event{Session: main, Body: event.RunEnded{Reason: event.ReasonError}})
			check(t, scenario, record(damaged))
		}
	}
}

// A display that joins after any event shows what is open, and then says what
// everybody's says, but for the order in which sub-agents got their colours.
func TestAttach(t *testing.T) {
	for scenario, log := range scenarios() {
		whole := record(log)
		for cut := 1; cut < len(log); cut++ {
			s := transcript.New()
			for _, e := range log[:cut] {
				s.Apply(e)
			}
			var late tape
			c := display.New("", &late)
			if err := c.Attach(s); err != nil {
				t.Fatal(err)
			}
			joined := len(late.commands)
			for _, e := range log[cut:] {
				_ = c.Apply(e)
			}
			check(t, scenario, late.commands)
			got, want := names(late.commands[joined:]), names(whole)
			if len(got) > len(want) || !slices.Equal(got, want[len(want)-len(got):]) {
				t.Errorf("%s after %d events: %s", scenario, cut, cmp.Diff(want, got))
			}
			if c.Phase(main) != display.Idle && c.Phase(main) != display.Error {
				t.Errorf("%s after %d events: %v at the end", scenario, cut, c.Phase(main))
			}
		}
	}
}

func names(commands []display.RenderCommand) []string {
	var out []string
	for _, c := range commands {
		if n := name(c); n != "EnterPhase" {
			out = append(out, n)
		}
	}
	return out
}

// Two sub-agents of one profile have names and colours of their own; the main
// session has none.
func TestAgentNamesAndColours(t *testing.T) {
	s := (&script{}).open()
	s.prompt("go").step(main)
	s.answered(main, `t1 task {}`, `t2 task {}`)
	s.child("sess-a", "t1", "tests", "", "a").child("sess-b", "t2", "tests", "", "b").child("sess-c", "t2", "", "", "c")
	got := make(map[event.SessionID]display.Voice)
	for _, c := range record(s.log) {
		got[c.Where().Session] = c.Where().Voice
	}
	want := map[event.SessionID]display.Voice{
		main:     {},
		"sess-a": {Name: "tests", Style: cell.Style{Color: cell.Magenta}},
		"sess-b": {Name: "tests 2", Style: cell.Style{Color: cell.Accent}},
		"sess-c": {Name: "agent", Style: cell.Style{Color: cell.Magenta, Attr: cell.Bold}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The exit code of every scenario.
func TestOutcome(t *testing.T) {
	want := map[string]int{"interrupt-thinking": 130, "interrupt-text": 130, "interrupt-tool": 130, "interrupt-agent": 130, "fault": 1, "limit": 1, "recovered": 1, "overlap": 3}
	for scenario, log := range scenarios() {
		c := display.New(main, &tape{})
		for _, e := range log {
			_ = c.Apply(e)
		}
		if got := c.Outcome().Exit(); got != want[scenario] {
			t.Errorf("%s: exit %d, want %d", scenario, got, want[scenario])
		}
	}
	for _, c := range []struct {
		outcome display.Outcome
		want    int
	}{
		{display.Outcome{}, display.ExitFailed},
		{display.Outcome{Ended: true, Reason: event.ReasonDenied}, display.ExitDenied},
		{display.Outcome{Ended: true, Reason: event.ReasonError, Unasked: true}, display.ExitDenied},
		{display.Outcome{Ended: true, Reason: event.ReasonAborted, Unasked: true}, display.ExitInterrupted},
	} {
		if got := c.outcome.Exit(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.outcome, got, c.want)
		}
	}
}

// A thought in a few words.
func TestThoughtHeader(t *testing.T) {
	for _, c := range []struct{ thought, want string }{
		{"", ""},
		{"\n  \n", ""},
		{"  Look first.\nThen act.", "Look first."},
		{"**Plan A**\n\nwords\n\n**Plan B** and more", "Plan B"},
		{"words **not a heading**\nmore", "words **not a heading**"},
		{"****\nx", "****"},
		{strings.Repeat("ü", 100), strings.Repeat("ü", 79) + "…"},
	} {
		if got := display.Header(c.thought); got != c.want {
			t.Errorf("%q: %q, want %q", c.thought, got, c.want)
		}
	}
}

// Any events in any order give commands that keep the laws.
func FuzzController(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		random := rand.New(rand.NewPCG(a, b))
		samples := variants()
		sessions := []event.SessionID{main, "sess-a", "sess-b"}
		var log []event.Event
		for i := range 60 {
			e := samples[random.IntN(len(samples))]
			e.Session, e.Seq = sessions[random.IntN(3)], event.Seq(i+1)
			log = append(log, e)
		}
		log = append(log, event.Event{Session: main, Body: event.RunEnded{}})
		var tape tape
		l := display.NewLog()
		c := display.New(main, &tape)
		for _, e := range log {
			_ = c.Apply(e)
		}
		check(t, "random", tape.commands)
		for _, cmd := range tape.commands {
			_ = l.Render(cmd)
		}
		checkLog(t, l)
	})
}
