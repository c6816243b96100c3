package local

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

var self = os.Getpid()

// list reads the process table. A process that ends meanwhile is left out.
func list() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var table []process
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		if p, ok := parseStat(readProc(name, "stat", 4096)); ok {
			table = append(table, p)
		}
	}
	return table
}

func readProc(pid, name string, limit int64) []byte {
	file, err := os.Open("/proc/" + pid + "/" + name)
	if err != nil {
		return nil
	}
	defer file.Close()
	content, _ := io.ReadAll(io.LimitReader(file, limit))
	return content
}

// parseStat reads /proc/PID/stat (proc_pid_stat(5)). The name stands in parentheses and may hold some.
func parseStat(line []byte) (process, bool) {
	opening, closing := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if opening < 0 || closing < opening {
		return process{}, false
	}
	fields := bytes.Fields(line[closing+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	number := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n }
	born, _ := strconv.ParseUint(string(fields[19]), 10, 64)
	return process{
		pid: number(bytes.TrimSpace(line[:opening])), parent: number(fields[1]), group: number(fields[2]),
		session: number(fields[3]), born: born, zombie: fields[0][0] == 'Z' || fields[0][0] == 'X',
		name: string(line[opening+1 : closing]),
	}, true
}

// maxEnviron bounds what is read of an environment; the kernel allows 6 MiB and nobody uses it.
const maxEnviron = 4 << 20

func marked(pid int, mark string) bool {
	return contains(readProc(strconv.Itoa(pid), "environ", maxEnviron), mark)
}

// holds says that the process has one of the pipes open.
func holds(pid int, pipes []string) bool {
	if pid == self {
		return false
	}
	path := "/proc/" + strconv.Itoa(pid) + "/fd"
	dir, err := os.Open(path)
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if target, err := os.Readlink(path + "/" + name); err == nil && slices.Contains(pipes, target) {
			return true
		}
	}
	return false
}

// inode names a pipe as /proc does; what is none has no name, since others may have it open for good.
func inode(file *os.File) string {
	stat, err := file.Stat()
	if err != nil || stat.Mode()&os.ModeNamedPipe == 0 {
		return ""
	}
	return fmt.Sprintf("pipe:[%d]", stat.Sys().(*syscall.Stat_t).Ino)
}

// signal sends to exactly these processes: the pidfd holds on to the process while its birth is compared.
func signal(ps []process, s syscall.Signal) {
	for _, p := range ps {
		fd, err := unix.PidfdOpen(p.pid, 0)
		if err == unix.ENOSYS || err == unix.EPERM {
			_ = syscall.Kill(p.pid, s)
			continue
		}
		if err != nil {
			continue
		}
		if now, ok := parseStat(readProc(strconv.Itoa(p.pid), "stat", 4096)); ok && now.born == p.born {
			_ = unix.PidfdSendSignal(fd, s, nil, 0)
		}
		unix.Close(fd)
	}
}

// await returns when the command has exited, and leaves it a zombie: its number, by which its session is
// known, cannot be used again before it is reaped.
func await(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}
