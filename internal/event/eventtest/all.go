// Package eventtest holds samples of the vocabulary for tests: one filled event
// of every kind, and the log of one tool run.
//
// It guarantees that every field of every sample is set, so that a consumer
// which forgets a kind or a key fails a test. It holds no helper that a program
// could want.
package eventtest

import (
	"encoding/json"
	"time"

	"parley/internal/event"
)

// Session is the session of all samples.
const Session event.SessionID = "sess-01k0aaaaaaaaaaaaaaaaaaaaaa"

// Epoch is the time of the first sample; each later one is a second on.
var Epoch = time.Date(2026, 11, 21, 9, 0, 0, 5, time.UTC)

// All returns one event of every kind with every field set. The order is that
// of event.Kinds; it is not a legal log.
func All() []event.Event {
	var all []event.Event
	for i, b := range samples() {
		all = append(all, event.Event{
			Seq: event.Seq(i + 1), Time: Epoch.Add(time.Duration(i) * time.Second), Session: Session,
			Run: "r1", Turn: "r1.t1", Step: "r1.t1.s1", Response: "r1.t1.s1.m", Cause: "c1/7", Body: b,
		})
	}
	return all
}

func ptr[T any](v T) *T { return &v }

func samples() []event.Body {
	attachment := event.Attachment{Name: "plan.png", MediaType: "image/png", Blob: "9f86d081", Path: "/tmp/plan.png", Size: 812}
	option := event.Option{Key: "a", Label: "for this session", Detail: "until it ends", Effect: event.EffectAllow, Scope: event.ScopeSession, Rules: []string{"edit(src/**)"}, Stop: true, Outside: true}
	usage := event.Usage{Input: 120, Output: 80, CachedRead: 64, CachedWrite: 16, Reasoning: 12, Cost: 1040, Unpriced: 20}
	opaque := event.Opaque{Provider: "anthropic", Model: "m1", Block: "r1.t1.s1.b1", Call: "call_1", Data: json.RawMessage(`{"signature":"x1"}`)}
	arguments := json.RawMessage(`{"path":"main.go"}`)
	return []event.Body{
		event.SessionOpened{Origin: event.OriginAgent, Parent: "sess-0", Entry: "e2", Call: "call_1", Profile: "research", Description: "find callers", Prompt: "Find all callers of Login.", Workspace: "/home/ann/shop", Base: 2},
		event.SessionTitled{Title: "Fix the login", Description: "tests fail since Monday"},
		event.SessionClosed{Reason: event.ReasonDone},
		event.SettingChanged{Model: ptr("openai-chat/m1"), Tools: ptr([]string{"read", "bash"}), Steering: ptr(event.ModeAll), FollowUp: ptr(event.ModeOne), Calls: ptr(event.OrderSequential), Permission: ptr(event.EffectAsk), Reasoning: ptr("high"), Mode: ptr(event.PermissionEdits), Who: "web"},
		event.AgentChanged{State: event.AgentActive, Message: "reading"},
		event.LeafChanged{Leaf: "e2"},
		event.ClientJoined{Client: "c1", Name: "parley", Version: "0.1.0", Dialect: "native", CanAsk: true},
		event.ClientLeft{Client: "c1"},
		event.RunStarted{Number: 1},
		event.RunAborting{Who: "parley"},
		event.RunEnded{Reason: event.ReasonDone, Usage: usage, DurationMS: 1200},
		event.TurnStarted{Number: 1, Inputs: []event.InputID{"i1"}, Lane: event.LanePrompt, From: "e2"},
		event.TurnEnded{Number: 1, Reason: event.ReasonDone, Entry: "e2", Parent: "e1"},
		event.StepStarted{Number: 1},
		event.StepEnded{Number: 1},
		event.TurnRecovered{Aborted: []event.CallID{"call_1"}, Lost: []event.CallID{"call_2"}, Interrupted: true, Text: "The daemon stopped; call_2 may have run."},
		event.InputQueued{Input: "i1", Lane: event.LanePrompt, When: event.WhenPause, Text: "What is in main.go?", Attachments: []event.Attachment{attachment}, Position: 1, Run: "r1", Number: 1, Leaf: ptr(event.EntryID("e2")), Model: "openai-chat/m1", Allow: []string{"bash(go test:*)"}, Deny: []string{"fetch"}, Patience: &event.Patience{MS: 600000, Retries: 3}, Allowance: &event.Allowance{Tokens: 200000, Cost: 500000}, Schema: json.RawMessage(`{"type":"object"}`), Continue: true, Mode: event.PermissionAll, Who: "parley"},
		event.InputChanged{Input: "i1", Text: ptr("What is in go.mod?"), Position: ptr(1), Who: "web"},
		event.InputTaken{Inputs: []event.InputID{"i2"}, Lane: event.LaneSteer},
		event.InputDropped{Input: "i3", Reason: event.DropRemoved, Who: "web"},
		event.UserSaid{Entry: "e1", Parent: "e0", Text: "What is in main.go?", Attachments: []event.Attachment{attachment}, Origin: event.LanePrompt},
		event.DeveloperSaid{Text: "The call was skipped.", Origin: event.ReminderSkip},
		event.ResponseStarted{Provider: "openai-chat", Model: "m1"},
		event.BlockStarted{Block: "r1.t1.s1.b1", Role: event.RoleText},
		event.BlockDelta{Block: "r1.t1.s1.b1", Offset: 4, Text: "file says “hi” <b>"},
		event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleText, Text: "The file says “hi” <b>", Path: "/tmp/image.png", MediaType: "image/png", DurationMS: 900},
		event.CallAnnounced{Call: "call_1", Name: "read"},
		event.ResponseEnded{Blocks: []event.BlockID{"r1.t1.s1.b1"}, Calls: []event.CallID{"call_1"}, Stop: event.StopCalls, Usage: usage, Model: "m1-2026", Opaque: []event.Opaque{opaque},
			Written: []event.WrittenCall{{Call: "call_1", Name: "Read", Arguments: `{"file_path":"main.go"}`}}},
		event.ResponseInterrupted{Reason: event.InterruptedByAbort, Message: "by parley"},
		event.ToolsChanged{Joined: []event.JoinedTool{{Name: "issue_search", Origin: "mcp:github"}}, Left: []string{"page_open"}},
		event.CallStarted{Call: "call_1", Name: "read", Title: "main.go", Arguments: arguments, Origin: event.CallerModel},
		event.CallDelta{Call: "call_1", Stream: event.Stdout, Offset: 3, Text: "ok\n"},
		event.CallEnded{Call: "call_1", Name: "read", Status: event.StatusSuccess, Code: event.RefusedSteered, Result: "package main", Summary: "1 line", File: "/tmp/whole.txt", Images: []event.Attachment{attachment}, Display: &event.Display{Diff: "@@ -1 +1 @@", File: "main.go", Language: "go", Exit: ptr(1), Agent: "sess-2"}, DurationMS: 3},
		event.PermissionPreviewed{Call: "call_1", Tool: "edit", Diff: "@@ -1 +1 @@", Summary: "+1 −1", File: "main.go", Language: "go", Truncated: true},
		event.PermissionReady{Call: "call_1", Tool: "edit"},
		event.PermissionDecided{Call: "call_1", Granted: true, Method: event.MethodPerson, Code: event.RefusedPerson, Rule: "edit(**)", Stored: []string{"edit(**)"}, Scope: event.ScopeSession, Who: "parley", Reason: "looks right", Stop: true, Arguments: arguments, Title: "main.go", Runs: event.RunsShell, Outside: true},
		event.HostDecided{Call: "call_1", Host: "proxy.golang.org:443", Granted: true, Method: event.MethodPerson, Rule: "connect(proxy.golang.org)", Stored: []string{"connect(proxy.golang.org)"}, Scope: event.ScopeSession, Who: "parley", Reason: "modules"},
		event.AskOpened{Ask: "a1", Kind: event.AskPermission, Call: "call_1", To: "c1", Title: "Allow this edit?", Text: "edit main.go", Options: []event.Option{option}, Questions: []event.Question{{Text: "How long?", Options: []event.Option{option}, Multi: true, Default: "a", Secret: true}}, Warnings: []event.Warning{{Level: event.LevelWarn, Text: "outside the workspace"}}},
		event.AskAnswered{Ask: "a1", Question: 1, Keys: []string{"a"}, Text: "one hour", Who: "web"},
		event.AskClosed{Ask: "a1", Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "a", Rules: []string{"edit(**)"}, Arguments: arguments, Stop: true, Who: "web", Reason: "fine"},
		event.PlanChanged{Steps: []event.PlanStep{{ID: "1", Text: "run tests", ActiveForm: "running tests", Status: event.PlanPending, DependsOn: []string{"0"}, BlockedBy: []string{"0"}}}},
		event.PlanCleared{},
		event.UsageChanged{Step: usage, Run: usage, Session: usage, ContextUsed: 200, ContextEstimate: 150, ContextLimit: 128000, ContextGuess: true, Strategy: "summary", Threshold: 0.8},
		event.BudgetChanged{Sources: []event.BudgetSource{{Name: "AGENTS.md", Tokens: 400}}},
		event.ContextCompacted{Entry: "e9", Summary: "We fixed the login.", FirstKept: "e7", Elided: []event.CallID{"call_1"},
			Files: []event.ResultFile{{Call: "call_1", File: "/tmp/output/call_1.txt"}}, File: "/tmp/output/conversation-e9.txt", Steps: 2, Kept: []event.BudgetSource{{Name: "conversation", Tokens: 700}}, Parts: 3, TokensBefore: 9000, TokensAfter: 900, Trigger: event.TriggerThreshold, Instruction: "keep the names"},
		event.ImagesRefused{Images: []string{"9f86d081"}, Reason: "400 Bad Request: Could not process image"},
		event.NoteAdded{Level: event.LevelInfo, Text: "rg is not installed", Source: "grep"},
		event.InitProgressed{Step: "config", Status: event.ProgressDone, Text: "read", Number: 1, Total: 2},
		event.RetryScheduled{Attempt: 1, Max: 4, DelayMS: 1000, Reason: "429 Too Many Requests", Status: 429, Provider: "openai-chat"},
		event.FilesChanged{Files: []event.FileChange{{Path: "main.go", Change: event.ChangeModified, Added: 2, Removed: 1}}},
		event.FaultRaised{Code: event.CodeProvider, Message: "the server closed the stream", RetryMS: 500},
		event.SessionListed{Title: "Fix the login", Workspace: "/home/ann/shop", Origin: event.OriginNew, Parent: "sess-0", Created: "2026-11-21T09:00:00Z", Updated: "2026-11-21T09:05:00Z", Runs: 2, State: event.ActivityRunning, Head: 40},
		event.SessionUnlisted{},
		event.ActiveChanged{Family: "nous", Active: "sess-1"},
	}
}
