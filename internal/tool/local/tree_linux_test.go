package local

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A name cannot lie about the fields behind it, and what is no stat line is none.
func TestParseStat(t *testing.T) {
	tail := " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 77 0"
	for line, want := range map[string]process{
		"12 (sleep) S 1 2 3" + tail:       {pid: 12, parent: 1, group: 2, session: 3, born: 77, name: "sleep"},
		"12 (a) Z 9 9 9) S 1 2 3" + tail:  {pid: 12, parent: 1, group: 2, session: 3, born: 77, name: "a) Z 9 9 9"},
		"12 () Z 1 2 3" + tail + " 5 6\n": {pid: 12, parent: 1, group: 2, session: 3, born: 77, zombie: true},
		"12 (sleep) S 1 2 3":              {},
		"":                                {},
		")(":                              {},
	} {
		if got, _ := parseStat([]byte(line)); got != want {
			t.Errorf("%q: %s", line, cmp.Diff(want, got, cmp.AllowUnexported(process{})))
		}
	}
}
