package tui

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/term"
	"parley/internal/transcript"
	"parley/internal/transcript/transcripttest"
)

var generated = flag.Int("sessions", 8, "how many sessions are invented for the law of who comes late")

// watcher is a screen on a log, without a script of its own.
func watcher(t *testing.T, log []event.Event, width int) *playback {
	w := newPlayback(newHarness(t, width, 24, term.ReflowLogical))
	w.quick = true
	w.log, w.now = log, log[0].Time
	w.reduce(Ticked{w.now})
	return w
}

// alive are the live rows once all that is final has left them.
func (s *playback) alive() []string {
	s.draw()
	p := s.draw()
	var rows []string
	for _, l := range p.Live {
		rows = append(rows, strings.TrimRight(l.Text(), " "))
	}
	return rows
}

// armed makes the keys answer an ask as they do for another: that they do not
// before the user can have read it is each terminal's own.
func (s *playback) armed(other *playback) {
	s.draw()
	a := other.model.asking
	s.model.asking.phase, s.model.asking.drawn, s.model.asking.told, s.model.asking.read = a.phase, a.drawn, a.told, a.read
}

// Three terminals on a session with two models, one from the start, one from the
// middle of an answer and one from after it, show one status row, of which each
// word has to come from the past.
func TestThreeTerminals(t *testing.T) {
	st := transcripttest.NewGenerator(1)
	st.Step()
	id := st.State.Session
	ask := func(text, provider, model string) {
		n := st.State.Counts.Runs + 1
		in := event.InputQueued{Input: st.State.NextInput(), Lane: event.LanePrompt, Text: text, Who: "parley", Run: st.State.NextRun(), Number: n}
		st.Add(id, in, event.RunStarted{Number: n}, event.TurnStarted{Number: 1, Lane: in.Lane, Inputs: []event.InputID{in.Input}})
		st.Add(id, event.UserSaid{Entry: st.State.NextEntry(), Parent: st.State.Leaf, Text: text, Origin: in.Lane}, event.StepStarted{Number: 1})
		st.Add(id, event.ResponseStarted{Provider: provider, Model: model}, event.BlockStarted{Block: "b1", Role: event.RoleText})
	}
	end := func() {
		use := event.Usage{Input: 20000, Output: 4000}
		st.Add(id, event.BlockEnded{Block: "b1", Role: event.RoleText, Text: "Blue."},
			event.ResponseEnded{Blocks: []event.BlockID{"b1"}, Calls: []event.CallID{}, Stop: event.StopDone, Usage: use},
			event.UsageChanged{Step: use, Run: use, Session: use, ContextUsed: 32000, ContextLimit: 128000}, event.StepEnded{Number: 1})
		st.Add(id, event.TurnEnded{Number: 1, Reason: event.ReasonDone, Entry: st.State.NextEntry(), Parent: st.State.Turn.Entry},
			event.RunEnded{Reason: event.ReasonDone, Usage: use, DurationMS: 40})
	}
	st.Add(id, event.SessionTitled{Title: "The colour of the sky"})
	ask("What colour is it?", "openai", "alpha")
	end()
	ask("And at night?", "anthropic", "beta")
	middle := len(st.Log)
	end()

	rows := map[string]string{}
	for name, at := range map[string]int{"first": 1, "middle": middle, "last": len(st.Log)} {
		w := watcher(t, st.Log, 100)
		for w.join(at); w.at < len(w.log); w.at++ {
			w.now = w.log[w.at].Time
			w.reduce(Ticked{w.now})
			w.reduce(Happened{w.log[w.at]})
		}
		live := w.alive()
		rows[name] = live[len(live)-1]
	}
	const want = "  parley · beta · 32k of 128k (25 %) · run 2 · shop · The colour of the sky"
	for name, row := range rows {
		if row != want {
			t.Errorf("the %s terminal shows %q, want %q", name, row, want)
		}
	}
}

// Who comes late sees what those see who were there: at every event of every
// session, given the same clock, size and draft, the live region and the status
// row are the same; whether the session is idle or runs, was compacted, changed its
// model, or has sub-agents.
func TestLateSeesWhatLiveSees(t *testing.T) {
	logs, err := transcripttest.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range *generated {
		logs[fmt.Sprint("story ", seed)] = transcripttest.Generate(uint64(seed), 150)
	}
	for _, name := range slices.Sorted(maps.Keys(logs)) {
		log := logs[name]
		for _, width := range []int{48, 100} {
			there := watcher(t, log, width)
			there.reduce(Opened{Client: "c9", State: transcript.New().Tail(20)})
			there.write("a draft")
			for n, e := range log {
				there.now = e.Time
				there.reduce(Ticked{e.Time})
				there.reduce(Happened{e})
				want := there.alive()
				late := watcher(t, log, width)
				late.write("a draft")
				late.join(n + 1)
				late.armed(there)
				if d := cmp.Diff(want, late.alive()); d != "" {
					t.Fatalf("%s at %d columns, joined after %d %s (-there +late):\n%s", name, width, e.Seq, e.Kind(), d)
				}
			}
		}
	}
}
