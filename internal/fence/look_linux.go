package fence

import (
	"io/fs"
	"os"
	"syscall"
)

// look finds out what a plan has to know of this machine.
func look(layer string) machine {
	m := machine{layer: layer, look: lstat, held: held, read: os.Readlink}
	if file, err := os.Open("/proc/self/mountinfo"); err == nil {
		m.mounts = readMounts(file)
		file.Close()
	}
	if file, err := os.Open("/proc/net/unix"); err == nil {
		m.sockets = readSockets(file)
		file.Close()
	}
	return m
}

func lstat(path string) (fs.FileMode, error) {
	stat, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	return stat.Mode(), nil
}

func held(path string) bool {
	stat, err := os.Lstat(path)
	return err == nil && isPlace(stat)
}

func changeTime(s *syscall.Stat_t) syscall.Timespec { return s.Ctim }
