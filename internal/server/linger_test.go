package server

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/command"
	"parley/internal/journal"
	"parley/internal/journal/memory"
	"parley/internal/session"
)

// A session that was used stays open for the next command and is closed when
// none came; then the daemon may leave.
func TestIdleSessionCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := false
		s, err := New(t.Context(), Options{Store: memory.New(journal.Options{}), Idle: time.Minute, Leave: func() { left = true }})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		host := s.Host(session.Client{ID: "c1", Cwd: "/"})
		opened := host.Do(t.Context(), command.Command{ID: "c1/1", Body: command.Open{}})
		if opened.Fault != nil {
			t.Fatal(opened.Fault)
		}
		id := opened.Data.(command.Opened).Session
		first, release, err := s.acquire(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		release()
		time.Sleep(lingerTime - time.Nanosecond)
		second, release, err := s.acquire(t.Context(), id)
		if err != nil || first != second {
			t.Fatalf("it was closed at once: %v", err)
		}
		time.Sleep(2 * lingerTime)
		if s.sessions[id] != second {
			t.Fatal("it was closed while it was used")
		}
		release()
		host.Close()
		time.Sleep(lingerTime)
		synctest.Wait()
		if len(s.sessions) != 0 {
			t.Fatal("it was never closed")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if !left {
			t.Error("the daemon stayed")
		}
	})
}
