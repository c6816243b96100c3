package wire_test

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
	"parley/internal/wire/cogency"
	"parley/internal/wire/klaude"
	"parley/internal/wire/native"
	"parley/internal/wire/nous"
	"parley/internal/wire/wiretest"
	"parley/test/need"
)

var _ = flag.Bool("update", false, "rewrite the golden files")

const matrixHead = `# Dialects

Generated from the code by ` + "`go test ./internal/wire -run Matrix -update`" + `; do not edit.

What each kind of event is called on the wire of each dialect; – where a dialect has no word for it. What a dialect says
may depend on its client's capabilities and on what came before; a cell names all that it says. What a client gets on
joining and on leaving is not in the table: klaude's ReplayHistoryEvent and EndEvent, native's state.

`

const unknownHead = `
## Fields that nothing feeds

klaude's stream has them because its document names them. They are always null, zero or empty, because Parley does not
know what they want.

`

// docs/dialects.md says what the dialects say. A kind that is new, or that a
// dialect forgets, is an empty cell to look at.
func TestMatrix(t *testing.T) {
	need.Time(t)
	const file = "../../docs/dialects.md"
	scenarios := scenarios(t)
	column := func(d *wire.Dialect) wiretest.Column {
		peer := wire.Peer{ID: "c1", Name: "t", Ready: true, Class: wire.Class{Dialect: d.Name}}
		// What the scenarios of the display show beyond the samples.
		seen := make(map[string][]wire.Frame)
		for _, log := range scenarios {
			s := transcript.New()
			for _, e := range log {
				s.Apply(e)
				seen[e.Kind()] = append(seen[e.Kind()], d.Encode(peer.Class, s, e)...)
			}
		}
		wider := *d
		wider.Encode = func(c wire.Class, s *transcript.State, e event.Event) []wire.Frame {
			return append(d.Encode(c, s, e), seen[e.Kind()]...)
		}
		return wiretest.Column{Dialect: &wider, Peer: peer}
	}
	want := matrixHead + wiretest.Matrix(column(&native.Dialect), column(&nous.Events), column(&klaude.Dialect), column(&cogency.Dialect)) +
		unknownHead + "- " + strings.Join(klaude.Unknown, "\n- ") + "\n"
	if wiretest.Updating() {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), want); d != "" {
		t.Errorf("-document +dialects\n%s", d)
	}
}

// scenarios are the logs that package display is tested with.
func scenarios(t *testing.T) [][]event.Event {
	t.Helper()
	files, err := filepath.Glob("../display/testdata/scenario/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var out [][]event.Event
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
		out = append(out, log)
	}
	return out
}
