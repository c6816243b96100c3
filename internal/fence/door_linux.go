package fence

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Inside says what shows that a process stands inside a fence or a container, "" where nothing does: it
// takes no new privileges while this process does, or is in another mount, pid or user namespace. The
// error is for a process that cannot be looked at, which then has to count as inside.
//
// A process cannot hide any of this: it never gets out of either, and what says so belongs to the kernel.
func Inside(pid int) (string, error) {
	if pid <= 0 {
		return "it is in a pid namespace that cannot be seen from here", nil
	}
	born, err := birth(pid)
	if err != nil {
		return "", err
	}
	why, err := differs(pid)
	if err != nil {
		return "", err
	}
	if now, err := birth(pid); err != nil || now != born {
		return "", fmt.Errorf("process %d ended while it was looked at", pid)
	}
	return why, nil
}

func differs(pid int) (string, error) {
	own, err := standing(os.Getpid())
	if err != nil {
		return "", err
	}
	its, err := standing(pid)
	if err != nil {
		return "", err
	}
	switch {
	case its.bare && !own.bare:
		return "it takes no new privileges", nil
	case its.depth > own.depth:
		return "it is in another pid namespace", nil
	}
	for _, kind := range []string{"mnt", "pid", "user"} {
		here, err := os.Readlink("/proc/self/ns/" + kind)
		if err != nil {
			return "", err
		}
		there, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, kind))
		if errors.Is(err, fs.ErrPermission) {
			// It keeps others out of its /proc, as Parley's own clients do. What a fence of ours does to it
			// was seen already.
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if here != there {
			return "it is in another " + map[string]string{"mnt": "mount", "pid": "pid", "user": "user"}[kind] + " namespace", nil
		}
	}
	return "", nil
}

// stance is what /proc/PID/status (proc_pid_status(5)) tells of a process to everybody.
type stance struct {
	bare  bool // takes no new privileges
	depth int  // how many pid namespaces below the reader's it is in, itself included
}

func standing(pid int) (stance, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return stance{}, err
	}
	var s stance
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "NoNewPrivs":
			s.bare = strings.TrimSpace(value) == "1"
		case "NSpid":
			s.depth = len(strings.Fields(value))
		}
	}
	return s, nil
}

// birth is when a process was started, which tells it from a later one of the same number.
func birth(pid int) (uint64, error) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(fields) < 20 {
		return 0, fmt.Errorf("process %d cannot be read", pid)
	}
	return strconv.ParseUint(string(fields[19]), 10, 64)
}

// Behind is [Inside] for the process at the other end of a Unix socket, as it was when it connected. A
// process that has ended since counts as inside: another one may have its number.
func Behind(c syscall.RawConn) (why string, err error) {
	var cred *unix.Ucred
	pidfd := -1
	cerr := c.Control(func(fd uintptr) {
		if cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err != nil {
			return
		}
		if n, e := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD); e == nil {
			pidfd = n // since Linux 6.5
		}
	})
	if err = errors.Join(cerr, err); err != nil {
		return "", fmt.Errorf("ask who is at the other end: %w", err)
	}
	if pidfd < 0 {
		return Inside(int(cred.Pid))
	}
	defer unix.Close(pidfd)
	if why, err = Inside(int(cred.Pid)); why != "" || err != nil {
		return why, err
	}
	if err := unix.PidfdSendSignal(pidfd, 0, nil, 0); err != nil {
		return "it has ended since", nil
	}
	return "", nil
}
