package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/event"
	"parley/internal/transcript"
	"parley/test/need"
	"parley/test/rig"
)

var record = flag.Bool("record", false, "record the sessions of the terminal's screens again, as far as another thing happens in them")

// sessions is where the recordings are that the terminal's screens are made from:
// NAME.txtar is the script of one (see rig.Home.Record), NAME.jsonl what happened.
const sessions = "../../internal/tui/testdata/sessions"

// recordSpeed is how many times as fast people and the model are where a recording is
// only looked at.
const recordSpeed = 20

// Each recorded session is one that keeps the laws, folds, and still happens like
// that: recorded anew it has the same kinds of events in the same order. With
// -record it is written where anything else than its times is another.
func TestRecordingsStillHappen(t *testing.T) {
	t.Parallel()
	if !*record {
		need.Time(t)
	}
	scripts, err := filepath.Glob(sessions + "/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(script)
			if err != nil {
				t.Fatal(err)
			}
			speed := recordSpeed
			if *record {
				speed = 1
			}
			got, err := newHome(t).Record(filepath.Base(script), text, float64(speed))
			if err != nil {
				t.Fatal(err)
			}
			file := strings.TrimSuffix(script, ".txtar") + ".jsonl"
			if *record {
				rewrite(t, file, got)
			}
			want := recording(t, file)
			lawful(t, want)
			for _, d := range rig.Differ(rig.Story(got, false), rig.Story(want, false)) {
				t.Errorf("it happens otherwise by now: %s", d)
			}
		})
	}
}

// recording reads a recorded session.
func recording(t *testing.T, file string) []event.Event {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var log []event.Event
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		e, err := event.Decode([]byte(l))
		if err != nil {
			t.Fatalf("%s: %v: %s", file, err, l)
		}
		log = append(log, e)
	}
	return log
}

// rewrite writes a recording unless the one that is there tells the same.
func rewrite(t *testing.T, file string, log []event.Event) {
	t.Helper()
	if _, err := os.Stat(file); err == nil && len(rig.Differ(rig.Story(log, true), rig.Story(recording(t, file), true))) == 0 {
		return
	}
	var b []byte
	for _, e := range log {
		var err error
		if b, err = e.AppendJSON(b); err != nil {
			t.Fatal(err)
		}
		b = append(b, '\n')
	}
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// lawful fails unless a log keeps the laws and its fold says the same as its end:
// no run is open in it that it does not say is open.
func lawful(t *testing.T, log []event.Event) {
	t.Helper()
	for _, b := range rig.Violations(log) {
		t.Error(b)
	}
	s := transcript.New()
	runs := 0
	for _, e := range log {
		s.Apply(e)
		if e.Session != s.Session {
			continue
		}
		switch e.Body.(type) {
		case event.RunStarted:
			runs++
		case event.RunEnded:
			runs--
		}
	}
	if open := s.Run != nil; open != (runs > 0) {
		t.Errorf("the fold has a run open: %v; the log has %d", open, runs)
	}
}
