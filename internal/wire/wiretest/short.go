package wiretest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
)

// parseEvent reads an event as a traffic file has it: its JSON, or
//
//	KIND [@CAUSE] [DATA]
//
// whose envelope is that of what is open in s. Seq counts on; each event is a
// millisecond later.
func parseEvent(s *transcript.State, text string) (event.Event, error) {
	var e event.Event
	if strings.HasPrefix(text, "{") {
		return e, json.Unmarshal([]byte(text), &e)
	}
	kind, rest, _ := strings.Cut(text, " ")
	cause := ""
	if strings.HasPrefix(rest, "@") {
		cause, rest, _ = strings.Cut(rest[1:], " ")
	}
	if rest == "" {
		rest = "{}"
	}
	b, err := json.Marshal(map[string]any{"type": kind, "data": json.RawMessage(rest)})
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(b, &e); err != nil {
		return e, err
	}
	envelope(s, &e)
	if cause != "" {
		e.Cause = event.Cause(cause)
	}
	return e, nil
}

func envelope(s *transcript.State, e *event.Event) {
	e.Session, e.Seq = eventtest.Session, s.Seq+1
	if s.Session != "" {
		e.Session = s.Session
	}
	e.Time = eventtest.Epoch.Add(time.Duration(e.Seq) * time.Millisecond)
	if s.Run != nil {
		e.Run, e.Cause = s.Run.ID, s.Run.Cause
	}
	if s.Turn != nil {
		e.Turn = s.Turn.ID
	}
	if s.Step != nil {
		e.Step = s.Step.ID
		if r := s.Step.Response; r != nil && r.Phase == transcript.Open {
			e.Response = r.ID
		}
	}
	switch e.Body.(type) {
	case event.InputQueued, event.InputChanged, event.InputDropped, event.SettingChanged, event.SessionTitled:
		e.Run, e.Turn, e.Step, e.Response, e.Cause = "", "", "", "", ""
	case event.RunStarted:
		e.Run = s.NextRun()
		if q := s.Queued(event.LanePrompt); len(q) > 0 {
			e.Run, e.Cause = q[0].Run, q[0].Cause
		}
	case event.TurnStarted:
		e.Turn, _ = s.NextTurn()
	case event.StepStarted:
		e.Step, _ = s.NextStep()
	case event.ResponseStarted:
		e.Response = event.ResponseID(fmt.Sprintf("%s.m", e.Step))
	}
}
