package terminal

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// rendered are the lines of a terminal that holds a fixture as it must.
func rendered(rows []Row) []string {
	var out []string
	for i, r := range rows {
		if r.Apart && i > 0 {
			out = append(out, "")
		}
		out = append(out, strings.ReplaceAll(r.Text, "¿", "12 lines  1.0 s"))
	}
	return out
}

// Lines that are as they must be are found so, and whatever is wrong with them is
// named, whichever line it is.
func TestWrongLinesAreNamed(t *testing.T) {
	rows := NewFixture(64, 8, 1, Widths()).Rows()
	good := rendered(rows)
	if v := Examine(rows, good); !v.OK() {
		t.Fatal(v)
	}
	const runs = 200
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range runs {
		i := random.IntN(len(good))
		for good[i] == "" || strings.Contains(good[i], " 1.0 s") { // of which anything may be missing
			i = random.IntN(len(good))
		}
		for name, spoiled := range map[string][]string{
			"lost":    slices.Delete(slices.Clone(good), i, i+1),
			"doubled": slices.Insert(slices.Clone(good), random.IntN(len(good)+1), good[i]),
			"torn":    slices.Replace(slices.Clone(good), i, i+1, strings.Replace(good[i], " ", "  ", 1)+"x"),
			"cut":     slices.Replace(slices.Clone(good), i, i+1, cutAt(good[i], random)),
			"stale":   slices.Insert(slices.Clone(good), random.IntN(len(good)), "› "),
			"status":  slices.Insert(slices.Clone(good), random.IntN(len(good)), "  parley · model · 2k of 128k"),
			"blank":   slices.Insert(slices.Clone(good), max(i, 1), "", ""),
		} {
			if v := Examine(rows, spoiled); v.OK() {
				t.Fatalf("%s at line %d of seed %d is not seen: %q", name, i, seed, good[i])
			}
		}
	}
	t.Logf("%d runs, seed %d", runs, seed)
}

// cutAt is a line without one of its characters that is not a joiner.
func cutAt(line string, random *rand.Rand) string {
	all := []rune(strings.TrimSpace(line))
	for {
		i := random.IntN(len(all))
		short := string(slices.Delete(slices.Clone(all), i, i+1))
		if even(short) != even(string(all)) {
			return short
		}
	}
}

// Lines that moved are told from lines that are lost.
func TestMovedLinesAreToldFromLost(t *testing.T) {
	rows := []Row{{Text: "L0000 a E0000"}, {Text: "L0001 b E0001"}, {Text: "L0002 c E0002"}}
	v := Examine(rows, []string{"L0000 a E0000", "L0002 c E0002", "L0001 b E0001"})
	if want := (Verdict{Moved: []string{"L0001 b E0001"}}); !reflect.DeepEqual(v, want) {
		t.Errorf("%v", v)
	}
	v = Examine(rows, []string{"L0000 a E0000", "", "L0001 b", "L0002 c E0002"})
	if want := (Verdict{Lost: []string{"L0001 b E0001"}, Torn: []string{"L0001 b"}}); !reflect.DeepEqual(v, want) {
		t.Errorf("%v", v)
	}
}

// What terminals do to joined characters is no fault, anything else that happens
// to their line is.
func TestJoinedCharactersAreNoFault(t *testing.T) {
	row := Row{Text: "L0000 👩‍💻 ok 👍🏽 e\u0301tude 🏳️‍🌈 i\u0308 E0000"}
	for _, line := range []string{row.Text, "L0000 👩💻 ok 👍🏽 👩‍tude e\u0301🌈 🏳️ E0000"} {
		if !row.Is(line) {
			t.Errorf("%q is not taken", line)
		}
	}
	for _, line := range []string{"L0000 💻 ok 👍🏽 étude 🏳️‍🌈 ï E0000", "L0000 👩‍💻 ok 👍🏽 étude 🏳️‍🌈 E0000", row.Text + "x"} {
		if row.Is(line) {
			t.Errorf("%q is taken", line)
		}
	}
}

