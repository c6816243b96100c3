package fence

import (
	"encoding/gob"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/fence/inside"
)

// first is the first process of a command, as it is seen from outside.
type first struct {
	control *net.UnixConn
	orders  *gob.Encoder
	reports *gob.Decoder
	process *os.File // a pidfd
}

// longestReports bounds what a first process says in all.
const longestReports = 4 << 20

// newFirst takes over one end of a control connection and a pidfd.
func newFirst(control, pidfd int) (*first, error) {
	_ = unix.SetNonblock(control, true)
	file := os.NewFile(uintptr(control), "control")
	conn, err := net.FileConn(file)
	file.Close()
	if err != nil {
		unix.Close(pidfd)
		return nil, fmt.Errorf("make a control connection: %w", err)
	}
	_ = unix.SetNonblock(pidfd, true)
	return &first{
		control: conn.(*net.UnixConn), orders: gob.NewEncoder(conn), reports: gob.NewDecoder(io.LimitReader(conn, longestReports)),
		process: os.NewFile(uintptr(pidfd), "pidfd"),
	}, nil
}

// order sends an order with the descriptors that belong to it.
func (p *first) order(o inside.Order, files []*os.File) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	fds := make([]int, len(files))
	for i, file := range files {
		if file == nil {
			file = null
		}
		fds[i] = int(file.Fd())
	}
	if _, _, err := p.control.WriteMsgUnix([]byte{0}, unix.UnixRights(fds...), nil); err != nil {
		return err
	}
	return p.orders.Encode(o)
}

// pid is the process's number on this machine, 0 when it is gone.
func (p *first) pid() int {
	pid := 0
	p.pidfd(func(fd int) {
		text, _ := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(fd))
		_, rest, _ := strings.Cut(string(text), "\nPid:")
		line, _, _ := strings.Cut(rest, "\n")
		pid, _ = strconv.Atoi(strings.TrimSpace(line))
	})
	return max(pid, 0)
}

func (p *first) kill() {
	p.pidfd(func(fd int) { _ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) })
}

func (p *first) pidfd(do func(fd int)) {
	if raw, err := p.process.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) })
	}
}

// gone waits until the process is dead, and with it all of its pid namespace: a pidfd is readable then. It
// says no where something still hangs in the kernel, such as a read from a disk that does not answer.
func (p *first) gone() bool {
	_ = p.process.SetReadDeadline(time.Now().Add(mostHanging))
	raw, err := p.process.SyscallConn()
	if err != nil {
		return false
	}
	dead := false
	_ = raw.Read(func(fd uintptr) bool {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, 0)
		dead = n > 0
		return dead || err != nil && err != unix.EINTR
	})
	return dead
}

// mostHanging is how long a killed process is waited for.
const mostHanging = 5 * time.Second

func (p *first) close() {
	p.control.Close()
	p.process.Close()
}
