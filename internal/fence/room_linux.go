package fence

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/sys/unix"

	"parley/internal/fence/inside"
	"parley/internal/fence/proxy"
)

// mostConnections bounds those of a room to the proxy.
const mostConnections = 512

// room is the process in whose namespaces the commands of a session run: they share a network, so that a
// command reaches the server that another one started.
type room struct {
	mu      sync.Mutex // one exchange at a time
	control int
	port    int
	pid     int
	out     net.Listener // nil where the network is the machine's
	once    sync.Once

	spareMu sync.Mutex
	spare   *first // for the next command
	over    bool
}

// openRoom starts a room; with a network of its own, the proxy serves it.
func openRoom(own bool, p *proxy.Proxy) (*room, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a control connection: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		unix.Close(pair[0])
		unix.Close(pair[1])
		return nil, err
	}
	defer null.Close()
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWIPC)
	if own {
		flags |= unix.CLONE_NEWNET
	}
	pid, err := inside.StartRoom(null.Fd(), uintptr(pair[1]), flags)
	unix.Close(pair[1])
	if err != nil {
		unix.Close(pair[0])
		return nil, stepError("make namespaces", err)
	}
	r := &room{control: pair[0], pid: pid}
	if err := r.ready(own, p); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// ready waits until the room stands.
func (r *room) ready(own bool, p *proxy.Proxy) error {
	var ready inside.RoomReady
	fds, err := r.exchange(inside.RoomOrder{UID: os.Getuid(), GID: os.Getgid(), Network: own}, nil, &ready)
	if err != nil {
		return fmt.Errorf("start a room: %w", err)
	}
	if ready.Error != "" || own && len(fds) != 1 {
		closeAll(fds)
		return &StepError{Step: "furnish a room", Reason: ready.Error}
	}
	r.port = ready.Port
	if !own {
		return nil
	}
	_ = unix.SetNonblock(fds[0], true)
	file := os.NewFile(uintptr(fds[0]), "way out")
	defer file.Close()
	l, err := net.FileListener(file)
	if err != nil {
		return fmt.Errorf("take over the way out: %w", err)
	}
	// Whoever is inside may connect without end, and each connection is a descriptor here.
	r.out = netutil.LimitListener(l, mostConnections)
	go p.Serve(r.out)
	return nil
}

// take returns a first process that waits for its order: the one that was prepared, or a new one.
func (r *room) take() (*first, error) {
	r.spareMu.Lock()
	p := r.spare
	r.spare = nil
	r.spareMu.Unlock()
	if p != nil {
		if p.pid() != 0 {
			return p, nil
		}
		p.close()
	}
	return r.begin()
}

// prepare starts a first process for later, where none is there.
func (r *room) prepare() {
	r.spareMu.Lock()
	defer r.spareMu.Unlock()
	if r.spare != nil || r.over {
		return
	}
	// What goes wrong here goes wrong again when it matters.
	if p, err := r.begin(); err == nil {
		r.spare = p
	}
}

// begin has the room start a first process.
func (r *room) begin() (*first, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a control connection: %w", err)
	}
	defer unix.Close(pair[1])
	var started inside.RoomStarted
	fds, err := r.exchange(inside.RoomOrder{}, []int{pair[1]}, &started)
	if err == nil && (started.Error != "" || len(fds) != 1) {
		closeAll(fds)
		err = stepError("make namespaces", errnoOr(started.Errno, started.Error))
	}
	if err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	return newFirst(pair[0], fds[0])
}

// exchange sends a message and reads the answer.
func (r *room) exchange(message any, send []int, answer any) ([]int, error) {
	b, err := inside.Pack(message)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var oob []byte
	if len(send) > 0 {
		oob = unix.UnixRights(send...)
	}
	if err := unix.Sendmsg(r.control, b, oob, nil, unix.MSG_NOSIGNAL); err != nil {
		return nil, os.NewSyscallError("sendmsg", err)
	}
	b, oob = make([]byte, inside.MaxMessage), make([]byte, unix.CmsgSpace(4))
	for {
		n, oobn, _, _, err := unix.Recvmsg(r.control, b, oob, unix.MSG_CMSG_CLOEXEC)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, os.NewSyscallError("recvmsg", err)
		case n == 0:
			return nil, errors.New("the room is gone")
		}
		var fds []int
		if messages, err := unix.ParseSocketControlMessage(oob[:oobn]); err == nil && len(messages) == 1 {
			fds, _ = unix.ParseUnixRights(&messages[0])
		}
		return fds, inside.Unpack(b[:n], answer)
	}
}

// close ends the room and everything in it, and returns when all of it is gone, or when that hangs.
func (r *room) close() {
	r.once.Do(func() {
		if r.out != nil {
			r.out.Close()
		}
		_ = unix.Shutdown(r.control, unix.SHUT_RDWR)
		r.spareMu.Lock()
		r.over = true
		if r.spare != nil {
			r.spare.close()
		}
		r.spareMu.Unlock()
		_ = unix.Kill(r.pid, unix.SIGKILL)
		dead := make(chan struct{})
		go func() {
			defer close(dead)
			for {
				if _, err := unix.Wait4(r.pid, nil, 0, nil); err != unix.EINTR {
					return
				}
			}
		}()
		select {
		case <-dead:
		case <-time.After(mostHanging):
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		unix.Close(r.control)
	})
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

func errnoOr(number int, text string) error {
	if number != 0 {
		return syscall.Errno(number)
	}
	return errors.New(text)
}
