package workspace

import "golang.org/x/sys/unix"

// foldsCase is false: Linux file systems that fold case are rare and opted into for each directory.
const foldsCase = false

// passFlags open a directory on the way to another: O_PATH needs no right to read it.
const passFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
