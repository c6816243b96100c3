package sqlite_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/internal/journal/sqlite"
)

// A store has one holder, who says where it is reached; when it is killed, the
// next gets the store.
func TestOneHolder(t *testing.T) {
	dir := t.TempDir()
	cmd, out := run(t, "hold", dir)
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatal(line, err)
	}
	refused := func(listens string) {
		t.Helper()
		_, err := sqlite.Open(dir, journal.Options{})
		var held *journal.Held
		var fault *command.Fault
		if !errors.As(err, &held) || held.Holder.PID != cmd.Process.Pid || held.Path != dir {
			t.Fatalf("a second holder got %v", err)
		}
		if !errors.As(err, &fault) || fault.Code != command.Busy {
			t.Errorf("the fault is %v", fault)
		}
		if want := fmt.Sprintf("the store %s is in use by pid %d%s", dir, cmd.Process.Pid, listens); held.Error() != want {
			t.Errorf("%q, want %q", held, want)
		}
	}
	refused("")
	long := journal.Holder{PID: cmd.Process.Pid, Version: "0.1.0 (a long one that is cut)", Listen: []string{"/run/parley.sock", "ws://127.0.0.1:8089"}}
	short := journal.Holder{PID: cmd.Process.Pid, Listen: []string{"/s"}}
	for _, h := range []journal.Holder{long, short} {
		if err := journal.Announce(dir, h); err != nil {
			t.Fatal(err)
		}
		got, ok, err := journal.HolderOf(dir)
		if d := cmp.Diff(h, got); d != "" || !ok || err != nil {
			t.Errorf("%v %v %s", ok, err, d)
		}
		refused(", which listens on " + strings.Join(h.Listen, ", "))
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, ok, err := journal.HolderOf(dir); ok || err != nil {
		t.Errorf("a dead process holds the store: %v", err)
	}
	s := open(t, dir, journal.Options{})
	if _, err := sqlite.Open(dir, journal.Options{}); !errors.As(err, new(*journal.Held)) {
		t.Errorf("the same process opened it twice: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := journal.HolderOf(filepath.Join(dir, "none")); ok || err != nil {
		t.Errorf("a store that is not there is held: %v", err)
	}
	if err := open(t, dir, journal.Options{}).Close(); err != nil {
		t.Error(err)
	}
}

// Nobody else can read what is kept, in a folder whose name needs escaping too.
func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b%20c?d#e", "store")
	s := open(t, dir, journal.Options{})
	defer s.Close()
	l, err := s.Create(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	put(t, l, eventtest.Run()...)
	put(t, s.Catalog(), note("x"))
	if _, _, _, err := l.PutBlob(ctx, strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	l.Dir()
	if _, err := l.Page(ctx, 0, 10); err != nil {
		t.Fatal(err)
	}
	var names []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		name, _ := filepath.Rel(dir, path)
		names = append(names, strings.ReplaceAll(name, string(id), "ID"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".", "catalog", "catalog/log.db", "catalog/log.db-shm", "catalog/log.db-wal", "lock", "sessions", "sessions/ID", "sessions/ID/blobs",
		"sessions/ID/blobs/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", "sessions/ID/files",
		"sessions/ID/log.db", "sessions/ID/log.db-shm", "sessions/ID/log.db-wal"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
}

// A run of 1 MB of text takes no more than three times as much of the disk: at
// the end of its block, at the end of the run, and when the log is closed.
func TestDiskUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := open(t, dir, journal.Options{})
		defer s.Close()
		l, err := s.Create(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		put(t, l, eventtest.Run()[:8]...)
		const size = 1 << 20
		word := strings.Repeat("0123456789abcde\n", 16)
		used := func(when string) {
			t.Helper()
			n := du(t, filepath.Join(dir, "sessions"))
			t.Logf("%s: %.2f times the text", when, float64(n)/size)
			if n > 3*size {
				t.Errorf("%s: %d bytes for %d of text", when, n, size)
			}
		}
		for at := 0; at < size; at += len(word) {
			put(t, l, delta(at, word))
			time.Sleep(10 * time.Millisecond)
		}
		used("before the end")
		e := eventtest.Run()[10]
		e.Body = event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleThinking, Text: strings.Repeat(word, size/len(word))}
		put(t, l, e)
		used("when the block ended")
		for _, e := range eventtest.Run()[11:] {
			put(t, l, e)
		}
		used("when the run ended")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		used("when it was closed")
	})
}

// A slow stream, of a few words for each write, takes no more of the file than a
// fast one.
func TestSlowStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := open(t, dir, journal.Options{})
		defer s.Close()
		l, err := s.Create(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		put(t, l, eventtest.Run()[:8]...)
		const size = 48 << 10
		word := "a few words that come together, "
		for at := 0; at < size; at += len(word) {
			put(t, l, delta(at, word))
			time.Sleep(2 * journal.Delay)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n := du(t, filepath.Dir(file(dir))); n > size+size/4+40<<10 {
			t.Errorf("%d bytes for %d of text", n, size)
		}
		s = open(t, dir, journal.Options{})
		defer s.Close()
		if l, err = s.Open(ctx, id); err != nil {
			t.Fatal(err)
		}
		if got := l.State().Step.Response.Block.Text.String(); got != strings.Repeat(word, size/len(word)) {
			t.Errorf("%d bytes of text are kept", len(got))
		}
	})
}

func du(t testing.TB, dir string) int64 {
	t.Helper()
	var n int64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
