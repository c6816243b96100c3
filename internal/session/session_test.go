package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/memory"
	"parley/internal/llm/script"
	"parley/internal/permission"
	"parley/internal/session"
	"parley/internal/tool"
	"parley/internal/transcript"
)

const id event.SessionID = "sess-test"

// bed is a session on a log in memory, with a scripted model and two tools.
type bed struct {
	t       *testing.T
	session *session.Session
	log     journal.Log
	setup   func() *agent.Setup
	refuse  func(command.Prompt) *command.Fault // nil: nothing is refused
	n       int
	listed  []event.SessionListed // what the catalog was told, if there is one
}

func newBed(t *testing.T, lines string, rules ...string) *bed {
	t.Helper()
	store := memory.New(journal.Options{})
	log, err := store.Create(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{t: t, log: log}
	model, err := script.Parse("test.ndjson", strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	b.setup = func() *agent.Setup {
		setup := &agent.Setup{Model: model, Provider: "script", ModelName: "test", ContextLimit: 128000, Tools: tool.NewSet(wait, note), Steps: 20, Repeats: 3, Target: 0.5}
		for _, r := range rules {
			setup.Policy = setup.Policy.With(permission.Scoped{Rule: agent.Grammar(setup.Tools).MustRule(r), Effect: permission.EffectAllow, Scope: permission.ScopeFlag})
		}
		return setup
	}
	if _, err := log.Append(t.Context(), event.Event{Session: id, Body: event.SessionOpened{Origin: event.OriginNew}}); err != nil {
		t.Fatal(err)
	}
	b.open()
	return b
}

func (b *bed) open() {
	b.t.Helper()
	s, err := session.Open(b.t.Context(), session.Options{
		Logger: slog.New(slog.NewTextHandler(b.t.Output(), nil)), Log: b.log, NextRun: func() int { b.n++; return b.n },
		Listed: func(l event.SessionListed) { b.listed = append(b.listed, l) },
		Prepare: func(_ context.Context, _ *transcript.State, _ session.Client, p command.Prompt) (*agent.Setup, *command.Fault) {
			if b.refuse != nil {
				if fault := b.refuse(p); fault != nil {
					return nil, fault
				}
			}
			return b.setup(), nil
		},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.session = s
	b.t.Cleanup(s.Close)
}

func (b *bed) do(body command.Body) command.Result {
	b.t.Helper()
	return b.session.Do(b.t.Context(), session.Client{Name: "test"}, command.Command{ID: "c1/7", Who: "test", Client: "c1", Body: body})
}

func (b *bed) must(body command.Body) command.Data {
	b.t.Helper()
	r := b.do(body)
	if r.Fault != nil {
		b.t.Fatalf("%s: %v", r.Name, r.Fault)
	}
	return r.Data
}

// until waits for the first event after seq of which ok says so.
func (b *bed) until(after event.Seq, ok func(event.Event) bool) event.Event {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	for e, err := range b.log.After(ctx, after) {
		if err != nil {
			b.t.Fatal(err)
		}
		if ok(e) {
			return e
		}
	}
	b.t.Fatalf("the event did not come in\n%s", b.kinds())
	return event.Event{}
}

func kind(k string) func(event.Event) bool {
	return func(e event.Event) bool { return e.Kind() == k }
}

// kinds is the log's facts in short, and checks each of its laws.
func (b *bed) kinds() string {
	b.t.Helper()
	page, err := b.log.Page(b.t.Context(), 0, 10000)
	if err != nil {
		b.t.Fatal(err)
	}
	s := transcript.New()
	var out []string
	for _, e := range page {
		for _, violation := range transcript.Check(s, e) {
			b.t.Errorf("%d %s: %s", e.Seq, e.Kind(), violation.Error())
		}
		s.Apply(e)
		out = append(out, short(e))
	}
	return strings.Join(out, "\n")
}

func short(e event.Event) string {
	switch v := e.Body.(type) {
	case event.BlockEnded:
		return fmt.Sprintf("block.ended %q", v.Text)
	case event.CallEnded:
		return fmt.Sprintf("call.ended %s %s %q", v.Call, v.Status, v.Result)
	case event.PermissionDecided:
		return fmt.Sprintf("permission.decided %s %v %s", v.Call, v.Granted, v.Method)
	case event.AskClosed:
		return "ask.closed " + string(v.Outcome)
	case event.UserSaid:
		return fmt.Sprintf("user.said %q", v.Text)
	case event.TurnEnded:
		return "turn.ended " + string(v.Reason)
	case event.RunEnded:
		return "run.ended " + string(v.Reason)
	case event.ResponseInterrupted:
		return "response.interrupted " + string(v.Reason)
	case event.InputQueued:
		return "input.queued " + string(v.Lane)
	case event.InputDropped:
		return "input.dropped " + string(v.Reason)
	case event.FaultRaised:
		return "fault.raised " + string(v.Code)
	}
	return e.Kind()
}

// want compares the log with what a test expects, a line an event; deltas
// are left out.
func (b *bed) want(want string) {
	b.t.Helper()
	var got []string
	for line := range strings.SplitSeq(b.kinds(), "\n") {
		if !strings.HasSuffix(line, ".grew") {
			got = append(got, line)
		}
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(want), "\n") {
		lines = append(lines, strings.TrimSpace(line))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(lines, "\n"); g != w {
		b.t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
}

type waitArgs struct {
	MS int `json:"ms"`
}

// wait is a tool that changes something, and takes its time over it.
var wait = tool.Definition[waitArgs]{
	Spec:    tool.Spec{Name: "wait", Description: "waits", Schema: json.RawMessage(`{"type":"object","properties":{"ms":{"type":"integer"}}}`)},
	Targets: func(tool.World, waitArgs) (tool.Targets, error) { return tool.Targets{}, nil },
	Run: func(ctx context.Context, _ tool.World, _ tool.Call, a waitArgs, grow tool.Grow) tool.Result {
		grow(tool.Stdout, "waiting ")
		select {
		case <-ctx.Done():
			return tool.Result{Status: tool.Aborted, Text: "waiting "}
		case <-time.After(time.Duration(a.MS) * time.Millisecond):
		}
		return tool.Result{Status: tool.Success, Text: "waiting over"}
	},
}.Tool()

// note is a tool that only reads.
var note = tool.Definition[struct{}]{
	Spec:    tool.Spec{Name: "note", Description: "reads", ReadOnly: true, Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
	Targets: func(tool.World, struct{}) (tool.Targets, error) { return tool.Targets{}, nil },
	Run: func(context.Context, tool.World, tool.Call, struct{}, tool.Grow) tool.Result {
		return tool.Result{Status: tool.Success, Text: "noted"}
	},
}.Tool()

const oneTool = `
{"text": "I'll wait."}
{"call": {"id": "call_1", "name": "wait", "arguments": {"ms": 10}}}
{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}
`

// A prompt becomes one run; the log has the order that the vocabulary gives.
func TestToolRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, oneTool, "wait")
		b.must(command.Prompt{Text: "Wait a little"})
		b.until(0, kind("run.ended"))
		b.want(`
			session.opened
			input.queued prompt
			session.titled
			run.started
			turn.started
			user.said "Wait a little"
			step.started
			response.started
			block.started
			block.ended "I'll wait."
			call.announced
			response.ended
			usage.changed
			call.started
			permission.decided call_1 true rule
			call.ended call_1 success "waiting over"
			step.ended
			step.started
			response.started
			block.started
			block.ended "Done."
			response.ended
			usage.changed
			step.ended
			turn.ended done
			run.ended done`)
	})
}

// Without a rule and with nobody to ask, a call is denied and the model is told
// which rule would allow it.
func TestDeniedWhereNobodyCanBeAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, oneTool)
		b.must(command.Prompt{Text: "Wait a little"})
		b.until(0, kind("run.ended"))
		got := b.kinds()
		for _, want := range []string{"permission.decided call_1 false unasked", `call.ended call_1 denied "Permission denied: wait needs to be allowed and nobody is there to ask. --allow 'wait' would allow it."`, "run.ended done"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %s in\n%s", want, got)
			}
		}
	})
}

