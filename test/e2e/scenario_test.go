package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/test/need"
	"parley/test/rig"
)

// The scenarios of testdata/script play with the whole program: real daemons,
// real sockets, real tools; only the model's words are written down. Each has a
// home of its own. Besides testscript's own commands there are:
//
//	code N CMD ARGS…      run a command that ends with that exit code
//	spawn NAME CMD ARGS…  start a command in the background
//	seen NAME TEXT        wait until it has said the text
//	signal NAME SIGNAL    INT, TERM, KILL; NAME may be daemon
//	await NAME CODE       wait for its end; its output is then looked at
//	talk FILE             hold a conversation with the daemon, which is started if there is
//	                      none; see rig.Talk; what it kept is in the environment
//	mutations FILE          each started or ended line dropped, and doubled, is refused by check
//	processes N NAME      wait until that many processes of this home have the name
//	peak MIB              the daemon's memory never was larger
//	left                  wait until no daemon has the store
//
// and the condition [has:PROGRAM]: a scenario is only left out where one that it
// needs is missing.
func TestScenarios(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               setup,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Condition: func(name string) (bool, error) {
			if program, ok := strings.CutPrefix(name, "has:"); ok {
				return need.Has(t, program), nil
			}
			switch name {
			case "long":
				return long, nil
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "spawn": spawn, "seen": seen, "signal": send, "await": await, "talk": talk,
			"mutations": mutations, "processes": processes, "peak": peak, "left": left,
		},
	})
}

// scenario is what its commands share.
type scenario struct {
	home   *rig.Home
	actors map[string]*actor
}

type scenarioKey struct{}

func setup(env *testscript.Env) error {
	parley, err := exec.LookPath("parley")
	if err != nil {
		return err
	}
	home, err := rig.NewHome(env.WorkDir, parley)
	if err != nil {
		return err
	}
	// A scenario may become nobody, who must be able to go where it is.
	for dir := range ancestors(parley, env.WorkDir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	for _, v := range home.Env {
		if name, value, _ := strings.Cut(v, "="); name != "PATH" {
			env.Setenv(name, value)
		}
	}
	env.Setenv("SOCKET", home.Socket)
	env.Setenv("STORE", home.Store)
	env.Cd = home.Work
	s := &scenario{home: home, actors: make(map[string]*actor)}
	env.Values[scenarioKey{}] = s
	env.Defer(func() {
		for _, a := range s.actors {
			a.end()
		}
		if err := home.Close(); err != nil {
			env.T().Fatal(err)
		}
	})
	return nil
}

// ancestors are the folders above these paths that only their maker can enter.
func ancestors(paths ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, path := range paths {
			for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
				stat, err := os.Stat(dir)
				if err == nil && stat.Mode().Perm() == 0o700 && !yield(dir) {
					return
				}
			}
		}
	}
}

func scenarioOf(ts *testscript.TestScript) *scenario { return ts.Value(scenarioKey{}).(*scenario) }

func usage(ts *testscript.TestScript, ok bool, text string) {
	if !ok {
		ts.Fatalf("usage: %s", text)
	}
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "code N CMD ARGS…")
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d", got)
	}
}

// actor is a command in the background.
type actor struct {
	cmd  *exec.Cmd
	gone chan struct{}
	out  stream
	err  stream
}

// stream keeps what is written to it.
type stream struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps b.
func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

// String is all so far.
func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// begin starts a command in the background.
func begin(cmd *exec.Cmd) (*actor, error) {
	a := &actor{cmd: cmd, gone: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &a.out, &a.err
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait() // how it ended is in its state
		close(a.gone)
	}()
	return a, nil
}

// says waits until a text was said.
func (a *actor) says(text string) error {
	has := func() bool { return strings.Contains(a.out.String(), text) || strings.Contains(a.err.String(), text) }
	err := rig.Until(func() (bool, error) {
		select {
		case <-a.gone:
			if !has() {
				return false, errors.New("it ended")
			}
		default:
		}
		return has(), nil
	})
	if err != nil {
		err = fmt.Errorf("%w; it said:\n%s%s", err, a.out.String(), a.err.String())
	}
	return err
}

