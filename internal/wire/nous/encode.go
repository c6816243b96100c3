package nous

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// lineBody is one event of the protocol, before it has an envelope.
type lineBody struct {
	Type    string
	Payload any
}

// encode makes the lines of an event: envelopes for subscribers, flat for the
// result of a prompt that waits.
func encode(c wire.Class, s *transcript.State, e event.Event) []wire.Frame {
	if s == nil || e.Session != s.Session || e.Run == "" {
		return nil // a sub-agent's, or outside a run
	}
	v := view{s: s, e: e}
	bodies := v.bodies()
	if len(bodies) == 0 {
		return nil
	}
	frames := make([]wire.Frame, len(bodies))
	ts := e.Time.UTC().Format(time.RFC3339Nano)
	for i, f := range bodies {
		if c.Capabilities == wire.Collected {
			frames[i] = line(flatten(f, ts))
		} else {
			frames[i] = line(happening{version, v.id(i), f.Type, f.Payload, ts})
		}
	}
	return frames
}

// view is an event and the state after it.
type view struct {
	s *transcript.State
	e event.Event
}

// number is the number of the event's run. Once the run has ended it is in the
// entries that the run made.
func (v view) number() int {
	if v.s.Run != nil {
		return v.s.Run.Number
	}
	for i := len(v.s.Entries) - 1; i >= 0; i-- {
		if v.s.Entries[i].Run == v.e.Run {
			return v.s.Entries[i].Number
		}
	}
	return 0
}

func (v view) run() string { return runID(v.number()) }

func runID(number int) string { return "run-" + strconv.Itoa(number) }

// id is unique in the life of a daemon and rises within a run: the run's number,
// then the place in the log.
func (v view) id(i int) string {
	seq := v.e.Seq
	if seq == 0 { // the rest of a text, which the pump put before the next event
		seq, i = v.s.Seq, slots-1
	}
	return fmt.Sprintf("evt-%d%011d", v.number(), uint64(seq)*slots+uint64(i))
}

// slots is how many ids there are for one event; none makes as many lines.
const slots = 8

func (v view) turn() string {
	switch b := v.e.Body.(type) {
	case event.TurnEnded:
		return strconv.Itoa(b.Number)
	}
	if v.s.Turn == nil {
		return ""
	}
	return strconv.Itoa(v.s.Turn.Number)
}

// message is the id of a turn's message.
func (v view) message(role string) string {
	id := strings.TrimPrefix(string(v.e.Session), "sess-")
	return role + "-" + id + "-" + string(v.e.Turn)
}

func (v view) bodies() []lineBody {
	run, turn := v.run(), v.turn()
	switch b := v.e.Body.(type) {
	case event.RunStarted:
		return []lineBody{{"agent_start", runEvent{run}}}
	case event.RunEnded:
		return []lineBody{{"agent_end", runEvent{run}}}
	case event.TurnStarted:
		out := []lineBody{{"turn_start", turnEvent{run, turn}}}
		if b.From != "" {
			out = append(out, lineBody{"message_start", messageStart{v.message("assistant"), "assistant", run, turn}})
		}
		return out
	case event.UserSaid:
		user, assistant := v.message("user"), v.message("assistant")
		return []lineBody{
			{"message_start", messageStart{user, "user", run, turn}},
			{"message_end", messageEnd{user, run, turn}},
			{"message_start", messageStart{assistant, "assistant", run, turn}},
		}
	case event.TurnEnded:
		return v.turnEnded(b, run, turn)
	case event.StepEnded:
		return v.stepEnded(run, turn)
	case event.BlockDelta:
		if r := v.response(); r != nil && r.Block != nil && r.Block.Role == event.RoleText {
			return []lineBody{{"message_update", messageUpdate{b.Text, v.message("assistant"), run, turn}}}
		}
		return nil
	case event.PermissionDecided:
		if c := v.call(b.Call); c != nil {
			return []lineBody{{"tool_execution_start", toolEvent{run, string(c.ID), theirs(c.Name), turn}}}
		}
		return nil
	case event.CallEnded:
		return v.callEnded(b, run, turn)
	case event.RetryScheduled:
		return []lineBody{{"warning", warningEvent{"provider_retry", retryText(b), run, turn}}}
	case event.FaultRaised:
		return []lineBody{{"error", errorOf(b, run, turn)}}
	case event.SessionOpened, event.SessionTitled, event.SessionClosed, event.SettingChanged, event.AgentChanged, event.LeafChanged,
		event.ClientJoined, event.ClientLeft, event.SessionListed, event.SessionUnlisted, event.ActiveChanged:
		return nil // asked for with get_state, or nobody's business here
	case event.RunAborting, event.StepStarted, event.ResponseStarted, event.ResponseEnded, event.ResponseInterrupted,
		event.InputQueued, event.InputChanged, event.InputTaken, event.InputDropped, event.TurnRecovered, event.ContextCompacted,
		event.ImagesRefused:
		return nil // the protocol shows their effects only
	case event.BlockStarted, event.BlockEnded, event.CallAnnounced, event.CallStarted, event.CallDelta:
		return nil // deltas have shown the text; a call is shown when it runs, its output when it ends
	case event.PermissionPreviewed, event.PermissionReady, event.HostDecided, event.AskOpened, event.AskAnswered, event.AskClosed,
		event.ToolsChanged, event.PlanChanged, event.PlanCleared, event.UsageChanged, event.BudgetChanged, event.DeveloperSaid, event.NoteAdded,
		event.InitProgressed, event.FilesChanged, event.Unknown:
		return nil // no word for these
	}
	return nil
}

