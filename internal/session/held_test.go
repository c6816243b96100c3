package session_test

import (
	"testing"
	"testing/synctest"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// Whoever learns from the catalog that a session runs, and follows it from the
// head that is named there, gets the run from its start and no run that was over:
// also when a prompt came meanwhile that is held.
func TestListedHeadIsBeforeTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, oneTool, "wait")
		b.must(command.Prompt{Text: "Wait a little"})
		b.until(0, kind("call.started"))
		held := b.do(command.Prompt{Text: "And once more", Hold: true})
		if held.Fault != nil {
			t.Fatal(held.Fault)
		}
		first := b.until(0, kind("run.ended"))
		synctest.Wait()
		if l := b.listed[len(b.listed)-1]; l.State != event.ActivityRunning || l.Head < first.Seq {
			t.Errorf("a run is to come, and it says %s from %d; the last one ended at %d", l.State, l.Head, first.Seq)
		}
		held.Begin()
		b.until(first.Seq, kind("run.ended"))
		synctest.Wait()
		if l := b.listed[len(b.listed)-1]; l.State != event.ActivityIdle {
			t.Errorf("at the end it says %s", l.State)
		}
		page, err := b.log.Page(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range b.listed {
			s := transcript.New()
			for _, e := range page {
				if e.Seq <= l.Head {
					s.Apply(e)
				}
			}
			if l.State == event.ActivityRunning && s.Run != nil {
				t.Errorf("running from %d, which is in %s", l.Head, s.Run.ID)
			}
		}
		if n := len(b.listed); n < 3 {
			t.Errorf("told %d times", n)
		}
	})
}
