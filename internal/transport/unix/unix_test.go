package unix_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/test/need"
)

// place returns a short directory of our own: a socket's path is limited.
func place(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "u")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func listen(t *testing.T, path string, options ...unix.Option) transport.Listener {
	t.Helper()
	l, err := unix.Listen(path, transport.Lines{}, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// pair is both ends of a connection.
func pair(t *testing.T) (server, client transport.Conn) {
	t.Helper()
	path := filepath.Join(place(t), "s", "sock")
	l := listen(t, path)
	client, err := unix.Dial(t.Context(), path, transport.Lines{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	server, err = l.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server, client
}

// The socket is its user's alone, in a directory that is too.
func TestSocketIsPrivate(t *testing.T) {
	dir := filepath.Join(place(t), "deep", "er")
	path := filepath.Join(dir, "sock")
	listen(t, path)
	for name, want := range map[string]os.FileMode{dir: os.ModeDir | 0o700, path: os.ModeSocket | 0o600} {
		stat, err := os.Lstat(name)
		if err != nil || stat.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, stat.Mode(), err, want)
		}
	}
}

// Each end knows who the other is.
func TestPeersKnowEachOther(t *testing.T) {
	server, client := pair(t)
	want := transport.Peer{Known: true, UID: os.Geteuid(), PID: os.Getpid()}
	if d := cmp.Diff([]transport.Peer{want, want}, []transport.Peer{server.Peer(), client.Peer()}); d != "" {
		t.Error(d)
	}
}

// After a half-close the answer still comes; after a close nothing is read any
// more, and that is known at once.
func TestHalfClose(t *testing.T) {
	dir := place(t)
	path := filepath.Join(dir, "s", "sock")
	l := listen(t, path)
	raw, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Write([]byte("ask\n")); err != nil {
		t.Fatal(err)
	}
	if err := raw.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if f, err := server.ReadFrame(t.Context()); string(f) != "ask" || err != nil {
		t.Fatalf("%q %v", f, err)
	}
	if _, err := server.ReadFrame(t.Context()); err != io.EOF {
		t.Errorf("after a half-close: %v", err)
	}
	if err := server.WriteFrames(t.Context(), []byte("answer")); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(io.LimitReader(raw, 7)); string(b) != "answer\n" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	raw.Close()
	if _, err := server.ReadFrame(t.Context()); !errors.Is(err, transport.ErrGone) {
		t.Errorf("after a close: %v", err)
	}
}

// A socket file that a dead process left is replaced, one that is listened on is
// not, and nothing else that has the name is.
func TestDeadSocketIsReplaced(t *testing.T) {
	dir := place(t)
	path := filepath.Join(dir, "s", "sock")
	first := listen(t, path)
	_, err := unix.Listen(path, transport.Lines{})
	var live *unix.LiveError
	if !errors.As(err, &live) || live.PID != os.Getpid() || !strings.Contains(err.Error(), path) {
		t.Errorf("a second listener: %v", err)
	}
	stale(t, path+"2")
	second := listen(t, path+"2")
	if _, err := unix.Dial(t.Context(), path+"2", transport.Lines{}); err != nil {
		t.Errorf("a stale socket taken over: %v", err)
	}
	file := path + "3"
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Listen(file, transport.Lines{}); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("a file: %v", err)
	}
	// What somebody put in its place is not the first one's to remove.
	if err := os.Rename(path+"2", path); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the other's socket: %v", err)
	}
	second.Close()
}

// stale leaves a socket file that nobody listens on.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

// Close takes the file away, and a listener that is closed accepts no more.
func TestCloseRemovesTheSocket(t *testing.T) {
	path := filepath.Join(place(t), "s", "sock")
	l := listen(t, path)
	accepted := make(chan error, 1)
	go func() { _, err := l.Accept(context.Background()); accepted <- err }()
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept: %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
	if _, err := unix.Dial(t.Context(), path, transport.Lines{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("dial: %v", err)
	}
}

// Accept ends with its context.
func TestAcceptEnds(t *testing.T) {
	l := listen(t, filepath.Join(place(t), "s", "sock"))
	ctx, cancel := context.WithCancel(t.Context())
	accepted := make(chan error, 1)
	go func() { _, err := l.Accept(ctx); accepted <- err }()
	cancel()
	if err := <-accepted; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A directory that others can reach, or that is a link, is refused, unless it is
// meant to be shared; a path that is too long is, with its length.
func TestUnsafeFolderIsRefused(t *testing.T) {
	dir := place(t)
	open := filepath.Join(dir, "open")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o755), os.Mkdir(filepath.Join(dir, "own"), 0o700),
		os.Symlink(filepath.Join(dir, "own"), filepath.Join(dir, "link")), os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(open, "sock"), "mode 0755"},
		{filepath.Join(dir, "link", "sock"), "symbolic link"},
		{filepath.Join(dir, "file", "sock"), "not a directory"},
		{filepath.Join(dir, strings.Repeat("x", 200), "sock"), "the system takes at most"},
	} {
		_, err := unix.Listen(c.path, transport.Lines{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	listen(t, filepath.Join(open, "sock"), unix.Shared)
}

// Another user's directory and another user are refused. Only root can try.
func TestOtherUser(t *testing.T) {
	need.Root(t)
	dir := place(t)
	theirs := filepath.Join(dir, "theirs")
	if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chown(theirs, 12345, 12345), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Listen(filepath.Join(theirs, "sock"), transport.Lines{}); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("a directory of another user: %v", err)
	}
	path := filepath.Join(dir, "sock")
	l := listen(t, path, unix.Shared)
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	stranger(t, path)
	client, err := unix.Dial(t.Context(), path, transport.Lines{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept(t.Context())
	if err != nil || server.Peer().UID != 0 {
		t.Errorf("the first that is accepted: %+v, %v", server.Peer(), err)
	}
}

// stranger connects as another user and waits until it is let go or in.
func stranger(t *testing.T, path string) {
	t.Helper()
	// The test's own binary is where another user may not go.
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(filepath.Dir(path), "stranger")
	if err := os.WriteFile(copied, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, "-test.run=^TestStranger$")
	cmd.Dir = filepath.Dir(path)
	cmd.Env = append(os.Environ(), "STRANGER_SOCKET="+path)
	as(cmd, 12345)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("as another user: %v: %s", err, out)
	}
}

// TestStranger is the other user's process of TestOtherUser: it connects and
// leaves its connection in the backlog.
func TestStranger(t *testing.T) {
	path := os.Getenv("STRANGER_SOCKET")
	need.Asked(t, path != "", "TestOtherUser")
	if _, err := net.Dial("unix", path); err != nil {
		t.Fatal(err)
	}
}
