package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/journal"
	"parley/test/rig"
)

// Each file of testdata/script shows one command as people use it. $SERVER/good
// has two models, $SERVER/bad refuses every key and repeats it, any other path
// is not found; below $SERVER/toys is the server of a provider that only
// toyparley has, and below the names of [offers] are those of models that answer.
// $SERVER/registry has a newer catalog. $DOWN is an address where nobody listens.
func TestScripts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/toys/") {
			serveToys(w, q)
			return
		}
		if strings.HasPrefix(q.URL.Path, "/registry/") {
			serveRegistry(w, q)
			return
		}
		switch q.URL.Path {
		case "/good/v1/models":
			fmt.Fprint(w, `{"data":[{"id":"small"},{"id":"large-2025-01-31"},{"id":"bad\u001b[2Jname"},{"id":""}]}`)
		case "/bad/v1/models":
			refuse(w, q, "")
		default:
			serveModels(w, q)
		}
	}))
	t.Cleanup(server.Close)
	down := httptest.NewServer(nil)
	down.Close()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("SERVER", server.URL)
			e.Setenv("DOWN", strings.TrimPrefix(down.URL, "http://"))
			for name, dir := range map[string]string{"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state", "TMPDIR": "tmp"} {
				e.Setenv(name, filepath.Join(e.WorkDir, dir))
				if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o700); err != nil {
					return err
				}
			}
			// The path of a socket is short, and the script's folder is not.
			run, err := os.MkdirTemp("", "p")
			if err != nil {
				return err
			}
			e.Setenv("XDG_RUNTIME_DIR", run)
			program, err := exec.LookPath("parley")
			if err != nil {
				return err
			}
			e.Defer(func() {
				if err := errors.Join(leave(program, e), os.RemoveAll(run)); err != nil {
					t.Error(err)
				}
			})
			e.Setenv("OLLAMA_HOST", e.Getenv("DOWN"))
			e.Setenv("LANG", "C.UTF-8")
			e.Cd = filepath.Join(e.WorkDir, "work")
			return os.MkdirAll(e.Cd, 0o700)
		},
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"code": exitCode, "converse": converse, "expand": expand},
		UpdateScripts: *update,
	})
}

// leave stops the daemon that a command of a script may have started.
func leave(program string, e *testscript.Env) error {
	store := filepath.Join(e.WorkDir, "data", "parley")
	if _, held, err := journal.HolderOf(store); err != nil || !held {
		return err
	}
	stop := exec.Command(program, "daemon", "stop")
	stop.Env = e.Vars
	// It may be about to leave by itself; what counts is that it is gone.
	said, _ := stop.CombinedOutput()
	err := rig.Until(func() (bool, error) {
		_, held, err := journal.HolderOf(store)
		return !held, err
	})
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}

// exitCode is code N CMD ARGS…: the command ends with exactly that exit code.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N CMD ARGS…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d", got)
	}
}

// expand is expand FROM TO: a copy with $NAME in place of variables of the
// script; those that it does not have, and ${NAME}, stay.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: expand FROM TO")
	}
	var pairs []string
	for _, name := range []string{"SERVER", "DOWN", "WORK"} {
		pairs = append(pairs, "$"+name, ts.Getenv(name))
	}
	to := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(to), 0o700))
	ts.Check(os.WriteFile(to, []byte(strings.NewReplacer(pairs...).Replace(ts.ReadFile(args[0]))), 0o600))
}
