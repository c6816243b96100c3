package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Disk is a workspace on this machine: the functions of a [World] and of a [Host], below one handle on its folder. What it opens
// below that is opened name by name, and never through a link.
type Disk struct {
	root *os.File
	path string
}

// Errors of a [Disk].
var (
	// ErrLink is returned where a link stands on a path.
	ErrLink = errors.New(reasonLink)
	// ErrFile is returned for what is not a plain file: a folder, a pipe, a device, or a file with a second name to be written.
	ErrFile = errors.New("not a plain file")
	// ErrMany is returned for a folder with more names than may be looked at.
	ErrMany = errors.New("the folder holds too many files")
)

// OpenDisk opens a workspace: an absolute path without links.
func OpenDisk(root string) (*Disk, error) {
	fd, err := again(func() (int, error) { return unix.Open(root, folderFlags|unix.O_NOFOLLOW, 0) })
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: root, Err: err}
	}
	return &Disk{root: os.NewFile(uintptr(fd), root), path: path.Clean(root)}, nil
}

// Close lets go of the workspace.
func (d *Disk) Close() error { return d.root.Close() }

// World is the world of a line that starts in the workspace with this environment. writable says what rules let the agent change
// beside the workspace; nil stands for nothing. What this process may not change counts as not writable all the same.
func (d *Disk) World(env []string, writable func(path string) bool) World {
	return World{
		Root: d.path, Env: env, Kind: d.kind, List: d.list, Follow: follow,
		Writable: func(name string) bool {
			inside := name == d.path || strings.HasPrefix(name, strings.TrimSuffix(d.path, "/")+"/")
			return inside || writable != nil && writable(name) && unix.Access(name, unix.W_OK) == nil
		},
	}
}

// again repeats what a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}

// at opens the folder that holds the last name of a path, and gives that name.
func (d *Disk) at(file string) (folder *os.File, name string, err error) {
	names := strings.Split(file, "/")
	if slices.ContainsFunc(names, func(n string) bool { return n == "" || n == ".." || n == "." && len(names) > 1 }) {
		return nil, "", ErrFile
	}
	fd, err := again(func() (int, error) {
		return unix.FcntlInt(d.root.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	})
	for _, n := range names[:len(names)-1] {
		if err != nil {
			break
		}
		var next int
		next, err = into(fd, n)
		unix.Close(fd)
		fd = next
	}
	if err != nil {
		return nil, "", err
	}
	return os.NewFile(uintptr(fd), file), names[len(names)-1], nil
}

// into opens a folder in a folder.
func into(folder int, name string) (int, error) {
	fd, err := again(func() (int, error) { return unix.Openat(folder, name, folderFlags|unix.O_NOFOLLOW, 0) })
	if err != nil && isLink(folder, name) {
		return -1, ErrLink
	}
	return fd, err
}

func isLink(folder int, name string) bool {
	var stat unix.Stat_t
	err := unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && stat.Mode&unix.S_IFMT == unix.S_IFLNK
}

func (d *Disk) kind(file string) (Kind, error) {
	folder, name, err := d.at(file)
	switch {
	case err == ErrLink:
		return KindLink, nil
	case err == unix.ENOENT || err == unix.ENOTDIR:
		return KindMissing, nil
	case err != nil:
		return KindMissing, err
	}
	defer folder.Close()
	var stat unix.Stat_t
	switch err := unix.Fstatat(int(folder.Fd()), name, &stat, unix.AT_SYMLINK_NOFOLLOW); {
	case err == unix.ENOENT || err == unix.ENOTDIR:
		return KindMissing, nil
	case err != nil:
		return KindMissing, err
	}
	switch kind := uint32(stat.Mode) & unix.S_IFMT; {
	case kind == unix.S_IFLNK:
		return KindLink, nil
	case kind == unix.S_IFDIR:
		return KindFolder, nil
	case kind == unix.S_IFREG && stat.Nlink > 1:
		return KindShared, nil
	case kind == unix.S_IFREG:
		return KindFile, nil
	}
	return KindSpecial, nil
}

func (d *Disk) list(name string, most int) ([]string, error) {
	folder, err := d.folder(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	names, err := folder.Readdirnames(most + 1)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(names) > most {
		return nil, ErrMany
	}
	return names, nil
}

// folder opens a folder itself.
func (d *Disk) folder(name string, flags int) (*os.File, error) {
	in, last, err := d.at(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fd, err := again(func() (int, error) {
		return unix.Openat(int(in.Fd()), last, flags|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		if isLink(int(in.Fd()), last) {
			err = ErrLink
		}
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// flags of a file that is opened. It is emptied only when it is known to be a plain one.
var openFlags = map[Mode]int{
	ModeRead: unix.O_RDONLY, ModeWrite: unix.O_WRONLY | unix.O_CREAT, ModeAppend: unix.O_WRONLY | unix.O_CREAT | unix.O_APPEND,
}

// Open opens a file of a plan.
func (d *Disk) Open(f File) (*os.File, error) {
	file, err := d.open(f)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: f.Path, Err: err}
	}
	return file, nil
}

func (d *Disk) open(f File) (*os.File, error) {
	flags := openFlags[f.Mode] | unix.O_CLOEXEC
	if f.Path == NullDevice {
		fd, err := again(func() (int, error) { return unix.Open(NullDevice, flags&^unix.O_CREAT, 0) })
		return os.NewFile(uintptr(fd), NullDevice), err
	}
	folder, name, err := d.at(f.Path)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	fd, err := again(func() (int, error) {
		return unix.Openat(int(folder.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0o666)
	})
	if err != nil {
		if isLink(int(folder.Fd()), name) {
			err = ErrLink
		}
		return nil, err
	}
	if err := plain(fd, f.Mode); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Path), nil
}

// plain makes a file that was just opened ready for a program.
func plain(fd int, mode Mode) error {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if uint32(stat.Mode)&unix.S_IFMT != unix.S_IFREG || mode != ModeRead && stat.Nlink > 1 {
		return ErrFile
	}
	if mode == ModeWrite {
		if err := unix.Ftruncate(fd, 0); err != nil {
			return err
		}
	}
	return unix.SetNonblock(fd, false)
}

// Enter looks once more at where a step starts: its folder below the handle, and a program of the workspace, through no link. A child
// enters the folder by the path dir, which holds until leave is called.
func (d *Disk) Enter(s Step) (dir string, leave func() error, err error) {
	folder, err := d.folder(s.Folder, enterFlags)
	if err != nil {
		return "", nil, fmt.Errorf("enter %s: %w", s.Folder, err)
	}
	if below, ok := strings.CutPrefix(s.Path, strings.TrimSuffix(d.path, "/")+"/"); ok {
		in, _, err := d.at(below)
		if err != nil {
			folder.Close()
			return "", nil, fmt.Errorf("start %s: %w", s.Path, err)
		}
		in.Close()
	}
	return entered(folder, path.Join(d.path, s.Folder)), folder.Close, nil
}

// ExitCode is the code of a program that has ended: 128 and the signal for one that a signal ended.
func ExitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
