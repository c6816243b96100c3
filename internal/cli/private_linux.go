package cli

import "golang.org/x/sys/unix"

// keepPrivate keeps the memory and the environment of this process, which hold
// keys, from other processes of its user, the commands that an agent runs among
// them: prctl(2), PR_SET_DUMPABLE. Clients have the same keys as the daemon.
// Where the kernel refuses, nothing is lost that was there before.
func keepPrivate() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
