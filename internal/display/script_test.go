package display_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A script writes a legal log: it numbers, dates and addresses what it is given.
type script struct {
	log   []event.Event
	state *transcript.State
	cause event.Cause
}

const main = eventtest.Session

// add appends events of a session. Time passes by 40 ms with each.
func (s *script) add(id event.SessionID, bodies ...event.Body) *script {
	for _, b := range bodies {
		e := event.Event{Seq: event.Seq(len(s.log) + 1), Session: id, Cause: s.cause, Body: b}
		e.Time = eventtest.Epoch.Add(time.Duration(len(s.log)) * 40 * time.Millisecond)
		s.address(&e)
		s.log = append(s.log, e)
		s.state.Apply(e)
	}
	return s
}

func (s *script) in(id event.SessionID) *transcript.State {
	if id == main {
		return s.state
	}
	if c := s.state.Children[id]; c != nil {
		return c
	}
	return transcript.New()
}

// address fills in the run, turn, step and response that e happens in.
func (s *script) address(e *event.Event) {
	st := s.in(e.Session)
	if st.Run != nil {
		e.Run = st.Run.ID
	}
	if st.Turn != nil {
		e.Turn = st.Turn.ID
	}
	if st.Step != nil {
		e.Step = st.Step.ID
		if r := st.Step.Response; r != nil && r.Phase == transcript.Open {
			e.Response = r.ID
		}
	}
	switch b := e.Body.(type) {
	case event.RunStarted:
		e.Run = st.NextRun()
		for _, in := range st.Queue {
			if in.Lane == event.LanePrompt {
				e.Run = in.Run
				break
			}
		}
	case event.TurnStarted:
		e.Turn, _ = st.NextTurn()
	case event.StepStarted:
		e.Step, _ = st.NextStep()
	case event.ResponseStarted:
		e.Response = event.ResponseID(e.Step + ".m")
	case event.CallStarted:
		if b.Origin == event.CallerUser {
			e.Run, e.Turn, e.Step = "", "", ""
		}
	case event.CallEnded:
		if c := st.OpenCall(b.Call); c != nil && c.Origin == event.CallerUser {
			e.Run, e.Turn, e.Step = "", "", ""
		}
	}
}

func (s *script) open() *script {
	s.state = transcript.New()
	s.add(main, event.SessionOpened{Origin: event.OriginNew, Workspace: "/home/ann/shop"},
		event.SettingChanged{Model: ptr("anthropic/m1")})
	return s
}

func ptr[T any](v T) *T { return &v }

// prompt begins a run of the main session up to its first step.
func (s *script) prompt(text string) *script {
	in := s.state.NextInput()
	s.cause = event.Cause("c1/" + string(in))
	s.add(main, event.InputQueued{Input: in, Lane: event.LanePrompt, Text: text, Run: s.state.NextRun(), Number: s.state.Counts.Runs + 1, Who: "parley"})
	s.add(main, event.RunStarted{Number: s.state.Counts.Runs})
	return s.turn(event.LanePrompt, text, in)
}

func (s *script) turn(lane event.Lane, text string, in event.InputID) *script {
	_, n := s.state.NextTurn()
	s.add(main, event.TurnStarted{Number: n, Inputs: []event.InputID{in}, Lane: lane},
		event.UserSaid{Entry: s.state.NextEntry(), Parent: s.state.Leaf, Text: text, Origin: lane})
	return s
}

// step begins a step and its response.
func (s *script) step(id event.SessionID) *script {
	_, n := s.in(id).NextStep()
	return s.add(id, event.StepStarted{Number: n}, event.ResponseStarted{Provider: "anthropic", Model: "m1"})
}

// begin opens a block with pieces of its text; say closes it as well.
func (s *script) begin(id event.SessionID, role event.Role, pieces ...string) event.BlockID {
	r := s.in(id).Step.Response
	block := event.BlockID(fmt.Sprintf("%s.b%d", s.in(id).Step.ID, len(r.Blocks)+1))
	s.add(id, event.BlockStarted{Block: block, Role: role})
	at := 0
	for _, p := range pieces {
		s.add(id, event.BlockDelta{Block: block, Offset: at, Text: p})
		at += len(p)
	}
	return block
}

