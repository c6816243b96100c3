package session_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/transcript"
)

// fragile is a model with a defect that shows in its first answer, when told to.
type fragile struct {
	now   chan struct{}
	asked int
}

func (m *fragile) Stream(context.Context, llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		if m.asked++; m.asked == 1 {
			<-m.now
			panic("a defect")
		}
		_ = yield(llm.TextDelta{Text: "Then."}) && yield(llm.End{Reason: llm.Stop})
	}
}

// What was queued in a run that fails becomes the prompt of the next; and who reads
// the log finds at no event before the last run's end that nothing is left to do.
func TestQueuedOutlivesItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, m := newBed(t, `{"stop":"stop"}`), &fragile{now: make(chan struct{})}
		b.setup = func() *agent.Setup { return &agent.Setup{Model: m, Provider: "test", ModelName: "test"} }
		b.must(command.Prompt{Text: "Go"})
		b.until(0, kind("step.started"))
		b.must(command.FollowUp{Text: "And then"})
		close(m.now)
		ends := 0
		b.until(0, func(e event.Event) bool {
			if e.Kind() == "run.ended" {
				ends++
			}
			return ends == 2
		})
		page, err := b.log.Page(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		s, last := transcript.New(), event.Seq(0)
		for _, e := range page {
			if s.Apply(e); e.Seq > 1 && s.Run == nil && len(s.Queue) == 0 {
				last = e.Seq
				break
			}
		}
		if end := page[len(page)-1]; end.Kind() != "run.ended" || last != end.Seq {
			t.Errorf("nothing seems to be left to do at %d; the end is %s at %d\n%s", last, end.Kind(), end.Seq, b.kinds())
		}
	})
}
