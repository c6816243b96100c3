package fence

import (
	"path/filepath"
	"strings"

	"parley/internal/fence/proxy"
)

// Profile is what a command may do. Paths are absolute; those of Root, Temp, Keep, Write and Caches have
// their links resolved. It is a value: what an answer granted for one command is added to a copy.
type Profile struct {
	// Root is the workspace, which may be written.
	Root string
	// Home is the user's home.
	Home string
	// Temp is a folder that stands for /tmp and /var/tmp; the session's own, so that commands find what
	// earlier ones left.
	Temp string
	// Keep is a folder for the private layers over caches; "" makes the caches read-only.
	Keep string
	// Write are further files and folders that may be written.
	Write []string
	// Caches are folders that are read as they are, and written into a layer that only this workspace sees.
	Caches []string
	// Guard are paths that cannot be changed although they stand in what may be written, whether they
	// exist or not.
	Guard []string
	// Forbid are paths that must not appear: what does is moved aside at once.
	Forbid []string
	// Fresh are git folders that the command may make. One that would make git run something is moved aside
	// when the command has ended.
	Fresh []string
	// Hide are paths that cannot be read, Blank such that read as empty because programs cannot do without
	// an answer.
	Hide  []string
	Blank []string
	// Show are paths that stay visible where what they stand in is replaced, such as below /tmp, or hidden.
	Show []string
	// Network is what may be connected to.
	Network Network
	// Env are variables that the command needs beside its own, NAME=VALUE.
	Env []string
	// Processes bounds the processes and threads of one command; 0 means 4096.
	Processes int
}

// Network is what a command may connect to. The zero value is the command's own loopback only.
type Network struct {
	// Open is the machine's network as it is.
	Open bool
	// Hosts may be reached by way of the proxy.
	Hosts proxy.Hosts
	// Ask decides about another host while the command waits; nil refuses it.
	Ask proxy.Ask
}

// defaultProcesses is room for a parallel build and its threads.
const defaultProcesses = 4096

// below says whether path is dir or in it. Both are clean.
func below(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// belowAny says whether path is one of dirs or in it.
func belowAny(dirs []string, path string) bool {
	for _, dir := range dirs {
		if below(dir, path) {
			return true
		}
	}
	return false
}

// inHome makes a path of a table absolute: "~" is the user's home.
func inHome(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}
