package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/event"
	"parley/internal/journal"
)

// session appends runs of about 10 kB each until the log has size bytes, with a
// compaction after every 40 as the limit of a model's context would bring it.
func session(b testing.TB, l journal.Log, size int) {
	said, result := strings.Repeat("what was said ", 140), strings.Repeat("a line of output\n", 450)
	for n := 1; size > 0; n++ {
		s := l.State()
		var log []event.Event
		at := event.Event{Session: id}
		add := func(bodies ...event.Body) {
			for _, body := range bodies {
				at.Body = body
				log = append(log, at)
			}
		}
		run := fmt.Sprintf("r%d", n)
		in := event.InputID(fmt.Sprintf("i%d", n))
		asked, answered := s.NextEntry(), event.EntryID(fmt.Sprintf("e%d", s.Counts.Entries+2))
		call, block := event.CallID(run+".c"), event.BlockID(run+".b")
		add(event.InputQueued{Input: in, Lane: event.LanePrompt, Text: "go on", Run: event.RunID(run), Number: n})
		at.Run = event.RunID(run)
		add(event.RunStarted{Number: n})
		at.Turn = event.TurnID(run + ".t1")
		add(event.TurnStarted{Number: 1, Inputs: []event.InputID{in}, Lane: event.LanePrompt},
			event.UserSaid{Entry: asked, Parent: s.Leaf, Text: "go on", Origin: event.LanePrompt})
		at.Step = event.StepID(run + ".t1.s1")
		add(event.StepStarted{Number: 1})
		at.Response = event.ResponseID(run + ".t1.s1.m")
		add(event.ResponseStarted{}, event.BlockStarted{Block: block, Role: event.RoleText},
			event.BlockEnded{Block: block, Role: event.RoleText, Text: said}, event.CallAnnounced{Call: call, Name: "bash"},
			event.ResponseEnded{Blocks: []event.BlockID{block}, Calls: []event.CallID{call}, Stop: event.StopCalls})
		at.Response = ""
		add(event.UsageChanged{}, event.CallStarted{Call: call, Name: "bash", Origin: event.CallerModel, Arguments: []byte(`{"command":"make"}`)},
			event.PermissionDecided{Call: call, Granted: true}, event.CallEnded{Call: call, Name: "bash", Status: event.StatusSuccess, Result: result},
			event.StepEnded{Number: 1})
		at.Step = ""
		add(event.TurnEnded{Number: 1, Reason: event.ReasonDone, Entry: answered, Parent: asked})
		at.Turn = ""
		add(event.RunEnded{Reason: event.ReasonDone})
		if at.Run = ""; n%40 == 0 {
			add(event.ContextCompacted{Entry: event.EntryID(fmt.Sprintf("e%d", s.Counts.Entries+3)), Summary: said, FirstKept: asked})
		}
		put(b, l, log...)
		size -= len(said) + len(result) + 3000
	}
}

// A log of 1 MB and one of 100 MB are opened.
func BenchmarkOpenSize(b *testing.B) {
	for _, mb := range []int{1, 100} {
		b.Run(fmt.Sprintf("%d MB", mb), func(b *testing.B) {
			s, l := fresh(b)
			session(b, l, mb<<20)
			b.ResetTimer()
			for b.Loop() {
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
				var err error
				if l, err = s.Open(ctx, id); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(l.Head()), "events")
		})
	}
}
