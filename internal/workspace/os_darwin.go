package workspace

import "golang.org/x/sys/unix"

// foldsCase is true: APFS folds case unless it was formatted otherwise.
const foldsCase = true

// passFlags open a directory on the way to another.
const passFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
