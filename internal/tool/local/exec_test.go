package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/internal/tool"
	"parley/internal/tool/local"
	"parley/internal/workspace"
	"parley/test/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func world(t testing.TB, dir string, grace, linger time.Duration) tool.World {
	t.Helper()
	root, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return local.World(local.Options{Root: root, Env: os.Environ(), Spill: filepath.Join(dir, "outputs"), Grace: grace, Linger: linger})
}

// nap is a sleep that no other test runs.
func nap(t *testing.T) string {
	return fmt.Sprintf("9%d.%d", os.Getpid(), len(t.Name())*1000+int(time.Now().UnixNano()%1000))
}

// running lists the processes whose arguments hold a text.
func running(t *testing.T, text string) []string {
	t.Helper()
	var found []string
	if dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline"); len(dirs) > 0 {
		for _, path := range dirs {
			line, _ := os.ReadFile(path)
			if args := strings.ReplaceAll(string(line), "\x00", " "); strings.Contains(args, text) {
				found = append(found, args)
			}
		}
		return found
	}
	out, err := exec.Command("ps", "-A", "-o", "args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

func shell(command string) tool.Command {
	return tool.Command{Args: []string{"sh", "-c", command}, Dir: "/", Env: os.Environ()}
}

// escapes are ways to leave a process tree. Each prints "ready" once NAP runs.
var escapes = map[string]string{
	"child":                  `sleep NAP & echo ready; wait`,
	"grandchild":             `(sh -c 'sleep NAP & wait') & echo ready; wait`,
	"own session":            `setsid sleep NAP & echo ready; sleep NAP`,
	"own session, closed":    `setsid sleep NAP >/dev/null 2>&1 </dev/null & echo ready; sleep NAP`,
	"double fork":            `(setsid sh -c 'sleep NAP & exit' &) ; echo ready; sleep NAP`,
	"no environment":         `setsid env -i sleep NAP & echo ready; sleep NAP`,
	"no environment, orphan": `(env -i setsid sh -c 'sleep NAP & exit' &) ; echo ready; sleep NAP`,
	"deaf":                   `trap '' TERM INT HUP; sh -c 'trap "" TERM; sleep NAP; sleep NAP' & echo ready; sleep NAP; sleep NAP`,
	"deaf, own session":      `setsid sh -c 'trap "" TERM; while :; do sleep NAP; done' & echo ready; while :; do sleep NAP; done`,
	"stopped":                `sleep NAP & kill -STOP $!; sh -c 'kill -STOP $$; sleep NAP' & echo ready; sleep NAP`,
	"many":                   `for i in 1 2 3 4 5 6 7 8 9 10; do setsid sleep NAP & done; echo ready; wait`,
}

// sleeping tells the escaped process from the shells on its way.
func sleeping(args string) bool { return strings.HasPrefix(args, "sleep ") }

func count(all []string, is func(string) bool) (n int) {
	for _, args := range all {
		if is(args) {
			n++
		}
	}
	return n
}

// When the context ends no process is left, however it tried to leave.
func TestAbortEndsTheTree(t *testing.T) {
	need.Program(t, "setsid")
	for name, command := range escapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := nap(t)
			c := shell(strings.ReplaceAll(command, "NAP", mark))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			c.Output = func(_ tool.Stream, chunk []byte) {
				for strings.Contains(string(chunk), "ready") && !slices.ContainsFunc(running(t, mark), sleeping) {
				}
				cancel()
			}
			exit, err := world(t, t.TempDir(), 100*time.Millisecond, 0).Exec(ctx, c)
			if err != nil || len(exit.Stuck) > 0 {
				t.Errorf("%+v %v", exit, err)
			}
			if left := running(t, mark); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// A process that forks without end is ended too.
func TestAbortEndsAForkLoop(t *testing.T) {
	mark := nap(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := shell(strings.ReplaceAll(`echo ready; i=0; while [ $i -lt 400 ]; do (trap '' TERM; sleep NAP) & i=$((i+1)); done; wait`, "NAP", mark))
	c.Output = func(tool.Stream, []byte) { cancel() }
	exit, err := world(t, t.TempDir(), time.Millisecond, 0).Exec(ctx, c)
	if err != nil || len(exit.Stuck) > 0 {
		t.Errorf("%+v %v", exit, err)
	}
	if left := running(t, mark); len(left) > 0 {
		t.Errorf("%d left", len(left))
	}
}

// Commands that run at the same time are told apart: the end of one does not touch the other.
func TestAbortSparesOthers(t *testing.T) {
	need.Program(t, "setsid")
	w := world(t, t.TempDir(), 100*time.Millisecond, 0)
	mark, other := nap(t)+"1", nap(t)+"2"
	var group sync.WaitGroup
	ready := make(chan struct{})
	otherCtx, endOther := context.WithCancel(context.Background())
	defer endOther()
	group.Go(func() {
		c := shell("setsid sleep " + other + " & echo ready; sleep " + other)
		var once sync.Once
		c.Output = func(tool.Stream, []byte) { once.Do(func() { close(ready) }) }
		if _, err := w.Exec(otherCtx, c); err != nil {
			t.Error(err)
		}
	})
	<-ready
	before := running(t, other)
	for count(before, sleeping) < 2 {
		before = running(t, other)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := shell("setsid sleep " + mark + " & echo ready; sleep " + mark)
	c.Output = func(tool.Stream, []byte) { cancel() }
	if _, err := w.Exec(ctx, c); err != nil {
		t.Error(err)
	}
	if left := running(t, mark); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if d := cmp.Diff(before, running(t, other)); d != "" {
		t.Errorf("the other: %s", d)
	}
	endOther()
	group.Wait()
	if left := running(t, other); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// The end of a command ends what it left in its session and names it, waits for what is just finishing,
// and leaves a daemon alone.
func TestNormalEnd(t *testing.T) {
	brief := world(t, t.TempDir(), 100*time.Millisecond, 50*time.Millisecond)
	patient := world(t, t.TempDir(), 100*time.Millisecond, time.Minute)
	mark := nap(t)
	exit, err := brief.Exec(context.Background(), shell("sleep "+mark+" >/dev/null & sleep "+mark+" & echo done"))
	if err != nil || exit.Code != 0 || len(exit.Ended) != 2 {
		t.Errorf("%+v %v", exit, err)
	}
	if left := running(t, mark); len(left) > 0 {
		t.Errorf("left: %q", left)
	}

	var out strings.Builder
	c := shell("(sleep 0.05; echo late) & echo early")
	c.Output = func(_ tool.Stream, chunk []byte) { out.Write(chunk) }
	exit, err = patient.Exec(context.Background(), c)
	if d := cmp.Diff(tool.Exit{}, exit); d != "" || err != nil || out.String() != "early\nlate\n" {
		t.Errorf("%s %v %q", d, err, out.String())
	}

	need.Program(t, "setsid")
	out.Reset()
	// It has a session of its own before the command ends.
	c.Dir = t.TempDir()
	c.Args[2] = "mkfifo away; setsid sh -c 'echo $$ >away; exec sleep " + mark + "' >/dev/null 2>&1 & read pid <away; echo $pid"
	exit, err = patient.Exec(context.Background(), c)
	if len(exit.Ended) > 0 || err != nil || len(running(t, mark)) != 1 {
		t.Errorf("%+v %v", exit, err)
	}
	if err := exec.Command("kill", strings.TrimSpace(out.String())).Run(); err != nil {
		t.Error(err)
	}
}

// What a slow reader has not taken yet when the command ends still arrives. The sleep is the slowness.
func TestSlowReader(t *testing.T) {
	w := world(t, t.TempDir(), 0, 10*time.Millisecond)
	got := 0
	c := shell("head -c 300000 /dev/zero")
	c.Output = func(_ tool.Stream, chunk []byte) {
		if got += len(chunk); got > 150_000 && got < 250_000 {
			time.Sleep(50 * time.Millisecond)
		}
	}
	if _, err := w.Exec(context.Background(), c); err != nil || got != 300_000 {
		t.Errorf("%d bytes, %v", got, err)
	}
}

// What cannot start is an error with the reason, and leaks nothing.
func TestCannotStart(t *testing.T) {
	dir := t.TempDir()
	w := world(t, dir, 0, 0)
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte("#!/no/such/interpreter\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		c    tool.Command
		want string
	}{
		{context.Background(), tool.Command{}, "no command"},
		{context.Background(), tool.Command{Args: []string{"no-such-program"}}, "no-such-program is not on the PATH"},
		{context.Background(), tool.Command{Args: []string{filepath.Join(dir, "script")}}, "no such file"},
		{context.Background(), tool.Command{Args: []string{"sh"}, Dir: filepath.Join(dir, "nowhere")}, "no such file"},
		{over, shell("true"), context.Canceled.Error()},
	} {
		started := false
		tt.c.Started = func(int) { started = true }
		if _, err := w.Exec(tt.ctx, tt.c); err == nil || !strings.Contains(err.Error(), tt.want) || started {
			t.Errorf("%v: %v", tt.c.Args, err)
		}
	}
}

// Names of spill files are made safe, unique and private.
func TestSpillFilesArePrivate(t *testing.T) {
	dir := t.TempDir()
	w := world(t, dir, 0, 0)
	paths := map[string]bool{}
	for _, id := range []string{"call_1", "call_1", "", "../../etc/passwd", strings.Repeat("x", 500), "ä\x00b"} {
		out, path, err := w.Spill(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(id)); err != nil {
			t.Error(err)
		}
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		stat, err := os.Stat(path)
		if err != nil || stat.Mode().Perm() != 0o600 || filepath.Dir(path) != filepath.Join(dir, "outputs") || paths[path] {
			t.Errorf("%q: %s %v %v", id, path, stat, err)
		}
		paths[path] = true
	}
	root, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := local.World(local.Options{Root: root}).Spill("x"); err == nil {
		t.Error("a folder out of nowhere")
	}
	if _, _, err := local.World(local.Options{Root: root, Spill: "/proc/nowhere"}).Spill("x"); err == nil {
		t.Error("a folder in /proc")
	}
}

// "~" is the HOME of the environment, and a program is not taken from a relative PATH.
func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	root, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tool"), nil, 0o777); err != nil {
		t.Fatal(err)
	}
	w := local.World(local.Options{Root: root, Env: []string{"HOME=/wrong", "HOME=" + home, "PATH=.:" + dir}})
	got, err := w.Resolve("~/x")
	if d := cmp.Diff(tool.Target{Path: home + "/x"}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	if path, err := w.LookPath("tool"); path != filepath.Join(dir, "tool") || err != nil {
		t.Error(path, err)
	}
	w = local.World(local.Options{Root: root, Env: []string{"PATH=."}})
	if _, err := w.LookPath("tool"); err == nil {
		t.Error("taken from the current directory")
	}
	if got, err := w.Resolve("~/x"); got.Rel != "~/x" || err != nil {
		t.Error(got, err)
	}
	no := func(string, string, syscall.RawConn) error { return errors.New("no") }
	_, refused := w.Dial(context.Background(), "tcp", "127.0.0.1:1", no)
	if refused == nil || !strings.Contains(refused.Error(), "no") {
		t.Error(refused)
	}
}
