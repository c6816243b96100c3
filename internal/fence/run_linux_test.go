package fence_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"parley/internal/fence"
	"parley/test/need"
)

// job is a shell command in a fence.
type job struct {
	*fence.Run
	out *bufio.Reader
}

// start starts a shell command.
func (w *world) start(p fence.Profile, script string) (*job, error) {
	w.t.Helper()
	r, in, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	defer in.Close()
	w.t.Cleanup(func() { r.Close() })
	run, err := w.fence.Start(fence.Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: p.Root, Env: w.place.Env, Stdout: in, Stderr: in}, p)
	if err != nil {
		return nil, err
	}
	return &job{run, bufio.NewReader(r)}, nil
}

// run runs a shell command to its end.
func (w *world) run(p fence.Profile, script string) (string, fence.Exit) {
	w.t.Helper()
	j, err := w.start(p, script)
	if err != nil {
		w.t.Fatal(err)
	}
	text, _ := io.ReadAll(j.out)
	j.Output(1, text)
	return string(text), j.Wait()
}

// line reads what a command says next.
func (j *job) line(t *testing.T) string {
	t.Helper()
	text, err := j.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%q %v", text, err)
	}
	return strings.TrimSuffix(text, "\n")
}

// How a command ended is what its first process saw.
func TestExit(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	for script, want := range map[string]fence.Exit{
		"true":              {},
		"exit 3":            {Code: 3},
		"kill -KILL $$":     {Code: 137, Signal: 9},
		"kill -SEGV $$":     {Code: 139, Signal: 11},
		"exec kill -TERM 1": {},
	} {
		_, got := w.run(w.profile(), script)
		got.Told = fence.Told{}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", script, d)
		}
	}
	out, exit := w.run(w.profile(), "sleep 3600 & setsid sleep 3601 & (setsid sh -c 'trap \"\" TERM; while :; do sleep 3602; done' &) ; echo done")
	slices.Sort(exit.Ended)
	if out != "done\n" || exit.Code != 0 || len(exit.Ended) < 3 || running("360") {
		t.Errorf("%q %+v", out, exit)
	}
}

// What cannot start is an error about the program, and leaves nothing behind.
func TestCannotStart(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	w.write(w.Root+"/script", "#!/no/such/interpreter\n")
	for _, c := range []fence.Command{
		{Path: "/no/such/program", Args: []string{"x"}, Dir: w.Root},
		{Path: w.Root + "/script", Args: []string{"x"}, Dir: w.Root},
		{Path: "/bin/sh", Args: []string{"sh"}, Dir: w.Root + "/nowhere"},
		{Path: w.Home + "/.ssh/id", Args: []string{"x"}, Dir: w.Root},
	} {
		_, err := w.fence.Start(c, w.profile())
		if err == nil || errors.As(err, new(*fence.StepError)) || !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EACCES) {
			t.Errorf("%s: %v", c.Path, err)
		}
	}
	p := w.profile()
	p.Root = "/"
	if _, err := w.fence.Start(fence.Command{Path: "/bin/true", Dir: "/"}, p); !errors.As(err, new(*fence.StepError)) {
		t.Error(err)
	}
	if _, err := os.Lstat(w.Missing); err == nil {
		t.Error("a place was left")
	}
}

// End asks, Kill does not; the end of the fence ends everything, and so does the death of its room.
func TestEnd(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	begin := func(script string) *job {
		j, err := w.start(w.profile(), script)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.line(t); got != "ready" {
			t.Fatal(got)
		}
		return j
	}
	j := begin("trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.01; done")
	if pid := j.PID(); pid <= 0 || unix.Kill(pid, 0) != nil {
		t.Errorf("PID %d", pid)
	}
	j.End()
	if got, exit := readUntil(j, "asked"), j.Wait(); got != "asked" || exit.Code != 7 {
		t.Errorf("%q %+v", got, exit)
	}
	j.End()
	j.Kill()
	if j.PID() != 0 {
		t.Error("it has a number still")
	}
	j = begin("trap '' TERM HUP INT; echo ready; while :; do sleep 3610; done")
	j.End()
	if exit := j.Wait(); exit.Signal != int(unix.SIGKILL) {
		t.Errorf("%+v", exit)
	}
	j = begin("setsid sleep 3611 & echo ready; sleep 3612")
	j.Kill()
	if exit := j.Wait(); exit.Code != 137 {
		t.Errorf("%+v", exit)
	}
	j = begin("kill -STOP 1; echo ready; setsid sleep 3613 & kill -STOP $$")
	j.Kill()
	j.Wait()
	// A room that is killed takes its commands with it, and the next command gets another.
	j = begin("setsid sleep 3614 & echo ready; sleep 3615")
	killRoom(t)
	if exit := j.Wait(); exit.Code != 137 {
		t.Errorf("%+v", exit)
	}
	j = begin("setsid sleep 3616 & echo ready; sleep 3617")
	w.fence.Close()
	if exit := j.Wait(); exit.Code != 137 {
		t.Errorf("%+v", exit)
	}
	if running("361") {
		t.Error("something is left")
	}
	if _, err := w.start(w.profile(), "true"); !errors.Is(err, fence.ErrClosed) {
		t.Error(err)
	}
}

