package display_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
		if b.Origin == "user" {
			e.Run, e.Turn, e.Step = "", "", ""
		}
	case event.CallEnded:
		if c := st.OpenCall(b.Call); c != nil && c.Origin == "user" {
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
		s.add(id, event.BlockGrew{Block: block, Offset: at, Text: p})
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
	stop := "stop"
	var ids []event.CallID
	for _, c := range calls {
		f := strings.SplitN(c, " ", 3)
		s.add(id, event.CallAnnounced{Call: event.CallID(f[0]), Name: f[1]})
		ids = append(ids, event.CallID(f[0]))
		stop = "tool_calls"
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
		s.add(id, event.CallStarted{Call: event.CallID(f[0]), Name: f[1], Arguments: json.RawMessage(f[2]), Origin: "model"})
	}
	return s
}

// ran decides and ends a call.
func (s *script) ran(id event.SessionID, call event.CallID, status event.Status, summary, result string) *script {
	granted := status != event.StatusDenied
	d := event.PermissionDecided{Call: call, Granted: granted, Method: "rule", Rule: "bash(go test:*)", Scope: "run"}
	if !granted {
		d = event.PermissionDecided{Call: call, Method: "unasked", Reason: "Permission denied: bash needs to be allowed and nobody is there to ask. --allow 'bash(make:*)' would allow it."}
	}
	s.add(id, d)
	if granted && result != "" {
		s.add(id, event.CallGrew{Call: call, Stream: "stdout", Text: result})
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
		event.AgentChanged{State: "active"},
		event.RunStarted{Number: 1}, event.TurnStarted{Number: 1, Lane: event.LanePrompt},
		event.UserSaid{Entry: "e1", Text: prompt, Origin: event.LanePrompt})
	return s.step(id)
}

func (s *script) closed(id event.SessionID, reason string) *script {
	return s.add(id, event.AgentChanged{State: "done"}, event.SessionClosed{Reason: reason})
}

