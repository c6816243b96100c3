package rig

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/event"
)

// A recording names no folder, session or client of the machine it was made on,
// begins at noon, and keeps its distances.
func TestNormalizedRecordingNamesNoMachine(t *testing.T) {
	h, err := NewHome(t.TempDir(), "parley")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	begun := time.Date(2026, 11, 21, 9, 0, 7, 123456789, time.UTC)
	var lines []Line
	for i, e := range []event.Event{
		{Session: "sess-xyz", Cause: "c-abc/hello", Body: event.SessionOpened{Workspace: h.Work}},
		{Session: "sess-xyz", Body: event.ClientJoined{Client: "c-abc", Version: "1.2"}},
		{Session: "sess-xyz", Body: event.CallEnded{Call: "c1", Result: filepath.Join(h.Store, "blobs"), DurationMS: 7049, Display: &event.Display{Agent: "sess-kid"}}},
		{Session: "sess-kid", Cause: "c-abc/1", Body: event.SessionOpened{Origin: event.OriginAgent, Parent: "sess-xyz", Call: "look"}},
	} {
		e.Seq, e.Time = event.Seq(40+3*i), begun.Add(time.Duration(i)*1049*time.Millisecond)
		lines = append(lines, Line{Raw: line(e), Seq: e.Seq})
	}
	log, err := h.normalize(append(lines, Line{Raw: `{"type":"result"}`}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range log {
		got = append(got, line(e))
	}
	want := []string{
		`{"seq":1,"time":"2025-06-01T12:00:00Z","session":"sess-01","cause":"c1/hello","type":"session.opened","data":{"origin":"","workspace":"/home/me/shop"}}`,
		`{"seq":2,"time":"2025-06-01T12:00:01Z","session":"sess-01","type":"client.joined","data":{"client":"c1"}}`,
		`{"seq":3,"time":"2025-06-01T12:00:02.1Z","session":"sess-01","type":"call.ended","data":{"call":"c1","name":"","status":"","result":"/home/me/.local/share/parley/blobs","display":{"agent":"sess-look"},"duration_ms":7000}}`,
		`{"seq":4,"time":"2025-06-01T12:00:03.1Z","session":"sess-look","cause":"c1/1","type":"session.opened","data":{"origin":"agent","parent":"sess-01","call":"look"}}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Durations are told in steps that another run of the same does not miss.
func TestDurationsAreRounded(t *testing.T) {
	for ms, want := range map[int64]int64{0: 0, 1: 1, 4: 2, 7: 5, 38: 20, 99: 50, 100: 100, 149: 100, 151: 200, 7049: 7000} {
		if got := rounded(ms); got != want {
			t.Errorf("%d ms became %d, want %d", ms, got, want)
		}
	}
}

// Two recordings tell the same although times, seqs, cuts of text and the order of
// what is independent differ; what happens otherwise is named.
func TestDifferingRecordingsAreNamed(t *testing.T) {
	a := []event.Event{
		durable(1, event.CallStarted{Call: "x"}), durable(2, event.CallStarted{Call: "y"}),
		durable(3, event.CallEnded{Call: "x", Result: "1", DurationMS: 5}), durable(4, event.CallEnded{Call: "y"}),
		delta(5, 0, "one "), delta(6, 4, "two"),
	}
	b := []event.Event{
		durable(1, event.CallStarted{Call: "x"}), durable(9, event.CallStarted{Call: "y"}),
		durable(10, event.CallEnded{Call: "y"}), durable(11, event.CallEnded{Call: "x", Result: "1", DurationMS: 9}),
		delta(12, 0, "one two"),
	}
	has(t, Differ(Story(a, true), Story(b, true)), "")
	b[3].Body = event.CallEnded{Call: "x", Result: "2"}
	has(t, Differ(Story(a, false), Story(b, false)), "")
	has(t, Differ(Story(a, true), Story(b, true)), `sess-a x, event 2`)
	has(t, Differ(Story(a, false), Story(b[:4], false)), "nothing more")
}
