package fence_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/fence"
	"parley/internal/fence/proxy"
	"parley/test/need"
)

// world is what is outside of a fence in a test: a home with secrets, a workspace, and servers.
type world struct {
	aims
	t     testing.TB
	dir   string
	place fence.Place
	fence *fence.Fence
	exe   string
}

// newWorld makes a world below a folder that every user can enter.
func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := os.MkdirTemp(base(), "fence")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir}
	w.Home, w.Root = dir+"/home", dir+"/work"
	w.Note, w.Missing, w.Cache = w.Home+"/notes/note", w.Root+"/.envrc", w.Home+"/.cache/build/entry"
	w.Secrets = []string{w.Home + "/.ssh/id", w.Root + "/.env", w.Home + "/.local/share/parley/log.db"}
	w.Guarded = []string{w.Root + "/.git/config", w.Root + "/.git/hooks", w.Root + "/.parley", w.Root + "/deep/er/denied"}
	for _, path := range append([]string{w.Note, w.Cache, w.Root + "/.git/config", w.Root + "/.git/HEAD", w.Root + "/deep/er/denied", w.Root + "/.parley/config.jsonc", w.Home + "/.bashrc"}, w.Secrets...) {
		w.write(path, "secret\n")
	}
	w.write(w.Root+"/.git/hooks/pre-commit.sample", "exit 0\n")
	w.write(w.Root+"/Makefile", "all:\n")
	w.Gate = w.Root + "/gate"
	if err := errors.Join(os.Mkdir(w.Root+"-empty", 0o755), unix.Mkfifo(w.Gate, 0o600)); err != nil {
		t.Fatal(err)
	}
	w.exe = dir + "/hostile"
	if err := os.Link(program(t), w.exe); err != nil {
		t.Fatal(err)
	}
	w.place = fence.Place{
		Root: w.Root, Temp: dir + "/temp", Keep: dir + "/keep", Private: []string{w.Home + "/.local/share/parley"},
		Env: []string{"HOME=" + w.Home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C"},
	}
	if err := os.Mkdir(w.place.Temp, 0o777); err != nil {
		t.Fatal(err)
	}
	w.fence = fence.New(fence.Options{Grace: 200 * time.Millisecond, Linger: 50 * time.Millisecond, Outside: proxy.Outside{
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			if name == "listed.test" {
				return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		},
		Dial: func(context.Context, netip.AddrPort) (net.Conn, error) {
			near, far := net.Pipe()
			far.Close()
			return near, nil
		},
	}})
	t.Cleanup(w.fence.Close)
	return w
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		w.t.Fatal(err)
	}
}

// program is a copy of this test that every user can start, made once.
var program = func() func(testing.TB) string {
	once := sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp(base(), "fence-program")
		if err != nil {
			return "", err
		}
		programs = dir
		path := dir + "/hostile"
		return path, errors.Join(os.Chmod(dir, 0o755), copyProgram("/proc/self/exe", path, 0o755))
	})
	return func(t testing.TB) string {
		t.Helper()
		path, err := once()
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
}()

// programs is the folder of that copy, "" for none.
var programs string

// profile is the standard one, with a denied and a hidden file as rules would name them.
func (w *world) profile() fence.Profile {
	p := fence.Standard(w.place)
	p.Hide = append(p.Hide, w.Root+"/.env")
	p.Guard = append(p.Guard, w.Root+"/deep/er/denied")
	p.Show = []string{w.exe, w.Home, w.dir + "/public", os.Getenv("FENCE_SETUID")}
	p.Processes = 100
	p.Network.Hosts, _ = proxy.ParseHosts([]string{"listed.test", "public.test"})
	return p
}

// serve makes the servers that a command is after.
func (w *world) serve() {
	w.t.Helper()
	listen := func(network, to string) string {
		l, err := net.Listen(network, to)
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { l.Close() })
		go echo(l)
		return l.Addr().String()
	}
	public := w.dir + "/public"
	if err := os.MkdirAll(public, 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.Socket, w.Later = listen("unix", public+"/socket"), public+"/later"
	w.Abstract = listen("unix", "@"+w.dir)
	for _, host := range hosts(w.t) {
		w.TCP = append(w.TCP, listen("tcp", net.JoinHostPort(host, "0")))
		c, err := net.ListenPacket("udp", net.JoinHostPort(host, "0"))
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { c.Close() })
		go echoPackets(c)
		w.UDP = append(w.UDP, c.LocalAddr().String())
	}
	w.Door = public + "/door"
}

