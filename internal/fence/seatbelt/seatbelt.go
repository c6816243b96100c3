// Package seatbelt writes profiles for macOS's sandbox-exec: a command that cannot write outside of some
// folders, nor read others.
//
// It is a pure function of its rules, tested as text. Nobody has tried what it writes on a Mac yet, and it
// promises no more than the fence of kind files: nothing on the network, nothing on other processes.
package seatbelt

import (
	"slices"
	"strings"
)

// Program is what holds a profile.
const Program = "/usr/bin/sandbox-exec"

// Rules are what a profile says. Paths are absolute, with links resolved.
type Rules struct {
	// Write may be written, Guard cannot although it stands in there, Hide cannot be read.
	Write, Guard, Hide []string
}

// devices are what every program may write to and that keeps nothing; temporary folders are shared.
var devices = []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/dtracehelper"}

var temporary = []string{"/private/tmp", "/private/var/tmp", "/private/var/folders"}

// Text is the profile, in the language of sandbox-exec. A later rule counts more than an earlier one.
func Text(r Rules) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	b.WriteString("(allow file-write*\n")
	for _, path := range devices {
		b.WriteString("  (literal " + quote(path) + ")\n")
	}
	b.WriteString("  (regex #\"^/dev/ttys[0-9]+$\")\n")
	for _, path := range append(slices.Clone(temporary), r.Write...) {
		b.WriteString("  (subpath " + quote(path) + ")\n")
	}
	b.WriteString(")\n")
	deny(&b, "file-write*", r.Guard)
	// Who cannot be read cannot be moved to where it can, nor replaced.
	deny(&b, "file-read* file-write*", r.Hide)
	return b.String()
}

func deny(b *strings.Builder, what string, paths []string) {
	if len(paths) == 0 {
		return
	}
	b.WriteString("(deny " + what + "\n")
	for _, path := range paths {
		b.WriteString("  (subpath " + quote(path) + ")\n")
	}
	b.WriteString(")\n")
	// A folder above is not moved away either.
	b.WriteString("(deny file-write-unlink\n")
	for _, path := range above(paths) {
		b.WriteString("  (literal " + quote(path) + ")\n")
	}
	b.WriteString(")\n")
}

// above lists the folders in which paths are, each once.
func above(paths []string) []string {
	var list []string
	for _, path := range paths {
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			list = append(list, path[:i])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// quote writes a string of the language, in which a backslash and a quote are written with a backslash.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// Wrap returns the arguments with which [Program] runs a program under a profile.
func Wrap(r Rules, path string, args []string) []string {
	wrapped := []string{"sandbox-exec", "-p", Text(r), path}
	if len(args) > 0 {
		wrapped = append(wrapped, args[1:]...)
	}
	return wrapped
}
