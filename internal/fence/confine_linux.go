package fence

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"

	"parley/internal/fence/filter"
	"parley/internal/fence/inside"
)

// Confine starts a command in a fence of kind [Files]: it cannot change what is outside of the profile's
// workspace, caches and temporary folders, and the list of system calls holds. Guarded and hidden paths,
// and the network, are beyond it. The returned function says what was stopped, once the command is over.
func Confine(cmd *exec.Cmd, p Profile) (end func() Told, err error) {
	// What somebody handed to this process without closing it at a start is not the command's.
	_ = unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	before := snap(p.Root)
	refused := &inside.Refusals{}
	apart(func() {
		if err = restrict(refused, p); err == nil {
			err = cmd.Start()
		}
	})
	if err != nil {
		return nil, err
	}
	return func() Told { return Told{Calls: calls(refused.Calls()), Changed: before.changed(snap(p.Root))} }, nil
}

// apart runs a function on a thread that ends with it, and that is not the one by which others see this
// process: what the thread is denied, the rest of the process is not.
func apart(do func()) {
	done := make(chan struct{})
	var try func()
	try = func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			defer close(done)
			do()
			return // locked: the thread ends
		}
		go try()
		<-done
		runtime.UnlockOSThread()
	}
	go try()
	<-done
}

// restrict keeps this thread and all that it starts inside a profile.
func restrict(refused *inside.Refusals, p Profile) error {
	arch := filter.Arch(runtime.GOARCH)
	program, err := filter.Program(arch, true)
	if err != nil {
		return err
	}
	if _, err := inside.Sieve(nil, false); err != nil {
		return stepError("refuse new privileges", err)
	}
	if err := inside.Landlock(changeable(p), inside.ScopeSockets|inside.ScopeSignals); err != nil {
		return stepError("keep inside by Landlock", err)
	}
	for _, row := range filter.Rows {
		if row.Telling() {
			refused.Telling = append(refused.Telling, row.Number(arch))
		}
	}
	listener, err := inside.Sieve(filter.Pack(program), true)
	if err != nil {
		return stepError("set the list of system calls", err)
	}
	if listener >= 0 {
		go func() {
			refused.Serve(listener)
			unix.Close(listener)
		}()
	}
	return nil
}

// shared are what every program may write to and that keeps nothing.
var shared = []string{
	"/tmp", "/var/tmp", "/dev/shm", "/dev/pts", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
}

// changeable lists what a command in a fence of kind Files may change.
func changeable(p Profile) []string {
	list := append([]string{p.Root}, p.Write...)
	return append(append(list, p.Caches...), shared...)
}