// hosts are addresses of this machine only.
func hosts(t testing.TB) []string {
	list := []string{"127.0.0.1"}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			list = append(list, ip.IP.String())
		}
	}
	return list
}

func echo(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() { defer c.Close(); io.Copy(c, c) }()
	}
}

func echoPackets(c net.PacketConn) {
	b := make([]byte, 100)
	for {
		n, from, err := c.ReadFrom(b)
		if err != nil {
			return
		}
		c.WriteTo(b[:n], from)
	}
}

// openDoor listens as the daemon does.
func (w *world) openDoor() {
	l, err := net.Listen("unix", w.Door)
	if err != nil {
		w.t.Error(err)
		return
	}
	w.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			raw, err := c.(*net.UnixConn).SyscallConn()
			if err != nil {
				return
			}
			if why, err := fence.Behind(raw); why == "" && err == nil {
				io.WriteString(c, "welcome")
			} else {
				fmt.Fprint(c, why, err)
			}
			c.Close()
		}
	}()
}

// victims makes what a command is after of this process and others.
func (w *world) victims() {
	w.t.Helper()
	sleep := exec.Command("/bin/sleep", "3600")
	sleep.Env = []string{"FENCE_SECRET=1"}
	if err := sleep.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { sleep.Process.Kill(); sleep.Wait() })
	w.Victim = sleep.Process.Pid
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	w.Memory = id
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		file, err := os.CreateTemp(dir, "fence")
		if err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintln(file, "of another")
		file.Close()
		w.t.Cleanup(func() { os.Remove(file.Name()) })
		w.Others = append(w.Others, file.Name())
	}
	leak, err := os.Open(w.Note)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Descriptor = 200
	if err := unix.Dup3(int(leak.Fd()), w.Descriptor, 0); err != nil {
		w.t.Fatal(err)
	}
	leak.Close()
	w.t.Cleanup(func() { unix.Close(w.Descriptor) })
	w.Mark = fmt.Sprintf("3600.%d", os.Getpid())
	w.Program = os.Getenv("FENCE_SETUID")
}

// result is what became of an attempt.
type result struct {
	through bool
	output  string
	told    fence.Told
}

// try has the hostile program make an attempt in a fence.
func (w *world) try(name string, kind fence.Kind, p fence.Profile) result {
	w.t.Helper()
	text, err := json.Marshal(w.aims)
	if err != nil {
		w.t.Fatal(err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	defer out.Close()
	env := append(w.place.Env, "FENCE_ATTEMPT="+name, "FENCE_AIMS="+string(text))
	var wait func() (int, fence.Told)
	switch kind {
	case fence.Full:
		run, err := w.fence.Start(fence.Command{Path: w.exe, Args: []string{"hostile"}, Dir: p.Root, Env: env, Stdout: in, Stderr: in}, p)
		if err != nil {
			w.t.Fatal(err)
		}
		wait = func() (int, fence.Told) { e := run.Wait(); return e.Code, e.Told }
	case fence.None:
		cmd := exec.Command(w.exe)
		cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = env, p.Root, in, in, &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			w.t.Fatal(err)
		}
		wait = func() (int, fence.Told) { cmd.Wait(); return cmd.ProcessState.ExitCode(), fence.Told{} }
	case fence.Files:
		cmd := exec.Command(w.exe)
		cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = env, p.Root, in, in, &syscall.SysProcAttr{Setsid: true}
		end, err := fence.Confine(cmd, p)
		if err != nil {
			w.t.Fatal(err)
		}
		wait = func() (int, fence.Told) { cmd.Wait(); return cmd.ProcessState.ExitCode(), end() }
	}
	in.Close()
	w.meanwhile(name)
	said, _ := io.ReadAll(out)
	code, told := wait()
	if code > 1 {
		w.t.Errorf("%s: exit %d: %s", name, code, said)
	}
	return result{code == 0, strings.TrimSpace(string(said)), told}
}

// meanwhile does what belongs to an attempt after its start: sockets that were there before are hidden.
func (w *world) meanwhile(name string) {
	switch name {
	case "later socket file":
		l, err := net.Listen("unix", w.Later)
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { l.Close() })
		go echo(l)
	case "front door":
		w.openDoor()
	default:
		return
	}
	// The other end opens the pipe when it is so far.
	go os.WriteFile(w.Gate, []byte("now"), 0)
}

// end kills a process of the tests by its number.
func end(pid string) {
	if n, err := strconv.Atoi(pid); err == nil {
		_ = unix.Kill(n, unix.SIGKILL)
	}
}

// python is the path of an interpreter that every user can start.
func python(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/python3", "/usr/local/bin/python3"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return need.Program(t, "python3")
}
