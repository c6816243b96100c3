package plain

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The table of gaps and phases is the one in the package's documentation, every
// pair of parts.
func TestGapsBetweenParts(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	columns := []Part{Query, Thought, CallLine, Outcome, Reply, Metrics, Notice, Aside}
	words := map[Gap]string{None: "–", Line: "line", Blank: "blank", Rule: "rule", RuleBlank: "rule"}
	rows := 0
	for line := range strings.Lines(string(doc)) {
		f := strings.Fields(strings.TrimPrefix(line, "//"))
		if len(f) != len(columns)+1 {
			continue
		}
		for from := Start; from <= Aside; from++ {
			if f[0] != from.String() {
				continue
			}
			rows++
			for i, to := range columns {
				s, gap := State{Part: from, Phase: Think, Call: "c"}.Next(to)
				if words[gap] != f[i+1] {
					t.Errorf("%s to %s: %s, documented as %s", from, to, words[gap], f[i+1])
				}
				if (gap == RuleBlank) != (words[gap] == "rule" && to == Query) {
					t.Errorf("%s to %s: a rule stands before metrics alone, with a blank line before a query", from, to)
				}
				if s.Part != to || s.Call != "" || to == Aside && s.Phase != Think || to != Aside && s.Phase != phases[to] {
					t.Errorf("%s to %s: %+v", from, to, s)
				}
			}
		}
	}
	if rows != int(Aside)+1 {
		t.Errorf("%d rows of the table were found", rows)
	}
}

// The phases of a simple run are the protocol's, in its order.
func TestPhasesOfSimpleRun(t *testing.T) {
	var s State
	got := []string{s.Phase.String()}
	for _, p := range []Part{Query, Thought, CallLine, Outcome, Reply, Metrics} {
		s, _ = s.Next(p)
		got = append(got, s.Phase.String())
	}
	want := []string{"idle", "user", "think", "call", "result", "respond", "idle"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A State never changes: what was taken from it earlier is as it was.
func TestStateIsImmutable(t *testing.T) {
	var states []State
	var want []string
	s := State{}
	text := ""
	for i := range 40 {
		piece := fmt.Sprint(i, " ")
		if i%7 == 6 {
			piece += "\n"
		}
		s = s.Buffered(piece)
		text += piece
		states, want = append(states, s), append(want, text)
		s.Buffered("another branch\n") // is thrown away
	}
	for i := range states {
		if _, got := states[i].Drain(); got != want[i] {
			t.Errorf("state %d: %q, want %q", i, got, want[i])
		}
	}
}

// Cut gives what ends in a newline and keeps the rest; a text without one is cut
// where it became long.
func TestBufferIsCutAtNewline(t *testing.T) {
	for _, c := range []struct{ in, out, rest string }{
		{"", "", ""},
		{"abc", "", "abc"},
		{"abc\n", "abc\n", ""},
		{"abc\nd", "abc\n", "d"},
		{"a\nb\nc", "a\nb\n", "c"},
		{"\n", "\n", ""},
		{strings.Repeat("x", bufferMax), strings.Repeat("x", bufferMax), ""},
		{"a\n" + strings.Repeat("x", bufferMax), "a\n", strings.Repeat("x", bufferMax)},
	} {
		s, out := State{}.Buffered(c.in).Cut()
		if out != c.out || s.Buffer.String() != c.rest || s.Buffer.Len() != len(c.rest) {
			t.Errorf("%.20q: %.20q, rest %.20q", c.in, out, s.Buffer.String())
		}
	}
}
