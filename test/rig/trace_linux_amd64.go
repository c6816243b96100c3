package rig

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// touching are the system calls that change what a disk holds, by the argument
// that says where: a file descriptor, or a path.
var touching = map[uint64]struct {
	name string
	path int // index of the argument that is a path; -1: the first is a descriptor
}{
	syscall.SYS_WRITE: {"write", -1}, syscall.SYS_PWRITE64: {"pwrite64", -1}, syscall.SYS_FTRUNCATE: {"ftruncate", -1},
	syscall.SYS_FSYNC: {"fsync", -1}, syscall.SYS_FDATASYNC: {"fdatasync", -1},
	syscall.SYS_RENAME: {"rename", 0}, syscall.SYS_RENAMEAT: {"renameat", 1}, 316: {"renameat2", 1},
	syscall.SYS_UNLINK: {"unlink", 0}, syscall.SYS_UNLINKAT: {"unlinkat", 1}, syscall.SYS_MKDIRAT: {"mkdirat", 1},
}

// Constants of ptrace(2) that package syscall lacks.
const (
	ptraceSyscallInfo = 0x420e
	ptraceExitKill    = 0x100000
	stoppedAtSyscall  = syscall.SIGTRAP | 0x80
)

// A tracer runs a program and does something to it at one of its system calls.
// The calls of all threads are counted as one row, which strace's injection
// cannot do: it counts each thread for itself.
type tracer struct {
	calls   []string
	under   string
	at      int
	action  string
	keep    bool
	log     io.Writer
	hits    int
	healed  atomic.Bool
	pid     int
	known   map[int]bool
	failing map[int]failure // threads whose call is to fail when it returns
}

// failure is a call that is kept from doing anything, with its two first arguments.
type failure struct {
	errno    syscall.Errno
	rdi, rsi uint64
}

// Tracer is a program: it runs another one and counts the system calls that
// change files below a folder.
//
//	tracer [-calls fsync,write,…] [-under DIR] [-at N] [-do kill|EIO|ENOSPC|EROFS] [-keep] [-log FILE] CMD ARGS…
//
// At the n-th call the program is killed before the call is made, or the call
// is not made and fails with that error; with -keep this and all that follow,
// until the tracer gets SIGUSR1. FILE gets a line for each call. The exit code is
// that of the program; 125 says that nothing could be traced.
func Tracer(args []string) int {
	t := &tracer{log: io.Discard, known: make(map[int]bool), failing: make(map[int]failure)}
	f := flag.NewFlagSet("tracer", flag.ContinueOnError)
	calls := f.String("calls", "", "")
	f.StringVar(&t.under, "under", "/", "")
	f.IntVar(&t.at, "at", 0, "")
	f.StringVar(&t.action, "do", "", "")
	f.BoolVar(&t.keep, "keep", false, "")
	log := f.String("log", "", "")
	if f.Parse(args) != nil || f.NArg() == 0 {
		return 125
	}
	t.calls = strings.FieldsFunc(*calls, func(r rune) bool { return r == ',' })
	if *log != "" {
		file, err := os.Create(*log)
		if err != nil {
			fmt.Fprintln(os.Stderr, "tracer:", err)
			return 125
		}
		t.log = file
	}
	code, err := t.run(f.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "tracer:", err)
		return 125
	}
	return code
}

func (t *tracer) run(args []string) (int, error) {
	// Only the thread that began to trace may go on (ptrace(2)).
	runtime.LockOSThread()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	t.pid = cmd.Process.Pid
	go t.signals()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.pid, &status, syscall.WALL, nil); err != nil {
		return 0, err
	}
	if err := syscall.PtraceSetOptions(t.pid, syscall.PTRACE_O_TRACESYSGOOD|syscall.PTRACE_O_TRACECLONE|ptraceExitKill); err != nil {
		return 0, err
	}
	t.known[t.pid] = true
	resume(t.pid, 0)
	for {
		tid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case tid == t.pid && status.Exited():
			return status.ExitStatus(), nil
		case tid == t.pid && status.Signaled():
			return 128 + int(status.Signal()), nil
		case status.Stopped():
			resume(tid, t.stopped(tid, status))
		}
	}
}

