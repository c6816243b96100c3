package inside

import (
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is struct seccomp_notif of seccomp_unotify(2), reply its struct seccomp_notif_resp.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	data  struct {
		number  int32
		arch    uint32
		pointer uint64
		args    [6]uint64
	}
}

type reply struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// kinds bounds how many different calls are remembered.
const kinds = 64

// Refusals answers what a filter leaves to its listener: each call fails as not permitted, and is counted.
type Refusals struct {
	// Telling are the numbers of calls whose arguments say something; of others they are addresses.
	Telling []int
	mu      sync.Mutex
	calls   []Call
}

// Serve answers until the listener has no process left.
func (r *Refusals) Serve(fd int) {
	for {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err == nil && ready[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notification
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n))); errno != 0 {
			if errno == unix.EINTR || errno == unix.ENOENT {
				continue // ENOENT: whoever called was killed meanwhile
			}
			return
		}
		c := Call{Number: int(n.data.number)}
		if slices.Contains(r.Telling, c.Number) {
			c.Args = [2]uint64(n.data.args[:2])
		}
		r.note(c)
		answer := reply{id: n.id, errno: -int32(unix.EPERM)}
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&answer)))
	}
}

func (r *Refusals) note(c Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.calls {
		if r.calls[i].Number == c.Number && r.calls[i].Args == c.Args {
			r.calls[i].Count++
			return
		}
	}
	if len(r.calls) < kinds {
		c.Count = 1
		r.calls = append(r.calls, c)
	}
}

// Calls returns what was refused so far.
func (r *Refusals) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}
