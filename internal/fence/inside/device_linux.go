package inside

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// devices are what a small /dev has of the machine's: none of them reaches further than its process.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// links of /dev lead to what belongs to the process that follows them.
var links = [][2]string{
	{"/proc/self/fd", "fd"}, {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"},
	{"pts/ptmx", "ptmx"},
}

// devices makes /dev: the machine's harmless devices, pseudo-terminals of its own, shared memory of its own.
func (w *world) devices(at int) error {
	dev, err := memory("0755", "1m", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return err
	}
	for i, name := range devices {
		if w.device[i] == gone {
			continue
		}
		if err := unix.Mknodat(dev, name, unix.S_IFREG|0o666, 0); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
	}
	for _, l := range links {
		if err := unix.Symlinkat(l[0], dev, l[1]); err != nil {
			return fmt.Errorf("make %s: %w", l[1], err)
		}
	}
	for _, name := range []string{"pts", "shm"} {
		if err := unix.Mkdirat(dev, name, 0o755); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
	}
	if err := attach(dev, at); err != nil {
		return err
	}
	w.open = append(w.open, dev)
	return w.furnish()
}

// furnish puts things into /dev, which stands by now.
func (w *world) furnish() error {
	terminals, err := filesystem("devpts", [][2]string{{"newinstance", ""}, {"ptmxmode", "0666"}, {"mode", "0600"}},
		unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return err
	}
	shared, err := memory("1777", "50%", plain)
	if err != nil {
		return err
	}
	names, fds := append([]string{"pts", "shm"}, devices...), append([]int{terminals, shared}, w.device...)
	for i, name := range names {
		if fds[i] == gone {
			continue
		}
		at, err := find("/dev/" + name)
		if err != nil {
			return err
		}
		err = attach(fds[i], at)
		unix.Close(at)
		unix.Close(fds[i])
		if err != nil {
			return fmt.Errorf("put %s into /dev: %w", name, err)
		}
	}
	return nil
}

// take opens the machine's devices before /dev is covered.
func (w *world) take() error {
	for _, name := range devices {
		fd, err := tree("/dev/"+name, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
		if err != nil && err != unix.ENOENT {
			return fmt.Errorf("open /dev/%s: %w", name, err)
		}
		w.device = append(w.device, fd)
	}
	return nil
}