// The bytes of a program that keeps the laws break none; each that breaks one is
// found.
func TestUnlawfulBytesAreFound(t *testing.T) {
	const begin, end = "\x1b[?2004h\x1b[?1004h\x1b[c", "\x1b[?2026l\x1b[?7h\x1b[?1004l\x1b[?2004l\x1b[m\x1b[?25h"
	frame := func(text string) string { return begin + "\x1b[?2026h" + text + "\x1b[?2026l" + end }
	for _, lawful := range []string{
		frame("\x1b[?25l\x1b[3A\r\x1b[J\x1b[1mtext\x1b[0m 漢\r\n\x1b[?7lrow\x1b[K\x1b[?7h\x1b[2A\x1b[4C\x1b[?25h"),
		frame("\r\x1b[4Ckey\x1b[K\x1b[3D"),
		frame("\x1b[?25l\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1b7\x1b[2B\x1b8\x1b[2L\x1b[9999B\a"),
		"shell\x1b[2J" + frame("a") + "bye\r\n\x1b[H",
	} {
		if frames, problems := Violations([]byte(lawful)); frames != 1 || len(problems) > 0 {
			t.Errorf("%q: %d frames, %v", lawful, frames, problems)
		}
	}
	for _, text := range []string{
		"\x1b[2J", "\x1b[3J", "\x1b[1J", "\x1b[?1049h", "\x1b[?1047l", "\x1b[?47h", "\x1b[2;5r", "\x1b[S", "\x1b[3T", "\x1b[H", "\x1b[3;4H",
		"\x1b[2f", "\x1b[4d", "\x1bc", "\x1bM", "\x1bD", "\x1bE", "\u009b2J",
		"\n", "\x1b[A", "\x1b[2B", "\x1b[L", "\x1b8", "\x1b[J", // while the cursor can be seen
		"\x1b[?25l\x1b[?25h\n", "\x1b[?2026h",
		"\x1b[?2026lx\x1b[?2026h", "\x1b[?2026l\x1b[K\x1b[?2026h", "\x1b[?2026l\r\x1b[?2026h",
	} {
		if _, problems := Violations([]byte(frame(text))); len(problems) == 0 {
			t.Errorf("%q is not found", text)
		}
	}
	if _, problems := Violations([]byte("nothing")); len(problems) == 0 {
		t.Error("a program that never came is taken for one that keeps the laws")
	}
	if _, problems := Violations([]byte(begin + "\x1b[?2026hx")); len(problems) == 0 {
		t.Error("a frame without an end is not found")
	}
}

// A storm is the same for the same seed, comes to every station, ends where it is
// to end, and never changes one side of a terminal alone for good.
func TestStormIsRepeatable(t *testing.T) {
	one, same := NewStorm(rand.New(rand.NewPCG(1, 2)), 2000), NewStorm(rand.New(rand.NewPCG(1, 2)), 2000)
	if !reflect.DeepEqual(one, same) {
		t.Error("the same seed gives another storm")
	}
	var sizes [][2]int
	for i, m := range one {
		if m.At <= 0 || m.At >= 2000 || i > 0 && m.At <= one[i-1].At {
			t.Errorf("move %d is at line %d", i, m.At)
		}
		for _, s := range m.Steps {
			sizes = append(sizes, s.Size)
		}
	}
	for _, s := range stations {
		if !slices.Contains(sizes, s) {
			t.Errorf("%v is left out", s)
		}
	}
	if seesaw := NewAlternatingStorm(rand.New(rand.NewPCG(1, 2)), 2000); seesaw[0].Steps[1].Size[1] != 10 || seesaw[len(seesaw)-1].At >= 2000 {
		t.Errorf("a seesaw begins with %v and ends at line %d", seesaw[0].Steps, seesaw[len(seesaw)-1].At)
	}
	if len(sizes) != one.Count() || sizes[len(sizes)-1] != [2]int{80, 24} {
		t.Errorf("%d sizes, the last is %v", one.Count(), sizes[len(sizes)-1])
	}
}

// Each row of a fixture is there once, and the widths that are asked for are hit
// exactly.
func TestFixtureRowsAreUnique(t *testing.T) {
	fixture := NewFixture(2000, 8, 1, Widths())
	rows := fixture.Rows()
	indexOf(rows) // panics for two that are the same
	lines, exact := 0, map[int]bool{}
	for _, r := range rows {
		if mark.MatchString(r.Text) {
			lines++
		}
		exact[len(r.Text)] = true
	}
	if lines != 2000 || len(fixture.Parts) < 2 {
		t.Errorf("%d lines in %d parts", lines, len(fixture.Parts))
	}
	for _, w := range Widths() {
		if !exact[w] {
			t.Errorf("no row is %d wide", w)
		}
	}
	for i := range 2000 {
		if n := strings.Count(fixture.Script, fmt.Sprintf("L%04d ", i)); n != 1 {
			t.Errorf("line %d is told %d times", i, n)
		}
	}
}

// A tape that is written to a file is the same when it is read.
func TestTapeRoundTrip(t *testing.T) {
	tape := Tape{{Write: []byte("a\x1b[K\xff")}, {Resize: []int{40, 10}, MS: 3}, {Told: []int{40, 10}}, {Write: []byte("b")}}
	path := filepath.Join(t.TempDir(), "tape")
	if err := tape.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := Load(path)
	if err != nil || !reflect.DeepEqual(back, tape) {
		t.Errorf("%v, %v", back, err)
	}
	if got := string(back.Bytes()); got != "a\x1b[K\xffb" {
		t.Errorf("%q", got)
	}
}
