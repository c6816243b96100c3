package display_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
)

// reported is the report of the last run that ends in a log.
func reported(log []event.Event) (out display.Report, ended int) {
	s := transcript.New()
	var r display.Report
	for _, e := range log {
		if r.Apply(s, e) {
			out, ended = r, ended+1
		}
	}
	return out, ended
}

// A file that several calls changed is one file, and a sub-agent's changes and denials are the run's.
func TestReportAddsUp(t *testing.T) {
	root := event.Event{Session: "sess-1", Run: "r1"}
	agent := event.Event{Session: "sess-2", Run: "r1"}
	var log []event.Event
	add := func(e event.Event, bodies ...event.Body) {
		for _, b := range bodies {
			e.Seq, e.Body = event.Seq(len(log)+1), b
			log = append(log, e)
		}
	}
	file := func(path string, c event.Change, added, removed int) event.FilesChanged {
		return event.FilesChanged{Files: []event.FileChange{{Path: path, Change: c, Added: added, Removed: removed}}}
	}
	add(event.Event{Session: "sess-1"}, event.SessionOpened{Origin: event.OriginNew})
	add(root, event.RunStarted{Number: 1})
	add(event.Event{Session: "sess-2"}, event.SessionOpened{Origin: event.OriginAgent, Parent: "sess-1"})
	add(agent, event.RunStarted{Number: 1},
		event.PermissionDecided{Call: "c1", Method: event.MethodUnasked, Code: event.RefusedUnasked, Reason: "nobody is there"},
		event.PermissionDecided{Call: "c2", Method: event.MethodInvalid, Code: event.RefusedArguments},
		file("a", event.ChangeCreated, 2, 0), event.RunEnded{Reason: event.ReasonDone})
	add(root, file("a", event.ChangeModified, 1, 1), file("b", event.ChangeModified, 1, 0),
		file("gone", event.ChangeCreated, 5, 0), file("gone", event.ChangeDeleted, 0, 5),
		file("b", event.ChangeDeleted, 0, 9), file("b", event.ChangeCreated, 3, 0),
		event.RunEnded{Reason: event.ReasonDone, DurationMS: 7})
	got, ended := reported(log)
	want := display.Report{Session: "sess-1", Run: "r1", Outcome: display.Outcome{Ended: true, Reason: event.ReasonDone, Unasked: true}, MS: 7,
		Files: []event.FileChange{
			{Path: "a", Change: event.ChangeCreated, Added: 3, Removed: 1},
			{Path: "b", Change: event.ChangeModified, Added: 4, Removed: 9},
		},
		Denials: []display.Denial{{Call: "c1", Code: event.RefusedUnasked, Reason: "nobody is there", Agent: "sess-2"}}}
	if diff := cmp.Diff(want, got); diff != "" || ended != 1 {
		t.Errorf("%d runs ended (-want +got):\n%s", ended, diff)
	}
}

// Every kind may come in any order.
func TestReportTakesAnything(t *testing.T) {
	for _, e := range eventtest.All() {
		reported([]event.Event{e, e})
	}
}
