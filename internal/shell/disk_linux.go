package shell

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A folder on the way to another, and one to be entered, need not be readable.
const (
	folderFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
	enterFlags  = unix.O_PATH
)

// entered is the path by which a child enters an open folder: its own handle on it, so that no link that comes now leads elsewhere.
func entered(folder *os.File, name string) string {
	handle := "/proc/self/fd/" + strconv.Itoa(int(folder.Fd()))
	if _, err := os.Stat(handle); err != nil {
		return name // no /proc
	}
	return handle
}
