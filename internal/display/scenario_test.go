package display_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
)

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
			s.add(main, event.BlockDelta{Block: block, Offset: 19, Text: "write "})
			s.say("sess-a", event.RoleThinking, "**Search**\n\nI look for it.")
			s.say("sess-b", event.RoleText, "I ", "begin.")
			s.answered("sess-a", `c1 grep {"pattern":"Login("}`)
			s.answered("sess-b", `c1 bash {"command":"go test ./..."}`)
			s.ran("sess-b", "c1", event.StatusError, "exit 1", "a\nb\nc\nd\ne\nf\ng\n")
			s.add(main, event.BlockDelta{Block: block, Offset: 25, Text: "this.\n\nAnd "})
			s.ran("sess-a", "c1", event.StatusSuccess, "4 matches", "api/routes.go:31\n")
			s.stepEnd("sess-a").stepEnd("sess-b").step("sess-a").step("sess-b")
			s.say("sess-a", event.RoleText, "Found **4** callers.")
			s.answered("sess-a").finish("sess-a", event.ReasonDone).closed("sess-a", event.ReasonDone)
			s.add(main, event.BlockDelta{Block: block, Offset: 36, Text: "that."},
				event.BlockEnded{Block: block, Role: event.RoleText, Text: "While they work, I write this.\n\nAnd that."})
			s.answered(main)
			s.say("sess-b", event.RoleText, "One test fails.")
			s.answered("sess-b").finish("sess-b", event.ReasonDone).closed("sess-b", event.ReasonDone)
			s.add(main, event.DeveloperSaid{Text: "research: Found **4** callers.", Origin: event.ReminderAgent})
			s.finish(main, event.ReasonDone)
		},
		"agent": func(s *script) {
			s.prompt("Ask a helper").step(main)
			s.answered(main, `t1 task {"profile":"research","description":"find callers","prompt":"Find."}`)
			s.add(main, event.PermissionDecided{Call: "t1", Granted: true, Method: event.MethodFree})
			s.child("sess-a", "t1", "research", "find callers", "Find.")
			s.say("sess-a", event.RoleText, "Let me look.").answered("sess-a", `c1 bash {"command":"rm -r build"}`)
			s.add("sess-a", event.AskOpened{Ask: "a1", Kind: event.AskPermission, Call: "c1", Title: "Allow bash?", Text: "rm is not covered by a rule", Options: []event.Option{
				{Key: "y", Label: "yes, once", Effect: event.EffectAllow, Scope: event.ScopeOnce}, {Key: "n", Label: "no, and stop", Effect: event.EffectDeny, Stop: true}},
				Warnings: []event.Warning{{Level: event.LevelDanger, Text: "deletes files"}}},
				event.AskClosed{Ask: "a1", Outcome: event.OutcomeDenied, Method: event.MethodPerson, Key: "n", Who: "web", Reason: "keep it"},
				event.PermissionDecided{Call: "c1", Method: event.MethodPerson, Who: "web", Reason: "keep it"},
				event.CallEnded{Call: "c1", Name: "bash", Status: event.StatusDenied, Result: "Permission denied."})
			s.stepEnd("sess-a").step("sess-a").say("sess-a", event.RoleText, "Nothing found.")
			s.answered("sess-a").finish("sess-a", event.ReasonDone).closed("sess-a", event.ReasonDone)
			s.add(main, event.CallEnded{Call: "t1", Name: "task", Status: event.StatusSuccess, Summary: "1 call", Result: "Nothing found.", Display: &event.Display{Agent: "sess-a"}, DurationMS: 900})
			s.stepEnd(main).step(main).say(main, event.RoleText, "It found nothing.")
			s.answered(main).finish(main, event.ReasonDone)
		},
		"agent-of-a-tool": func(s *script) {
			// A tool that has a sub-agent read its text, and then does something itself.
			s.prompt("Note it").step(main)
			s.answered(main, `m1 memo {"text":"buy milk"}`)
			s.add(main, event.PermissionDecided{Call: "m1", Granted: true, Method: event.MethodFree})
			s.child("sess-a", "m1", "reader", "proofread", "Proofread: buy milk")
			s.say("sess-a", event.RoleText, "No mistakes.").answered("sess-a").finish("sess-a", event.ReasonDone).closed("sess-a", event.ReasonDone)
			s.add(main, event.CallEnded{Call: "m1", Name: "memo", Status: event.StatusError, Summary: "disk full", Result: "The memo was not written: the disk is full."})
			s.stepEnd(main).step(main).say(main, event.RoleText, "It was not written.")
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
			s.add(main, event.PermissionDecided{Call: "c1", Granted: true, Method: event.MethodRule}, event.CallDelta{Call: "c1", Stream: event.Stdout, Text: "tick\n"})
			s.abort()
		},
		"interrupt-agent": func(s *script) {
			s.prompt("Ask a helper").step(main)
			s.answered(main, `t1 task {"profile":"research","description":"find callers","prompt":"Find."}`)
			s.add(main, event.PermissionDecided{Call: "t1", Granted: true, Method: event.MethodFree})
			s.child("sess-a", "t1", "research", "find callers", "Find.")
			s.begin("sess-a", event.RoleText, "Let me ")
			s.abort()
		},
		"fault": func(s *script) {
			s.prompt("Go").step(main)
			s.add(main, event.RetryScheduled{Attempt: 1, Max: 4, DelayMS: 1000, Reason: "429 Too Many Requests", Status: 429, Provider: "anthropic"})
			s.begin(main, event.RoleText, "I will")
			s.add(main, event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleText, Text: "I will"},
				event.ResponseInterrupted{Reason: event.InterruptedByProvider, Message: "unexpected EOF"})
			s.stepEnd(main).step(main).begin(main, event.RoleText, " do it")
			s.add(main, event.BlockEnded{Block: "r1.t1.s2.b1", Role: event.RoleText, Text: " do it"},
				event.ResponseInterrupted{Reason: event.InterruptedByProvider, Message: "unexpected EOF"},
				event.FaultRaised{Code: event.CodeProvider, Message: "Invalid API key"})
			s.close(transcript.Why{Reason: event.ReasonError})
		},
		"cut": func(s *script) {
			// A stream that was cut after a word, and the step that goes on from there.
			s.prompt("Count").step(main)
			block := s.begin(main, event.RoleText, "One, tw")
			s.add(main, event.BlockEnded{Block: block, Role: event.RoleText, Text: "One, tw"},
				event.ResponseInterrupted{Reason: event.InterruptedByProvider, Message: "unexpected EOF"},
				event.NoteAdded{Level: event.LevelWarn, Text: "The answer was cut; going on from there.", Source: "anthropic"},
				event.DeveloperSaid{Text: "Your answer was cut off by the connection.", Origin: event.ReminderContinue})
			s.stepEnd(main).step(main).say(main, event.RoleText, "o, three.")
			s.answered(main).finish(main, event.ReasonDone)
		},
		"limit": func(s *script) {
			s.prompt("Go").step(main)
			s.answered(main, `c1 ls {}`).ran(main, "c1", event.StatusSuccess, "", "")
			s.stepEnd(main)
			s.add(main, event.FaultRaised{Code: event.CodeLimit, Message: "200 steps were made; the limit is limits.steps"})
			s.close(transcript.Why{Reason: event.ReasonLimit})
		},
		"steer": func(s *script) {
			s.prompt("Go").step(main)
			s.answered(main, `c1 read {"path":"a.go"}`, `c2 write {"path":"b.go","content":"x"}`)
			s.ran(main, "c1", event.StatusSuccess, "1 line", "package a")
			s.add(main, event.InputQueued{Input: "i2", Lane: event.LaneSteer, When: event.WhenPause, Text: "Stop, do that", Who: "parley"})
			s.add(main, event.CallEnded{Call: "c2", Name: "write", Status: event.StatusSkipped, Result: "Skipped: the user spoke."},
				event.DeveloperSaid{Text: "The call was skipped.", Origin: event.ReminderSkip})
			s.stepEnd(main)
			s.add(main, event.TurnEnded{Number: 1, Reason: event.ReasonSteered, Entry: s.state.NextEntry(), Parent: s.state.Turn.Entry},
				event.InputTaken{Inputs: []event.InputID{"i2"}, Lane: event.LaneSteer})
			s.turn(event.LaneSteer, "Stop, do that", "i2").step(main)
			s.say(main, event.RoleText, "Done.").answered(main).finish(main, event.ReasonDone)
		},
		"recovered": func(s *script) {
			s.prompt("Go").step(main)
			s.answered(main, `c1 bash {"command":"make"}`)
			s.add(main, event.PermissionDecided{Call: "c1", Granted: true, Method: event.MethodRule}, event.CallDelta{Call: "c1", Stream: event.Stdout, Text: "cc a.c\n"})
			s.close(transcript.Why{Reason: event.ReasonRecovered})
		},
		"beside": func(s *script) {
			// What is no part of the model's words comes in the middle of them.
			s.prompt("Go").step(main)
			block := s.begin(main, event.RoleText, "One, ")
			s.add(main, event.NoteAdded{Level: event.LevelWarn, Text: "config was read again", Source: "config"},
				event.ClientJoined{Client: "c2", Name: "web"},
				event.CallStarted{Call: "u1", Name: "bash", Arguments: json.RawMessage(`{"command":"date"}`), Origin: event.CallerUser},
				event.PermissionDecided{Call: "u1", Granted: true, Method: event.MethodPerson},
				event.BlockDelta{Block: block, Offset: 5, Text: "two, "},
				event.CallEnded{Call: "u1", Name: "bash", Status: event.StatusSuccess, Summary: "1 line", Result: "Mon\n"},
				event.BlockDelta{Block: block, Offset: 5, Text: "two, three."},
				event.BlockEnded{Block: block, Role: event.RoleText, Text: "One, two, three."})
			s.answered(main).stepEnd(main).step(main)
			image := s.begin(main, event.RoleImage)
			s.add(main, event.BlockEnded{Block: image, Role: event.RoleImage, Path: "/tmp/four.png", MediaType: "image/png"})
			s.say(main, event.RoleText, "\n\nFour.\n\n").answered(main)
			s.add(main, event.PlanChanged{Steps: []event.PlanStep{{Text: "test", Status: event.PlanInProgress}, {Text: "ship", Status: event.PlanPending}}},
				event.FilesChanged{Files: []event.FileChange{{Path: "a.go", Change: event.ChangeModified, Added: 1}}}, event.PlanCleared{})
			s.finish(main, event.ReasonDone)
			s.add(main, event.ContextCompacted{Entry: s.state.NextEntry(), Summary: "We counted.", TokensBefore: 9000, TokensAfter: 900, Trigger: event.TriggerManual})
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
				return event.PermissionDecided{Call: id, Granted: true, Method: event.MethodRule, Rule: "edit(**)"}
			}
			s.add(main, granted("c1"), event.CallEnded{Call: "c1", Name: "edit", Status: event.StatusSuccess, Summary: "+1 −1", Result: "edited a.go", Display: &event.Display{Diff: diff, File: "a.go", Language: "go"}},
				granted("c2"), event.CallEnded{Call: "c2", Name: "edit", Status: event.StatusSuccess, Summary: "+1 −1", Result: "edited b.go", File: "/tmp/whole.txt", Display: &event.Display{Diff: diff, File: "b.go", Language: "go"}, Images: []event.Attachment{{Name: "b.png", MediaType: "image/png"}}},
				granted("c3"), event.CallEnded{Call: "c3", Name: "bash", Status: event.StatusSuccess, Summary: "99999 lines", Result: "1\n2\n… cut", File: "/tmp/out.txt"})
			s.add(main, event.PlanChanged{Steps: []event.PlanStep{{Text: "look", Status: event.PlanCompleted}, {Text: "paint", Status: event.PlanFailed}}})
			s.stepEnd(main).step(main).say(main, event.RoleText, "Done.").answered(main).finish(main, event.ReasonDone)
		},
		"questions": func(s *script) {
			s.prompt("Ask me").step(main)
			s.answered(main, `c1 ask {"question":"?"}`)
			s.add(main, event.PermissionDecided{Call: "c1", Granted: true, Method: event.MethodFree},
				event.AskOpened{Ask: "a1", Kind: event.AskQuestions, Title: "Two questions", Questions: []event.Question{
					{Text: "How long should tokens live?", Options: []event.Option{{Key: "1", Label: "15 minutes"}, {Key: "2", Label: "1 hour"}}, Default: "1"},
					{Text: "The key?", Secret: true}}},
				event.AskAnswered{Ask: "a1", Keys: []string{"2"}, Who: "parley"},
				event.AskAnswered{Ask: "a1", Question: 1, Text: "hunter2", Who: "parley"},
				event.AskClosed{Ask: "a1", Outcome: event.OutcomeAnswered, Method: event.MethodPerson, Who: "parley"})
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
