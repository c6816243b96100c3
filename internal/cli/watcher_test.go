package cli

import (
	"bufio"
	"errors"
	"io"
	"testing"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// A tale is a session that a test tells.
type tale struct {
	id   event.SessionID
	head event.Seq
}

func (t tale) ID() event.SessionID           { return t.id }
func (t tale) Head() event.Seq               { return t.head }
func (t tale) Updates() <-chan client.Update { return nil }
func (t tale) Send(string, command.Body)     {}

// shown feeds a runWatcher that leaves when idle, of a session that was at
// head when it joined, with the state that it begins from and what comes after it.
// It returns the seq of the event at which it leaves and its exit code; 0 where it
// stays.
func shown(t *testing.T, log []event.Event, head event.Seq) (left event.Seq, code int) {
	t.Helper()
	w := newRunWatcher(&app{}, tale{log[0].Session, head}, &nativeOutput{w: bufio.NewWriter(io.Discard)})
	w.idle = true
	s := transcript.New()
	for _, e := range log[:head] {
		s.Apply(e)
	}
	s = s.Checkpoint()
	updates := []client.Update{client.Joined{State: s}}
	seq := s.Seq
	for _, e := range log[seq:] {
		updates = append(updates, client.News{Events: []event.Event{e}, Lines: [][]byte{nil}})
	}
	for i, u := range updates {
		done, err := w.update(u)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			var out exit
			errors.As(w.end(nil), &out)
			return seq + event.Seq(i), out.code
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
	add("r1", "r1.t1", event.FaultRaised{Code: event.CodeInternal, Message: "a defect"}, event.TurnEnded{Number: 1, Reason: event.ReasonError})
	add("r1", "", event.RunEnded{Reason: event.ReasonError})
	add("", "", event.InputQueued{Input: "i3", Lane: event.LanePrompt, Text: "and then", Run: "r2", Number: 2}, event.InputDropped{Input: "i2", Reason: event.DropRecovered})
	add("r2", "", event.RunStarted{Number: 2})
	add("r2", "r2.t1", event.TurnStarted{Number: 1, Lane: event.LanePrompt, Inputs: []event.InputID{"i3"}},
		event.UserSaid{Entry: "e2", Parent: "e1", Text: "and then", Origin: event.LanePrompt},
		event.FaultRaised{Code: event.CodeInternal, Message: "a defect"}, event.TurnEnded{Number: 1, Reason: event.ReasonError})
	add("r2", "", event.RunEnded{Reason: event.ReasonError})
	return log
}

// Whoever waits until nothing goes on leaves with the last event, whenever it
// came, and at once where nothing goes on; and with the exit code of a run that
// ended after it came, and of no other.
func TestIdleWatchLeavesAtTheEnd(t *testing.T) {
	log := story()
	end := event.Seq(len(log))
	for head := event.Seq(1); head <= end; head++ {
		s := transcript.New()
		for _, e := range log[:head] {
			s.Apply(e)
		}
		want, code := end, 1
		if s.Run == nil && len(s.Queue) == 0 { // before anything was asked, or at the end
			want, code = head, 0
		}
		if left, got := shown(t, log, head); left != want || got != code {
			t.Errorf("came at %d: left at %d of %d with %d, not at %d with %d", head, left, end, got, want, code)
		}
	}
}
