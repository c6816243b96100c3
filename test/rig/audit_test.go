package rig

import (
	"strings"
	"testing"

	"parley/internal/event"
)

func delta(seq event.Seq, offset int, text string) event.Event {
	return event.Event{Seq: seq, Session: "sess-a", Body: event.BlockDelta{Block: "b", Offset: offset, Text: text}}
}

func durable(seq event.Seq, body event.Body) event.Event {
	return event.Event{Seq: seq, Session: "sess-a", Body: body}
}

// What a crash may do to a log, and what it may not.
func TestMismatchesAreNamed(t *testing.T) {
	opened := durable(1, event.BlockStarted{Block: "b", Role: event.RoleText})
	seen := []event.Event{opened, delta(2, 0, "one "), delta(3, 4, "two")}
	ended := func(seq event.Seq, text string) event.Event {
		return durable(seq, event.BlockEnded{Block: "b", Role: event.RoleText, Text: text})
	}
	for _, c := range []struct {
		name string
		log  []event.Event
		want string // part of what is found; empty: nothing is
	}{
		{"the text was kept", []event.Event{opened, ended(9, "one two")}, ""},
		{"the end of the text was lost", []event.Event{opened, ended(9, "one ")}, ""},
		{"more was written than was seen", []event.Event{opened, ended(9, "one two three")}, ""},
		{"the delta is still there", []event.Event{opened, delta(3, 0, "one two"), ended(9, "one two")}, ""},
		{"another text was kept", []event.Event{opened, ended(9, "one three")}, `is kept as "one three"`},
		{"the text was not kept at all", []event.Event{opened}, `is kept as ""`},
		{"a durable event was lost", []event.Event{ended(9, "one two")}, "seen and not kept"},
		{"a durable event was changed", []event.Event{durable(1, event.BlockStarted{Block: "b", Role: event.RoleThinking}), ended(9, "one two")}, "kept as"},
		{"a seq was used again for a durable event", []event.Event{opened, ended(3, "one two")}, "seq 3 was given twice"},
		{"a durable event came before what was seen", []event.Event{opened, durable(2, event.NoteAdded{Text: "x"}), ended(9, "one two")}, "seq 2 was given twice"},
	} {
		t.Run(c.name, func(t *testing.T) { has(t, Mismatches(seen, c.log), c.want) })
	}
	has(t, Mismatches(seen, []event.Event{durable(0, event.NoteAdded{Text: "x"}), opened, ended(9, "one two")}), "kept and not seen")
	has(t, Mismatches([]event.Event{opened, opened}, []event.Event{opened}), "seq 1 came after 1")
	has(t, Mismatches([]event.Event{opened, delta(3, 4, "two")}, []event.Event{opened, ended(9, "one two")}), "a delta at 4, and it had 0")
}

// What became of an input that was accepted.
func TestLostInputIsNamed(t *testing.T) {
	queued := durable(1, event.InputQueued{Input: "i1", Lane: event.LanePrompt})
	for _, c := range []struct {
		name string
		log  []event.Event
		want string
	}{
		{"it ran", []event.Event{queued, durable(2, event.TurnStarted{Inputs: []event.InputID{"i1"}})}, ""},
		{"it was dropped", []event.Event{queued, durable(2, event.InputDropped{Input: "i1", Reason: event.DropRemoved})}, ""},
		{"nobody said why", []event.Event{queued, durable(2, event.InputDropped{Input: "i1"})}, "dropped"},
		{"it waits", []event.Event{queued}, "waits"},
		{"it is gone", nil, "is not kept"},
	} {
		t.Run(c.name, func(t *testing.T) { has(t, Unanswered([]event.InputID{"i1"}, c.log), c.want) })
	}
}

func has(t *testing.T, found []string, want string) {
	t.Helper()
	text := strings.Join(found, "\n")
	if (want == "") != (text == "") || !strings.Contains(text, want) {
		t.Errorf("found %q, want %q", text, want)
	}
}

// A log that breaks a law is named.
func TestViolationIsNamed(t *testing.T) {
	log := []event.Event{
		durable(1, event.SessionOpened{Origin: event.OriginNew}),
		durable(2, event.StepStarted{Number: 1}),
	}
	has(t, Violations(log[:1]), "")
	has(t, Violations(log), "2 step.nesting: ")
}
