package fence_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func clone3(arguments *uint64, size uintptr) error {
	pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(arguments)), size, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
	}
	return nil
}

// call makes a system call for the sake of its error.
func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func keyring(aims) error {
	_, ring := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
	_, add := unix.AddKey("user", "fence", []byte("x"), unix.KEY_SPEC_USER_KEYRING)
	_, request := unix.RequestKey("user", "fence", "", 0)
	return anyError(ring, add, request)
}

func dangerous(aims) error {
	map1 := [8]uint32{2, 4, 4, 1} // an array map
	perf := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
	_, perfErr := unix.PerfEventOpen(&perf, 0, -1, -1, 0)
	ring := make([]byte, 120)
	return anyError(call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&map1)), unsafe.Sizeof(map1)), perfErr, call(unix.SYS_USERFAULTFD, 1),
		call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&ring[0]))), call(unix.SYS_PERSONALITY, 0x40000),
		call(0x40000000|unix.SYS_GETPID), call(unix.SYS_FANOTIFY_INIT, unix.FAN_REPORT_FID, 0))
}

func trace(a aims) error {
	var errs []error
	for _, pid := range []int{a.Victim, 1} {
		attached := unix.PtraceSeize(pid)
		if attached == nil {
			_ = unix.PtraceDetach(pid)
		}
		b := make([]byte, 8)
		local := []unix.Iovec{{Base: &b[0], Len: 8}}
		_, read := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
		if errors.Is(read, unix.EFAULT) {
			read = nil // it was the address that was wrong
		}
		fd, taken := unix.PidfdOpen(pid, 0)
		if taken == nil {
			_, taken = unix.PidfdGetfd(fd, 0, 0)
		}
		errs = append(errs, attached, read, taken)
	}
	return anyError(errs...)
}

func proc(a aims) error {
	own := fmt.Sprintf("/proc/%d/", os.Getpid())
	for _, name := range []string{"environ", "mem", "maps", "auxv", "stack"} {
		paths, _ := filepath.Glob("/proc/[0-9]*/" + name)
		for _, path := range paths {
			if filepath.Dir(path)+"/" == own {
				continue
			}
			file, err := os.Open(path)
			if err != nil {
				continue
			}
			b := make([]byte, 64<<10)
			n, err := file.Read(b)
			file.Close()
			if name == "mem" && err != nil && !errors.Is(err, unix.EIO) || name != "mem" && n == 0 {
				continue
			}
			fmt.Println("by", path, bytes.Contains(b[:n], []byte("FENCE_SECRET")))
			return nil
		}
	}
	for _, pattern := range []string{"/proc/[0-9]*/fd/*", "/proc/[0-9]*/root", "/proc/[0-9]*/cwd", "/proc/[0-9]*/ns/net"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			if len(path) > len(own) && path[:len(own)] == own {
				continue
			}
			if _, err := os.Readlink(path); err == nil {
				fmt.Println("by", path)
				return nil
			}
		}
	}
	return errors.New("nothing of other processes can be read")
}

func terminal(aims) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	errs := []error{err, ioctlByte(tty, unix.TIOCSTI)}
	pair, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return anyError(errs...)
	}
	number, err := unix.IoctlGetInt(int(pair.Fd()), unix.TIOCGPTN)
	if err != nil {
		return err
	}
	if err := unix.IoctlSetPointerInt(int(pair.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	// Who leads a session and has no terminal gets the one that it opens: into that it may type.
	own, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	for _, request := range []uintptr{unix.TIOCSTI, unix.TIOCSTI | 1<<32, 0x541c} {
		errs = append(errs, ioctlByte(own, request), ioctlByte(pair, request))
	}
	return anyError(errs...)
}

func ioctlByte(file *os.File, request uintptr) error {
	if file == nil {
		return os.ErrInvalid
	}
	b := byte('x')
	return call(unix.SYS_IOCTL, file.Fd(), request, uintptr(unsafe.Pointer(&b)))
}

// sleeper starts a process that does nothing for long, in a session of its own.
func sleeper(mark string) (int, error) {
	return syscall.ForkExec("/bin/sleep", []string{"sleep", mark}, &syscall.ProcAttr{Env: []string{}, Sys: &syscall.SysProcAttr{Setsid: true}})
}

func stay(a aims) error {
	_, err := sleeper(a.Mark)
	return err
}

// bombs is more than the bound that the test sets, and less than what a machine has.
const bombs = 150

func forkBomb(aims) error {
	var pids []int
	var err error
	for range bombs {
		var pid int
		if pid, err = sleeper("600"); err != nil {
			break
		}
		pids = append(pids, pid)
	}
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}
	return err
}

func raw(aims) error {
	return anySocket([3]int{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP}, [3]int{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_RAW}, [3]int{unix.AF_INET6, unix.SOCK_RAW, unix.IPPROTO_ICMPV6},
		[3]int{unix.AF_PACKET, unix.SOCK_RAW, 0x300}, [3]int{unix.AF_PACKET, unix.SOCK_DGRAM, 0}, [3]int{unix.AF_INET, unix.SOCK_PACKET, 0x300})
}

func anySocket(kinds ...[3]int) error {
	var errs []error
	for _, k := range kinds {
		fd, err := unix.Socket(k[0], k[1], k[2])
		if err == nil {
			unix.Close(fd)
		}
		errs = append(errs, err)
	}
	return anyError(errs...)
}