// An ask waits for a client; the first answer wins, the second is told.
func TestAskIsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, oneTool)
		detach := b.session.Attach(session.Client{ID: "c1", CanAsk: true})
		defer detach()
		b.must(command.Prompt{Text: "Wait a little"})
		opened := b.until(0, kind("ask.opened")).Body.(event.AskOpened)
		b.must(command.Answer{Ask: opened.Ask, Keys: []string{opened.Options[0].Key}})
		if r := b.do(command.Answer{Ask: opened.Ask, Keys: []string{opened.Options[0].Key}}); r.Fault == nil || r.Fault.Code != command.Closed {
			t.Errorf("the second answer: %v", r.Fault)
		}
		b.until(0, kind("run.ended"))
		if got := b.kinds(); !strings.Contains(got, "ask.closed allowed\npermission.decided call_1 true person") {
			t.Error(got)
		}
	})
}

// An abort keeps the text, closes what is open, and leaves the session usable,
// at whatever moment it comes.
func TestAbortKeepsTheText(t *testing.T) {
	for _, c := range []struct{ when, want string }{
		{"block.grew", "response.interrupted aborted\nstep.ended\nturn.ended aborted\nrun.ended aborted"},
		{"call.grew", "call.ended call_1 aborted \"waiting \"\nstep.ended\nturn.ended aborted\nrun.ended aborted"},
		{"ask.opened", "ask.closed aborted\ncall.ended call_1 aborted \"The call was stopped before it ran.\"\nstep.ended\nturn.ended aborted\nrun.ended aborted"},
	} {
		t.Run(c.when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lines := `{"text": "abcdefgh", "chunk": 1, "rate": 10}
{"call": {"id": "call_1", "name": "wait", "arguments": {"ms": 60000}}}
{"stop": "tool_calls"}
{"text": "Again."}
{"stop": "stop"}`
				rules := []string{"wait"}
				if c.when == "ask.opened" {
					rules = nil
				}
				b := newBed(t, lines, rules...)
				defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
				b.must(command.Prompt{Text: "Go"})
				b.until(0, kind(c.when))
				b.must(command.Abort{})
				end := b.until(0, kind("run.ended"))
				if got := b.kinds(); !strings.Contains(got, c.want) {
					t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
				}
				b.must(command.Prompt{Text: "Once more"})
				b.until(end.Seq, kind("run.ended"))
				b.kinds()
			})
		})
	}
}

