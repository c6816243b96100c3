// Package regular opens files that somebody else may have made, by a path that is followed through links.
//
// It guarantees that neither opening nor reading waits for another process: a pipe, a socket or a device is refused, and
// a file that the kernel fills as it likes, such as /proc/kmsg, ends with an error where there is nothing to read.
//
// It does not help against a disk or a server that does not answer: who must be able to leave then reads in a goroutine
// of its own. Package workspace opens what must not lead out of a folder.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrSpecial is returned for what is no regular file.
var ErrSpecial = errors.New("it is not a file")

// Open opens a regular file for reading. Errors are *fs.PathError.
func Open(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	for err == unix.EINTR {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	}
	var stat unix.Stat_t
	if err == nil {
		err = unix.Fstat(fd, &stat)
	}
	if err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrSpecial
	}
	if err != nil {
		if fd >= 0 {
			unix.Close(fd)
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return Patient(fd, path), nil
}

// Patient makes a File of a descriptor that was opened with O_NONBLOCK. Its reads fail with EAGAIN where they would wait.
func Patient(fd int, path string) *os.File {
	// Go's poller takes a descriptor that does not block, and waits where the kernel says that there is nothing yet.
	_ = unix.SetNonblock(fd, false)
	f := os.NewFile(uintptr(fd), path)
	_ = unix.SetNonblock(fd, true)
	return f
}

// Read returns a file's content, but no more than most bytes of it; 0 is all.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if most == 0 {
		return io.ReadAll(f)
	}
	return io.ReadAll(io.LimitReader(f, most))
}
