package inside

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// become gives this process, alone in a new user namespace, its user and group under their own numbers.
func become(uid, gid int) error {
	// A process that cannot be dumped has a /proc that belongs to root.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("be dumpable: %w", err)
	}
	for _, w := range []struct{ path, text string }{
		{"/proc/self/uid_map", one(uid)},
		{"/proc/self/setgroups", "deny"},
		{"/proc/self/gid_map", one(gid)},
	} {
		if err := put(w.path, w.text); err != nil {
			return err
		}
	}
	return nil
}

func one(id int) string { return strconv.Itoa(id) + " " + strconv.Itoa(id) + " 1\n" }

// put writes in one write, as files of /proc want it.
func put(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// unreachable keeps processes of the same user from this one's memory, descriptors and environment.
func unreachable() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
