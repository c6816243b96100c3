package server

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/memory"
	"parley/internal/session"
)

// A daemon does not leave while something runs beside its sessions.
func TestBusyDaemonStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var busy, left atomic.Bool
		busy.Store(true)
		s, err := New(t.Context(), Options{Store: memory.New(journal.Options{}), Idle: time.Minute,
			Busy: busy.Load, Leave: func() { left.Store(true) }})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.Host(session.Client{ID: "c1"}).Close()
		time.Sleep(5*time.Minute + time.Second)
		synctest.Wait()
		if left.Load() {
			t.Fatal("it left in the middle of something")
		}
		busy.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !left.Load() {
			t.Error("it never left")
		}
	})
}

// Who keeps something for a session hears of its removal.
func TestRemovalIsReported(t *testing.T) {
	var removed []event.SessionID
	s, err := New(t.Context(), Options{Store: memory.New(journal.Options{}), Removed: func(id event.SessionID) { removed = append(removed, id) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	host := s.Host(session.Client{ID: "c1", Cwd: "/"})
	defer host.Close()
	opened := host.Do(t.Context(), command.Command{ID: "c1/1", Body: command.Open{}})
	if opened.Fault != nil {
		t.Fatal(opened.Fault)
	}
	id := opened.Data.(command.Opened).Session
	for range 2 {
		_ = host.Do(t.Context(), command.Command{ID: "c1/2", Session: id, Body: command.Remove{}}) // the second finds nothing
	}
	if len(removed) != 1 || removed[0] != id {
		t.Errorf("removed %v, told of %v", id, removed)
	}
}
