package unix

import (
	"net"

	"golang.org/x/sys/unix"

	"parley/internal/transport"
)

// peer asks who is at the other end: SO_PEERCRED of unix(7). For a client that
// is the process which listened.
func peer(c *net.UnixConn) (transport.Peer, error) {
	var cred *unix.Ucred
	err := control(c, func(fd int) (err error) {
		cred, err = unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		return err
	})
	if err != nil {
		return transport.Peer{}, err
	}
	return transport.Peer{Known: true, UID: int(cred.Uid), PID: int(cred.Pid)}, nil
}
