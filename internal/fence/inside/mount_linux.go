package inside

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// The flags of what is mounted: nothing in it is a device or gives rights.
const (
	plain  = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	sealed = plain | unix.MOUNT_ATTR_RDONLY
	inert  = sealed | unix.MOUNT_ATTR_NOEXEC
)

// world builds what the command sees. Everything that is shown is opened first, as it is outside, and put
// in its place when the rest is read-only.
type world struct {
	sources []int
	device  []int
	// blank is a folder in memory with what hides: see the constants.
	blank int
	// open are folders that are sealed at the end.
	open []int
	// plain are layers without what should be below them.
	plain []string
	// kept are the mounts that have to stay while the command runs.
	kept []kept
}

// The names in the blank folder.
const (
	hiddenFolder, hiddenFile = "hidden-folder", "hidden-file"
	emptyFolder, emptyFile   = "empty-folder", "empty-file"
)

type kept struct {
	Mount
	number uint64
	gone   int // tries since it is gone
}

// build makes the mounts of an order.
func build(mounts []Mount) (*world, error) {
	w := &world{}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Propagation: unix.MS_PRIVATE}); err != nil {
		return nil, fmt.Errorf("make / private: %w", err)
	}
	w.sources = make([]int, len(mounts))
	for i, m := range mounts {
		fd, err := w.source(m)
		if err != nil && !(m.Maybe && errors.Is(err, unix.ENOENT)) {
			return nil, fmt.Errorf("open %s: %w", m.Path, err)
		}
		w.sources[i] = fd
		if err != nil {
			w.sources[i] = gone
		}
	}
	if err := w.take(); err != nil {
		return nil, err
	}
	if err := w.blanks(); err != nil {
		return nil, fmt.Errorf("make what hides: %w", err)
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}); err != nil {
		return nil, fmt.Errorf("make / read-only: %w", err)
	}
	for i, m := range mounts {
		if w.sources[i] == gone {
			continue
		}
		if err := w.put(m, w.sources[i]); err != nil {
			return nil, fmt.Errorf("mount %s on %s: %w", m.Kind, m.Path, err)
		}
	}
	for _, fd := range w.open {
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: sealed}); err != nil {
			return nil, fmt.Errorf("seal a folder: %w", err)
		}
		unix.Close(fd)
	}
	return w, nil
}

// What stands for a source that is not open.
const (
	gone = -1
	none = -2
)

// source opens what a mount shows.
func (w *world) source(m Mount) (int, error) {
	switch m.Kind {
	case Read:
		return tree(m.from(), sealed)
	case Write:
		return open(m.from())
	case Layer:
		return w.layer(m)
	case Proc:
		return filesystem("proc", nil, inert)
	case Empty:
		return memory("0755", "1m", plain)
	case Memory:
		return memory("1777", "50%", plain)
	}
	if m.Maybe {
		fd, err := find(m.Path)
		if err != nil {
			return gone, err
		}
		unix.Close(fd)
	}
	return none, nil
}

func (m Mount) from() string {
	if m.From == "" {
		return m.Path
	}
	return m.From
}

// tree makes a copy of the mounts from a place downwards, which is nowhere yet.
func tree(path string, flags uint64) (int, error) {
	fd, err := find(path)
	if err != nil {
		return gone, err
	}
	defer unix.Close(fd)
	return copyOf(fd, "", flags)
}

// open makes such a copy that may be written. Other file systems that are mounted in it stay read-only:
// they may be anything, such as a home in a root file system that is being built.
func open(path string) (int, error) {
	fd, err := tree(path, sealed)
	if err != nil {
		return gone, err
	}
	if link, err := isLink(fd); err != nil || link {
		unix.Close(fd)
		return gone, errors.Join(err, unix.ELOOP)
	}
	yes, err := writable(path)
	if err == nil && yes {
		err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	}
	if err != nil {
		unix.Close(fd)
		return gone, err
	}
	return fd, nil
}

// writable says whether the mount of a path can be written outside.
func writable(path string) (bool, error) {
	fd, err := find(path)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	var stat unix.Statfs_t
	err = unix.Fstatfs(fd, &stat)
	return stat.Flags&unix.ST_RDONLY == 0, err
}

