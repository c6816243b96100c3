package session_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/memory"
)

// A disk that is full in the middle of a run: whoever follows is told, what was
// accepted is kept, and as soon as there is room the session closes what is open
// and lets run what waits, with nobody's help.
func TestDiskFullInARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		store := memory.New(journal.Options{Fail: func(journal.Point) error {
			if full.Load() {
				return journal.ErrFull
			}
			return nil
		}})
		log, err := store.Create(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(t.Context(), event.Event{Session: id, Body: event.SessionOpened{Origin: event.OriginNew}}); err != nil {
			t.Fatal(err)
		}
		whole := newBed(t, `{"when":"first"}
{"text":"Half of it"}
{"delay_ms":1000}
{"text":", and the rest."}
{"stop":""}
{"when":""}
{"text":"Yes."}
{"stop":""}`)
		b := &bed{t: t, log: log, setup: whole.setup}
		b.open()
		told := make(chan *command.Fault, 9)
		forget := b.session.OnRefusal(func(f *command.Fault) { told <- f })
		defer forget()

		b.must(command.Prompt{Text: "first"})
		b.until(0, kind("block.grew"))
		b.must(command.FollowUp{Text: "second"})
		b.must(command.Prompt{Text: "third"})
		full.Store(true)
		if f := <-told; f.Code != command.Limit {
			t.Errorf("told %v", f)
		}
		if f := b.do(command.Prompt{Text: "fourth"}).Fault; f == nil || f.Code != command.Limit {
			t.Errorf("a prompt on a full disk: %v", f)
		}
		late := make(chan *command.Fault, 1)
		b.session.OnRefusal(func(f *command.Fault) { late <- f })()
		if f := <-late; f.Code != command.Limit {
			t.Errorf("who comes later is told %v", f)
		}
		if b.session.Quiet() {
			t.Error("it may be closed, although something waits")
		}
		time.Sleep(time.Minute)
		full.Store(false)
		ended := b.until(0, kind("run.ended")).Body.(event.RunEnded)
		if ended.Reason != event.ReasonError {
			t.Errorf("the first run ended with %s", ended.Reason)
		}
		runs := 0
		b.until(0, func(e event.Event) bool {
			if e.Kind() == "run.ended" {
				runs++
			}
			return runs == 3
		})
		var said []string
		page, err := log.Page(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			switch b := e.Body.(type) {
			case event.UserSaid:
				said = append(said, b.Text)
			case event.BlockEnded:
				said = append(said, b.Text)
			}
		}
		// What anybody saw of the answer is kept, although the disk was full by then.
		want := []string{"first", "Half of it, and the rest.", "third", "Yes.", "second", "Yes."}
		if diff := cmp.Diff(want, said); diff != "" {
			t.Error(diff)
		}
		b.kinds()
		if len(told) > 0 {
			t.Errorf("told again: %v", <-told)
		}
	})
}
