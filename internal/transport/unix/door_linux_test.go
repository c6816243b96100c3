package unix_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/test/need"
)

// A peer that takes no new privileges, as all that runs in a fence, is closed unserved, and why is told; a listener that
// says so lets it in.
func TestPeerInsideAFence(t *testing.T) {
	setpriv := need.Program(t, "setpriv")
	for name, contained := range map[string]bool{"refused": false, "served": true} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(place(t), "s")
			told := make(chan error, 1)
			options := []unix.Option{unix.Refused(func(err error) { told <- err })}
			if contained {
				options = append(options, unix.Contained)
			}
			l, err := unix.Listen(path, transport.Lines{}, options...)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			served := make(chan transport.Conn, 1)
			go func() {
				if c, err := l.Accept(t.Context()); err == nil {
					served <- c
				}
			}()
			peer := exec.Command(setpriv, "--no-new-privs", os.Args[0], "-test.run=^TestInsider$")
			peer.Env = append(os.Environ(), "INSIDER_SOCKET="+path)
			hold, err := peer.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := peer.Start(); err != nil {
				t.Fatal(err)
			}
			defer peer.Wait()
			defer hold.Close()
			select {
			case c := <-served:
				c.Close()
				if !contained {
					t.Error("it was served")
				}
			case err := <-told:
				if contained || !strings.Contains(err.Error(), "it takes no new privileges") || !strings.Contains(err.Error(), path) {
					t.Error(err)
				}
			}
		})
	}
}

// TestInsider is the peer's process: it connects, and lives until it was looked at.
func TestInsider(t *testing.T) {
	path := os.Getenv("INSIDER_SOCKET")
	need.Asked(t, path != "", "TestPeerInsideAFence")
	c, err := unix.Dial(t.Context(), path, transport.Lines{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = os.Stdin.Read(make([]byte, 1))
}
