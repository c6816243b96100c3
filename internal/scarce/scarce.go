// Package scarce says in words what a system has run out of where a call to it failed, and what to do: room on a disk, or files
// that may be open at once.
//
// It knows the errors of the system only. Who has another name for them, such as a database, makes these of it first.
package scarce

import (
	"errors"
	"fmt"
	"syscall"
)

// Words is what has run out and what to do; "" where err is about something else.
func Words(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full: make room on it"
	case errors.Is(err, syscall.EDQUOT):
		return "your quota of the disk is used up: make room there"
	case errors.Is(err, syscall.EMFILE):
		return "the process has as many files open as it may: let other sessions end, or raise its limit (ulimit -n) and start it anew"
	case errors.Is(err, syscall.ENFILE):
		return "the machine has as many files open as it may: end other programs"
	}
	return ""
}

// Explain adds the words to an error that they are about.
func Explain(err error) error {
	if words := Words(err); words != "" {
		return fmt.Errorf("%w: %s", err, words)
	}
	return err
}
