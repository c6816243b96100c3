package inside

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// find opens a place by its path, without following any link: a link that appeared since the order was
// written is an error. The place itself may be a link.
func find(path string) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		return fd, err
	}
}

// place finds where a mount goes, and makes it, as a folder or a file, where that is allowed.
func place(path string, make, folder bool) (int, error) {
	fd, err := find(path)
	if err != unix.ENOENT || !make {
		return fd, err
	}
	dir, name := filepath.Split(path)
	parent, err := place(filepath.Clean(dir), true, true)
	if err != nil {
		return -1, err
	}
	defer unix.Close(parent)
	if folder {
		err = unix.Mkdirat(parent, name, 0o755)
	} else {
		err = unix.Mknodat(parent, name, unix.S_IFREG|0o644, 0)
	}
	if err != nil && err != unix.EEXIST {
		return -1, fmt.Errorf("make %s: %w", path, err)
	}
	return find(path)
}

// folder says whether an open place is a folder, isLink whether it is a link.
func folder(fd int) (bool, error) { return is(fd, unix.S_IFDIR) }
func isLink(fd int) (bool, error) { return is(fd, unix.S_IFLNK) }

func is(fd int, kind uint32) (bool, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return false, err
	}
	return stat.Mode&unix.S_IFMT == kind, nil
}

// mountOf is the number of the mount that a path leads to.
func mountOf(path string) (uint64, error) {
	var stat unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &stat)
	return stat.Mnt_id, err
}

// self names an open descriptor as a path.
func self(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }
