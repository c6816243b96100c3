//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

func ownerOf(stat fs.FileInfo) (uid int, known bool) {
	s, ok := stat.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, false
	}
	return int(s.Uid), true
}

// lock waits until no other process, and no other call of this one, holds the
// file, and takes it. Closing the file gives it back.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			return err
		}
	}
}
