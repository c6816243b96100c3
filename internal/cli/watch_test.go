package cli

import (
	"bufio"
	"errors"
	"io"
	"testing"

	"parley/internal/client"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
	"parley/internal/wire/native"
)

// idleWatch is a watch that leaves when nothing goes on, of a session that was at
// joined when it came and at known when it asked for the state.
func idleWatch(log []event.Event, joined, known event.Seq) *watch {
	w := &watch{app: &app{}, session: log[0].Session, idle: true, now: transcript.New(),
		conn: &client.Conn{Welcome: native.Welcome{Welcome: wire.Welcome{Head: joined}}},
		out:  &nativeOutput{w: bufio.NewWriter(io.Discard), outcome: display.New("", silent{})}}
	for _, e := range log[:known] {
		w.now.Apply(e)
	}
	return w
}

// shown feeds a watch with the lines after since, and returns the seq of the one
// at which it leaves and its exit code; 0 where it stays.
func shown(t *testing.T, w *watch, log []event.Event, since event.Seq) (left event.Seq, code int) {
	t.Helper()
	lines := []client.Line{{Line: native.Line{State: &transcript.State{Session: w.session, Seq: since}}}}
	for _, e := range log[since:] {
		lines = append(lines, client.Line{Line: native.Line{Event: &e}})
	}
	for i, line := range lines {
		done, err := w.line(line)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			var out exit
			errors.As(w.end(nil), &out)
			return since + event.Seq(i), out.code
		}
	}
	return 0, 0
}

// story is a session with two runs. A follow-up that was queued in the first, which
// fails, becomes the prompt of the second.
func story() []event.Event {
	at := event.Event{Session: "sess-1"}
	var log []event.Event
	add := func(run event.RunID, turn event.TurnID, bodies ...event.Body) {
		for _, b := range bodies {
			at.Seq, at.Run, at.Turn, at.Body = event.Seq(len(log)+1), run, turn, b
			log = append(log, at)
		}
	}
	add("", "", event.SessionOpened{Origin: event.OriginNew}, event.InputQueued{Input: "i1", Lane: event.LanePrompt, Text: "go", Run: "r1", Number: 1})
	add("r1", "", event.RunStarted{Number: 1})
	add("r1", "r1.t1", event.TurnStarted{Number: 1, Lane: event.LanePrompt, Inputs: []event.InputID{"i1"}},
		event.UserSaid{Entry: "e1", Text: "go", Origin: event.LanePrompt})
	add("", "", event.InputQueued{Input: "i2", Lane: event.LaneFollowUp, Text: "and then"})
	add("r1", "r1.t1", event.FaultRaised{Code: "internal", Message: "a defect"}, event.TurnEnded{Number: 1, Reason: event.ReasonError})
	add("r1", "", event.RunEnded{Reason: event.ReasonError})
	add("", "", event.InputQueued{Input: "i3", Lane: event.LanePrompt, Text: "and then", Run: "r2", Number: 2}, event.InputDropped{Input: "i2", Reason: "recovered"})
	add("r2", "", event.RunStarted{Number: 2})
	add("r2", "r2.t1", event.TurnStarted{Number: 1, Lane: event.LanePrompt, Inputs: []event.InputID{"i3"}},
		event.UserSaid{Entry: "e2", Parent: "e1", Text: "and then", Origin: event.LanePrompt},
		event.FaultRaised{Code: "internal", Message: "a defect"}, event.TurnEnded{Number: 1, Reason: event.ReasonError})
	add("r2", "", event.RunEnded{Reason: event.ReasonError})
	return log
}

// Whoever waits until nothing goes on leaves with the last event, whenever it came
// and asked, whatever it had seen before; and with the exit code of a run that
// ended after it came, and of no other.
func TestIdleWatchLeavesAtTheEnd(t *testing.T) {
	log := story()
	end := event.Seq(len(log))
	for joined := event.Seq(1); joined <= end; joined++ {
		for known := joined; known <= end; known++ {
			for since := range joined + 1 {
				s := transcript.New()
				for _, e := range log[:known] {
					s.Apply(e)
				}
				want := end
				if s.Run == nil && len(s.Queue) == 0 && known < end {
					want = max(known, since) // before anything was asked
				}
				code := 0
				if want == end && joined < end {
					code = 1
				}
				left, got := shown(t, idleWatch(log, joined, known), log, since)
				if left != want || got != code {
					t.Errorf("came at %d, asked at %d, seen %d: left at %d of %d with %d, not at %d with %d", joined, known, since, left, end, got, want, code)
				}
			}
		}
	}
}
