package wiretest

import (
	"cmp"
	"encoding/json"
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
	switch e.Body.(type) {
	case event.InputQueued, event.InputChanged, event.InputDropped, event.SettingChanged, event.SessionTitled:
		e = event.Event{Session: s.Session, Body: e.Body} // beside the run
	default:
		e = s.Now(e.Body)
	}
	e.Session = cmp.Or(e.Session, eventtest.Session)
	e.Seq = s.Seq + 1
	e.Time = eventtest.Epoch.Add(time.Duration(e.Seq) * time.Millisecond)
	if cause != "" {
		e.Cause = event.Cause(cause)
	}
	return e, nil
}
