package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/permission"
	"parley/internal/session"
	"parley/internal/shell"
	"parley/internal/tool"
)

// dialing is a command in a fence, in memory: it connects to the hosts of its line, one after the other, and says how
// that went. Outside of the fence it says so.
func dialing(fence string) tool.World {
	say := func(c tool.Command, text string) (tool.Exit, error) {
		c.Output(tool.Stdout, []byte(text))
		return tool.Exit{}, nil
	}
	programs := func(func(string) bool) shell.World {
		return shell.World{Root: "/w", Env: []string{"PATH=/bin"}, Follow: func(name string) (string, shell.Kind, []string) { return name, shell.KindProgram, nil },
			Writable: func(string) bool { return false }}
	}
	return tool.World{
		Root: "/w", Fence: fence, Shell: programs, LookPath: func(name string) (string, error) { return "/bin/" + name, nil },
		Exec: func(ctx context.Context, c tool.Command) (tool.Exit, error) {
			var out []string
			for _, host := range strings.Fields(c.Args[len(c.Args)-1])[1:] {
				out = append(out, fmt.Sprintf("%s=%t", host, c.Connect(ctx, host)))
			}
			return say(c, strings.Join(out, " "))
		},
		Outside: func(_ context.Context, c tool.Command) (tool.Exit, error) { return say(c, "outside") },
	}
}

type dial struct {
	Command string `json:"command"`
	Outside bool   `json:"outside"`
}

// line is a tool that runs a command.
var line = tool.Definition[dial]{
	Spec: tool.Spec{Name: "bash", Description: "runs", Pattern: tool.PatternCommand, Schema: json.RawMessage(`{"type":"object"}`)},
	Targets: func(w tool.World, a dial) (tool.Targets, error) {
		return tool.Targets{Command: a.Command, Dir: w.Root, Outside: a.Outside && w.Outside != nil}, nil
	},
	Run: func(ctx context.Context, w tool.World, _ tool.Call, a dial, _ tool.Grow) tool.Result {
		text := ""
		if _, err := w.Exec(ctx, tool.Command{Args: []string{a.Command}, Output: func(_ tool.Stream, p []byte) { text += string(p) }}); err != nil {
			return tool.Failed(err)
		}
		return tool.Result{Status: tool.Success, Text: text, Later: []string{"Makefile"}}
	},
}.Tool()

// fenceBed is a session whose model runs these lines.
func fenceBed(t *testing.T, fence string, rules []string, lines ...string) *bed {
	var calls strings.Builder
	for i, l := range lines {
		text, outside := strings.CutPrefix(l, "!")
		arguments, _ := json.Marshal(map[string]any{"command": text, "outside": outside})
		fmt.Fprintf(&calls, `{"call": {"id": "call_%d", "name": "bash", "arguments": %s}}`+"\n"+`{"stop": "tool_calls"}`+"\n\n", i+1, arguments)
	}
	b := newBed(t, calls.String()+`{"text": "Done."}
{"stop": "stop"}`)
	b.listen(func(s *agent.Setup) {
		s.Tools, s.World = tool.NewSet(line), dialing(fence)
		for _, text := range rules {
			effect, rule, _ := strings.Cut(text, " ")
			s.Policy = s.Policy.With(permission.Scoped{Rule: permission.Grammar{}.MustRule(rule), Effect: permission.Effect(effect), Scope: permission.ScopeUser})
		}
	})
	return b
}

// results are what the calls came to, in their order.
func (b *bed) results() string {
	b.t.Helper()
	page, err := b.log.Page(b.t.Context(), 0, 10000)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, e := range page {
		switch d := e.Body.(type) {
		case event.CallEnded:
			out = append(out, d.Result)
		case event.HostDecided:
			out = append(out, fmt.Sprintf("(%s %t %s %s)", d.Host, d.Granted, d.Method, d.Scope))
		case event.PermissionDecided:
			if d.Outside {
				out = append(out, "(leaves)")
			}
		}
	}
	return strings.Join(out, " ")
}

