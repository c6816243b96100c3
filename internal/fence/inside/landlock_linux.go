package inside

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The access rights of landlock(7) that change something, by the version that brought them. Rights on
// reading are not asked for: Landlock knows no exceptions inside a folder that is allowed.
const (
	changes = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	moves     = unix.LANDLOCK_ACCESS_FS_REFER    // version 2
	truncates = unix.LANDLOCK_ACCESS_FS_TRUNCATE // version 3
	// ofFile are those that a file can have which is no folder.
	ofFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | truncates
)

// Scopes that Landlock knows since version 6.
const (
	ScopeSockets = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	ScopeSignals = unix.LANDLOCK_SCOPE_SIGNAL
	scopesSince  = 6
)

// LandlockVersion says which Landlock the kernel has; 0 is none.
func LandlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// Landlock keeps this thread, and all that it starts, from changing files beyond those below write, where
// write is not nil, and inside the scopes that the kernel knows. The thread must refuse new privileges
// already. A path that is not there is left out.
func Landlock(write []string, scopes uint64) error {
	version := LandlockVersion()
	if version < scopesSince {
		scopes = 0
	}
	attr := unix.LandlockRulesetAttr{Scoped: scopes}
	if write != nil {
		attr.Handled_access_fs = rights(version)
	}
	if attr.Handled_access_fs == 0 && attr.Scoped == 0 {
		return nil
	}
	size := unsafe.Offsetof(attr.Handled_access_net)
	if attr.Scoped != 0 {
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(set))
	for _, path := range write {
		if err := allow(int(set), path, attr.Handled_access_fs); err != nil && err != unix.ENOENT {
			return fmt.Errorf("let %s be written: %w", path, err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

func rights(version int) uint64 {
	switch {
	case version <= 0:
		return 0
	case version == 1:
		return changes
	case version == 2:
		return changes | moves
	}
	return changes | moves | truncates
}

func allow(set int, path string, access uint64) error {
	fd, err := find(path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	isFolder, err := folder(fd)
	if err != nil {
		return err
	}
	if !isFolder {
		access &= ofFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