// signals passes on what asks for the end. SIGUSR1 ends the failures.
func (t *tracer) signals() {
	got := make(chan os.Signal, 4)
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1)
	for s := range got {
		if s == syscall.SIGUSR1 {
			t.healed.Store(true)
			continue
		}
		// It may have ended.
		_ = syscall.Kill(t.pid, s.(syscall.Signal))
	}
}

// resume lets a thread go on; one that was killed meanwhile is gone.
func resume(tid int, s syscall.Signal) { _ = syscall.PtraceSyscall(tid, int(s)) }

// stopped deals with a thread that stopped and returns the signal to give it.
func (t *tracer) stopped(tid int, status syscall.WaitStatus) syscall.Signal {
	known := t.known[tid]
	t.known[tid] = true
	switch s := status.StopSignal(); {
	case s == stoppedAtSyscall:
		t.syscall(tid)
		return 0
	case s == syscall.SIGTRAP, s == syscall.SIGSTOP && !known:
		return 0
	default:
		return s
	}
}

// info is struct ptrace_syscall_info of ptrace(2).
type info struct {
	op   uint8 // 1 entry, 2 exit
	_    [3]uint8
	arch uint32
	_    [2]uint64
	nr   uint64
	args [6]uint64
	_    uint64
}

func (t *tracer) syscall(tid int) {
	var at info
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceSyscallInfo, uintptr(tid), unsafe.Sizeof(at), uintptr(unsafe.Pointer(&at)), 0, 0); errno != 0 {
		return
	}
	if at.op == 2 {
		if f, ok := t.failing[tid]; ok {
			delete(t.failing, tid)
			change(tid, func(r *syscall.PtraceRegs) { r.Rax, r.Rdi, r.Rsi = uint64(-int64(f.errno)), f.rdi, f.rsi })
		}
		return
	}
	call, ok := touching[at.nr]
	if !ok || len(t.calls) > 0 && !slices.Contains(t.calls, call.name) {
		return
	}
	where := t.where(tid, call.path, at)
	if where != t.under && !strings.HasPrefix(where, strings.TrimSuffix(t.under, "/")+"/") {
		return
	}
	t.hits++
	fmt.Fprintf(t.log, "%d %s %s\n", t.hits, call.name, where)
	if t.at == 0 || t.hits < t.at || t.hits > t.at && !t.keep || t.healed.Load() {
		return
	}
	if t.action == "kill" {
		_ = syscall.Kill(t.pid, syscall.SIGKILL) // it is there: it stopped
		return
	}
	errno := map[string]syscall.Errno{"EIO": syscall.EIO, "ENOSPC": syscall.ENOSPC, "EROFS": syscall.EROFS}[t.action]
	// No descriptor and no path: the call does nothing, whatever it is.
	change(tid, func(r *syscall.PtraceRegs) {
		t.failing[tid] = failure{errno, r.Rdi, r.Rsi}
		r.Rdi, r.Rsi = ^uint64(0), ^uint64(0)
	})
}

// change changes registers.
func change(tid int, f func(*syscall.PtraceRegs)) {
	var r syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &r) == nil {
		f(&r)
		_ = syscall.PtraceSetRegs(tid, &r) // it may be dying
	}
}

// where is the path that a call is about; empty for what is none.
func (t *tracer) where(tid, path int, at info) string {
	if path < 0 {
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, int32(at.args[0])))
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(name, " (deleted)")
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
	if err != nil {
		return ""
	}
	defer memory.Close()
	b := make([]byte, 4096)
	n, _ := memory.ReadAt(b, int64(at.args[path])) // up to the end of what is mapped
	name, _, _ := strings.Cut(string(b[:n]), "\x00")
	return filepath.Clean(name)
}
