package fence

import (
	"os"
	"time"

	"parley/internal/fence/proxy"
)

// Options are what a fence is made with. The zero value is of use.
type Options struct {
	// Outside is the network as the proxy uses it; the zero value is this machine's.
	Outside proxy.Outside
	// Grace is how long a process that is asked to end has before it is killed; 0 means one second.
	Grace time.Duration
	// Linger is how long what a finished command left behind may take to end by itself; 0 means 250 ms.
	Linger time.Duration
	// Rest is how long the session's namespaces are kept with no command in them; 0 means a minute.
	Rest time.Duration
}

func (o Options) complete() Options {
	if o.Outside.Dial == nil {
		o.Outside = proxy.Machine()
	}
	if o.Grace == 0 {
		o.Grace = time.Second
	}
	if o.Linger == 0 {
		o.Linger = 250 * time.Millisecond
	}
	if o.Rest == 0 {
		o.Rest = time.Minute
	}
	return o
}

// Command is a program to run. Its descriptors are the caller's to close.
type Command struct {
	// Path is absolute, Args are with the program's name.
	Path string
	Args []string
	Dir  string
	Env  []string
	// Stdin, Stdout and Stderr; nil is /dev/null.
	Stdin, Stdout, Stderr *os.File
}

// Exit is how a command in a full fence ended. When it is there, nothing of the command is left, unless it
// says so.
type Exit struct {
	// Code is the exit code, 128 plus the number of the signal that ended it, as a shell counts.
	Code int
	// Signal is the number of that signal, 0 for none.
	Signal int
	// Ended lists what the command left running and was ended, as "PID NAME".
	Ended []string
	// Stuck says that something of the command hangs in the kernel and could not be ended yet.
	Stuck bool
	// Told is what the fence stopped.
	Told Told
}

// Told is what a fence stopped of one command, and what the command changed that matters outside.
type Told struct {
	// Hosts were refused by the proxy: exactly those that were tried.
	Hosts []proxy.Host
	// Calls are refused system calls.
	Calls []Call
	// Paths were refused, as far as the command's output names them.
	Paths []Refusal
	// Changed are files that something outside runs or obeys later and that are not what they were.
	Changed []string
	// Aside are what the command made at a forbidden path, moved out of the way: where it is now.
	Aside []string
	// Lost are guarded or hidden paths that somebody outside replaced while the command ran. They were
	// guarded again at once; in between, the command could reach them.
	Lost []string
	// Plain are caches of which the command saw nothing, because no layer could be made over them.
	Plain []string
}

// Call is a system call that was refused.
type Call struct {
	Name string
	// Args are its first arguments where they say more than the name, such as the family of a socket.
	Args  []uint64
	Count int
}

// Zero says that there is nothing to tell.
func (t Told) Zero() bool {
	return len(t.Hosts)+len(t.Calls)+len(t.Paths)+len(t.Changed)+len(t.Aside)+len(t.Lost)+len(t.Plain) == 0
}
