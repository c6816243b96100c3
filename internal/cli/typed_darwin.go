package cli

import "golang.org/x/sys/unix"

// How a terminal's modes are read and set.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)
