package inside

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// keep watches what is guarded. The kernel takes a mount away when somebody outside, in another mount
// namespace, removes or replaces what it stands on: then it is put back on what is there now. What appears
// at a forbidden path is moved aside. Between the change and the answer the command can use what it found,
// for less than a millisecond as a rule.
func (c *command) keep() {
	wake := []unix.PollFd{{Fd: int32(c.mounts.Fd()), Events: unix.POLLPRI}, {Fd: int32(c.names), Events: unix.POLLIN}}
	events := make([]byte, 4096)
	for wait := -1; ; {
		if _, err := unix.Poll(wake, wait); err != nil && err != unix.EINTR {
			return
		}
		if wake[1].Revents != 0 {
			_, _ = unix.Read(c.names, events)
		}
		wait = -1
		for i := range c.world.kept {
			if k := &c.world.kept[i]; !k.stands() && !c.renew(k) {
				wait = again
			}
		}
		for _, path := range c.order.Forbid {
			c.aside(path)
		}
	}
}

// Somebody who replaces a file takes its mount away first: for a moment nothing can be mounted there.
const (
	again    = 1 // milliseconds until the next try
	mostGone = 200
)

func (k *kept) stands() bool {
	number, err := mountOf(k.Path)
	return err == nil && number == k.number
}

// watch has the kernel tell of names that appear where something is forbidden or guarded. Where a user has
// no watches left it does without: the daemon looks when the command has ended.
func watch(forbid []string, mounts []kept) int {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return -1
	}
	for _, m := range mounts {
		forbid = append(forbid, m.Path)
	}
	for _, path := range forbid {
		_, _ = unix.InotifyAddWatch(fd, filepath.Dir(path), unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_ONLYDIR|unix.IN_MASK_ADD)
	}
	return fd
}

// mostAside is how often things are moved aside until the command is ended.
const mostAside = 20

// aside renames what is at a forbidden path.
func (c *command) aside(path string) {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil {
		return
	}
	c.mu.Lock()
	to := path + ".refused"
	if n := len(c.moved); n > 0 {
		to += "-" + strconv.Itoa(n)
	}
	err := unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if err == nil {
		c.moved = append(c.moved, to)
	}
	often := len(c.moved) >= mostAside
	c.mu.Unlock()
	if often || err != nil && err != unix.ENOENT {
		c.end()
	}
}

// renew puts a mount back, and says whether that is settled. Where there is nothing left to hide, it waits
// for something to appear; what was guarded and stays away ends the command, which could make it anew.
func (c *command) renew(k *kept) bool {
	c.mu.Lock()
	if !slices.Contains(c.lost, k.Path) {
		c.lost = append(c.lost, k.Path)
	}
	c.mu.Unlock()
	number, err := c.world.again(k.Mount)
	switch {
	case err == nil:
		k.number, k.gone = number, 0
		return true
	case err != unix.ENOENT:
		c.end()
		return true
	}
	if k.gone++; k.gone < mostGone {
		return false
	}
	if k.Kind == Read {
		c.end()
	}
	return true
}

// again makes a mount that was made before.
func (w *world) again(m Mount) (uint64, error) {
	source := none
	if m.Kind == Read {
		fd, err := tree(m.from(), sealed)
		if err != nil {
			return 0, err
		}
		source = fd
	}
	m.Make = false
	if err := w.mount(m, source); err != nil {
		return 0, err
	}
	return mountOf(m.Path)
}

// nameOf returns the name of a process and whether it lives (proc_pid_stat(5)).
func nameOf(pid string) (name string, alive bool) {
	line, err := os.ReadFile("/proc/" + pid + "/stat")
	from, to := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if err != nil || from < 0 || to < from || to+2 >= len(line) {
		return "", false
	}
	state := line[to+2]
	return string(line[from+1 : to]), state != 'Z' && state != 'X'
}
