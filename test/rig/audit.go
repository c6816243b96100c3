package rig

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/event"
	"parley/internal/transcript"
)

// Log reads all that is kept of a session, page by page. It asks on a connection
// that is greeted and follows nothing.
func (c *Client) Log(session event.SessionID) ([]event.Event, error) {
	var out []event.Event
	for after := event.Seq(0); ; {
		r, err := c.Do("read", fmt.Sprint("log", after), session, map[string]any{"what": "events", "after": after, "limit": 2000})
		if err == nil {
			err = r.Fault()
		}
		var page struct {
			Events []event.Event `json:"events"`
		}
		if err == nil {
			err = json.Unmarshal(r.Data, &page)
		}
		if err != nil || len(page.Events) == 0 {
			return out, err
		}
		out = append(out, page.Events...)
		after = out[len(out)-1].Seq
	}
}

// State reads the state of a session.
func (c *Client) State(session event.SessionID) (*transcript.State, error) {
	r, err := c.Do("read", fmt.Sprint("state", len(c.Lines())), session, map[string]any{"what": "state"})
	if err == nil {
		err = r.Fault()
	}
	var page struct {
		State *transcript.State `json:"state"`
	}
	if err == nil {
		err = json.Unmarshal(r.Data, &page)
	}
	return page.State, err
}

// Idle waits until no run is open in a session and none waits.
func (c *Client) Idle(session event.SessionID) error {
	return until(func() (bool, error) {
		s, err := c.State(session)
		return err == nil && s.Run == nil && len(s.Queue) == 0, err
	})
}

// Violations are the laws that a log breaks, each with its seq; base is the state
// that it begins from, nil for a new session.
func Violations(log []event.Event) []string {
	var out []string
	s := transcript.New()
	for _, e := range log {
		for _, b := range transcript.Check(s, e) {
			out = append(out, fmt.Sprintf("%d %s: %s", e.Seq, b.Law, b.Text))
		}
		s.Apply(e)
	}
	return out
}

// Decode reads the events among the lines that a client saw of a session.
func Decode(lines []Line, session event.SessionID) ([]event.Event, error) {
	var out []event.Event
	for _, l := range lines {
		if l.Seq == 0 {
			continue
		}
		e, err := event.Decode([]byte(l.Raw))
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, l.Raw)
		}
		if e.Session == session {
			out = append(out, e)
		}
	}
	return out, nil
}

// Mismatches names every difference between what a client saw of a session, from its
// start on, and the log: a durable event that the log lacks or has otherwise; one
// that the client missed although it got later ones; a seq that was given twice; a
// text that is not a prefix of what is kept, nor the other way round.
func Mismatches(seen, log []event.Event) []string {
	var out []string
	kept, texts := index(log)
	got, last := make(map[event.Seq]bool), event.Seq(0)
	said := make(map[event.BlockID]string)
	for _, e := range seen {
		if e.Seq <= last {
			out = append(out, fmt.Sprintf("seq %d came after %d", e.Seq, last))
		}
		last = e.Seq
		got[e.Seq] = true
		there, ok := kept[e.Seq]
		switch b := e.Body.(type) {
		case event.BlockDelta:
			if b.Offset > len(said[b.Block]) {
				out = append(out, fmt.Sprintf("seq %d: %s: a delta at %d, and it had %d", e.Seq, b.Block, b.Offset, len(said[b.Block])))
				continue
			}
			said[b.Block] = said[b.Block][:b.Offset] + b.Text
			if delta, same := there.Body.(event.BlockDelta); ok && (!same || delta.Block != b.Block) {
				out = append(out, fmt.Sprintf("seq %d was given twice: %s, then %s", e.Seq, line(e), line(there)))
			}
		case event.CallDelta:
			if delta, same := there.Body.(event.CallDelta); ok && (!same || delta.Call != b.Call) {
				out = append(out, fmt.Sprintf("seq %d was given twice: %s, then %s", e.Seq, line(e), line(there)))
			}
		default:
			if !ok {
				out = append(out, fmt.Sprintf("seen and not kept: %s", line(e)))
			} else if line(e) != line(there) {
				out = append(out, fmt.Sprintf("seen as %s, kept as %s", line(e), line(there)))
			}
		}
	}
	for id, text := range said {
		if end, ok := texts[id]; !ok || !strings.HasPrefix(end, text) && !strings.HasPrefix(text, end) {
			out = append(out, fmt.Sprintf("%s was seen as %q and is kept as %q", id, text, end))
		}
	}
	for _, e := range log {
		if e.Durable() && e.Seq <= last && !got[e.Seq] {
			out = append(out, fmt.Sprintf("kept and not seen, although seq %d was: %s", last, line(e)))
		}
	}
	return out
}

func index(log []event.Event) (map[event.Seq]event.Event, map[event.BlockID]string) {
	kept, texts := make(map[event.Seq]event.Event), make(map[event.BlockID]string)
	for _, e := range log {
		kept[e.Seq] = e
		if b, ok := e.Body.(event.BlockEnded); ok {
			texts[b.Block] = b.Text
		}
	}
	return kept, texts
}

func line(e event.Event) string {
	b, err := e.AppendJSON(nil)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Unanswered are the inputs that were accepted and neither ran nor were dropped
// with a reason.
func Unanswered(inputs []event.InputID, log []event.Event) []string {
	fate := make(map[event.InputID]string)
	for _, e := range log {
		switch b := e.Body.(type) {
		case event.InputQueued:
			fate[b.Input] = "waits"
		case event.TurnStarted:
			for _, id := range b.Inputs {
				fate[id] = "ran"
			}
		case event.InputDropped:
			fate[b.Input] = "dropped: " + string(b.Reason)
		}
	}
	var out []string
	for _, id := range inputs {
		switch how, ok := fate[id]; {
		case !ok:
			out = append(out, fmt.Sprintf("input %s was accepted and is not kept", id))
		case how == "waits", how == "dropped: ":
			out = append(out, fmt.Sprintf("input %s was accepted and %s", id, how))
		}
	}
	return out
}