const twoCalls = `
{"text": "Two calls."}
{"call": {"id": "call_1", "name": "wait", "arguments": {"ms": 100}}}
{"call": {"id": "call_2", "name": "wait", "arguments": {"ms": 200}}}
{"stop": "tool_calls"}
{"text": "Steered."}
{"stop": "stop"}
`

// A steer at the pause skips the calls that were not decided; after the step it
// lets them run; now interrupts the stream. Each is a turn of the same run.
func TestSteerByMoment(t *testing.T) {
	for _, c := range []struct {
		when event.When
		at   string
		want []string
	}{
		{event.WhenPause, "call.grew", []string{`call.ended call_1 success`, `call.ended call_2 skipped "The call was skipped: the user said something first."`, "turn.ended steered\ninput.taken\nturn.started\nuser.said \"No, stop\""}},
		{event.WhenAfter, "call.grew", []string{`call.ended call_1 success`, `call.ended call_2 success`, "turn.ended steered\ninput.taken\nturn.started\nuser.said \"No, stop\""}},
		{event.WhenNow, "block.grew", []string{"response.interrupted steered", "turn.ended steered\ninput.taken\nturn.started\nuser.said \"No, stop\""}},
	} {
		t.Run(string(c.when), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lines := twoCalls
				if c.when == event.WhenNow {
					lines = `{"text": "abcdefgh", "chunk": 1, "rate": 10}` + "\n" + `{"stop": "stop"}` + "\n" + `{"text": "Steered."}` + "\n" + `{"stop": "stop"}`
				}
				b := newBed(t, lines, "wait")
				b.must(command.Prompt{Text: "Go"})
				b.until(0, kind(c.at))
				b.must(command.Steer{Text: "No, stop", When: c.when})
				b.until(0, kind("run.ended"))
				got := b.kinds()
				for _, want := range c.want {
					if !strings.Contains(got, want) {
						t.Errorf("no %s in\n%s", want, got)
					}
				}
				if strings.Count(got, "run.started") != 1 {
					t.Error("a steer began a run of its own")
				}
			})
		})
	}
}

