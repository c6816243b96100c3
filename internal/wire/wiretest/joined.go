package wiretest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/transcript/transcripttest"
	"parley/internal/wire"
)

// A Fact is something that frames tell: what a person said, a call, its result.
// The texts of facts with Grows belong together: they are pieces of one.
type Fact struct {
	Session event.SessionID // of a sub-agent; may be empty for the main one
	What    string
	Text    string
	Grows   bool
}

// joined: a client that joins at any event of a run gets, by Attach and what follows,
// each fact of the run once, as the others got it. The law holds for every recorded
// session and for generated ones, in the first turn of each run and of each
// sub-agent: what was before that is the past. Calls that a person made beside the
// run are not part of it, and arguments that a person changed are given as changed.
func (l Laws) joined(t *testing.T) {
	logs, err := transcripttest.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	for name := range logs {
		logs[name] = plain(logs[name])
	}
	for seed := range uint64(8) {
		logs[fmt.Sprint("story ", seed)] = plain(transcripttest.Generate(seed, 200))
	}
	checked := 0
	for _, name := range slices.Sorted(maps.Keys(logs)) {
		log := logs[name]
		for from, to := range runs(log) {
			if t.Failed() {
				return
			}
			checked += l.joinedRun(t, name, log[:to], from)
		}
	}
	if checked < 500 {
		t.Errorf("only %d events were joined at", checked)
	}
}

// plain is a log without the calls of a person, and without the arguments that a
// person has changed.
func plain(log []event.Event) []event.Event {
	users := make(map[event.CallID]bool)
	var out []event.Event
	for _, e := range log {
		var call event.CallID
		switch b := e.Body.(type) {
		case event.CallStarted:
			users[b.Call] = b.Origin == event.CallerUser
			call = b.Call
		case event.CallDelta:
			call = b.Call
		case event.CallEnded:
			call = b.Call
		case event.PermissionDecided:
			call, b.Arguments = b.Call, nil
			e.Body = b
		case event.AskOpened:
			call = b.Call
		}
		if !users[call] {
			out = append(out, e)
		}
	}
	return out
}

// runs yields the bounds of each run of a log's root session.
func runs(log []event.Event) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		from := -1
		for i, e := range log {
			if e.Session != log[0].Session {
				continue
			}
			switch e.Body.(type) {
			case event.RunStarted:
				from = i
			case event.RunEnded:
				if from >= 0 && !yield(from, i+1) {
					return
				}
				from = -1
			}
		}
	}
}

func (l Laws) joinedRun(t *testing.T, name string, log []event.Event, from int) (checked int) {
	t.Helper()
	s := transcript.New()
	for _, e := range log[:from] {
		s.Apply(e)
	}
	var told []wire.Frame
	live := s.Clone()
	for _, e := range log[from:] {
		told = append(told, l.Dialect.Frames(l.Peer, live, e)...)
	}
	begun := make(map[event.SessionID]bool)
	for i, e := range log[from:] {
		s.Apply(e)
		begun[e.Session] = true
		past := make(map[event.SessionID]bool)
		for id := range begun {
			past[id] = !inFirstTurn(s.In(id))
		}
		if past[s.Session] {
			continue
		}
		late := s.Clone()
		frames := l.Dialect.Attach(l.Peer, late)
		for _, e := range log[from+i+1:] {
			frames = append(frames, l.Dialect.Frames(l.Peer, late, e)...)
		}
		checked++
		if d := cmp.Diff(l.facts(told, past), l.facts(frames, past)); d != "" {
			t.Errorf("%s: joined after %d %s (-live +late):\n%s", name, e.Seq, e.Kind(), d)
			return checked
		}
	}
	return checked
}

// inFirstTurn reports whether all of a session's open run is open.
func inFirstTurn(s *transcript.State) bool {
	return s != nil && s.Turn != nil && s.Turn.Number == 1 && s.Turn.Hidden == 0 && s.Turn.Entry != ""
}

// facts are what frames tell, but of the sessions that are past, and the order of
// what happens side by side aside.
func (l Laws) facts(frames []wire.Frame, past map[event.SessionID]bool) []string {
	grown, out := make(map[string]*strings.Builder), []string(nil)
	for _, f := range l.Facts(frames) {
		what := fmt.Sprint(f.Session, " ", f.What)
		switch {
		case past[f.Session]:
		case !f.Grows:
			out = append(out, what+": "+f.Text)
		case grown[what] == nil:
			grown[what] = new(strings.Builder)
			fallthrough
		default:
			grown[what].WriteString(f.Text)
		}
	}
	for what, text := range grown {
		out = append(out, what+": "+text.String())
	}
	slices.Sort(out)
	return out
}