// scenarios are the logs that this package, its renderers and the dialects are
// tested with. Each is legal, and kept as testdata/scenario/NAME.jsonl.
func scenarios() map[string][]event.Event {
	out := map[string][]event.Event{"one-call": eventtest.Run()}
	for name, write := range map[string]func(*script){
		"answer": func(s *script) {
			s.prompt("Hello").step(main)
			s.say(main, event.RoleText, "Hel", "lo, ", "Ann.\nHow can", " I help?\n")
			s.answered(main).finish(main, event.ReasonDone)
		},
		"two-runs": func(s *script) {
			s.prompt("first").step(main)
			s.say(main, event.RoleThinking, "Just ", "one.\n\n\n", "  Yes.  \n")
			s.say(main, event.RoleText, "one")
			s.answered(main).finish(main, event.ReasonDone)
			s.prompt("second\nwith two lines").step(main)
			s.say(main, event.RoleText, "two").say(main, event.RoleText, "and", " two")
			s.answered(main).finish(main, event.ReasonDone)
		},
		"overlap": func(s *script) {
			s.prompt("Look around").step(main)
			s.say(main, event.RoleThinking, "Three things at once.")
			s.say(main, event.RoleText, "Let me see.")
			s.answered(main, `c1 read {"path":"main.go","limit":50}`, `c2 bash {"command":"make\nmake install"}`, `c3 grep {"path":"src","pattern":"a \"b\""}`)
			s.ran(main, "c3", event.StatusError, "exit 2", "grep: src: No such file\nexit status 2\n")
			s.ran(main, "c2", event.StatusDenied, "", "Permission denied.")
			s.ran(main, "c1", event.StatusSuccess, "2 lines", "package main\n\n\tfunc main() {}  \n\n")
			s.stepEnd(main).step(main)
			s.say(main, event.RoleText, "Only main.go is there.")
			s.answered(main).finish(main, event.ReasonDone)
		},
		"markdown": func(s *script) {
			s.prompt("Write").step(main)
			text := "# Title\n\nSome **bold**, `code` and [a link](https://example.org/x).\nGoes on.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nfunc main() {\n\n\tx := 1   \n}\n```\nEnd.\n\n\n"
			var pieces []string
			for i := 0; i < len(text); i += 7 {
				pieces = append(pieces, text[i:min(i+7, len(text))])
			}
			s.say(main, event.RoleText, pieces...)
			s.answered(main).finish(main, event.ReasonDone)
		},
		"agents": func(s *script) {
			// Two sub-agents at once, in the background of a main session that writes.
			s.prompt("Find out and go on").step(main)
			s.answered(main, `t1 task {"profile":"research","description":"find callers","prompt":"Find all callers of Login."}`, `t2 task {"profile":"tests","description":"write tests","prompt":"Write tests."}`)
			s.ran(main, "t1", event.StatusSuccess, "started", "").ran(main, "t2", event.StatusSuccess, "started", "")
			s.stepEnd(main).step(main)
			block := s.begin(main, event.RoleText, "While they ", "work, I ")
			s.child("sess-a", "t1", "research", "find callers", "Find all callers of Login.")
			s.child("sess-b", "t2", "tests", "write tests", "Write tests.")
			s.add(main, event.BlockGrew{Block: block, Offset: 19, Text: "write "})
			s.say("sess-a", event.RoleThinking, "**Search**\n\nI look for it.")
			s.say("sess-b", event.RoleText, "I ", "begin.")
			s.answered("sess-a", `c1 grep {"pattern":"Login("}`)
			s.answered("sess-b", `c1 bash {"command":"go test ./..."}`)
			s.ran("sess-b", "c1", event.StatusError, "exit 1", "a\nb\nc\nd\ne\nf\ng\n")
			s.add(main, event.BlockGrew{Block: block, Offset: 25, Text: "this.\n\nAnd "})
			s.ran("sess-a", "c1", event.StatusSuccess, "4 matches", "api/routes.go:31\n")
			s.stepEnd("sess-a").stepEnd("sess-b").step("sess-a").step("sess-b")
			s.say("sess-a", event.RoleText, "Found **4** callers.")
			s.answered("sess-a").finish("sess-a", event.ReasonDone).closed("sess-a", "done")
			s.add(main, event.BlockGrew{Block: block, Offset: 36, Text: "that."},
				event.BlockEnded{Block: block, Role: event.RoleText, Text: "While they work, I write this.\n\nAnd that."})
			s.answered(main)
			s.say("sess-b", event.RoleText, "One test fails.")
			s.answered("sess-b").finish("sess-b", event.ReasonDone).closed("sess-b", "done")
			s.add(main, event.DeveloperSaid{Text: "research: Found **4** callers.", Origin: "agent"})
			s.finish(main, event.ReasonDone)
		},
		"agent": func(s *script) {
			s.prompt("Ask a helper").step(main)
			s.answered(main, `t1 task {"profile":"research","description":"find callers","prompt":"Find."}`)
			s.add(main, event.PermissionDecided{Call: "t1", Granted: true, Method: "free"})
			s.child("sess-a", "t1", "research", "find callers", "Find.")
			s.say("sess-a", event.RoleText, "Let me look.").answered("sess-a", `c1 bash {"command":"rm -r build"}`)
			s.add("sess-a", event.AskOpened{Ask: "a1", Kind: event.AskPermission, Call: "c1", Title: "Allow bash?", Text: "rm is not covered by a rule", Options: []event.Option{
				{Key: "y", Label: "yes, once", Effect: "allow", Scope: "once"}, {Key: "n", Label: "no, and stop", Effect: "deny", Stop: true}},
				Warnings: []event.Warning{{Level: "danger", Text: "deletes files"}}},
				event.AskClosed{Ask: "a1", Outcome: "denied", Method: "person", Key: "n", Who: "web", Reason: "keep it"},
				event.PermissionDecided{Call: "c1", Method: "person", Who: "web", Reason: "keep it"},
				event.CallEnded{Call: "c1", Name: "bash", Status: event.StatusDenied, Result: "Permission denied."})
			s.stepEnd("sess-a").step("sess-a").say("sess-a", event.RoleText, "Nothing found.")
			s.answered("sess-a").finish("sess-a", event.ReasonDone).closed("sess-a", "done")
			s.add(main, event.CallEnded{Call: "t1", Name: "task", Status: event.StatusSuccess, Summary: "1 call", Result: "Nothing found.", Display: &event.Display{Agent: "sess-a"}, DurationMS: 900})
			s.stepEnd(main).step(main).say(main, event.RoleText, "It found nothing.")
			s.answered(main).finish(main, event.ReasonDone)
		},
		"interrupt-thinking": func(s *script) {
			s.prompt("Think").step(main)
			s.begin(main, event.RoleThinking, "Let me ", "think")
			s.abort()
		},
		"interrupt-text": func(s *script) {
			s.prompt("Write").step(main)
			s.begin(main, event.RoleText, "A partial ", "answer\n")
			s.abort()
		},
		"interrupt-tool": func(s *script) {
			s.prompt("Run").step(main)
			s.answered(main, `c1 bash {"command":"sleep 99"}`)
			s.add(main, event.PermissionDecided{Call: "c1", Granted: true, Method: "rule"}, event.CallGrew{Call: "c1", Stream: "stdout", Text: "tick\n"})
			s.abort()
		},
		"interrupt-agent": func(s *script) {
			s.prompt("Ask a helper").step(main)
			s.answered(main, `t1 task {"profile":"research","description":"find callers","prompt":"Find."}`)
			s.add(main, event.PermissionDecided{Call: "t1", Granted: true, Method: "free"})
			s.child("sess-a", "t1", "research", "find callers", "Find.")
			s.begin("sess-a", event.RoleText, "Let me ")
			s.abort()
		},
		"fault": func(s *script) {
			s.prompt("Go").step(main)
			s.add(main, event.RetryScheduled{Attempt: 1, Max: 4, DelayMS: 1000, Reason: "429 Too Many Requests", Status: 429, Provider: "anthropic"})
			s.begin(main, event.RoleText, "I will")
			s.add(main, event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleText, Text: "I will"},
				event.ResponseInterrupted{Reason: "provider", Message: "unexpected EOF"})
			s.stepEnd(main).step(main).begin(main, event.RoleText, " do it")
			s.add(main, event.BlockEnded{Block: "r1.t1.s2.b1", Role: event.RoleText, Text: " do it"},
				event.ResponseInterrupted{Reason: "provider", Message: "unexpected EOF"},
				event.FaultRaised{Code: "provider", Message: "Invalid API key"})
			s.close(transcript.Why{Reason: event.ReasonError})
		},
		"limit": func(s *script) {
			s.prompt("Go").step(main)
			s.answered(main, `c1 ls {}`).ran(main, "c1", event.StatusSuccess, "", "")
			s.stepEnd(main)
			s.add(main, event.FaultRaised{Code: "limit", Message: "200 steps were made; the limit is limits.steps"})
			s.close(transcript.Why{Reason: event.ReasonLimit})
		},
		"steer": func(s *script) {
			s.prompt("Go").step(main)
			s.answered(main, `c1 read {"path":"a.go"}`, `c2 write {"path":"b.go","content":"x"}`)
			s.ran(main, "c1", event.StatusSuccess, "1 line", "package a")
			s.add(main, event.InputQueued{Input: "i2", Lane: event.LaneSteer, When: event.WhenPause, Text: "Stop, do that", Who: "parley"})
			s.add(main, event.CallEnded{Call: "c2", Name: "write", Status: event.StatusSkipped, Result: "Skipped: the user spoke."},
				event.DeveloperSaid{Text: "The call was skipped.", Origin: "skip"})
			s.stepEnd(main)
			s.add(main, event.TurnEnded{Number: 1, Reason: event.ReasonSteered, Entry: s.state.NextEntry(), Parent: s.state.Turn.Entry},
				event.InputTaken{Inputs: []event.InputID{"i2"}, Lane: event.LaneSteer})
			s.turn(event.LaneSteer, "Stop, do that", "i2").step(main)
			s.say(main, event.RoleText, "Done.").answered(main).finish(main, event.ReasonDone)
		},
		"recovered": func(s *script) {
			s.prompt("Go").step(main)
			s.answered(main, `c1 bash {"command":"make"}`)
			s.add(main, event.PermissionDecided{Call: "c1", Granted: true, Method: "rule"}, event.CallGrew{Call: "c1", Stream: "stdout", Text: "cc a.c\n"})
			s.close(transcript.Why{Reason: event.ReasonRecovered})
		},
		"beside": func(s *script) {
			// What is no part of the model's words comes in the middle of them.
			s.prompt("Go").step(main)
			block := s.begin(main, event.RoleText, "One, ")
			s.add(main, event.NoteAdded{Level: "warn", Text: "config was read again", Source: "config"},
				event.ClientJoined{Client: "c2", Name: "web"},
				event.CallStarted{Call: "u1", Name: "bash", Arguments: json.RawMessage(`{"command":"date"}`), Origin: "user"},
				event.PermissionDecided{Call: "u1", Granted: true, Method: "person"},
				event.BlockGrew{Block: block, Offset: 5, Text: "two, "},
				event.CallEnded{Call: "u1", Name: "bash", Status: event.StatusSuccess, Summary: "1 line", Result: "Mon\n"},
				event.BlockGrew{Block: block, Offset: 5, Text: "two, three."},
				event.BlockEnded{Block: block, Role: event.RoleText, Text: "One, two, three."})
			s.answered(main).stepEnd(main).step(main)
			image := s.begin(main, event.RoleImage)
			s.add(main, event.BlockEnded{Block: image, Role: event.RoleImage, Path: "/tmp/four.png", MediaType: "image/png"})
			s.say(main, event.RoleText, "\n\nFour.\n\n").answered(main)
			s.add(main, event.PlanChanged{Steps: []event.PlanStep{{Text: "test", Status: "in_progress"}, {Text: "ship", Status: "pending"}}},
				event.FilesChanged{Files: []event.FileChange{{Path: "a.go", Change: "modified", Added: 1}}}, event.PlanCleared{})
			s.finish(main, event.ReasonDone)
			s.add(main, event.ContextCompacted{Entry: s.state.NextEntry(), Summary: "We counted.", TokensBefore: 9000, TokensAfter: 900, Trigger: "manual"})
		},
		"rich": func(s *script) {
			// What comes with messages and results beside their text.
			s.add(main, event.SettingChanged{Reasoning: ptr("high")}, event.SessionTitled{Title: "Pictures and diffs"})
			in := s.state.NextInput()
			s.add(main, event.InputQueued{Input: in, Lane: event.LanePrompt, Text: "Look", Run: s.state.NextRun(), Number: 1},
				event.RunStarted{Number: 1}, event.TurnStarted{Number: 1, Inputs: []event.InputID{in}, Lane: event.LanePrompt},
				event.UserSaid{Entry: "e1", Text: "Look", Origin: event.LanePrompt, Attachments: []event.Attachment{
					{Name: "shot.png", MediaType: "image/png", Path: "/tmp/a shot.png", Size: 10}, {MediaType: "image/gif", Blob: "9f86d081", Size: 3}, {Name: "notes.txt", MediaType: "text/plain", Size: 4}}})
			s.step(main).answered(main, `c1 edit {"path":"a.go"}`, `c2 edit {"path":"b.go"}`, `c3 bash {"command":"seq 99999"}`)
			diff := "--- a.go\n+++ a.go\n@@ -1,2 +1,2 @@\n package a\n--- x\n+++ y\n"
			granted := func(id event.CallID) event.PermissionDecided {
				return event.PermissionDecided{Call: id, Granted: true, Method: "rule", Rule: "edit(**)"}
			}
			s.add(main, granted("c1"), event.CallEnded{Call: "c1", Name: "edit", Status: event.StatusSuccess, Summary: "+1 −1", Result: "edited a.go", Display: &event.Display{Diff: diff, File: "a.go", Language: "go"}},
				granted("c2"), event.CallEnded{Call: "c2", Name: "edit", Status: event.StatusSuccess, Summary: "+1 −1", Result: "edited b.go", File: "/tmp/whole.txt", Display: &event.Display{Diff: diff, File: "b.go", Language: "go"}, Images: []event.Attachment{{Name: "b.png", MediaType: "image/png"}}},
				granted("c3"), event.CallEnded{Call: "c3", Name: "bash", Status: event.StatusSuccess, Summary: "99999 lines", Result: "1\n2\n… cut", File: "/tmp/out.txt"})
			s.add(main, event.PlanChanged{Steps: []event.PlanStep{{Text: "look", Status: "completed"}, {Text: "paint", Status: "failed"}}})
			s.stepEnd(main).step(main).say(main, event.RoleText, "Done.").answered(main).finish(main, event.ReasonDone)
		},
		"questions": func(s *script) {
			s.prompt("Ask me").step(main)
			s.answered(main, `c1 ask {"question":"?"}`)
			s.add(main, event.PermissionDecided{Call: "c1", Granted: true, Method: "free"},
				event.AskOpened{Ask: "a1", Kind: event.AskQuestions, Title: "Two questions", Questions: []event.Question{
					{Text: "How long should tokens live?", Options: []event.Option{{Key: "1", Label: "15 minutes"}, {Key: "2", Label: "1 hour"}}, Default: "1"},
					{Text: "The key?", Secret: true}}},
				event.AskAnswered{Ask: "a1", Keys: []string{"2"}, Who: "parley"},
				event.AskAnswered{Ask: "a1", Question: 1, Text: "hunter2", Who: "parley"},
				event.AskClosed{Ask: "a1", Outcome: "answered", Method: "person", Who: "parley"})
			s.add(main, event.CallEnded{Call: "c1", Name: "ask", Status: event.StatusSuccess, Summary: "2 answers", Result: "1 hour"})
			s.stepEnd(main).step(main).say(main, event.RoleText, "Thanks.").answered(main).finish(main, event.ReasonDone)
		},
	} {
		s := &script{}
		write(s.open())
		out[name] = s.log
	}
	return out
}

// Every scenario is a legal log, leaves nothing open, and is the file that other
// packages read.
func TestScenarios(t *testing.T) {
	for name, log := range scenarios() {
		s := transcript.New()
		var lines bytes.Buffer
		for _, e := range log {
			for _, b := range transcript.Check(s, e) {
				t.Errorf("%s: %d %s: %v", name, e.Seq, e.Kind(), b)
			}
			s.Apply(e)
			line, err := e.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
		}
		if open := transcript.Closing(s, transcript.Why{Reason: event.ReasonAborted}); len(open) > 0 {
			t.Errorf("%s leaves open: %v", name, open)
		}
		golden(t, filepath.Join("testdata", "scenario", name+".jsonl"), lines.String())
	}
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
