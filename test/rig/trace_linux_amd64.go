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

// Constants of ptrace(2), prctl(2) and seccomp(2) that package syscall lacks.
const (
	ptraceSeccomp   = 0x80
	ptraceExitKill  = 0x100000
	eventSeccomp    = 7
	setNoNewPrivs   = 38
	setSeccomp      = 22
	modeFilter      = 2
	returnTrace     = 0x7ff00000
	returnAllow     = 0x7fff0000
	loadNumber      = 0x20 // BPF_LD|BPF_W|BPF_ABS
	jumpIfEqual     = 0x15 // BPF_JMP|BPF_JEQ|BPF_K
	returnConstant  = 0x06 // BPF_RET|BPF_K
	numberOfSyscall = 0    // offset in struct seccomp_data
)

// A tracer runs a program and does something to it at one of its system calls.
// The calls of all threads are counted as one row, which strace's injection
// cannot do: it counts each thread for itself.
type tracer struct {
	calls  []string
	under  string
	at     int
	action string
	keep   bool
	log    io.Writer
	hits   int
	healed atomic.Bool
	pid    int
	known  map[int]bool
}

// Tracer is a program: it runs another one and counts the system calls that
// change files below a folder.
//
//	tracer [-calls fsync,write,…] [-under DIR] [-at N] [-do kill|EIO|ENOSPC|EROFS] [-keep] [-log FILE] CMD ARGS…
//
// At the n-th call the program is killed before the call is made, or the call
// is not made and fails with that error; with -keep this and all that follow,
// until the tracer gets SIGUSR1. FILE gets a line for each call, and "healed". The
// exit code is that of the program; 125 says that nothing could be traced.
func Tracer(args []string) int {
	if len(args) > 1 && args[0] == filtered {
		return failed(filter(args[1:]))
	}
	t := &tracer{log: io.Discard, known: make(map[int]bool)}
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
			return failed(err)
		}
		t.log = file
	}
	code, err := t.run(f.Args())
	if err != nil {
		return failed(err)
	}
	return code
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "tracer:", err)
	return 125
}

// filtered is the first argument of a tracer that is on its way to become the
// program: it asks the system to stop at the calls that matter, and at no other.
const filtered = "-filtered"

// filter becomes the program under a filter of its system calls, see seccomp(2).
func filter(args []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	type instruction struct {
		code   uint16
		yes    uint8
		no     uint8
		number uint32
	}
	program := []instruction{{code: loadNumber, number: numberOfSyscall}}
	left := len(touching)
	for nr := range touching {
		program = append(program, instruction{code: jumpIfEqual, yes: uint8(left), number: uint32(nr)})
		left--
	}
	program = append(program, instruction{code: returnConstant, number: returnAllow}, instruction{code: returnConstant, number: returnTrace})
	loaded := struct {
		length uint16
		first  *instruction
	}{uint16(len(program)), &program[0]}
	runtime.LockOSThread()
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setSeccomp, modeFilter, uintptr(unsafe.Pointer(&loaded)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return syscall.Exec(path, args, os.Environ())
}

func (t *tracer) run(args []string) (int, error) {
	// Only the thread that began to trace may go on (ptrace(2)).
	runtime.LockOSThread()
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, append([]string{filtered}, args...)...)
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
	if err := syscall.PtraceSetOptions(t.pid, syscall.PTRACE_O_TRACECLONE|ptraceSeccomp|ptraceExitKill); err != nil {
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
			fmt.Fprintln(t.log, "healed")
			continue
		}
		// It may have ended.
		_ = syscall.Kill(t.pid, s.(syscall.Signal))
	}
}

// resume lets a thread go on; one that was killed meanwhile is gone.
func resume(tid int, s syscall.Signal) { _ = syscall.PtraceCont(tid, int(s)) }

// stopped deals with a thread that stopped and returns the signal to give it.
func (t *tracer) stopped(tid int, status syscall.WaitStatus) syscall.Signal {
	known := t.known[tid]
	t.known[tid] = true
	switch s := status.StopSignal(); {
	case s == syscall.SIGTRAP && status.TrapCause() == eventSeccomp:
		t.syscall(tid)
		return 0
	case s == syscall.SIGTRAP, s == syscall.SIGSTOP && !known:
		return 0
	default:
		return s
	}
}

// syscall deals with a thread that is about to make a call.
func (t *tracer) syscall(tid int) {
	var r syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &r) != nil {
		return // it is dying
	}
	call := touching[r.Orig_rax]
	if len(t.calls) > 0 && !slices.Contains(t.calls, call.name) {
		return
	}
	where := t.where(tid, call.path, [2]uint64{r.Rdi, r.Rsi})
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
	// A call of no number is not made, and returns what is there.
	r.Orig_rax, r.Rax = ^uint64(0), uint64(-int64(errno))
	_ = syscall.PtraceSetRegs(tid, &r) // it may be dying
}

// where is the path that a call is about; empty for what is none.
func (t *tracer) where(tid, path int, args [2]uint64) string {
	if path < 0 {
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, int32(args[0])))
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
	n, _ := memory.ReadAt(b, int64(args[path])) // up to the end of what is mapped
	name, _, _ := strings.Cut(string(b[:n]), "\x00")
	return filepath.Clean(name)
}
