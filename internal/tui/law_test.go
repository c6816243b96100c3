package tui

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/event"
	"parley/internal/term"
	"parley/test/need"
)

var (
	lawRuns = flag.Int("law.runs", 0, "runs of the no-loss law; 0: 240, or 12,000 in long runs")
	lawSeed = flag.Uint64("law.seed", 1, "first seed of the no-loss law")
)

// A generator makes a random session, each line of which has a marker of its own.
type generator struct {
	s     *harness
	r     *rand.Rand
	n     int
	block string
	grown int
	open  bool
	call  string
	ask   bool
	ended []string // calls, by the number of their marker
}

func (w *generator) pick(of ...string) string { return of[w.r.IntN(len(of))] }

// words is text of a marker and something that terminals find hard.
func (w *generator) words(width int) string {
	w.n++
	filler := w.pick("abcdefghij ", "word ", "漢字かな交じり文", "👩‍👩‍👧‍👦 family ", "e\u0301a\u0308 ", "x")
	var n int
	switch w.r.IntN(5) {
	case 0:
		n = 0
	case 1:
		n = w.r.IntN(20)
	case 2: // exact multiples of the width
		n = max((w.r.IntN(3)+1)*width-len(marker(w.n)), 0)
		filler = "x"
	default:
		n = w.r.IntN(200)
	}
	return marker(w.n) + strings.Repeat(filler, n/len([]rune(filler)))
}

// more continues the session by a step.
func (w *generator) more() {
	s := w.s
	switch {
	case w.ask && w.r.IntN(3) == 0:
		w.ask = false
		s.happen(event.AskClosed{Ask: "a1", Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "y", Who: "web"},
			event.PermissionDecided{Call: event.CallID(w.call), Granted: true, Method: event.MethodPerson})
	case w.ask && w.r.IntN(3) == 0:
		s.happen(event.NoteAdded{Level: event.LevelInfo, Text: w.words(30)})
	case w.ask:
		s.press(w.pick("y", "x", "n"))
	case w.call != "" && w.r.IntN(4) == 0:
		ended := event.CallEnded{Call: event.CallID(w.call), Name: "bash", Status: event.StatusSuccess, Result: "fine", DurationMS: 12}
		if w.r.IntN(2) == 0 {
			ended.Status, ended.Result = event.StatusError, w.words(20)+"\n\x1b[31mred\x1b[2J\x00\ttab\r\nlast"
		}
		s.happen(ended)
		w.ended = append(w.ended, w.call)
		w.call = ""
	case w.call != "":
		s.happen(event.CallDelta{Call: event.CallID(w.call), Text: "out\x1b[3J" + strings.Repeat("o", w.r.IntN(150)) + "\n"})
	case w.open && w.r.IntN(12) == 0:
		s.happen(event.BlockEnded{Block: event.BlockID(w.block), Role: event.RoleText})
		w.open = false
	case w.open:
		text := w.words(s.model.size.Width)
		for _, piece := range cut(text+w.pick("\n", "\n\n", "\n\n", " ", "\n- "), w.r) {
			s.happen(event.BlockDelta{Block: event.BlockID(w.block), Offset: w.grown, Text: piece})
			w.grown += len(piece)
		}
	case w.r.IntN(4) == 0:
		w.n++
		w.call = fmt.Sprint("c", w.n)
		s.happen(event.CallStarted{Call: event.CallID(w.call), Name: "bash", Arguments: []byte(fmt.Sprintf(`{"command":"run %s"}`, marker(w.n))), Origin: event.CallerModel})
		if w.r.IntN(2) == 0 {
			s.happen(asked("a1", event.CallID(w.call)))
			w.ask = true
		} else {
			s.happen(event.PermissionDecided{Call: event.CallID(w.call), Granted: true, Method: event.MethodFree})
		}
	case w.r.IntN(5) == 0:
		s.happen(event.NoteAdded{Level: event.Level(w.pick("info", "warn")), Text: w.words(30)})
	default:
		w.block = fmt.Sprint("b", w.n)
		w.open, w.grown = true, 0
		s.happen(event.BlockStarted{Block: event.BlockID(w.block), Role: event.RoleText})
	}
}

func cut(text string, r *rand.Rand) []string {
	if len(text) < 2 || r.IntN(2) == 0 {
		return []string{text}
	}
	i := 1 + r.IntN(len(text)-1)
	return []string{text[:i], text[i:]}
}

// end brings the session to its end.
func (w *generator) end() {
	if w.ask {
		w.s.happen(event.AskClosed{Ask: "a1", Outcome: event.OutcomeAborted, Method: event.MethodAbort})
	}
	if w.call != "" {
		w.ended = append(w.ended, w.call)
		w.s.happen(event.CallEnded{Call: event.CallID(w.call), Name: "bash", Status: event.StatusAborted})
	}
	if w.open {
		w.s.happen(event.BlockEnded{Block: event.BlockID(w.block), Role: event.RoleText})
	}
	w.s.happen(finish()...)
}

