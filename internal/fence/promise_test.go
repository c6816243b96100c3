package fence

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The table in docs/security.md is the promises.
func TestDocument(t *testing.T) {
	const file = "../../docs/security.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "<!-- attempts -->\n", "<!-- end of attempts -->\n"
	before, rest, found := strings.Cut(string(text), from)
	got, after, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", file)
	}
	var table strings.Builder
	table.WriteString("| attempt | what it is | full | files |\n|---|---|---|---|\n")
	for _, p := range Promises {
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", p.Attempt, p.What, p.Full, p.Files)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+from+table.String()+to+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != table.String() {
		t.Errorf("the table in %s is not that of the code: go test -update", file)
	}
}

// Nothing is told twice, and full is never less than files.
func TestPromiseTable(t *testing.T) {
	strength := map[Outcome]int{Refused: 4, Undone: 3, Private: 3, Bounded: 2, Reported: 1, Reached: 0}
	seen := map[string]bool{}
	for _, p := range Promises {
		if seen[p.Attempt] || p.What == "" {
			t.Errorf("%q: twice, or without a sentence", p.Attempt)
		}
		seen[p.Attempt] = true
		if strength[p.Full] < strength[p.Files] {
			t.Errorf("%q: full is less than files", p.Attempt)
		}
	}
}
