package wire_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/wire"
	"parley/internal/wire/cogency"
	"parley/internal/wire/klaude"
	"parley/internal/wire/native"
	"parley/internal/wire/nous"
	"parley/internal/wire/wiretest"
)

var _ = flag.Bool("update", false, "rewrite the golden files")

const matrixHead = `# Dialects

Generated from the code by ` + "`go test ./internal/wire -run Matrix -update`" + `; do not edit.

What each kind of event is called on the wire of each dialect; – where a dialect has no word for it. What a dialect says
may depend on its client's capabilities and on what came before; a cell names all that it says.

`

// docs/dialects.md says what the dialects say. A kind that is new, or that a
// dialect forgets, is an empty cell to look at.
func TestMatrix(t *testing.T) {
	const file = "../../docs/dialects.md"
	column := func(d *wire.Dialect) wiretest.Column {
		return wiretest.Column{Dialect: d, Peer: wire.Peer{ID: "c1", Name: "t", Ready: true, Class: wire.Class{Dialect: d.Name}}}
	}
	want := matrixHead + wiretest.Matrix(column(&native.Dialect), column(&nous.Events), column(&klaude.Dialect), column(&cogency.Dialect))
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
