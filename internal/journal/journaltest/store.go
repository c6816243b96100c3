package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
)

// The catalog is a log; of events that replace each other it keeps the last, so
// that it is as long as the list and not as its history.
func testCatalog(t *testing.T, c Child) {
	dir := t.TempDir()
	s := c.Open(t, dir, journal.Options{})
	l := s.Catalog()
	if l.ID() != journal.CatalogID || l.Head() != 0 {
		t.Errorf("a new catalog is %s at %d", l.ID(), l.Head())
	}
	listed := func(id event.SessionID, runs int) event.Event {
		return event.Event{Session: id, Body: event.SessionListed{Title: "t", Origin: event.OriginNew, Runs: runs}}
	}
	const sessions, rounds = 5, 30
	var live []event.Event
	for run := range rounds {
		for i := range sessions {
			head := l.Head()
			out := put(t, l, listed(event.SessionID(fmt.Sprintf("sess-%d", i)), run))
			same(t, "a reader at the head", out, sofar(t, l, head))
			live = append(live, out...)
		}
		live = append(live, put(t, l, event.Event{Body: event.ActiveChanged{Family: "nous", Active: "sess-1"}})...)
	}
	live = append(live, put(t, l, event.Event{Session: "sess-0", Body: event.SessionUnlisted{}})...)
	want := live[len(live)-sessions-1:]
	same(t, "a later reader", want, sofar(t, l, 0))
	ids, err := s.List(ctx)
	if err != nil || len(ids) > 0 {
		t.Errorf("the catalog is listed as a session: %v, %v", ids, err)
	}
	if n := len(l.State().Children); n > 0 {
		t.Errorf("the catalog's state holds %d sessions", n)
	}
	if !c.Durable {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = c.Open(t, dir, journal.Options{})
	defer s.Close()
	l = s.Catalog()
	kept := sofar(t, l, 0)
	same(t, "what is kept", want, kept)
	if next := put(t, l, listed("sess-1", 99)); next[0].Seq <= live[len(live)-1].Seq {
		t.Errorf("the catalog went on at %d", next[0].Seq)
	}
}

// A blob is kept once under its digest, whole or not at all.
func testBlobs(t *testing.T, c Child) {
	s := store(t, c, journal.Options{})
	l := create(t, s)
	const sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of hello
	_, err := l.BlobPath(sum)
	wantFault(t, err, command.NotFound)
	for range 2 {
		got, path, size, err := l.PutBlob(ctx, strings.NewReader("hello"))
		if err != nil || got != sum || size != 5 {
			t.Fatalf("put: %s %d %v", got, size, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "hello" {
			t.Errorf("the blob holds %q, %v", data, err)
		}
		if again, err := l.BlobPath(sum); again != path || err != nil {
			t.Errorf("its path is %s, %v; was %s", again, err, path)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("its mode is %v, %v", info.Mode(), err)
		}
		if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
			t.Errorf("the folder holds %v, %v", names, err)
		}
	}
	broken := errors.New("the reader broke")
	_, _, _, err = l.PutBlob(ctx, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("a reader that breaks gave %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, _, err = l.PutBlob(stopped, bytes.NewReader(make([]byte, 1<<20))); !errors.Is(err, context.Canceled) {
		t.Errorf("a put that was stopped gave %v", err)
	}
	path, _ := l.BlobPath(sum)
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("half a blob is left: %v, %v", names, err)
	}
	for _, sum := range []string{"", "..", "../log.db", strings.ToUpper(sum), sum[:63], sum + "0", "../" + sum[3:]} {
		_, err := l.BlobPath(sum)
		wantFault(t, err, command.Invalid)
	}
}
