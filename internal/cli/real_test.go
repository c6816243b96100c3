package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/test/rig"
)

var update = flag.Bool("update", false, "rewrite the golden files and docs/cli.md")

// patient waits longer than anything takes.
var patient = waitLimits{key: rig.Patience, models: rig.Patience, stdin: rig.Patience, stop: rig.Patience}

// The program that tests start is this binary, under its own name on the PATH.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"parley": func() { os.Exit(played().main(os.Args[1:])) }, "toyparley": toyMain})
}

// A home is a user of the real program, whom nothing of the machine is known to.
type home struct {
	*rig.Home
	t *testing.T
}

func newHome(t *testing.T) home {
	t.Helper()
	program, err := exec.LookPath("parley")
	if err != nil {
		t.Fatal(err)
	}
	h, err := rig.NewHome(t.TempDir(), program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	h.Env = append(h.Env, "LANG=C.UTF-8")
	return home{h, t}
}

func (h home) set(name, value string) { h.Env = append(h.Env, name+"="+value) }

// write makes a file below the home's folder, and the folders above it.
func (h home) write(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// ran is what came of a command.
type ran struct{ rig.Output }

func (r ran) String() string {
	return fmt.Sprintf("exit %d\n-- stdout --\n%s-- stderr --\n%s", r.Code, r.Out, r.Err)
}

func (h home) run(args ...string) ran {
	out, err := h.Run(args...)
	if err != nil {
		h.t.Error(err)
	}
	return ran{out}
}
