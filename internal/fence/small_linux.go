package fence

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// in opens the folder of a path, through no link, for what is done to the last name.
func in(path string, do func(folder int, name string) error) error {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, filepath.Dir(path), &how)
	for err == unix.EINTR || err == unix.EAGAIN {
		fd, err = unix.Openat2(unix.AT_FDCWD, filepath.Dir(path), &how)
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: filepath.Dir(path), Err: err}
	}
	defer unix.Close(fd)
	if err := do(fd, filepath.Base(path)); err != nil {
		return &fs.PathError{Op: "change", Path: path, Err: err}
	}
	return nil
}

// there says whether something is at a path that leads through no link.
func there(path string) bool {
	return in(path, func(folder int, name string) error {
		var stat unix.Stat_t
		return unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
	}) == nil
}

// moveAside renames what must not be where it is, and returns where it is now.
func moveAside(path string) (string, error) {
	const most = 1000
	to := path + ".refused"
	for n := 1; ; n++ {
		err := in(path, func(folder int, name string) error {
			return unix.Renameat2(folder, name, folder, filepath.Base(to), unix.RENAME_NOREPLACE)
		})
		if err == nil || !errors.Is(err, unix.EEXIST) || n == most {
			return to, err
		}
		to = path + ".refused-" + strconv.Itoa(n)
	}
}