// Follow-ups are taken after steers, one or all at once; a prompt gets a run of
// its own after the open one.
func TestFollowUpsAreTakenAfterSteers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, `{"text": "abcdefgh", "chunk": 1, "rate": 10}
{"stop": "stop"}
{"text": "two"}
{"stop": "stop"}
{"text": "three"}
{"stop": "stop"}
{"text": "four"}
{"stop": "stop"}`)
		all := event.ModeAll
		b.must(command.Set{SettingChanged: event.SettingChanged{FollowUp: &all}})
		b.must(command.Prompt{Text: "first"})
		b.until(0, kind("block.grew"))
		b.must(command.FollowUp{Text: "f1"})
		data := b.must(command.FollowUp{Text: "f2"}).(command.Accepted)
		b.must(command.FollowUp{Text: "f3"})
		b.must(command.Steer{Text: "s1"})
		b.must(command.QueueEdit{Input: data.Input, Text: "f2 changed"})
		b.must(command.QueueMove{Input: data.Input, Position: 0})
		b.must(command.Prompt{Text: "second"})
		first := b.until(0, kind("run.ended"))
		b.until(first.Seq, kind("run.ended"))
		var said []string
		for line := range strings.SplitSeq(b.kinds(), "\n") {
			if strings.HasPrefix(line, "user.said") || strings.HasPrefix(line, "run.ended") {
				said = append(said, line)
			}
		}
		want := `user.said "first"|user.said "s1"|user.said "f2 changed\nf1\nf3"|run.ended done|user.said "second"|run.ended done`
		if got := strings.Join(said, "|"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// A log that is cut anywhere, as by a kill, is closed when it is opened again,
// its laws hold, and the session goes on.
func TestCutLogIsClosedAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := newBed(t, oneTool, "wait")
		whole.must(command.Prompt{Text: "Wait a little"})
		whole.until(0, kind("run.ended"))
		page, err := whole.log.Page(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for cut := 1; cut <= len(page); cut++ {
			store := memory.New(journal.Options{})
			log, err := store.Create(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page[:cut] {
				if _, err := log.Append(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			b := &bed{t: t, log: log, setup: whole.setup}
			b.open()
			head := log.Head()
			b.must(command.Prompt{Text: "And now?"})
			b.until(head, func(e event.Event) bool {
				_, ended := e.Body.(event.RunEnded)
				return ended && len(log.State().Queue) == 0
			})
			b.kinds()
			b.session.Close()
		}
	})
}

// A turn without end is ended at the limit of steps.
func TestStepLimitEndsTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines strings.Builder
		for i := range 5 {
			fmt.Fprintf(&lines, `{"call": {"id": "call_%d", "name": "note", "arguments": {}}}`+"\n"+`{"stop": "tool_calls"}`+"\n", i)
		}
		b := newBed(t, lines.String())
		endless := b.setup
		b.setup = func() *agent.Setup {
			setup := endless()
			setup.Steps = 2
			return setup
		}
		b.must(command.Prompt{Text: "Note it"})
		b.until(0, kind("run.ended"))
		if got := b.kinds(); !strings.Contains(got, "fault.raised limit") || !strings.HasSuffix(got, "turn.ended limit\nrun.ended limit") || strings.Count(got, "call.ended") != 2 {
			t.Error(got)
		}
	})
}
