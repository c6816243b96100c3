package journaltest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
)

// Nothing but a session id is taken for one, so no path can be made of an id.
func testIDs(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	for _, id := range []event.SessionID{
		"", "sess-", "catalog", "sess-../../etc", "sess-a/b", "../sess-a", "sess-A", "sess-a.b", "sess-ä", "sess-a\x00",
		"sess-a ", "SESS-a", event.SessionID("sess-" + strings.Repeat("a", 60)),
	} {
		_, err := s.Create(ctx, id)
		wantFault(t, err, command.Invalid)
		_, err = s.Open(ctx, id)
		wantFault(t, err, command.Invalid)
		wantFault(t, s.Remove(ctx, id), command.Invalid)
	}
}

// Sessions are made once, listed in order without being opened, and go with all
// that they hold.
func testSessions(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	_, err := s.Open(ctx, id)
	wantFault(t, err, command.NotFound)
	wantFault(t, s.Remove(ctx, id), command.NotFound)
	for _, id := range []event.SessionID{"sess-c", "sess-a", "sess-b"} {
		l, err := s.Create(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Create(ctx, id)
		wantFault(t, err, command.Busy)
		if id == "sess-b" {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			_, err = s.Create(ctx, id)
			wantFault(t, err, command.Busy)
		}
	}
	ids, err := s.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the list", []event.SessionID{"sess-a", "sess-b", "sess-c"}, ids)

	l, err := s.Open(ctx, "sess-a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.Dir(), "whole.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := l.Dir()
	if err := s.Remove(ctx, "sess-a"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	_, err = l.Append(ctx, event.Event{Body: event.NoteAdded{}})
	wantFault(t, err, command.Closed)
	ends(t, l)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	_, err = s.Open(ctx, "sess-a")
	wantFault(t, err, command.NotFound)
	if _, err = s.Create(ctx, "sess-a"); err != nil {
		t.Error(err)
	}
}

// A log that is opened twice is one log; it closes with its last handle, and a
// reader ends with its handle.
func testHandles(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	first := create(t, s)
	second := reopen(t, s)
	put(t, first, eventtest.Run()[0])
	if second.Head() != 1 {
		t.Errorf("the second handle is at %d", second.Head())
	}
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			var last error
			for _, err := range first.After(ctx, 0) {
				last = err
			}
			ended <- last
		}()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	wantFault(t, <-ended, command.Closed)
	wantFault(t, <-ended, command.Closed)
	_, err := first.Append(ctx, eventtest.Run()[1])
	wantFault(t, err, command.Closed)
	_, err = first.Page(ctx, 0, 1)
	wantFault(t, err, command.Closed)
	_, err = first.PageBefore(ctx, 9, 1)
	wantFault(t, err, command.Closed)
	put(t, second, eventtest.Run()[1])
	if err := errors.Join(second.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	third := reopen(t, s)
	if d := cmp.Diff(event.Seq(2), third.Head()); d != "" {
		t.Error(d)
	}
}
