package unix

import (
	"net"

	"golang.org/x/sys/unix"
)

func control(c *net.UnixConn, f func(fd int) error) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	if cerr := raw.Control(func(fd uintptr) { err = f(int(fd)) }); cerr != nil {
		return cerr
	}
	return err
}

// gone reports whether the peer has closed both directions: POLLHUP of poll(2).
// After a half-close it is not set.
func gone(c *net.UnixConn) bool {
	fds := []unix.PollFd{{}}
	err := control(c, func(fd int) error {
		fds[0].Fd = int32(fd)
		_, err := unix.Poll(fds, 0)
		return err
	})
	return err != nil || fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
}