func (v view) response() *transcript.Response {
	if v.s.Step == nil {
		return nil
	}
	return v.s.Step.Response
}

// call is a call of the open step: those of a person outside a run are not
// shown.
func (v view) call(id event.CallID) *transcript.Call {
	if v.s.Step == nil {
		return nil
	}
	for _, c := range v.s.Step.Calls {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// turnEnded closes the assistant's message, which is open since the user spoke.
func (v view) turnEnded(b event.TurnEnded, run, turn string) []lineBody {
	var out []lineBody
	if b.Reason == event.ReasonAborted {
		out = append(out, lineBody{"warning", warningEvent{"provider_aborted", "request_aborted", run, turn}})
	}
	if v.said()+v.resumed() >= b.Number {
		out = append(out, lineBody{"message_end", messageEnd{v.message("assistant"), run, turn}})
	}
	return append(out, lineBody{"turn_end", turnEvent{run, turn}})
}

// said counts the user's entries of the run: one for each turn in which somebody
// spoke.
func (v view) said() int {
	n := 0
	for i := len(v.s.Entries) - 1; i >= 0 && v.s.Entries[i].Run == v.e.Run; i-- {
		if v.s.Entries[i].Role == "user" {
			n++
		}
	}
	return n
}

// resumed is 1 in a run whose first turn went on with what was there: nobody spoke
// in it.
func (v view) resumed() int {
	if v.s.Run != nil && v.s.Run.Resumed {
		return 1
	}
	return 0
}

var stops = map[event.Stop]string{event.StopCalls: "tool_use", event.StopLength: "length"}

// stepEnded is the status of a model round. A round that was cut has none.
func (v view) stepEnded(run, turn string) []lineBody {
	t := v.s.Turn
	if t == nil || len(t.Parts) == 0 {
		return nil
	}
	part := t.Parts[len(t.Parts)-1]
	if part.Interrupted || part.Stop == "" {
		return nil
	}
	var out []lineBody
	status := func(text string) { out = append(out, lineBody{"status", statusEvent{text, run, turn}}) }
	if stop := stops[part.Stop]; stop != "" {
		status("provider_stop_reason: " + stop)
	}
	if u := v.s.Usage.Step; u.Input+u.Output > 0 {
		status(fmt.Sprintf("provider_usage: input=%d output=%d total=%d", u.Input, u.Output, u.Input+u.Output))
	}
	if part.Stop == event.StopCalls && v.goesOn(part) {
		status("await_next: continue_with_tool_results")
	}
	return out
}

// goesOn reports whether the model is asked again with the results of a step.
func (v view) goesOn(p transcript.Part) bool {
	if v.s.Run != nil && v.s.Run.Aborting {
		return false
	}
	for _, c := range p.Calls {
		if c.Ended != nil && c.Ended.Status == event.StatusSkipped || c.Decided != nil && c.Decided.Stop {
			return false
		}
	}
	return len(p.Calls) > 0
}

func (v view) callEnded(b event.CallEnded, run, turn string) []lineBody {
	c := v.call(b.Call)
	if c == nil || c.Ended == nil {
		return nil
	}
	id, name := string(b.Call), theirs(b.Name)
	var out []lineBody
	if c.Decided == nil {
		out = append(out, lineBody{"tool_execution_start", toolEvent{run, id, name, turn}})
	}
	warning, text := outcome(c)
	if warning != nil {
		warning.RunID, warning.TurnID = run, turn
		out = append(out, lineBody{"warning", *warning})
	}
	if warning == nil || b.Status == event.StatusSkipped {
		out = append(out, lineBody{"tool_execution_update", toolUpdate{text, run, id, name, turn}})
	}
	return append(out,
		lineBody{"tool_execution_end", toolEvent{run, id, name, turn}},
		lineBody{"message_update", messageUpdate{text, v.message("assistant"), run, turn}})
}

func retryText(b event.RetryScheduled) string {
	why := b.Reason
	if b.Status != 0 {
		why = "http " + strconv.Itoa(b.Status)
	}
	return fmt.Sprintf("%s retry attempt %s after %s", b.Provider, b.Count("/"), why)
}

func errorOf(b event.FaultRaised, run, turn string) errorEvent {
	switch b.Code {
	case event.CodeLimit:
		return errorEvent{b.Message, "tool_loop_limit_exceeded", "tool await-next loop exceeded max rounds", run, turn}
	case event.CodeProvider, event.CodeCanceled:
		return errorEvent{b.Message, "provider_error", "provider stream returned error", run, turn}
	}
	return errorEvent{b.Message, "internal_error", "run failed", run, turn}
}

// flatten is a body in the shape of a result's events.
func flatten(f lineBody, ts string) flat {
	var out flat
	var turn struct {
		ID string `json:"turn_id"`
	}
	b := line(f.Payload)
	// Both are made of strings that this package just wrote.
	_, _ = json.Unmarshal(b, &out), json.Unmarshal(b, &turn)
	out.Type, out.TS = f.Type, ts
	out.Turn, _ = strconv.Atoi(turn.ID)
	return out
}

// line is compact JSON with <, > and & escaped, as the original wrote it.
func line(v any) wire.Frame {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // no value of this package's types fails to encode
	}
	return b
}
