package scarce_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"parley/internal/scarce"
)

// An error that says "too many open files" left open whose files, and what to do.
func TestWordsForWhatHasRunOut(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.ENOSPC: "open x: no space left on device: the disk is full: make room on it",
		syscall.EDQUOT: "open x: disk quota exceeded: your quota of the disk is used up: make room there",
		syscall.EMFILE: "open x: too many open files: the process has as many files open as it may: let other sessions end, or raise its limit (ulimit -n) and start it anew",
		syscall.ENFILE: "open x: too many open files in system: the machine has as many files open as it may: end other programs",
		syscall.EIO:    "open x: input/output error",
	} {
		err := scarce.Explain(&fs.PathError{Op: "open", Path: "x", Err: errno})
		if err.Error() != want || !errors.Is(err, errno) {
			t.Errorf("%s\nwant %s", err, want)
		}
	}
	if scarce.Explain(nil) != nil {
		t.Error("no error became one")
	}
}