// killRoom kills the rooms of this process.
func killRoom(t *testing.T) {
	t.Helper()
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	found := false
	for _, path := range paths {
		if line, _ := os.ReadFile(path); string(line) == "parley-fence-room\x00" {
			stat, _ := os.ReadFile(filepath.Dir(path) + "/stat")
			if f := strings.Fields(string(stat)); len(f) > 3 && f[3] == fmt.Sprint(os.Getpid()) {
				end(filepath.Base(filepath.Dir(path)))
				found = true
			}
		}
	}
	if !found {
		t.Error("there is no room")
	}
}

// Commands of a session reach each other's servers, and see each other's files in /tmp, but no processes.
func TestSession(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	server, err := w.start(w.profile(), "echo left > /tmp/file; exec "+python(t)+" -u -c '"+`
import socket
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])
while True:
    c, _ = s.accept(); c.sendall(b"served"); c.close()'`)
	if err != nil {
		t.Fatal(err)
	}
	port := server.line(t)
	out, _ := w.run(w.profile(), python(t)+` -c 'import socket; print(socket.create_connection(("127.0.0.1", `+port+`)).recv(9).decode())'; cat /tmp/file; ps -e 2>/dev/null | grep -c python`)
	if out != "served\nleft\n0\n" {
		t.Errorf("%q", out)
	}
	server.End()
	server.Wait()
	if _, err := os.Stat("/tmp/file"); err == nil {
		t.Error("/tmp is the machine's")
	}
}

// A layer over a cache lasts from command to command; commands at the same time have layers of their own.
func TestLayers(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	const use = "cat ~/.cache/build/entry; echo new > ~/.cache/build/fresh; echo changed > ~/.cache/build/entry; rm -f ~/.cache/build/gone"
	w.write(w.Home+"/.cache/build/gone", "x")
	if out, exit := w.run(w.profile(), use); out != "secret\n" || len(exit.Told.Plain) > 0 {
		t.Errorf("%q %+v", out, exit)
	}
	if out, _ := w.run(w.profile(), "cat ~/.cache/build/*"); out != "changed\nnew\n" {
		t.Errorf("%q", out)
	}
	if got, _ := filepath.Glob(w.Home + "/.cache/build/*"); len(got) != 2 {
		t.Errorf("outside: %q", got)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if out, exit := w.run(w.profile(), "mkdir ~/.cache/mine && sleep 0.05 && ls ~/.cache && rmdir ~/.cache/mine"); exit.Code != 0 || out != "build\nmine\n" {
				t.Errorf("%q %+v", out, exit)
			}
		})
	}
	group.Wait()
	p := w.profile()
	p.Keep = ""
	if out, _ := w.run(p, "cat ~/.cache/build/entry; touch ~/.cache/x 2>&1"); !strings.Contains(out, "secret\n") || !strings.Contains(out, "Read-only") {
		t.Errorf("%q", out)
	}
}

// The place of something guarded that does not exist is held while a command runs, and is gone afterwards;
// a place that a killed daemon left is taken away too, and what a person put there is not.
func TestPlaces(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	first, err := w.start(w.profile(), "echo ready; read x < gate; exit 0")
	if err != nil {
		t.Fatal(err)
	}
	_ = first.line(t)
	if stat, err := os.Lstat(w.Missing); err != nil || !stat.IsDir() {
		t.Error(stat, err)
	}
	if out, exit := w.run(w.profile(), "echo x > .envrc"); !strings.Contains(out, "directory") || exit.Code == 0 {
		t.Errorf("%q %+v", out, exit)
	}
	if _, err := os.Lstat(w.Missing); err != nil {
		t.Error("another command took it away:", err)
	}
	first.End()
	first.Wait()
	if _, err := os.Lstat(w.Missing); err == nil {
		t.Error("the place is still there")
	}
	w.write(w.Missing, "mine\n")
	if out, _ := w.run(w.profile(), "cat .envrc; echo x >> .envrc"); !strings.HasPrefix(out, "mine\n") || !strings.Contains(out, "Read-only") {
		t.Errorf("%q", out)
	}
	if text, err := os.ReadFile(w.Missing); string(text) != "mine\n" {
		t.Error(string(text), err)
	}
}

