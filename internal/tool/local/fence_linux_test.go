package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/fence"
	"parley/internal/tool"
	"parley/internal/tool/local"
	"parley/internal/workspace"
	"parley/test/need"
)

// fenced is a World whose commands run in a fence of a kind, with a home that has a secret.
func fenced(t *testing.T, kind fence.Kind) (w tool.World, home string) {
	t.Helper()
	if s := fence.Detect(); s.Kind != fence.Full && s.Kind != kind {
		need.No(t, fmt.Errorf("this machine has no fence of kind %s: %s", kind, s.Why))
	}
	// Not below /tmp, of which a command has its own.
	base, err := os.MkdirTemp("/var/lib", "parley-local")
	if err != nil {
		base, err = os.MkdirTemp(os.Getenv("HOME"), "parley-local")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	for _, dir := range []string{"home/.ssh", "work", "temp"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	home = filepath.Join(base, "home")
	if err := os.WriteFile(home+"/.ssh/id", []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := workspace.Open(filepath.Join(base, "work"))
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	commands := fence.New(fence.Options{})
	t.Cleanup(commands.Close)
	return local.World(local.Options{Root: root, Env: env, Fence: &local.Fence{Kind: kind, Commands: commands, Profile: func() (fence.Profile, error) {
		return fence.Standard(fence.Place{Root: root.Path(), Env: env, Temp: filepath.Join(base, "temp")}), nil
	}}}), home
}

// run runs a line in a World.
func run(t *testing.T, w tool.World, line string, connect tool.Connect) (string, tool.Exit) {
	t.Helper()
	var out strings.Builder
	exit, err := w.Exec(t.Context(), tool.Command{Args: []string{"/bin/sh", "-c", line}, Dir: w.Root, Env: w.Env, Connect: connect, Output: func(_ tool.Stream, p []byte) { out.Write(p) }})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), exit
}

// A command runs in the fence and is told of; it gets out only where that was granted.
func TestFence(t *testing.T) {
	w, home := fenced(t, fence.Full)
	secret := home + "/.ssh/id"
	out, exit := run(t, w.Grant(tool.Targets{}), "cat "+secret+"; echo x > Makefile; exit 3", nil)
	if strings.Contains(out, "secret") || exit.Code != 3 || strings.Join(exit.Stopped, " ") != "reading "+secret || strings.Join(exit.Later, " ") != "Makefile" {
		t.Errorf("%q %+v", out, exit)
	}
	if out, exit = run(t, w.Grant(tool.Targets{Outside: true}), "cat "+secret, nil); out != "secret\n" || exit.Stopped != nil {
		t.Errorf("%q %+v", out, exit)
	}
	if out, exit = run(t, w, "kill -KILL $$", nil); exit.Code != 137 || exit.Signal != "killed" {
		t.Errorf("%q %+v", out, exit)
	}
	if w.Fence != "full" || w.Grant(tool.Targets{}).Outside != nil {
		t.Error("who was granted a command can leave with another")
	}
}

// The end of the context ends everything in the fence, and the process that was told of.
func TestFenceEnds(t *testing.T) {
	w, _ := fenced(t, fence.Full)
	seconds := nap(t)
	ctx, cancel := context.WithCancel(t.Context())
	exit, err := w.Exec(ctx, tool.Command{
		Args: []string{"/bin/sh", "-c", "trap '' TERM; setsid sleep " + seconds + " & echo ready; wait; sleep " + seconds}, Dir: w.Root, Env: w.Env,
		Output: func(tool.Stream, []byte) { cancel() },
	})
	if err != nil || exit.Code != 137 || len(exit.Stuck) > 0 {
		t.Errorf("%+v %v", exit, err)
	}
	if left := running(t, "sleep "+seconds); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// A host that is not listed is asked about, by its name and port; without anybody to ask it is refused.
func TestFenceConnect(t *testing.T) {
	need.Program(t, "curl")
	w, _ := fenced(t, fence.Full)
	var asked []string
	line := "curl -s -o /dev/null http://one.example.invalid/ http://two.example.invalid:81/"
	_, exit := run(t, w, line, func(_ context.Context, host string) bool { asked = append(asked, host); return false })
	want := "connecting to one.example.invalid:80 connecting to two.example.invalid:81"
	if strings.Join(asked, " ") != "one.example.invalid:80 two.example.invalid:81" || strings.Join(exit.Stopped, " ") != want {
		t.Errorf("%q %+v", asked, exit)
	}
	if _, exit = run(t, w, line, nil); strings.Join(exit.Stopped, " ") != want {
		t.Errorf("%+v", exit)
	}
}

// In a fence for files a command changes nothing outside, and the rest of it is as without one.
func TestFenceFiles(t *testing.T) {
	w, home := fenced(t, fence.Files)
	out, exit := run(t, w, "cat "+home+"/.ssh/id; echo x > "+home+"/new; echo x > here; exit 3", nil)
	if !strings.Contains(out, "secret\n") || exit.Code != 3 {
		t.Errorf("%q %+v", out, exit)
	}
	if _, err := os.Stat(home + "/new"); err == nil {
		t.Error("it changed what is outside")
	}
	if _, err := os.Stat(w.Root + "/here"); err != nil {
		t.Error(err)
	}
}

// A command does not run where its profile cannot be made.
func TestFenceProfile(t *testing.T) {
	w, _ := fenced(t, fence.Full)
	root, err := workspace.Open(w.Root)
	if err != nil {
		t.Fatal(err)
	}
	w = local.World(local.Options{Root: root, Env: w.Env, Fence: &local.Fence{Kind: fence.Full, Profile: func() (fence.Profile, error) {
		return fence.Profile{}, os.ErrPermission
	}}})
	if _, err := w.Exec(t.Context(), tool.Command{Args: []string{"/bin/sh", "-c", "true"}, Dir: w.Root}); err == nil {
		t.Error("it ran")
	}
}