func (s *script) say(id event.SessionID, role event.Role, pieces ...string) *script {
	block := s.begin(id, role, pieces...)
	return s.add(id, event.BlockEnded{Block: block, Role: role, Text: strings.Join(pieces, ""), DurationMS: 200})
}

// answered ends the response with calls, and starts them. A call is "id name
// arguments".
func (s *script) answered(id event.SessionID, calls ...string) *script {
	stop := event.StopDone
	var ids []event.CallID
	for _, c := range calls {
		f := strings.SplitN(c, " ", 3)
		s.add(id, event.CallAnnounced{Call: event.CallID(f[0]), Name: f[1]})
		ids = append(ids, event.CallID(f[0]))
		stop = event.StopCalls
	}
	st := s.in(id)
	var blocks []event.BlockID
	for _, b := range st.Step.Response.Blocks {
		blocks = append(blocks, b.ID)
	}
	u := event.Usage{Input: 60, Output: 40, CachedRead: 20, Reasoning: 4}
	run := u
	if st.Run != nil {
		run = st.Run.Usage.Plus(u)
	}
	s.add(id, event.ResponseEnded{Blocks: blocks, Calls: ids, Stop: stop, Usage: u, Model: "m1-2026"},
		event.UsageChanged{Step: u, Run: run, Session: st.Usage.Session.Plus(u), ContextUsed: 100 * (st.Turn.Steps), ContextLimit: 200000, Threshold: 0.8, Strategy: "summary"})
	for _, c := range calls {
		f := strings.SplitN(c, " ", 3)
		s.add(id, event.CallStarted{Call: event.CallID(f[0]), Name: f[1], Arguments: json.RawMessage(f[2]), Origin: event.CallerModel})
	}
	return s
}

// ran decides and ends a call.
func (s *script) ran(id event.SessionID, call event.CallID, status event.Status, summary, result string) *script {
	granted := status != event.StatusDenied
	d := event.PermissionDecided{Call: call, Granted: granted, Method: event.MethodRule, Rule: "bash(go test:*)", Scope: event.ScopeRun}
	if !granted {
		d = event.PermissionDecided{Call: call, Method: event.MethodUnasked, Reason: "Permission denied: bash needs to be allowed and nobody is there to ask. --allow 'bash(make:*)' would allow it."}
	}
	s.add(id, d)
	if granted && result != "" {
		s.add(id, event.CallDelta{Call: call, Stream: event.Stdout, Text: result})
	}
	return s.add(id, event.CallEnded{Call: call, Name: s.in(id).OpenCall(call).Name, Status: status, Summary: summary, Result: result, DurationMS: 120})
}

func (s *script) stepEnd(id event.SessionID) *script {
	return s.add(id, event.StepEnded{Number: s.in(id).Step.Number})
}

// finish ends the step, the turn and the run of a session.
func (s *script) finish(id event.SessionID, reason event.Reason) *script {
	if s.in(id).Step != nil {
		s.stepEnd(id)
	}
	st := s.in(id)
	s.add(id, event.TurnEnded{Number: st.Turn.Number, Reason: reason, Entry: st.NextEntry(), Parent: st.Turn.Entry})
	return s.add(id, event.RunEnded{Reason: reason, Usage: s.in(id).Run.Usage, DurationMS: 1200})
}

// abort stops the run wherever it stands.
func (s *script) abort() *script {
	s.add(main, event.RunAborting{Who: "parley"})
	return s.close(transcript.Why{Reason: event.ReasonAborted, Who: "parley", After: true})
}

func (s *script) close(why transcript.Why) *script {
	for _, e := range transcript.Closing(s.state, why) {
		s.add(e.Session, e.Body)
	}
	return s
}

// child opens a sub-agent and takes it to its first step.
func (s *script) child(id event.SessionID, call event.CallID, profile, description, prompt string) *script {
	s.add(id, event.SessionOpened{Origin: event.OriginAgent, Parent: main, Call: call, Profile: profile, Description: description, Prompt: prompt},
		event.AgentChanged{State: event.AgentActive},
		event.RunStarted{Number: 1}, event.TurnStarted{Number: 1, Lane: event.LanePrompt},
		event.UserSaid{Entry: "e1", Text: prompt, Origin: event.LanePrompt})
	return s.step(id)
}

func (s *script) closed(id event.SessionID, reason event.Reason) *script {
	return s.add(id, event.AgentChanged{State: event.AgentDone}, event.SessionClosed{Reason: reason})
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}
