package inside

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// capabilities are what a first process needs until its command starts: mounts, its bounding set, the
// bounds of its namespaces, and the inner folder of an overlay, which has no permissions at all.
var capabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE, unix.CAP_DAC_OVERRIDE}

// roomCapabilities are what a room needs: its interface, namespaces for commands, and, where the user is
// root, the right to give user 0 away (user_namespaces(7)).
var roomCapabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETFCAP}

// drop takes every capability from this thread and from all that it will start, for good.
func drop() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear the ambient set: %w", err)
	}
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err == unix.EINVAL && c > unix.CAP_CHOWN {
			break // the kernel knows no more
		}
		if err != nil {
			return fmt.Errorf("empty the bounding set: %w", err)
		}
	}
	// SECBIT_* of capabilities(7), each with its lock: user 0 is nobody special, and nothing is kept.
	const bits = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 | 1<<6 | 1<<7
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, bits, 0, 0, 0); err != nil {
		return fmt.Errorf("set the secure bits: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// Bounds of a command.
const (
	// coreLimit is the one value at which the kernel neither writes a core file nor starts the program of
	// kernel.core_pattern (core(5)): that one runs outside, as root.
	coreLimit = 1
	// expendable is how much sooner than others the kernel ends a command when memory is out.
	expendable = "500"
)

func bound(processes int) error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: coreLimit, Max: coreLimit}); err != nil {
		return fmt.Errorf("bound core files: %w", err)
	}
	if processes <= 0 {
		return nil
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &now); err != nil {
		return fmt.Errorf("bound processes: %w", err)
	}
	most := min(uint64(processes), now.Max)
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("bound processes: %w", err)
	}
	return nil
}

// Sieve puts a filter on this thread and all that it starts. Calls that the filter leaves to a listener
// (SECCOMP_RET_USER_NOTIF) come from the returned descriptor, -1 where the filter has none.
func Sieve(filter []uint64, listen bool) (int, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("refuse new privileges: %w", err)
	}
	if len(filter) == 0 {
		return -1, nil
	}
	code := make([]unix.SockFilter, len(filter))
	for i, n := range filter {
		code[i] = unix.SockFilter{Code: uint16(n >> 48), Jt: uint8(n >> 40), Jf: uint8(n >> 32), K: uint32(n)}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	flags := uintptr(0)
	if listen {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, fmt.Errorf("set the list of system calls: %w", os.NewSyscallError("seccomp", errno))
	}
	if !listen {
		return -1, nil
	}
	return int(fd), nil
}
