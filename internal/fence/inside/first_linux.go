package inside

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// environment is that of this program inside; a command has its own.
var environment = []string{"GOMAXPROCS=2", "GOTRACEBACK=none"}

// first is the first process of a command's pid namespace, from its order to the end.
func first() int {
	// The command may send signals to this process; they mean nothing.
	signal.Notify(make(chan os.Signal, 1))
	files, err := receiveFiles()
	if err != nil {
		return 1
	}
	file := os.NewFile(control, "control")
	daemon, orders := &line{out: gob.NewEncoder(file)}, gob.NewDecoder(file)
	var order Order
	if err := orders.Decode(&order); err != nil {
		return 1
	}
	c, err := enter(order)
	if err != nil {
		_ = daemon.say(failed(err))
		return 1
	}
	c.daemon = daemon
	if order.Probe {
		_ = daemon.say(Report{Done: true, Plain: c.world.plain})
		return 0
	}
	c.pid, err = syscall.ForkExec(order.Path, order.Args, &syscall.ProcAttr{
		Dir: order.Dir, Env: order.Env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		_ = daemon.say(failed(stepError{"start " + order.Path, err}))
		return 1
	}
	for _, fd := range files {
		unix.Close(int(fd)) // who reads the output is not to wait for this process
	}
	if err := daemon.say(Report{Started: true}); err != nil {
		return 1
	}
	go c.obey(orders)
	go c.keep()
	c.attend()
	return 0
}

// receiveFiles takes the descriptors that come before an order, with one byte.
func receiveFiles() ([]uintptr, error) {
	fds, err := receive(make([]byte, 1))
	if err != nil {
		return nil, err
	}
	if len(fds) != 3 {
		return nil, fmt.Errorf("%d descriptors came, not 3", len(fds))
	}
	return []uintptr{uintptr(fds[0]), uintptr(fds[1]), uintptr(fds[2])}, nil
}

// line is the control connection to the daemon.
type line struct {
	mu  sync.Mutex
	out *gob.Encoder
}

func (l *line) say(r Report) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Encode(r)
}

// stepError is what failed on the way in.
type stepError struct {
	step string
	err  error
}

func (e stepError) Error() string { return e.step + ": " + e.err.Error() }
func (e stepError) Unwrap() error { return e.err }

func failed(err error) Report {
	r := Report{Error: err.Error(), Errno: number(err)}
	var step stepError
	if errors.As(err, &step) {
		r.Step, r.Error = step.step, step.err.Error()
	}
	return r
}

func number(err error) int {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return int(errno)
	}
	return 0
}

// command is what runs, and what it runs in.
type command struct {
	order   Order
	world   *world
	pid     int
	daemon  *line
	refused Refusals
	mounts  *os.File // the table of mounts, which wakes whoever polls it
	names   int      // an inotify descriptor

	mu     sync.Mutex
	status *unix.WaitStatus // of the command, once it has ended
	ended  []string
	lost   []string
	moved  []string
	ending sync.Once
	over   sync.Once
}

// enter does everything up to the start of the command. Its thread has no capabilities afterwards; the
// other threads of this process keep theirs, so that what came off can be put back.
func enter(order Order) (*command, error) {
	c := &command{order: order, refused: Refusals{Telling: order.Telling}}
	listener := -1
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"take the user's own number", func() error { return become(order.UID, order.GID) }},
		{"refuse further namespaces", func() error { return put("/proc/sys/user/max_user_namespaces", "0") }},
		{"be the first to go when memory is out", func() error { return put("/proc/self/oom_score_adj", expendable) }},
		{"watch the mounts", func() (err error) { c.mounts, err = os.Open("/proc/self/mountinfo"); return err }},
		{"build the mounts", func() (err error) { c.world, err = build(order.Mounts); return err }},
		{"watch what is guarded", func() error { c.names = watch(order.Forbid, c.world.kept); return nil }},
		{"bound the command", func() error { return bound(order.Processes) }},
		{"enter " + order.Dir, func() error { return unix.Chdir(order.Dir) }},
		{"drop capabilities", drop},
		{"refuse new privileges", func() (err error) { _, err = Sieve(nil, false); return err }},
		{"keep inside by Landlock", func() error { return Landlock(nil, order.Scopes) }},
		{"set the list of system calls", func() (err error) { listener, err = Sieve(order.Filter, true); return err }},
		{"be out of reach", unreachable},
	} {
		if err := step.do(); err != nil {
			return nil, stepError{step.name, err}
		}
	}
	if listener >= 0 {
		go c.refused.Serve(listener)
	}
	return c, nil
}

// obey does what the daemon asks; when the daemon is gone, so is everything here.
func (c *command) obey(orders *gob.Decoder) {
	for {
		var r Request
		if err := orders.Decode(&r); err != nil {
			os.Exit(1)
		}
		if r.End {
			go c.end()
		}
	}
}

// last is how long killed processes have until this one ends without having seen them end.
const last = 50 * time.Millisecond

// end asks every process here to end, and ends what does not.
func (c *command) end() {
	c.ending.Do(func() {
		_ = unix.Kill(-1, unix.SIGTERM)
		_ = unix.Kill(-1, unix.SIGCONT)
		time.Sleep(c.order.Grace)
		_ = unix.Kill(-1, unix.SIGKILL)
		time.Sleep(last)
		c.finish(false)
	})
}

// attend collects processes until none is left. What the command leaves behind gets the time to end.
func (c *command) attend() {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR || err == nil && pid != c.pid:
		case err != nil: // no child is left
			c.finish(true)
			return
		default:
			c.mu.Lock()
			c.status = &status
			c.mu.Unlock()
			time.AfterFunc(c.order.Linger, c.hangUp)
		}
	}
}

// hangUp ends what a command that came to its end left running.
func (c *command) hangUp() {
	left := processes()
	c.mu.Lock()
	c.ended = left
	c.mu.Unlock()
	c.end()
}

// finish reports and exits; the kernel then kills what is left.
func (c *command) finish(clean bool) {
	c.over.Do(func() {
		c.mu.Lock()
		r := Report{
			Done: true, Clean: clean, Code: -1, Signal: int(unix.SIGKILL),
			Ended: c.ended, Calls: c.refused.Calls(), Plain: c.world.plain, Lost: c.lost, Aside: c.moved,
		}
		if c.status != nil {
			r.Code, r.Signal = c.status.ExitStatus(), 0
			if c.status.Signaled() {
				r.Signal = int(c.status.Signal())
			}
		}
		c.mu.Unlock()
		_ = c.daemon.say(r)
		os.Exit(0)
	})
}

// processes lists what runs here beside this process, as "PID NAME".
func processes() []string {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var list []string
	for _, pid := range names {
		if pid[0] < '1' || pid[0] > '9' || pid == "1" {
			continue
		}
		if name, alive := nameOf(pid); alive {
			list = append(list, fmt.Sprintf("%s %s", pid, name))
		}
	}
	return list
}
