package workspace

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"parley/internal/regular"
)

var (
	// ErrLink is returned where a link stands on a path that had none when it was resolved.
	ErrLink = errors.New("a symbolic link appeared on the path")
	// ErrSpecial is returned for what is neither a file nor a directory: a pipe, a socket, a device.
	ErrSpecial = errors.New("neither a file nor a directory")
	// ErrReadOnly is returned by Replace for a file that its permissions protect.
	ErrReadOnly = errors.New("file is read-only")
)

// Open opens a resolved place for reading: a regular file or a directory. It never follows a link and
// never blocks on a pipe. Errors are *fs.PathError and answer to fs.ErrNotExist and its sisters.
func (r *Root) Open(p Place) (*os.File, error) {
	dir, name, err := r.parent(p, false)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: p.Path, Err: err}
	}
	defer unix.Close(dir)
	file, err := openAt(dir, name, p.Path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: p.Path, Err: err}
	}
	return file, nil
}

func openAt(dir int, name, path string) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, linked(dir, name, err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		unix.Close(fd)
		return nil, err
	}
	if kind := stat.Mode & unix.S_IFMT; kind != unix.S_IFREG && kind != unix.S_IFDIR {
		unix.Close(fd)
		return nil, ErrSpecial
	}
	return regular.Patient(fd, path), nil
}

// Stat describes a resolved place and does not follow a link that stands there. Only what is read or
// written through Open and Replace is safe from links that appear later.
func (r *Root) Stat(p Place) (fs.FileInfo, error) { return os.Lstat(p.Path) }

// parent opens the directory that holds p, component by component, and returns it with p's last name. The
// root's own path is trusted; everything below it, and every path outside it, is walked without links.
func (r *Root) parent(p Place, create bool) (dir int, name string, err error) {
	base, rest := "/", strings.TrimPrefix(p.Path, "/")
	if p.Inside {
		base, rest = r.path, p.Rel
	}
	if rest == "" || rest == "." {
		rest = "."
	}
	dir, err = retry(func() (int, error) { return unix.Open(base, passFlags, 0) })
	if err != nil {
		return -1, "", err
	}
	names := strings.Split(rest, "/")
	for _, name := range names[:len(names)-1] {
		next, err := step(dir, name, create)
		unix.Close(dir)
		if err != nil {
			return -1, "", err
		}
		dir = next
	}
	return dir, names[len(names)-1], nil
}

func step(dir int, name string, create bool) (int, error) {
	enter := func() (int, error) { return unix.Openat(dir, name, passFlags, 0) }
	fd, err := retry(enter)
	if err == unix.ENOENT && create {
		if err := unix.Mkdirat(dir, name, 0o777); err != nil && err != unix.EEXIST {
			return -1, err
		}
		fd, err = retry(enter)
	}
	if err != nil {
		return -1, linked(dir, name, err)
	}
	return fd, nil
}

// linked turns the errors that O_NOFOLLOW gives for a link into ErrLink.
func linked(dir int, name string, err error) error {
	if err != unix.ELOOP && err != unix.ENOTDIR && err != unix.EMLINK {
		return err
	}
	var stat unix.Stat_t
	if unix.Fstatat(dir, name, &stat, unix.AT_SYMLINK_NOFOLLOW) == nil && stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		return ErrLink
	}
	return err
}

func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}

// Replace gives a resolved place new content, in one step that a reader or a crash sees either before or
// after, and creates missing parents. Permission bits are kept; a new file gets 0666 less the umask. Where
// the directory takes no new file (its own permissions, a file that is a mount point) the file is
// overwritten in place instead. A hard link is cut: the other names keep the old content.
func (r *Root) Replace(p Place, data []byte) error {
	dir, name, err := r.parent(p, true)
	if err == nil {
		err = replaceAt(dir, name, data)
		unix.Close(dir)
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: p.Path, Err: err}
	}
	return nil
}

func replaceAt(dir int, name string, data []byte) error {
	var old unix.Stat_t
	err := unix.Fstatat(dir, name, &old, unix.AT_SYMLINK_NOFOLLOW)
	exists := err == nil
	switch {
	case err == unix.ENOENT:
	case err != nil:
		return err
	case old.Mode&unix.S_IFMT == unix.S_IFLNK:
		return ErrLink
	case old.Mode&unix.S_IFMT == unix.S_IFDIR:
		return unix.EISDIR
	case old.Mode&unix.S_IFMT != unix.S_IFREG:
		return ErrSpecial
	case unix.Faccessat(dir, name, unix.W_OK, 0) != nil:
		return ErrReadOnly
	}
	temporary := ".parley-" + suffix() + ".tmp"
	mode := uint32(0o666)
	if exists {
		mode = 0o600
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat(dir, temporary, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	})
	if exists && (err == unix.EACCES || err == unix.EPERM || err == unix.EROFS) {
		return overwriteAt(dir, name, data)
	}
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), temporary)
	_, err = file.Write(data)
	if err == nil && exists {
		// Only root can give a file away; for anyone else the owner already is the right one.
		_ = unix.Fchown(fd, int(old.Uid), int(old.Gid))
		err = unix.Fchmod(fd, uint32(old.Mode)&0o777)
	}
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = unix.Renameat(dir, temporary, dir, name)
		if err == unix.EBUSY && exists {
			err = overwriteAt(dir, name, data)
			_ = unix.Unlinkat(dir, temporary, 0)
			return err
		}
	}
	if err != nil {
		_ = unix.Unlinkat(dir, temporary, 0)
	}
	return err
}

func overwriteAt(dir int, name string, data []byte) error {
	fd, err := retry(func() (int, error) {
		return unix.Openat(dir, name, unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return linked(dir, name, err)
	}
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	if _, err := file.Write(data); err != nil {
		return err
	}
	if err := file.Truncate(int64(len(data))); err != nil {
		return err
	}
	return file.Sync()
}

func suffix() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
