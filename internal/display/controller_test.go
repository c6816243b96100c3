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
	show(&t, log)
	return t.commands
}

// show gives a log to a renderer and returns the state that it leaves.
func show(r display.CommandRenderer, log []event.Event) *transcript.State {
	c, s := display.New(r), transcript.New()
	s.Session = main // also where a sub-agent comes first
	for _, e := range log {
		_ = c.Apply(s, e)
	}
	return s
}

// name is the type of a command, such as "StartText".
func name(c display.RenderCommand) string { return reflect.TypeOf(c).Name() }

// Openings of a run, up to where it can go on in one way or another.
var (
	stepped   = []event.Body{event.RunStarted{Number: 1}, event.TurnStarted{Number: 1}, event.UserSaid{Entry: "e0"}, event.StepStarted{Number: 1}}
	responded = append(stepped[:4:4], event.ResponseStarted{})
	written   = append(responded[:5:5], event.BlockStarted{Block: "r1.t1.s1.b1", Role: event.RoleText})
	spoken    = append(written[:6:6], event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleText}, event.CallAnnounced{Call: "call_1", Name: "read"})
	granted   = append(called[:9:9], event.PermissionDecided{Call: "call_1", Granted: true})
	named     = append(responded[:5:5], event.CallAnnounced{Call: "call_1", Name: "read"}, event.ResponseEnded{Calls: []event.CallID{"call_1"}}, event.UsageChanged{})
	called    = append(named[:8:8], event.CallStarted{Call: "call_1", Name: "read", Origin: event.CallerModel})
	fault     = event.FaultRaised{Message: "x"}
)

// reach brings a session into each phase, in several ways: an event is looked at
// where it is legal, if it can be.
var reach = []struct {
	phase display.Phase
	ways  [][]event.Body
}{
	{display.Idle, [][]event.Body{nil}},
	{display.Thinking, [][]event.Body{responded, stepped, spoken, named, stepped[:3], stepped[:1]}},
	{display.StreamingText, [][]event.Body{written}},
	{display.ToolExecuting, [][]event.Body{called, granted}},
	{display.Error, [][]event.Body{{stepped[0], fault, event.RunEnded{Reason: event.ReasonError}}, append(responded[:5:5], fault),
		append(stepped[:4:4], fault), append(written[:6:6], fault), append(spoken[:8:8], fault), append(named[:8:8], fault),
		append(stepped[:1:1], fault), append(called[:9:9], fault), append(granted[:10:10], fault), append(stepped[:3:3], fault)}},
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
			b.Origin, b.Call = event.CallerUser, "u1"
			e.Body = b
			out = append(out, e)
		}
	}
	return append(out, event.Event{Session: main, Body: event.Unknown{Type: "later.kind", Data: []byte("{}")}})
}

