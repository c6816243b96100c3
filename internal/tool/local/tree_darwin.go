package local

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

var self = os.Getpid()

// zombieState is SZOMB of sys/proc.h.
const zombieState = 5

func list() []process {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	table := make([]process, 0, len(all))
	for _, k := range all {
		pid := int(k.Proc.P_pid)
		session, err := unix.Getsid(pid)
		if err != nil {
			session = -1
		}
		name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
		table = append(table, process{
			pid: pid, parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid), session: session,
			born:   uint64(k.Proc.P_starttime.Sec)<<20 | uint64(k.Proc.P_starttime.Usec),
			zombie: k.Proc.P_stat == zombieState, name: string(name),
		})
	}
	return table
}

// marked reads the block of arguments and environment: a count of arguments, the program's path, padding,
// the arguments, the environment (kern.procargs2, xnu kern_sysctl.c).
func marked(pid int, mark string) bool {
	block, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(block) < 4 {
		return false
	}
	arguments := int(binary.NativeEndian.Uint32(block))
	_, rest, _ := bytes.Cut(block[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for ; arguments > 0; arguments-- {
		_, rest, _ = bytes.Cut(rest, []byte{0})
	}
	return contains(rest, mark)
}

// holds needs libproc, which needs cgo.
func holds(int, []string) bool { return false }

func inode(*os.File) string { return "" }

func signal(ps []process, s syscall.Signal) {
	for _, p := range ps {
		_ = syscall.Kill(p.pid, s)
	}
}

// await returns when the command has exited. macOS has no wait that leaves a zombie in the syscall
// package; its numbers count up to 99998 before one comes again.
func await(cmd *exec.Cmd) { _ = cmd.Wait() }
