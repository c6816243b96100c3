package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files and docs/cli.md")

// built is the folder of the real program, which the tests share.
var built string

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if built != "" {
		if err := os.RemoveAll(built); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

var buildOnce = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "parley-built-")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "parley")
	if out, err := exec.Command("go", "build", "-o", path, "parley").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})

// program is the path of the real program, made once.
func program(t *testing.T) string {
	t.Helper()
	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A home is a place of its own for the real program: no variable, file or
// daemon of the machine is seen in it.
type home struct {
	t    *testing.T
	root string
	path string // of the program
	dir  string // where it runs
	env  map[string]string
}

func newHome(t *testing.T) *home {
	t.Helper()
	// The path of a socket is short, and t.TempDir is not.
	root, err := os.MkdirTemp("", "parley-t-")
	if err != nil {
		t.Fatal(err)
	}
	p := &home{t: t, root: root, path: program(t), dir: filepath.Join(root, "project"), env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": filepath.Join(root, "home"), "TMPDIR": filepath.Join(root, "tmp"), "LANG": "C.UTF-8",
		"XDG_CONFIG_HOME": filepath.Join(root, "config"), "XDG_DATA_HOME": filepath.Join(root, "data"), "XDG_STATE_HOME": filepath.Join(root, "state"),
		"PARLEY_SOCKET": filepath.Join(root, "run", "parley.sock"), "PARLEY_STORE": "sqlite:" + filepath.Join(root, "store"),
	}}
	for _, name := range []string{"project", "home", "tmp", "config/parley"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		// It answers 1 where no daemon was started.
		if r := p.run("daemon", "stop"); r.code != 0 && !strings.Contains(r.stderr, "no daemon is running") {
			t.Errorf("daemon stop: %s", r.stderr)
		}
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	return p
}

// write makes a file below the root of the place.
func (p *home) write(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *home) environ() []string {
	var env []string
	for name, value := range p.env {
		env = append(env, name+"="+value)
	}
	return env
}

// ran is what came of a command.
type ran struct {
	stdout, stderr string
	code           int
}

func (r ran) String() string {
	return fmt.Sprintf("exit %d\n-- stdout --\n%s-- stderr --\n%s", r.code, r.stdout, r.stderr)
}

// run runs the program in the place; a minute is far more than any of it takes.
func (p *home) run(args ...string) ran {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir, cmd.Env = p.dir, p.environ()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		p.t.Fatalf("parley %s: %v", strings.Join(args, " "), err)
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
