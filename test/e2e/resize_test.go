package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"parley/test/need"
	"parley/test/rig/terminal"
)

var (
	storms    = flag.Int("terminal.runs", 0, "how many storms of a kind each terminal goes through; 0: 1, or 5 in long runs")
	stormSeed = flag.Uint64("terminal.seed", 0, "of the storms; 0: another one each time")
	cutReads  = flag.Uint("terminal.cut", 0, "seed of reads that end anywhere, as where somebody reads a few bytes at a time; 0: they take all that is there")
)

// Two thousand lines of every kind while the size of the screen changes at any
// moment, in the middle of a frame too, and the program hears of it late or early:
// the terminal holds each once, in order and whole, and nothing else; what the shell
// wrote stays; the laws of the bytes hold; and an idle screen writes nothing.
func TestResizeStorm(t *testing.T) {
	weather(t, 0, terminal.NewStorm)
}

// The same while the screen falls to ten rows again and again and the program,
// which hears of it late, draws as many live rows as there ever are: they fill it.
func TestResizeToFewRows(t *testing.T) {
	weather(t, 1, terminal.NewAlternatingStorm)
}

// weather runs storms of a kind in every terminal.
func weather(t *testing.T, kind uint64, brew func(*rand.Rand, int) terminal.Storm) {
	need.Time(t)
	t.Parallel()
	runs, seed := *storms, *stormSeed
	switch {
	case runs > 0:
	case long:
		runs = 5
	default:
		runs = 1
	}
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("%d storms for each of %d terminals, -terminal.seed %d", runs, len(terminals), seed)
	for i, name := range terminals {
		for run := range runs {
			t.Run(fmt.Sprintf("%s/%d", name, run), func(t *testing.T) {
				t.Parallel()
				storm(t, name, brew(rand.New(rand.NewPCG(seed, kind<<32|uint64(i<<16+run))), fixtureLines))
				if t.Failed() {
					t.Logf("-terminal.seed %d", seed)
				}
			})
		}
	}
}

// fixtureLines is how long a fixture is that a storm goes over.
const fixtureLines = 2000

func storm(t *testing.T, name string, weather terminal.Storm) {
	home, fixture := newFixtureHome(t, fixtureLines, 8, 10)
	s := newWindow(t, home, name, shell(home.Parley()+" --model script/fixture.ndjson"))
	s.until(ready)
	over, err := s.Storm(weather)
	s.must(err)
	s.press("tell\r")
	s.must(over())
	s.until(ready)
	s.quiet()
	s.press("\x04")
	s.until("back 0")
	before, told, after, err := terminal.Between(s.lines(), "$ tell", "parley attach ")
	s.must(err)
	s.holds(told, append([]terminal.Row{{Text: "$ tell"}}, fixture.Rows()...))
	s.kept(before, after)
	s.lawful()
	t.Logf("%s: %d lines, %d resizes", name, fixtureLines, weather.Count())
}