// Whatever is streamed, and however the terminal is resized, between frames or
// in the middle of one, the scrollback and the screen hold each line once, in
// order, and no row of the live region.
func TestNoLossNoDouble(t *testing.T) {
	need.Time(t)
	t.Parallel()
	runs := *lawRuns
	switch {
	case runs > 0:
	case need.Long():
		runs = 12000
	default:
		runs = 240
	}
	for _, c := range []struct {
		name   string
		reflow term.Reflow
		said   term.Reflow
	}{
		{"wraps anew", term.ReflowLogical, term.ReflowLogical},
		{"xterm.js", term.ReflowShifting, term.ReflowShifting},
		{"cuts", term.ReflowNone, term.ReflowNone},
		{"silent, wraps anew", term.ReflowLogical, term.ReflowUnknown},
		{"silent, xterm.js", term.ReflowShifting, term.ReflowUnknown},
		{"silent, cuts", term.ReflowNone, term.ReflowUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			resizes := 0
			for i := range runs / 6 {
				resizes += tell(t, *lawSeed+uint64(i), c.reflow, c.said, runs <= 240 || i%8 == 0)
			}
			t.Logf("%d runs from seed %d, %d resizes", runs/6, *lawSeed, resizes)
		})
	}
}

// tell plays a random session; with checked the invariants are looked at after every input,
// which is most of the work.
func tell(t *testing.T, seed uint64, reflow, said term.Reflow, checked bool) (resizes int) {
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	r := rand.New(rand.NewPCG(seed, 7))
	shell := []string{"shell one", "shell two " + strings.Repeat("s", r.IntN(60)), "$ parley"}
	if r.IntN(2) == 0 {
		shell = append(shell, strings.Split(strings.Repeat("earlier\n", 30), "\n")...)
	}
	s := newHarness(t, 20+r.IntN(100), 10+r.IntN(40), reflow, shell...)
	s.quick = !checked
	s.model.words = r.IntN(3) == 0
	s.reduce(Typed{term.Capable{Abilities: term.Abilities{Reflow: said}}})
	s.draw()
	s.happen(begin("go " + marker(0))...)
	w := &generator{s: s, r: r}
	size := func() (int, int) {
		resizes++
		w, h := s.screen.w, s.screen.h
		wider, higher := w+r.IntN(80), h+r.IntN(20)
		switch reflow {
		case term.ReflowNone: // what it cuts off is gone
			return min(wider, 160), 10 + r.IntN(40)
		case term.ReflowShifting: // what is live never wraps
			return 12 + r.IntN(148), 10 + r.IntN(50)
		}
		switch r.IntN(4) {
		case 0:
			w, h = max(min(narrow, w/2), 16)+r.IntN(120), higher
		case 1:
			w, h = min(80, w)+r.IntN(80), max(min(24, h)+r.IntN(20), 10)
		case 2:
			w, h = wider, 10+r.IntN(40)
		default:
			w, h = max(w-r.IntN(4), 16), max(h-r.IntN(4), 10)
		}
		return min(w, 160), min(h, 60)
	}
	for range 60 {
		w.more()
		switch r.IntN(10) {
		case 0:
			s.resize(size())
		case 1: // the terminal changes while a frame is laid out and written
			p := s.lay()
			w, h := size()
			s.screen.resize(w, h)
			s.put(p)
			s.took(p)
			s.reduce(Typed{term.Size{Width: s.screen.w, Height: s.screen.h}})
			s.draw()
		case 2:
			s.pass(time.Duration(r.IntN(1500)) * time.Millisecond)
		}
		if r.IntN(3) > 0 {
			s.draw()
		}
	}
	w.end()
	s.draw()
	s.draw()
	s.leave()
	s.faithful(shell...)
	all := strings.Join(strings.Fields(strings.Join(s.commits, "\n")), " ")
	for n := range w.n + 1 {
		switch i := strings.Count(all, marker(n)); {
		case i == 0:
			t.Fatalf("seed %d: %s is lost", seed, marker(n))
		case i > 1 && !strings.Contains(all, "run "+marker(n)):
			t.Fatalf("seed %d: %s stands %d times", seed, marker(n), i)
		}
	}
	for _, id := range w.ended {
		n, _ := strconv.Atoi(strings.TrimPrefix(id, "c"))
		outcomes := 0
		for _, sign := range []string{"✓", "✗", "-"} {
			outcomes += strings.Count(all, sign+" bash run "+marker(n)+" ")
		}
		if outcomes != 1 {
			t.Fatalf("seed %d: call %s has %d outcomes", seed, id, outcomes)
		}
	}
	return resizes
}
