package unix

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxPath is the longest path of a socket in bytes: sun_path of unix(7) and
// unix(4), without its final NUL.
var maxPath = len(unix.RawSockaddrUnix{}.Path) - 1

func fits(path string) error {
	if len(path) > maxPath {
		return fmt.Errorf("socket path has %d bytes, the system takes at most %d: %s", len(path), maxPath, path)
	}
	return nil
}

// prepare makes the directory of a socket, or checks the one that is there.
func prepare(dir string, shared bool) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("make socket directory: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make socket directory: %w", err)
	}
	if shared {
		return nil
	}
	stat, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at socket directory: %w", err)
	}
	switch owner, known := stat.Sys().(*syscall.Stat_t); {
	case stat.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("socket directory %s is a symbolic link", dir)
	case !stat.IsDir():
		return fmt.Errorf("socket directory %s is not a directory", dir)
	case !known || int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("socket directory %s belongs to another user", dir)
	case stat.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("socket directory %s has mode %#o, others can reach it: 0700 is needed", dir, stat.Mode().Perm())
	}
	return nil
}

// lock keeps other processes from listening in the same directory while one
// looks at a socket and replaces it.
func lock(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("lock socket directory: %w", err)
	}
	for range 200 {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.Close()
	return nil, fmt.Errorf("lock socket directory %s: %w", dir, err)
}

// replace takes away the socket file of a process that is gone.
func replace(path string) error {
	stat, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at socket: %w", err)
	}
	if stat.Mode()&os.ModeSocket == 0 {
		return fmt.Errorf("%s is there and is not a socket", path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		defer c.Close()
		p, _ := peer(c.(*net.UnixConn))
		return &LiveError{Path: path, PID: p.PID}
	case errors.Is(err, syscall.ECONNREFUSED):
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove stale socket: %w", err)
		}
		return nil
	case errors.Is(err, os.ErrNotExist):
		return nil
	}
	// Its backlog is full, or it is another user's: somebody is there.
	return &LiveError{Path: path}
}