// A host that no rule knows is asked about while the command waits; the answer is recorded before it connects, and one
// for the session holds for the next command. The turn goes on after a no.
func TestHostIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fenceBed(t, "full", []string{"allow bash", "allow connect(known.org)", "deny connect(bad.org)"},
			"dial known.org:80 bad.org:80 new.org:443 new.org:443 other.org:443", "dial new.org:443")
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Go"})
		first := b.until(0, kind("ask.opened"))
		asked := first.Body.(event.AskOpened)
		if asked.Call != "call_1" || asked.Kind != event.AskPermission || asked.Title != "Let the command connect to new.org:443?" {
			t.Errorf("%+v", asked)
		}
		for _, o := range asked.Options {
			if o.Stop || strings.Contains(o.Label, "stop") {
				t.Errorf("%+v", o)
			}
		}
		b.must(command.Answer{Ask: asked.Ask, Keys: []string{"a"}})
		second := b.until(first.Seq, kind("ask.opened")).Body.(event.AskOpened)
		b.must(command.Answer{Ask: second.Ask, Keys: []string{"n"}})
		b.until(0, kind("run.ended"))
		want := "(known.org:80 true rule user) (bad.org:80 false rule user) (new.org:443 true person session) (new.org:443 true rule session) (other.org:443 false person once) " +
			"known.org:80=true bad.org:80=false new.org:443=true new.org:443=true other.org:443=false (new.org:443 true rule session) new.org:443=true"
		if got := b.results(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if n := strings.Count(b.kinds(), "note.added"); n != 2 {
			t.Errorf("%d notes of what was changed:\n%s", n, b.kinds())
		}
	})
}

// Where nobody can be asked the host is refused, and the person is told how it would have been allowed.
func TestHostUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fenceBed(t, "full", []string{"allow bash"}, "dial new.org:443")
		b.must(command.Prompt{Text: "Go"})
		b.until(0, kind("run.ended"))
		if got := b.results(); got != "(new.org:443 false unasked ) new.org:443=false" {
			t.Error(got)
		}
		said := b.until(0, kind("note.added")).Body.(event.NoteAdded)
		if said.Text != "The fence kept a command from connecting to new.org:443. --allow 'connect(new.org)' would allow it." {
			t.Error(said.Text)
		}
		if b.log.State().Last.Unasked {
			t.Error("a refused host counts as a refused call")
		}
	})
}

// An abort closes the question about a host, and nothing is granted.
func TestHostAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fenceBed(t, "full", []string{"allow bash"}, "dial new.org:443")
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Go"})
		b.until(0, kind("ask.opened"))
		b.must(command.Abort{})
		b.until(0, kind("run.ended"))
		if got := b.kinds(); !strings.Contains(got, "ask.closed aborted") || strings.Contains(got, "host.decided") {
			t.Error(got)
		}
	})
}

// A command leaves the fence by its own kind of rule, by an answer to its own question, or by an answer to the question
// that asks whether it runs at all; the record says that it left.
func TestOutsideOfTheFence(t *testing.T) {
	for _, c := range []struct {
		fence   string
		rules   []string
		line    string
		answers string
		want    string
	}{
		{"full", []string{"allow outside(dial)"}, "!dial", "", "(leaves) outside"},
		{"full", []string{"allow bash"}, "!dial", "y", "(leaves) outside"},
		{"full", nil, "dial", "o", "(leaves) outside"},
		{"full", nil, "dial", "y", ""},
		{"full", []string{"allow outside", "deny bash(dial:*)"}, "!dial", "", "Permission denied by the rule bash(dial:*) (user): dial"},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := fenceBed(t, c.fence, c.rules, c.line)
			defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
			b.must(command.Prompt{Text: "Go"})
			if c.answers != "" {
				b.must(command.Answer{Ask: b.until(0, kind("ask.opened")).Body.(event.AskOpened).Ask, Keys: []string{c.answers}})
			}
			b.until(0, kind("run.ended"))
			if got := b.results(); got != c.want {
				t.Errorf("%+v: %q", c, got)
			}
		})
	}
}
