package sqlite_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"parley/internal/command"
	"parley/internal/journal"
	"parley/internal/journal/sqlite"
	"parley/test/need"
)

// A real file system that is full, at many sizes: the fault is limit, and the
// log goes on once there is room.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=full "+t.TempDir())
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	need.No(t, err) // no process gets a mount namespace of its own here
	said, err := io.ReadAll(out)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if strings.Contains(string(said), "no mount") {
		need.No(t, errors.New(string(said)))
	}
	if refused := strings.Count(string(said), "refused"); refused < 30 || strings.Contains(string(said), "wrong") {
		t.Errorf("%d refusals:\n%s", refused, said)
	}
}

func full(dir string) {
	for n := range 20 {
		size := func(pages int) string { return fmt.Sprintf("size=%d", pages<<12) }
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, size(60+n)); err != nil {
			fmt.Println("no mount:", err)
			return
		}
		s, err := sqlite.Open(dir, journal.Options{})
		must(err)
		l, err := s.Create(ctx, id)
		must(err)
		live := fill(n, l, command.Limit)
		must(syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, size(4000)))
		out, err := l.Append(ctx, note("room again"))
		if err != nil {
			fmt.Printf("%d: wrong: still refused: %v\n", n, err)
			return
		}
		live.Apply(out[0])
		verify(n, s, l, live)
		must(s.Close())
		must(syscall.Unmount(dir, 0))
	}
}