// Where the user cannot write, no place is held, since nobody of this user could fill it: the command runs.
func TestFolderOfSomebodyElse(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	if os.Getuid() == 0 {
		return // who writes everywhere; the second run is an ordinary user's
	}
	if err := os.Chmod(w.Root, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(w.Root, 0o755)
	if out, exit := w.run(w.profile(), "echo ran; echo x > .envrc"); !strings.HasPrefix(out, "ran\n") || !strings.Contains(out, "denied") || exit.Code == 0 {
		t.Errorf("%q %+v", out, exit)
	}
}

// When somebody outside replaces what is guarded or hidden, it is guarded again, and told.
func TestReplacedOutside(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	j, err := w.start(w.profile(), `echo ready; read x < gate
while cat .env 2>/dev/null; do :; done; while (echo bad >> .git/config) 2>/dev/null; do :; done; echo held; read x < gate; cat .env; echo bad >> .git/config`)
	if err != nil {
		t.Fatal(err)
	}
	_ = j.line(t)
	for _, name := range []string{".env", ".git/config"} {
		w.write(w.Root+"/fresh", "fresh\n")
		if err := os.Rename(w.Root+"/fresh", w.Root+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	w.open(j)
	if got := readUntil(j, "held"); got != "held" {
		t.Fatalf("%q %+v", got, j.Wait())
	}
	w.open(j)
	rest, _ := io.ReadAll(j.out)
	exit := j.Wait()
	if strings.Contains(string(rest), "fresh") || exit.Code == 0 {
		t.Errorf("%q", rest)
	}
	slices.Sort(exit.Told.Lost)
	if d := cmp.Diff([]string{w.Root + "/.env", w.Root + "/.git/config"}, exit.Told.Lost); d != "" {
		t.Error(d)
	}
}

// open lets a command go on that waits at the gate.
func (w *world) open(j *job) {
	go func() {
		if file, err := os.OpenFile(w.Gate, os.O_WRONLY, 0); err == nil {
			fmt.Fprintln(file, "go")
			file.Close()
		}
	}()
}

func readUntil(j *job, word string) string {
	for {
		text, err := j.out.ReadString('\n')
		if text = strings.TrimSuffix(text, "\n"); err != nil || text == word {
			return text
		}
	}
}

// A link that takes the place of a granted folder leads nowhere.
func TestSwappedRoot(t *testing.T) {
	requires(t, fence.Full)
	w := newWorld(t)
	p := w.profile()
	p.Write = append(p.Write, w.Root+"/granted")
	if err := os.Symlink(filepath.Dir(w.Note), w.Root+"/granted"); err != nil {
		t.Fatal(err)
	}
	out, exit := w.run(p, "echo x > granted/note; echo x > granted/new")
	if exit.Code == 0 || strings.Count(out, "Read-only") != 2 {
		t.Errorf("%q %+v", out, exit)
	}
	p.Root = w.dir + "/swapped"
	if err := os.Symlink(w.Home, p.Root); err != nil {
		t.Fatal(err)
	}
	if j, err := w.start(p, "true"); !errors.As(err, new(*fence.StepError)) {
		t.Error(j, err)
	}
}

// What somebody mounts outside while a command runs does not come in.
func TestPropagation(t *testing.T) {
	requires(t, fence.Full)
	need.Root(t)
	w := newWorld(t)
	where := w.Root + "/mounted"
	if err := errors.Join(os.Mkdir(where, 0o777), unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, "")); err != nil {
		t.Fatal(err)
	}
	j, err := w.start(w.profile(), "echo ready; read x < gate; cat mounted/file; touch mounted/x")
	if err != nil {
		t.Fatal(err)
	}
	_ = j.line(t)
	if err := unix.Mount("x", where, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(where, unix.MNT_DETACH)
	w.write(where+"/file", "outside\n")
	w.open(j)
	if text, _ := io.ReadAll(j.out); strings.Contains(string(text), "outside") {
		t.Errorf("%s", text)
	}
	j.Wait()
	// Another file system that is mounted in the workspace is read-only.
	if out, _ := w.run(w.profile(), "cat mounted/file; echo x > mounted/file"); !strings.Contains(out, "outside") || !strings.Contains(out, "Read-only") {
		t.Errorf("%q", out)
	}
}
