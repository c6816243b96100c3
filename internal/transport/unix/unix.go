// Package unix carries frames over Unix stream sockets, between processes of one
// user.
//
// [Listen] makes a socket file with mode 0600, in a directory with mode 0700
// that it makes where there is none. A peer that is another user is closed
// before a byte is read, and so is one that stands inside a fence or a container
// where this process does not: what runs there has fewer rights than it would get
// here. The file of a process that is gone is replaced; one
// that somebody listens on is left alone, and the error says who. Close takes
// away only the file that its own Listen made.
//
// It does not decide which user may come in beyond "the same one", and it does
// not start anything on the other side.
package unix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"parley/internal/fence"
	"parley/internal/scarce"
	"parley/internal/transport"
)

// An Option changes how Listen treats the directory of the socket, and who may
// connect.
type Option func(*listener)

// Shared lets the socket be in a directory that others can reach, such as /tmp:
// the file's mode and the check of the peer still hold.
func Shared(l *listener) { l.shared = true }

// Contained lets peers in that stand inside a fence or a container. Whatever runs
// there then has all rights of those who are served.
func Contained(l *listener) { l.contained = true }

// Refused is told why a peer was closed unserved.
func Refused(tell func(error)) Option { return func(l *listener) { l.refused = tell } }

// A LiveError is a socket that somebody listens on.
type LiveError struct {
	Path string
	PID  int // 0: not known
}

func (e *LiveError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("another process listens on %s", e.Path)
	}
	return fmt.Sprintf("process %d listens on %s", e.PID, e.Path)
}

type listener struct {
	path    string
	net     *net.UnixListener
	framing transport.Framing
	made    os.FileInfo
	spare   *os.File // holds a descriptor for one connection more, which can be told that it is refused; nil: in use
	once    sync.Once
	err     error

	shared, contained bool
	refused           func(error)
}

// Listen listens on a socket file. The error is a *LiveError where somebody
// already does.
func Listen(path string, f transport.Framing, options ...Option) (transport.Listener, error) {
	if err := fits(path); err != nil {
		return nil, err
	}
	made := &listener{path: path, framing: f, refused: func(error) {}}
	for _, o := range options {
		o(made)
	}
	dir := filepath.Dir(path)
	if err := prepare(dir, made.shared); err != nil {
		return nil, err
	}
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := replace(path); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on socket: %w", err)
	}
	l.SetUnlinkOnClose(false)
	made.net = l
	made.made, err = os.Lstat(path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("listen on socket: %w", err)
	}
	return made, nil
}

func (l *listener) Addr() string { return l.path }

func (l *listener) Accept(ctx context.Context) (transport.Conn, error) {
	stop := context.AfterFunc(ctx, func() { _ = l.net.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	wait := 5 * time.Millisecond
	var last error // why the one that comes is the last for now
	for {
		if l.spare == nil && last == nil {
			l.spare, _ = os.Open(os.DevNull)
		}
		c, err := l.net.AcceptUnix()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				c.Close()
			}
			return nil, ctx.Err()
		case err != nil && !passing(err):
			return nil, err
		case err != nil && scarce.Words(err) != "" && l.spare != nil:
			last = err
			l.spare.Close()
			l.spare = nil
			continue
		case err != nil:
			// Others will close theirs.
			last = nil
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
			wait = min(2*wait, time.Second)
			continue
		}
		conn, err := own(c, l.framing)
		if err == nil && !l.contained {
			err = free(c)
		}
		if conn != nil && (err == nil || scarce.Words(err) != "") {
			return conn, cmp.Or(last, err) // one that could not be looked at is refused as well
		}
		c.Close()
		last = nil
		l.refused(fmt.Errorf("a peer on %s was refused: %w", l.path, err))
	}
}

func passing(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ECONNABORTED) || errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}

func (l *listener) Close() error {
	l.once.Do(func() {
		if now, err := os.Lstat(l.path); err == nil && os.SameFile(now, l.made) {
			l.err = os.Remove(l.path)
		}
		l.err = errors.Join(l.net.Close(), l.err)
	})
	return l.err
}

// Dial connects to a socket file that a process of the same user listens on.
func Dial(ctx context.Context, path string, f transport.Framing) (transport.Conn, error) {
	if err := fits(path); err != nil {
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	conn, err := own(c.(*net.UnixConn), f)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("connect to %s: %w", path, err)
	}
	return conn, nil
}

// free fails where the peer stands inside a fence or a container.
func free(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	why, err := fence.Behind(raw)
	if err != nil {
		return fmt.Errorf("look whether it is inside a fence: %w", err)
	}
	if why != "" {
		return fmt.Errorf("it is inside a fence or a container: %s", why)
	}
	return nil
}

// own makes a connection of c where the other end is the same user.
func own(c *net.UnixConn, f transport.Framing) (transport.Conn, error) {
	p, err := peer(c)
	if err != nil {
		return nil, fmt.Errorf("ask who is at the other end: %w", err)
	}
	if p.UID != os.Geteuid() {
		return nil, fmt.Errorf("the other end is user %d, not %d", p.UID, os.Geteuid())
	}
	return transport.Stream(c, f, p, func() bool { return gone(c) }), nil
}
