package wiretest

import (
	"encoding/json"
	"fmt"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
)

// Data returns a value of every kind of result data.
func Data() []command.Data {
	id := eventtest.Session
	exit := 1
	return []command.Data{
		command.Accepted{Session: id, Input: "i1", Run: "r1", Number: 1, Leaf: "e1"},
		command.Opened{Session: id, Parent: "sess-0", Head: 4},
		command.Moved{Session: id, Leaf: "e1"},
		command.Changed{Settings: event.SettingChanged{}},
		command.Entries{Session: id, Leaf: "e1", Messages: []command.Message{{ID: "e1", Role: "user", Text: "hi", Created: "2026-11-21T09:00:00Z"}}},
		command.Sessions{Sessions: []command.Listing{{Session: id}}},
		command.Models{Models: []command.ModelEntry{{Name: "openai-chat/m1", Context: 128000}}},
		command.Tools{Tools: []command.ToolEntry{{Name: "read", Schema: json.RawMessage(`{}`)}}},
		command.Events{Events: eventtest.Run()[:2], More: true},
		command.Daemon{Version: "0.1.0", PID: 7},
		command.Compacted{Session: id, Summary: "s", FirstKept: "e3", Tokens: 9000},
		command.Task{Task: "t1", State: "failed", Exit: &exit},
		command.Raw{JSON: json.RawMessage(`{"echo":"hi"}`)},
		command.Snapshot{State: json.RawMessage(`{}`)},
	}
}

// Faults returns a fault of every code.
func Faults() []*command.Fault {
	var out []*command.Fault
	for _, code := range []command.Code{command.Invalid, command.NotFound, command.Busy, command.Denied, command.Closed,
		command.Canceled, command.Limit, command.Provider, command.Tool, command.Internal, "unheard-of"} {
		out = append(out, command.Faultf(code, "what went wrong"))
	}
	return out
}

// Turns returns the legal log of a run with three turns: the first calls two
// tools, one of which fails, and is followed by a steer; the second is aborted in
// the middle of its answer, the third fails.
func Turns() []event.Event {
	l := &builder{at: event.Event{Session: eventtest.Session}}
	l.add(event.SessionOpened{Origin: event.OriginNew})
	l.at.Cause = "c1/7"
	l.add(event.InputQueued{Input: "i1", Lane: event.LanePrompt, Text: "go", Run: "r1", Number: 1})
	l.at.Run = "r1"
	l.add(event.RunStarted{Number: 1})
	l.turn(1, event.LanePrompt, "i1", "")
	l.answer(1, "Looking.", event.StopCalls, "call_1", "call_2")
	l.call("call_1", "glob", event.StatusSuccess, "main.go")
	l.call("call_2", "bash", event.StatusError, "Command exited with code 1")
	l.add(event.StepEnded{Number: 1})
	l.answer(2, "One file.", event.StopDone)
	l.add(event.StepEnded{Number: 2})
	l.at.Step = ""
	l.add(event.TurnEnded{Number: 1, Reason: event.ReasonDone, Entry: "e2", Parent: "e1"})
	l.at.Turn = ""
	l.add(event.InputQueued{Input: "i2", Lane: event.LaneSteer, Text: "stop"}, event.InputTaken{Inputs: []event.InputID{"i2"}, Lane: event.LaneSteer})
	l.turn(2, event.LaneSteer, "i2", "e2")
	l.cut("Well, ", event.ReasonAborted, "e4", "e3")
	l.turn(3, event.LaneFollowUp, "", "e4")
	l.cut("I", event.ReasonError, "e6", "e5")
	l.add(event.RunEnded{Reason: event.ReasonError, DurationMS: 40})
	return l.log
}

type builder struct {
	at  event.Event
	log []event.Event
}

func (l *builder) add(bodies ...event.Body) {
	for _, b := range bodies {
		e := l.at
		e.Seq, e.Body = event.Seq(len(l.log)+1), b
		e.Time = eventtest.Epoch.Add(time.Duration(len(l.log)) * time.Millisecond)
		l.log = append(l.log, e)
	}
}

func (l *builder) turn(n int, lane event.Lane, input event.InputID, parent event.EntryID) {
	l.at.Turn = event.TurnID(fmt.Sprintf("r1.t%d", n))
	started := event.TurnStarted{Number: n, Lane: lane}
	if input != "" {
		started.Inputs = []event.InputID{input}
	}
	l.add(started, event.UserSaid{Entry: event.EntryID(fmt.Sprintf("e%d", 2*n-1)), Parent: parent, Text: "say", Origin: lane})
}

func (l *builder) answer(step int, text string, stop event.Stop, calls ...event.CallID) {
	l.at.Step = event.StepID(fmt.Sprintf("%s.s%d", l.at.Turn, step))
	l.add(event.StepStarted{Number: step})
	l.at.Response = event.ResponseID(l.at.Step + ".m")
	block := event.BlockID(l.at.Step + ".b1")
	l.add(event.ResponseStarted{Provider: "script", Model: "m"}, event.BlockStarted{Block: block, Role: event.RoleText})
	half := len(text) / 2
	l.add(event.BlockDelta{Block: block, Text: text[:half]}, event.BlockDelta{Block: block, Offset: half, Text: text[half:]})
	l.add(event.BlockEnded{Block: block, Role: event.RoleText, Text: text})
	for _, c := range calls {
		l.add(event.CallAnnounced{Call: c, Name: map[event.CallID]string{"call_1": "glob", "call_2": "bash"}[c]})
	}
	if calls == nil {
		calls = []event.CallID{}
	}
	usage := event.Usage{Input: 10, Output: 5}
	l.add(event.ResponseEnded{Blocks: []event.BlockID{block}, Calls: calls, Stop: stop, Usage: usage})
	l.at.Response = ""
	l.add(event.UsageChanged{Step: usage, Run: usage, Session: usage})
}

func (l *builder) call(id event.CallID, name string, status event.Status, result string) {
	l.add(event.CallStarted{Call: id, Name: name, Arguments: json.RawMessage(`{}`), Origin: event.CallerModel},
		event.PermissionDecided{Call: id, Granted: true, Method: event.MethodFree},
		event.CallDelta{Call: id, Stream: event.Stdout, Text: "a bit"},
		event.CallEnded{Call: id, Name: name, Status: status, Result: result})
}

// cut is a turn whose answer was cut.
func (l *builder) cut(text string, why event.Reason, entry, parent event.EntryID) {
	l.at.Step = event.StepID(l.at.Turn + ".s1")
	l.add(event.StepStarted{Number: 1})
	l.at.Response = event.ResponseID(l.at.Step + ".m")
	block := event.BlockID(l.at.Step + ".b1")
	l.add(event.ResponseStarted{}, event.BlockStarted{Block: block, Role: event.RoleText}, event.BlockDelta{Block: block, Text: text},
		event.BlockEnded{Block: block, Role: event.RoleText, Text: text}, event.ResponseInterrupted{Reason: event.InterruptedByProvider})
	l.at.Response = ""
	if why == event.ReasonError {
		l.add(event.FaultRaised{Code: event.CodeProvider, Message: "the server closed the stream"})
	}
	l.add(event.StepEnded{Number: 1})
	l.at.Step = ""
	l.add(event.TurnEnded{Number: int(l.at.Turn[len(l.at.Turn)-1] - '0'), Reason: why, Entry: entry, Parent: parent})
	l.at.Turn = ""
}
