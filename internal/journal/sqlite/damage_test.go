package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/internal/journal/journaltest"
	"parley/internal/journal/sqlite"
	"parley/internal/transcript"
)

// kept makes a store with a session of some length and a second one, closes it,
// and returns what the first holds.
func kept(t *testing.T, dir string) []event.Event {
	t.Helper()
	s := open(t, dir, journal.Options{})
	defer s.Close()
	l, err := s.Create(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	f := journaltest.NewFeed(id, 3)
	for range 10 {
		grow(t, l, f, 60)
		put(t, l, note(string(bytes.Repeat([]byte("long "), 3000))))
	}
	other, err := s.Create(ctx, "sess-other")
	if err != nil {
		t.Fatal(err)
	}
	put(t, other, eventtest.Run()...)
	return all(t, l, 0)
}

func file(dir string) string { return filepath.Join(dir, "sessions", string(id), "log.db") }

// survey opens a store whose file is damaged. Each event that can be read is one
// that was kept; what cannot gives a Fault; the other session is whole.
func survey(t *testing.T, what, dir string, want map[event.Seq]event.Event) (whole bool) {
	t.Helper()
	s := open(t, dir, journal.Options{})
	defer s.Close()
	other, err := s.Open(ctx, "sess-other")
	if err != nil || other.Head() != event.Seq(len(eventtest.Run())) {
		t.Fatalf("%s: the other session: %v", what, err)
	}
	if ids, err := s.List(ctx); err != nil || len(ids) != 2 {
		t.Errorf("%s: the list is %v, %v", what, ids, err)
	}
	clear := func(err error) bool {
		var f *command.Fault
		if err != nil && !errors.As(err, &f) {
			t.Errorf("%s: %v is no fault", what, err)
		}
		return err == nil
	}
	l, err := s.Open(ctx, id)
	if !clear(err) {
		return false
	}
	n := 0
	for at := event.Seq(0); ; {
		page, err := l.Page(ctx, at, 100)
		if !clear(err) {
			return false
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			at = e.Seq
			n++
			if d := cmp.Diff(want[e.Seq], e); d != "" {
				t.Fatalf("%s: another event %d:\n%s", what, e.Seq, d)
			}
		}
	}
	_, err = l.Append(ctx, note("after the damage"))
	clear(err)
	clear(l.Close())
	return n == len(want)
}

// Any page of a file is lost: its session says so, or reads what is left.
func TestLostPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := bySeq(kept(t, dir))
	good, err := os.ReadFile(file(dir))
	if err != nil {
		t.Fatal(err)
	}
	whole, pages := 0, len(good)/4096
	for p := range pages {
		bad := bytes.Clone(good)
		fill := []byte{0x00, 0xa5}[p%2]
		for i := range 4096 {
			bad[p*4096+i] = fill
		}
		if err := os.WriteFile(file(dir), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if survey(t, "page "+string(rune('0'+p%10)), dir, want) {
			whole++
		}
		removeWAL(t, dir)
	}
	if pages < 40 || whole > pages/3 {
		t.Errorf("of %d pages %d could be lost without anyone noticing", pages, whole)
	}
}

// A file that is cut anywhere says so.
func TestTruncatedFileIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := bySeq(kept(t, dir))
	good, err := os.ReadFile(file(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1, 99, 100, 4096, 5000, 8192, len(good) / 2, len(good) - 4096, len(good) - 1} {
		if err := os.WriteFile(file(dir), good[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if survey(t, "cut", dir, want) && size <= len(good)/2 {
			t.Errorf("a file of %d bytes was cut to %d and is whole", len(good), size)
		}
		removeWAL(t, dir)
	}
}

func bySeq(events []event.Event) map[event.Seq]event.Event {
	m := make(map[event.Seq]event.Event, len(events))
	for _, e := range events {
		m[e.Seq] = e
	}
	return m
}

func removeWAL(t *testing.T, dir string) {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(file(dir) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// The write-ahead log of a process that was killed is cut anywhere, as when the
// machine stopped too: what opens is a legal beginning of what was written.
func TestTornWriteAheadLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, out := run(t, "append", dir, "5", "150")
	if _, err := io.ReadAll(out); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	db, err := os.ReadFile(file(dir))
	if err != nil {
		t.Fatal(err)
	}
	wal, err := os.ReadFile(file(dir) + "-wal")
	if err != nil || len(wal) < 50_000 {
		t.Fatalf("the write-ahead log has %d bytes, %v", len(wal), err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	lengths := make(map[int]bool)
	for range 30 {
		cut := r.IntN(len(wal))
		removeWAL(t, dir)
		torn := bytes.Clone(wal[:cut])
		if cut%2 == 0 { // the rest was not zero
			torn = append(torn, bytes.Repeat([]byte{0xa5}, 5000)...)
		}
		if err := errors.Join(os.WriteFile(file(dir), db, 0o600), os.WriteFile(file(dir)+"-wal", torn, 0o600)); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir, journal.Options{})
		l, err := s.Open(ctx, id)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		state := transcript.New()
		for _, e := range all(t, l, 0) {
			if found := transcript.Check(state, e); len(found) > 0 {
				t.Fatalf("cut at %d: %d %s: %v", cut, e.Seq, e.Kind(), found)
			}
			state.Apply(e)
		}
		lengths[int(l.Head())] = true
		put(t, l, transcript.Closing(l.State(), transcript.Why{Reason: event.ReasonRecovered})...)
		put(t, l, note("on it goes"))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(lengths) < 5 {
		t.Errorf("all cuts gave the same: %v", lengths)
	}
}

// An event that is no JSON any more is passed over and named; the rest is read,
// and the session goes on.
func TestUnreadableEvent(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, journal.Options{})
	l, err := s.Create(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	put(t, l, eventtest.Run()[0], note("UNREADABLE"), note("after it"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file(dir))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(`"text":"UNREADABLE"`))
	data[at] = 'x'
	if err := os.WriteFile(file(dir), data, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, journal.Options{})
	defer s.Close()
	if l, err = s.Open(ctx, id); err != nil {
		t.Fatal(err)
	}
	if d := l.Damage(); len(d) != 1 || d[0].Seq != 2 || d[0].Err == nil {
		t.Errorf("the damage is %v", d)
	}
	if out := put(t, l, note("on it goes")); out[0].Seq <= 3 {
		t.Errorf("the log goes on at %d", out[0].Seq)
	}
	var seqs []event.Seq
	for _, e := range all(t, l, 0) {
		seqs = append(seqs, e.Seq)
	}
	back, err := l.PageBefore(ctx, 3, 1)
	if err != nil || len(back) != 1 || back[0].Seq != 1 {
		t.Errorf("the page before it is %v, %v", back, err)
	}
	if d := cmp.Diff([]event.Seq{1, 3, 4}, seqs); d != "" {
		t.Error(d)
	}
}

// A catalog that is damaged is set aside and made anew; a session's file of a
// later version is not touched.
func TestCatalogIsMadeAnew(t *testing.T) {
	dir := t.TempDir()
	kept(t, dir)
	catalog := filepath.Join(dir, "catalog", "log.db")
	for _, damage := range [][]byte{nil, []byte("no database"), bytes.Repeat([]byte{7}, 8192)} {
		if err := os.WriteFile(catalog, damage, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir, journal.Options{})
		if s.Catalog().Head() != 0 {
			t.Error("a damaged catalog holds something")
		}
		put(t, s.Catalog(), event.Event{Session: id, Body: event.SessionListed{Title: "found again"}})
		if ids, err := s.List(ctx); err != nil || len(ids) != 2 {
			t.Errorf("the list is %v, %v", ids, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "catalog.damaged", "log.db")); err != nil || !bytes.Equal(got, damage) {
			t.Errorf("what was damaged is not there any more: %v", err)
		}
	}
	good, err := os.ReadFile(file(dir))
	if err != nil {
		t.Fatal(err)
	}
	good[63] = 9 // user_version, sqlite.org/fileformat2.html 1.3
	if err := os.WriteFile(file(dir), good, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if l, err := s.Open(context.Background(), id); err == nil {
		t.Errorf("a file of version 9 was opened at %d", l.Head())
	}
}

// A pipe in the place of a session's log.db hung whoever opened it, and the end of the daemon, for ten minutes.
func TestPipeInPlaceOfALog(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, journal.Options{})
	if _, err := s.Create(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(file(dir)), syscall.Mkfifo(file(dir), 0o600)); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, journal.Options{})
	defer s.Close()
	if _, err := s.Open(t.Context(), id); !errors.Is(err, journal.ErrDamaged) {
		t.Errorf("it is %v", err)
	}
}