func copyOf(dir int, name string, flags uint64) (int, error) {
	how := uint(unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE | unix.AT_SYMLINK_NOFOLLOW)
	if name == "" {
		how |= unix.AT_EMPTY_PATH
	}
	fd, err := unix.OpenTree(dir, name, how)
	if err != nil {
		return gone, err
	}
	attr := unix.MountAttr{Attr_set: flags, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		unix.Close(fd)
		return gone, err
	}
	return fd, nil
}

// filesystem makes a new one, which is nowhere yet.
func filesystem(name string, options [][2]string, flags int) (int, error) {
	fs, err := unix.Fsopen(name, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return gone, fmt.Errorf("new %s: %w", name, err)
	}
	defer unix.Close(fs)
	for _, o := range options {
		if o[1] == "" {
			err = unix.FsconfigSetFlag(fs, o[0])
		} else {
			err = unix.FsconfigSetString(fs, o[0], o[1])
		}
		if err != nil {
			return gone, fmt.Errorf("new %s, %s: %w", name, o[0], err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return gone, fmt.Errorf("new %s: %w", name, err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, flags)
	if err != nil {
		return gone, fmt.Errorf("new %s: %w", name, err)
	}
	return fd, nil
}

func memory(mode, size string, flags int) (int, error) {
	return filesystem("tmpfs", [][2]string{{"mode", mode}, {"size", size}}, flags)
}

// layer makes an overlay; where none can be made, what would be its upper folder stands alone.
func (w *world) layer(m Mount) (int, error) {
	var fds [3]int
	for i, path := range []string{m.Path, m.From, m.Work} {
		fd, err := find(path)
		if err != nil {
			return gone, err
		}
		defer unix.Close(fd)
		fds[i] = fd
	}
	fd, err := filesystem("overlay", [][2]string{
		{"lowerdir", self(fds[0])}, {"upperdir", self(fds[1])}, {"workdir", self(fds[2])}, {"userxattr", ""},
	}, plain)
	if err == nil {
		return fd, nil
	}
	w.plain = append(w.plain, m.Path+": "+err.Error())
	return open(m.From)
}

// attach puts a source where a place is.
func attach(source, place int) error {
	return unix.MoveMount(source, "", place, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// put makes one mount, and remembers it where it guards something.
func (w *world) put(m Mount, source int) error {
	if err := w.mount(m, source); err != nil {
		return err
	}
	if m.Kind != Read && m.Kind != Hide && m.Kind != Blank {
		return nil
	}
	number, err := mountOf(m.Path)
	w.kept = append(w.kept, kept{Mount: m, number: number})
	return err
}

// mount puts a source in its place, and closes it.
func (w *world) mount(m Mount, source int) error {
	isFolder := true
	if m.Kind == Read || m.Kind == Write {
		var err error
		if isFolder, err = folder(source); err != nil {
			return err
		}
	}
	at, err := place(m.Path, m.Make, isFolder)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	switch m.Kind {
	case Hide, Blank:
		if source, err = w.cover(m.Kind, at); err != nil {
			return err
		}
	case Devices:
		return w.devices(at)
	}
	err = attach(source, at)
	if m.Kind == Empty {
		w.open = append(w.open, source)
		return err
	}
	unix.Close(source)
	return err
}

// cover makes what hides a place.
func (w *world) cover(k Kind, at int) (int, error) {
	name := map[bool]string{true: hiddenFolder, false: hiddenFile}
	if k == Blank {
		name = map[bool]string{true: emptyFolder, false: emptyFile}
	}
	isFolder, err := folder(at)
	if err != nil {
		return gone, err
	}
	return copyOf(w.blank, name[isFolder], inert)
}

// blanks makes the folder of what hides. It has to be somewhere to be copied from: on /dev, which is
// covered later.
func (w *world) blanks() error {
	fd, err := memory("0700", "64k", plain)
	if err != nil {
		return err
	}
	dev, err := find("/dev")
	if err != nil {
		return err
	}
	defer unix.Close(dev)
	if err := attach(fd, dev); err != nil {
		return err
	}
	w.blank = fd
	return errors.Join(
		unix.Mkdirat(fd, hiddenFolder, 0), unix.Mknodat(fd, hiddenFile, unix.S_IFREG, 0),
		unix.Mkdirat(fd, emptyFolder, 0o555), unix.Mknodat(fd, emptyFile, unix.S_IFREG|0o444, 0),
	)
}
