package cli

import "golang.org/x/sys/unix"

// private keeps the daemon's memory and environment, which hold keys, from
// other processes of its user: prctl(2), PR_SET_DUMPABLE. Where the kernel
// refuses, nothing is lost that was there before.
func private() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
