package inside

import (
	"bytes"
	"encoding/gob"
	"time"
)

// The names under which this program is started again: its argument zero.
const (
	roomName  = "parley-fence-room"
	firstName = "parley-fence"
)

// Messages are written with encoding/gob: paths and arguments are bytes, not always text.

// Pack writes a message by itself.
func Pack(message any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(message)
	return b.Bytes(), err
}

// Unpack reads what Pack wrote.
func Unpack(b []byte, message any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(message) }

// RoomOrder is what a room is told at its start.
type RoomOrder struct {
	UID, GID int
	// Network says that the room has a network namespace of its own.
	Network bool
}

// RoomReady is the room's answer. With it comes, where the room has a network of its own, a listening
// socket on that network's loopback; Port is where.
type RoomReady struct {
	Error string
	Port  int
}

// Order is what the first process of a command does. With it come three descriptors: the command's standard
// input, output and error.
type Order struct {
	UID, GID int
	Mounts   []Mount
	// Path is the program to start, Args its arguments with its name, Dir where it starts.
	Path string
	Args []string
	Env  []string
	Dir  string
	// Forbid are paths that must not appear: what does is renamed.
	Forbid []string
	// Processes bounds the processes and threads of the command; 0 leaves the user's own bound.
	Processes int
	// Filter is a program for seccomp(2), an instruction in each number: code, jt, jf, k from the top.
	Filter []uint64
	// Telling are the system calls whose arguments are reported with them.
	Telling []int
	// Scopes are what Landlock keeps inside, LANDLOCK_SCOPE_*, where the kernel knows them.
	Scopes uint64
	// Linger is how long what the command left behind may take to end by itself; Grace is how long a
	// process that was asked to end has.
	Linger, Grace time.Duration
	// Probe ends the order before the command starts: it shows that everything else works.
	Probe bool
}

// Kind of a mount.
type Kind string

// The kinds of mounts.
const (
	// Read shows From at Path, and nothing below it can be changed.
	Read Kind = "read"
	// Write shows From at Path, as writable as it is outside.
	Write Kind = "write"
	// Hide puts something at Path that can be neither read nor entered.
	Hide Kind = "hide"
	// Blank puts something empty at Path that can be read.
	Blank Kind = "blank"
	// Empty is a new folder in memory at Path, in which later mounts make their places. It is read-only
	// when the command starts.
	Empty Kind = "empty"
	// Memory is a writable folder in memory.
	Memory Kind = "memory"
	// Layer shows Path with a private layer over it: what is written goes to From. Work is a folder that
	// overlayfs needs beside it. Where no layer can be made, From alone is shown.
	Layer Kind = "layer"
	// Proc, Devices are /proc of the pid namespace, read-only, and a small /dev.
	Proc    Kind = "proc"
	Devices Kind = "devices"
)

// Mount is one thing that the command sees at a path. Paths are absolute and hold no links; Path and From
// may be links themselves. Mounts stand in the order in which they are made: parents first.
type Mount struct {
	Kind Kind
	Path string
	// From is what is shown; "" means Path itself, as it was before any mount.
	From string
	Work string
	// Make makes the place where there is none: below an Empty or a replaced folder only.
	Make bool
	// Maybe leaves the mount out where From is gone by now.
	Maybe bool
}

// Request is what may be said to a first process after its order.
type Request struct {
	// End asks the command and all it started to end.
	End bool
}

// Report is what the first process says; the last one has Done.
type Report struct {
	// Error says why the command could not be started. Step names what failed.
	Error string
	Step  string
	// Errno is the number of the system's error behind Error, 0 for none.
	Errno int
	// Started says that the command runs.
	Started bool
	// Done says that the command is over, Clean that no process of it is left; otherwise the end of the
	// first process is the end of all.
	Done   bool
	Clean  bool
	Code   int
	Signal int
	// Ended lists what was left running and was ended, as "PID NAME".
	Ended []string
	// Calls are the system calls that were refused.
	Calls []Call
	// Plain names the layers that are without what is below them: no overlay could be made.
	Plain []string
	// Aside are where things were moved that appeared at a forbidden path.
	Aside []string
	// Lost names mounts that came off while the command ran.
	Lost []string
}

// Call is a refused system call: its number on this machine, its first two arguments, and how often.
type Call struct {
	Number int
	Args   [2]uint64
	Count  int
}

// Writable says whether a mount of this kind can be changed.
func (k Kind) Writable() bool { return k == Write || k == Layer || k == Memory || k == Devices }
