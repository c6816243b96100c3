package inside

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// MaxMessage bounds a message on a room's control connection, which keeps messages apart.
const MaxMessage = 4096

// room serves a control connection until it ends; the exit code is for people who look.
//
// Messages to it: a RoomOrder, then one for each command, with the control connection of the command's
// first process. Messages from it: RoomReady, then for each command a RoomStarted, with a pidfd.
func room() int {
	var order RoomOrder
	b := make([]byte, MaxMessage)
	n, err := unix.Read(control, b)
	if err == nil {
		err = Unpack(b[:n], &order)
	}
	if err != nil {
		return 1
	}
	ready, listener := furnishRoom(order)
	if err := tell(ready, listener...); err != nil || ready.Error != "" {
		return 1
	}
	for _, fd := range listener {
		unix.Close(fd)
	}
	for {
		fds, err := receive(b)
		if err != nil {
			return 0 // whoever started the room is gone, and pid 1 takes all others with it
		}
		started, pidfd := begin(fds)
		for _, fd := range fds {
			unix.Close(fd)
		}
		if err := tell(started, pidfd...); err != nil {
			return 0
		}
		for _, fd := range pidfd {
			unix.Close(fd)
		}
	}
}

// RoomStarted is the answer to a command.
type RoomStarted struct {
	Error string `json:",omitempty"`
	Errno int    `json:",omitempty"`
}

func furnishRoom(order RoomOrder) (RoomReady, []int) {
	if err := become(order.UID, order.GID); err != nil {
		return RoomReady{Error: err.Error()}, nil
	}
	// Its memory is of no use to anybody, and its descriptors lead out.
	if err := unreachable(); err != nil {
		return RoomReady{Error: err.Error()}, nil
	}
	if !order.Network {
		return RoomReady{}, nil
	}
	if err := loopback(); err != nil {
		return RoomReady{Error: err.Error()}, nil
	}
	fd, port, err := listen()
	if err != nil {
		return RoomReady{Error: err.Error()}, nil
	}
	return RoomReady{Port: port}, []int{fd}
}

// loopback switches the one interface on that a new network namespace has.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("switch the loopback on: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("switch the loopback on: %w", err)
	}
	return nil
}

// listen makes the socket of the way out. Whoever holds it stands outside and accepts what comes from here.
func listen() (fd, port int, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, 0, fmt.Errorf("make the way out: %w", err)
	}
	loop := &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	if err = unix.Bind(fd, loop); err == nil {
		err = unix.Listen(fd, 128)
	}
	if err != nil {
		return -1, 0, fmt.Errorf("make the way out: %w", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return -1, 0, fmt.Errorf("make the way out: %w", err)
	}
	return fd, name.(*unix.SockaddrInet4).Port, nil
}

// begin starts the first process of a command in namespaces of its own.
func begin(fds []int) (RoomStarted, []int) {
	if len(fds) != 1 {
		return RoomStarted{Error: fmt.Sprintf("%d descriptors came, not 1", len(fds))}, nil
	}
	// The first three are the room's own: a device that takes and gives nothing.
	files := []uintptr{0, 1, 2, uintptr(fds[0])}
	pidfd := -1
	pid, err := syscall.ForkExec("/proc/self/exe", []string{firstName}, &syscall.ProcAttr{
		Files: files, Env: environment,
		Sys: &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID,
			AmbientCaps: capabilities, PidFD: &pidfd,
		},
	})
	if err != nil {
		return RoomStarted{Error: err.Error(), Errno: number(err)}, nil
	}
	go collect(pid)
	return RoomStarted{}, []int{pidfd}
}

// collect takes a first process away when it has ended.
func collect(pid int) {
	for {
		if _, err := unix.Wait4(pid, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}

// receive reads a message for its descriptors.
func receive(b []byte) ([]int, error) {
	oob := make([]byte, unix.CmsgSpace(4*8))
	n, oobn, _, _, err := unix.Recvmsg(control, b, oob, unix.MSG_CMSG_CLOEXEC)
	for err == unix.EINTR {
		n, oobn, _, _, err = unix.Recvmsg(control, b, oob, unix.MSG_CMSG_CLOEXEC)
	}
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, os.ErrClosed
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("descriptors: %d messages, %v", len(messages), err)
	}
	return unix.ParseUnixRights(&messages[0])
}

// tell sends a message with descriptors.
func tell(message any, fds ...int) error {
	b, err := Pack(message)
	if err != nil {
		return err
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	return unix.Sendmsg(control, b, oob, nil, unix.MSG_NOSIGNAL)
}

// StartRoom starts this program as a room in new namespaces, with a device for its input and output and a
// connection to control it by. It returns the room's process.
func StartRoom(null, connection, namespaces uintptr) (int, error) {
	return syscall.ForkExec("/proc/self/exe", []string{roomName}, &syscall.ProcAttr{
		Dir: "/", Env: environment, Files: []uintptr{null, null, null, connection},
		Sys: &syscall.SysProcAttr{Cloneflags: namespaces, AmbientCaps: roomCapabilities, Setsid: true},
	})
}
