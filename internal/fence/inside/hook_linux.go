package inside

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// control is the descriptor of the connection to whoever started this process.
const control = 3

func init() {
	if len(os.Args) == 0 || os.Args[0] != roomName && os.Args[0] != firstName {
		return
	}
	// Threads that the runtime makes from here on come from one that this package does not change.
	runtime.LockOSThread()
	_ = unix.CloseRange(control, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	if os.Args[0] == roomName {
		os.Exit(room())
	}
	os.Exit(first())
}
