package eventtest

import (
	"encoding/json"
	"time"

	"parley/internal/event"
)

// Run returns the legal log of one tool run, in the order that the vocabulary
// prescribes: a person asks for an edit, the model thinks, says and calls, the
// edit is previewed, asked for and allowed, and the model ends.
func Run() []event.Event {
	var log []event.Event
	at := event.Event{Session: Session}
	add := func(bodies ...event.Body) {
		for _, b := range bodies {
			e := at
			e.Seq, e.Time, e.Body = event.Seq(len(log)+1), Epoch.Add(time.Duration(len(log))*time.Millisecond), b
			log = append(log, e)
		}
	}
	usage := event.Usage{Input: 60, Output: 40}
	add(event.SessionOpened{Origin: event.OriginNew, Workspace: "/home/ann/shop"})
	at.Cause = "c1/7"
	add(event.InputQueued{Input: "i1", Lane: event.LanePrompt, Text: "Add a log line", Run: "r1", Number: 1, Who: "parley"})
	at.Run = "r1"
	add(event.RunStarted{Number: 1})
	at.Turn = "r1.t1"
	add(event.TurnStarted{Number: 1, Inputs: []event.InputID{"i1"}, Lane: event.LanePrompt},
		event.UserSaid{Entry: "e1", Text: "Add a log line", Origin: event.LanePrompt})
	at.Step = "r1.t1.s1"
	add(event.StepStarted{Number: 1})
	at.Response = "r1.t1.s1.m"
	add(event.ResponseStarted{Provider: "openai-chat", Model: "m1"},
		event.BlockStarted{Block: "r1.t1.s1.b1", Role: event.RoleThinking},
		event.BlockDelta{Block: "r1.t1.s1.b1", Text: "An edit "},
		event.BlockDelta{Block: "r1.t1.s1.b1", Offset: 8, Text: "will do."},
		event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleThinking, Text: "An edit will do."},
		event.BlockStarted{Block: "r1.t1.s1.b2", Role: event.RoleText},
		event.BlockDelta{Block: "r1.t1.s1.b2", Text: "I'll add it."},
		event.BlockEnded{Block: "r1.t1.s1.b2", Role: event.RoleText, Text: "I'll add it."},
		event.CallAnnounced{Call: "call_1", Name: "edit"},
		event.ResponseEnded{Blocks: []event.BlockID{"r1.t1.s1.b1", "r1.t1.s1.b2"}, Calls: []event.CallID{"call_1"}, Stop: event.StopCalls, Usage: usage})
	at.Response = ""
	add(event.UsageChanged{Step: usage, Run: usage, Session: usage, ContextUsed: 100, ContextLimit: 128000},
		event.CallStarted{Call: "call_1", Name: "edit", Arguments: json.RawMessage(`{"path":"main.go","edits":[{"old":"a","new":"b"}]}`), Origin: event.CallerModel},
		event.PermissionPreviewed{Call: "call_1", Tool: "edit", Diff: "@@ -1 +1 @@\n-a\n+b\n", File: "main.go", Language: "go"},
		event.PermissionReady{Call: "call_1", Tool: "edit"},
		event.AskOpened{Ask: "a1", Kind: event.AskPermission, Call: "call_1", Title: "Allow this edit?", Options: []event.Option{{Key: "y", Label: "yes, once", Effect: event.EffectAllow, Scope: event.ScopeOnce}}},
		event.AskAnswered{Ask: "a1", Keys: []string{"y"}, Who: "parley"},
		event.AskClosed{Ask: "a1", Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "y", Who: "parley"},
		event.PermissionDecided{Call: "call_1", Granted: true, Method: event.MethodPerson, Scope: event.ScopeOnce, Who: "parley"},
		event.CallDelta{Call: "call_1", Stream: event.Stdout, Text: "edited"},
		event.CallEnded{Call: "call_1", Name: "edit", Status: event.StatusSuccess, Result: "edited main.go", Summary: "+1 −1"},
		event.StepEnded{Number: 1})
	at.Step = "r1.t1.s2"
	add(event.StepStarted{Number: 2})
	at.Response = "r1.t1.s2.m"
	add(event.ResponseStarted{Provider: "openai-chat", Model: "m1"},
		event.BlockStarted{Block: "r1.t1.s2.b1", Role: event.RoleText},
		event.BlockDelta{Block: "r1.t1.s2.b1", Text: "Done."},
		event.BlockEnded{Block: "r1.t1.s2.b1", Role: event.RoleText, Text: "Done."},
		event.ResponseEnded{Blocks: []event.BlockID{"r1.t1.s2.b1"}, Calls: []event.CallID{}, Stop: event.StopDone, Usage: usage})
	at.Response = ""
	add(event.UsageChanged{Step: usage, Run: usage.Plus(usage), Session: usage.Plus(usage), ContextUsed: 150, ContextLimit: 128000},
		event.StepEnded{Number: 2})
	at.Step = ""
	add(event.TurnEnded{Number: 1, Reason: event.ReasonDone, Entry: "e2", Parent: "e1"})
	at.Turn = ""
	add(event.RunEnded{Reason: event.ReasonDone, Usage: usage.Plus(usage), DurationMS: 40})
	return log
}
