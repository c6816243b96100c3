package unix

import (
	"net"

	"golang.org/x/sys/unix"

	"parley/internal/transport"
)

// peer asks who is at the other end: LOCAL_PEERCRED and LOCAL_PEERPID of
// unix(4).
func peer(c *net.UnixConn) (transport.Peer, error) {
	var p transport.Peer
	err := control(c, func(fd int) error {
		cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err != nil {
			return err
		}
		p = transport.Peer{Known: true, UID: int(cred.Uid)}
		// The number is for error texts only.
		p.PID, _ = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		return nil
	})
	return p, err
}
