package e2e

import (
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/event"
	"parley/test/need"
	"parley/test/rig"
	"parley/test/rig/terminal"
)

// leavings are what a restart of the daemon in the middle of an answer leaves to
// read, by how it went.
var leavings = map[string][]terminal.Row{
	"killed": {
		{Text: "! The daemon stopped in the middle of this turn. The answer was cut.", Apart: true},
		{Text: "⚠ the daemon stopped in this run"},
	},
	"stopped": {{Text: "⚠ interrupted  ¿", Apart: true}},
}

// The daemon is killed, or stopped, in the middle of an answer and of a storm: the
// terminal finds the next one by itself, a prompt that is typed then is answered,
// and in the end the terminal holds all that the log holds, and of the cut answer
// at least that, each line once, in order and whole.
func TestTerminalSurvivesDaemonRestart(t *testing.T) {
	need.Time(t)
	t.Parallel()
	seed := *stormSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	ways := []string{"killed", "stopped"}
	runs := 0
	for i, name := range terminals {
		for j, way := range ways {
			if !long && i%2 != j {
				continue
			}
			runs++
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				restart(t, name, way, rand.New(rand.NewPCG(seed, uint64(1<<32+i<<16+j))))
				if t.Failed() {
					t.Logf("-terminal.seed %d", seed)
				}
			})
		}
	}
	t.Logf("%d restarts, -terminal.seed %d", runs, seed)
}

func restart(t *testing.T, name, way string, random *rand.Rand) {
	home, fixture := newFixtureHome(t, fixtureLines, 4, 12)
	part := 1 + random.IntN(len(fixture.Parts)-2)
	each := fixtureLines / len(fixture.Parts)
	// However far behind the terminal is, the model does not get to the end of the
	// part, nor into the call after it, which would be lost.
	if _, err := home.Write("fixture.ndjson", fixture.Stopping(part).Script); err != nil {
		t.Fatal(err)
	}
	s := newWindow(t, home, name, shell(home.Parley()+" --model script/fixture.ndjson"))
	s.until(ready)
	weather := terminal.NewStorm(random, fixtureLines)
	over, err := s.Storm(weather)
	s.must(err)
	s.press("tell\r")
	s.must(s.Reach(part*each + random.IntN(each/2)))
	pid, err := home.Holder()
	s.must(err)
	if way == "killed" {
		s.must(syscall.Kill(pid, syscall.SIGKILL))
	} else if out, err := home.Run("daemon", "stop"); err != nil || out.Code != 0 {
		t.Fatalf("daemon stop: %v, exit %d: %s", err, out.Code, out.Err)
	}
	s.wrote("connected again")
	s.until(ready)
	if now, err := home.Holder(); err != nil || now == pid || now == 0 {
		t.Fatalf("the daemon was %d and is %d: %v", pid, now, err)
	}
	s.press("go on\r")
	s.must(s.Reach(fixtureLines - 1))
	s.must(over())
	s.until(ready)
	s.press("\x04")
	s.until("back 0")
	before, lines, after, err := terminal.Between(s.lines(), "$ tell", "parley attach ")
	s.must(err)
	at, rows := partialRows(t, fixture.Parts[part], lines, leavings[way][0])
	s.holds(lines, slices.Concat(
		[]terminal.Row{{Text: "$ tell"}}, terminal.Fixture{Parts: fixture.Parts[:part]}.Rows(), rows,
		leavings[way], []terminal.Row{{Text: "$ go on", Apart: true}}, terminal.Fixture{Parts: fixture.Parts[part+1:]}.Rows()))
	s.kept(before, after)
	s.lawful()
	logged(t, home, fixture, part, rows)
	t.Logf("%s, %s in part %d after %d rows, %d resizes", name, way, part, at, weather.Count())
}

// partialRows is what the lines have of a part that was not told to its end: whole rows,
// and the beginning of the next. It says how many are whole.
func partialRows(t *testing.T, part terminal.Part, lines []string, end terminal.Row) (int, []terminal.Row) {
	t.Helper()
	whole := 0
	for whole < len(part.Rows) && slices.ContainsFunc(lines, part.Rows[whole].Is) {
		whole++
	}
	if whole == 0 || whole == len(part.Rows) {
		t.Fatalf("%d of %d rows of the part were told", whole, len(part.Rows))
	}
	rows := slices.Clone(part.Rows[:whole])
	at := slices.IndexFunc(lines, end.Is)
	for at--; at >= 0 && strings.TrimSpace(lines[at]) == ""; at-- {
	}
	if at < 0 {
		t.Fatalf("nothing says %q", end.Text)
	}
	if last := lines[at]; !part.Rows[whole-1].Is(last) {
		if !part.Rows[whole].Begins(last) {
			t.Fatalf("%q is not the beginning of %q", last, part.Rows[whole].Text)
		}
		rows = append(rows, terminal.Row{Text: last, Apart: part.Rows[whole].Apart})
	}
	return whole, rows
}

// logged holds the log to the fixture: of the part that was cut it has a beginning,
// no more than was shown; of all others all.
func logged(t *testing.T, home *rig.Home, fixture terminal.Fixture, cut int, shown []terminal.Row) {
	t.Helper()
	c, id, err := rig.Hello(home.Socket, "eve", "last", nil, home.Work)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	log, err := c.Log(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range rig.Violations(log) {
		t.Error(b)
	}
	var said []string
	for _, e := range log {
		if b, ok := e.Body.(event.BlockEnded); ok {
			said = append(said, b.Text)
		}
	}
	if len(said) != len(fixture.Parts) {
		t.Fatalf("the log has %d texts, not %d", len(said), len(fixture.Parts))
	}
	for i, text := range said {
		all := fixture.Parts[i].Text
		if i != cut && text != all || !strings.HasPrefix(all, text) {
			t.Errorf("text %d of the log is not that of the fixture: %d bytes of %d", i, len(text), len(all))
		}
	}
	for i, r := range fixture.Parts[cut].Rows {
		// The last word of a row is no other's.
		end := r.Text[strings.LastIndexByte(r.Text, ' '):]
		if strings.Contains(said[cut], end) && (i >= len(shown) || shown[i] != r) {
			t.Errorf("the log has %q, the terminal has not", r.Text)
		}
	}
}