func (a *actor) end() {
	// It may have ended already.
	_ = a.cmd.Process.Kill()
	<-a.gone
}

func spawn(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "spawn NAME CMD ARGS…")
	s := scenarioOf(ts)
	cmd := s.home.Through(args[1], args[2:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), environ(ts, s.home)
	a, err := begin(cmd)
	ts.Check(err)
	s.actors[args[0]] = a
}

// environ is the home's environment as the script has changed it.
func environ(ts *testscript.TestScript, home *rig.Home) []string {
	var out []string
	for _, v := range home.Env {
		name, _, _ := strings.Cut(v, "=")
		out = append(out, name+"="+ts.Getenv(name))
	}
	for _, name := range []string{"PARLEY_SOCKET", "PARLEY_STORE", "PARLEY_CONFIG"} {
		if value := ts.Getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

func (s *scenario) actor(ts *testscript.TestScript, name string) *actor {
	a := s.actors[name]
	if a == nil {
		ts.Fatalf("nobody is called %s", name)
	}
	return a
}

func seen(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "seen NAME TEXT")
	ts.Check(scenarioOf(ts).actor(ts, args[0]).says(args[1]))
}

func send(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "signal NAME INT|TERM|KILL|HUP")
	s := scenarioOf(ts)
	number, ok := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL, "HUP": syscall.SIGHUP}[args[1]]
	usage(ts, ok, "signal NAME INT|TERM|KILL|HUP")
	if args[0] != "daemon" {
		ts.Check(s.actor(ts, args[0]).cmd.Process.Signal(number))
		return
	}
	pid, err := s.home.Holder()
	ts.Check(err)
	if pid == 0 {
		ts.Fatalf("no daemon has the store")
	}
	ts.Check(syscall.Kill(pid, number))
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "await NAME CODE")
	a := scenarioOf(ts).actor(ts, args[0])
	select {
	case <-a.gone:
	case <-time.After(rig.Patience):
		ts.Fatalf("it goes on, having said:\n%s", a.out.String())
	}
	fmt.Fprint(ts.Stdout(), a.out.String())
	fmt.Fprint(ts.Stderr(), a.err.String())
	if got := a.cmd.ProcessState.ExitCode(); strconv.Itoa(got) != args[1] {
		ts.Fatalf("exit code %d; stdout:\n%s\nstderr:\n%s", got, a.out.String(), a.err.String())
	}
}

func talk(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "talk FILE")
	pid, err := scenarioOf(ts).home.Holder()
	ts.Check(err)
	if pid == 0 {
		ts.Check(ts.Exec("parley", "sessions", "list"))
	}
	vars := map[string]string{"WORK": ts.MkAbs(".")}
	for _, name := range kept(ts) {
		vars[name] = ts.Getenv(name)
	}
	before := len(vars)
	conversation := rig.Talk{Socket: scenarioOf(ts).home.Socket, Vars: vars}
	err = conversation.Play(args[0], ts.ReadFile(args[0]))
	fmt.Fprintln(ts.Stdout(), strings.Join(conversation.Heard(), "\n"))
	ts.Check(err)
	if len(vars) > before {
		var names []string
		for name, value := range vars {
			ts.Setenv(name, value)
			names = append(names, name)
		}
		slices.Sort(names)
		ts.Setenv("KEPT", strings.Join(names, " "))
	}
}

// kept are the names that earlier conversations kept.
func kept(ts *testscript.TestScript) []string { return strings.Fields(ts.Getenv("KEPT")) }

func left(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 0, "left")
	ts.Check(rig.Until(func() (bool, error) {
		pid, err := scenarioOf(ts).home.Holder()
		return pid == 0, err
	}))
}
