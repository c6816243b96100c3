package plain_test

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// looks are the ways in which each scenario is shown; a golden file holds them
// one after the other.
var looks = []struct {
	name    string
	options plain.Options
	past    bool
}{
	{"a pipe", plain.Options{}, false},
	{"a terminal of 80 columns", plain.Options{Profile: cell.Color16 | cell.Links, Width: columns(80), Terminal: true}, false},
	{"NO_COLOR on a terminal of 20 columns", plain.Options{Width: columns(20), Terminal: true}, false},
	{"history", plain.Options{Profile: cell.Color16, Width: columns(80), Terminal: true}, true},
}

func columns(n int) func() int { return func() int { return n } }

// load reads the scenarios of package display.
func load(t testing.TB) map[string][]event.Event {
	t.Helper()
	files, err := filepath.Glob("../testdata/scenario/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	out := make(map[string][]event.Event)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var log []event.Event
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			e, err := event.Decode(lines.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, e)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".jsonl")] = log
	}
	return out
}

// show renders a log; between events it flushes as often as flush says. It
// returns the state at its end.
func show(t testing.TB, log []event.Event, o plain.Options, past bool, flush int) (*transcript.State, string) {
	t.Helper()
	var out bytes.Buffer
	r, s := plain.New(&out, o), transcript.New()
	r.Past(past)
	for i, e := range log {
		if err := r.Apply(s, e); err != nil {
			t.Fatal(err)
		}
		if flush > 0 && i%flush == 0 {
			if err := r.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return s, out.String()
}

// visible makes escape sequences readable.
func visible(s string) string { return strings.ReplaceAll(s, "\x1b", "␛") }

// Every scenario looks like its golden file, in every look.
func TestScenarios(t *testing.T) {
	for name, log := range load(t) {
		var b strings.Builder
		for _, look := range looks {
			b.WriteString("-- " + look.name + " --\n")
			s, out := show(t, log, look.options, look.past, 0)
			b.WriteString(visible(out))
			if look.name == "a pipe" {
				b.WriteString("-- exit --\n" + strconv.Itoa(display.OutcomeOf(s).Exit()) + "\n")
			}
		}
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", file, d)
		}
	}
}
