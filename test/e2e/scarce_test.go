package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/event"
	"parley/test/need"
	"parley/test/rig"
)

// small puts the home's store on a disk of its own with 400 KiB.
func small(t *testing.T, home *rig.Home) {
	t.Helper()
	need.Root(t)
	if err := os.MkdirAll(home.Store, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", home.Store, "tmpfs", 0, "size=400k,mode=700"); err != nil {
		need.No(t, err)
	}
	t.Cleanup(func() {
		if err := errors.Join(home.Close(), syscall.Unmount(home.Store, 0)); err != nil {
			t.Error(err)
		}
	})
}

// fill leaves a disk no room, but for what removing the returned file gives back.
func fill(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "rest")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a megabyte went into 400 KiB: %v", err)
	}
	return path
}

// "disk I/O error (4874)" was all that was said where a session or the store was opened on a full disk, and each attempt
// left a folder behind.
func TestFullDiskWhileASessionIsOpened(t *testing.T) {
	t.Parallel()
	home := afresh(t)
	small(t, home)
	d, err := home.Serve()
	if err != nil {
		t.Fatal(err)
	}
	rest := fill(t, home.Store)
	for range 3 {
		_, _, err := rig.Hello(home.Socket, "ann", "new", nil, home.Work)
		var fault *rig.Fault
		if !errors.As(err, &fault) || fault.Code != "limit" || !strings.HasSuffix(fault.Message, ": the disk is full: make room on it") {
			t.Fatalf("a new session: %v", err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(home.Store, "sessions")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.Remove(rest); err != nil {
		t.Fatal(err)
	}
	if v := visitTo(home, sessionA); v.refused != nil {
		t.Errorf("with room again: %v", v.refused)
	}
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	rest = fill(t, home.Store)
	if _, err := home.Serve(); err == nil || !strings.Contains(err.Error(), "the disk is full: make room on it") {
		t.Errorf("a daemon on a full disk: %v", err)
	}
	if err := os.Remove(rest); err != nil {
		t.Fatal(err)
	}
	if _, err := home.Serve(); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// One client too many was accepted and never answered, or found no file for its session and was told "internal error".
func TestNoDescriptorsLeft(t *testing.T) {
	t.Parallel()
	for limit := 61; limit <= 64; limit++ { // so that it is another file each time that is missing first
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			home := afresh(t)
			d, err := home.Start(home.Through("/bin/sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" serve`, limit), home.Parley()))
			if err != nil {
				t.Fatal(err)
			}
			first := visitTo(home, sessionA)
			if first.refused != nil {
				t.Fatal(first.refused)
			}
			crowded(t, first, home, "", fmt.Sprintf("connections open, and takes no more: close other clients, or raise its limit of open files (ulimit -n %d) and start it anew", limit))
			crowded(t, first, home, "new", "the process has as many files open as it may: let other sessions end, or raise its limit (ulimit -n) and start it anew")
			if err := d.Stop(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// crowded lets clients in until one is refused with these words. The first of all is served meanwhile, and everybody is when
// the crowd has left.
func crowded(t *testing.T, first *visit, home *rig.Home, session, want string) {
	t.Helper()
	var refused error
	var crowd []*rig.Client
	for zero := event.Seq(0); refused == nil && len(crowd) < 64; {
		var c *rig.Client
		c, _, refused = rig.Hello(home.Socket, "bob", session, &zero, home.Work)
		crowd = append(crowd, c)
	}
	var fault *rig.Fault
	if !errors.As(refused, &fault) || fault.Code != "limit" || !strings.Contains(fault.Message, want) {
		t.Errorf("client %d of session %q: %v", len(crowd), session, refused)
	}
	if _, err := first.client.State(sessionA); err != nil {
		t.Errorf("the first client is not served any more: %v", err)
	}
	for _, c := range crowd {
		c.Close()
	}
	if err := rig.Until(func() (bool, error) {
		v := goOn(home, sessionA)
		return v.refused == nil, v.client.Close()
	}); err != nil {
		t.Errorf("with files again: %v", err)
	}
}