// Every state × every kind of event: the next state and the commands, for the
// main session and for a sub-agent. The golden file is the table in full.
func TestEveryEventInEveryState(t *testing.T) {
	var b strings.Builder
	seen := make(map[display.Phase]bool)
	for _, who := range []struct {
		title string
		id    event.SessionID
	}{{"main session", main}, {"sub-agent", "sess-a"}} {
		fmt.Fprintf(&b, "%s\n\n", who.title)
		for _, e := range variants() {
			label := e.Kind()
			switch body := e.Body.(type) {
			case event.BlockStarted:
				label += " " + string(body.Role)
			case event.RunEnded:
				label += " " + string(body.Reason)
			case event.CallStarted:
				label += " " + string(body.Origin)
			}
			fmt.Fprintf(&b, "%s\n", label)
			for _, from := range reach {
				next, names := then(t, from.phase, from.ways, who.id, e)
				seen[next] = true
				fmt.Fprintf(&b, "  %-15s → %-15s %s\n", from.phase, next, strings.Join(names, " "))
				if last := len(names) - 1; slices.Contains(names, "EnterPhase") != (next != from.phase) || next != from.phase && names[last] != "EnterPhase" {
					t.Errorf("%s in %v: the change of phase is not the last command: %v", label, from.phase, names)
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

// then is the phase of a session after one more event, and the names of the
// commands that it gives, in the first of the ways in which it is legal.
func then(t *testing.T, from display.Phase, ways [][]event.Body, id event.SessionID, e event.Event) (display.Phase, []string) {
	t.Helper()
	e.Session = id
	s := reached(t, from, ways[0], id)
	for _, way := range ways[1:] {
		if len(transcript.Check(s, e)) == 0 {
			break
		}
		if other := reached(t, from, way, id); len(transcript.Check(other, e)) == 0 {
			s = other
		}
	}
	var tape tape
	_ = display.New(&tape).Apply(s, e)
	var names []string
	for _, c := range tape.commands {
		names = append(names, name(c))
	}
	if s := s.In(id); s != nil {
		phase, _ := display.PhaseOf(s)
		return phase, names
	}
	return display.Idle, names // it closed well
}

func reached(t *testing.T, phase display.Phase, way []event.Body, id event.SessionID) *transcript.State {
	t.Helper()
	s := transcript.New()
	s.Apply(event.Event{Session: main, Body: event.SessionOpened{}})
	if id != main {
		s.Apply(event.Event{Session: id, Body: event.SettingChanged{}})
	}
	for _, body := range way {
		e := s.In(id).Now(body)
		e.Session = id
		s.Apply(e)
	}
	if got, _ := display.PhaseOf(s.In(id)); got != phase {
		t.Fatalf("%v was not reached: %v", phase, got)
	}
	return s
}

// What is shown of an event depends on the state and the event only: whoever has
// the same state shows the same of it, with a controller that has seen nothing.
func TestCommandsAreAFunction(t *testing.T) {
	for scenario, log := range scenarios() {
		s, there := transcript.New(), &tape{}
		c := display.New(there)
		for _, e := range log {
			before, shown := s.Clone(), len(there.commands)
			_ = c.Apply(s, e)
			var late tape
			_ = display.New(&late).Apply(before, e)
			if want := withoutVoices(there.commands[shown:]); !reflect.DeepEqual(withoutVoices(late.commands), want) {
				t.Errorf("%s: %d %s gives %v, gave %v", scenario, e.Seq, e.Kind(), late.commands, want)
			}
		}
	}
}

// withoutVoices are the commands with what a controller keeps left out.
func withoutVoices(commands []display.RenderCommand) []display.RenderCommand {
	out := make([]display.RenderCommand, len(commands))
	for i, c := range commands {
		v := reflect.New(reflect.TypeOf(c)).Elem()
		v.Set(reflect.ValueOf(c))
		v.FieldByName("At").FieldByName("Voice").SetZero()
		out[i] = v.Interface().(display.RenderCommand)
	}
	return out
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
func TestCommandsKeepTheLaws(t *testing.T) {
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
func TestLateDisplayShowsTheSame(t *testing.T) {
	for scenario, log := range scenarios() {
		whole := record(log)
		for cut := 1; cut < len(log); cut++ {
			s := transcript.New()
			for _, e := range log[:cut] {
				s.Apply(e)
			}
			var late tape
			c := display.New(&late)
			if err := c.Attach(s); err != nil {
				t.Fatal(err)
			}
			joined := len(late.commands)
			for _, e := range log[cut:] {
				_ = c.Apply(s, e)
			}
			check(t, scenario, late.commands)
			got, want := names(late.commands[joined:]), names(whole)
			if len(got) > len(want) || !slices.Equal(got, want[len(want)-len(got):]) {
				t.Errorf("%s after %d events: %s", scenario, cut, cmp.Diff(want, got))
			}
			if p, _ := display.PhaseOf(s); p != display.Idle && p != display.Error {
				t.Errorf("%s after %d events: %v at the end", scenario, cut, p)
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
func TestExitCodes(t *testing.T) {
	want := map[string]int{"interrupt-thinking": 130, "interrupt-text": 130, "interrupt-tool": 130, "interrupt-agent": 130, "fault": 1, "limit": 1, "recovered": 1, "overlap": 3}
	for scenario, log := range scenarios() {
		if got := display.OutcomeOf(show(&tape{}, log)).Exit(); got != want[scenario] {
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
		show(&tape, log)
		check(t, "random", tape.commands)
		for _, cmd := range tape.commands {
			_ = l.Render(cmd)
		}
		checkLog(t, l)
	})
}
