//go:build !linux

package fence

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"

	"parley/internal/fence/seatbelt"
)

// Detect says what holds on this machine.
func Detect() State {
	why := "namespaces are Linux's"
	if runtime.GOOS == "darwin" {
		return State{Kind: Files, Why: why + "; sandbox-exec is used, which nobody has tried with Parley yet"}
	}
	return State{Kind: None, Why: why}
}

// Fence is what the commands of one session run in. There is no full one here.
type Fence struct{}

// New returns a fence. It has to be closed.
func New(Options) *Fence { return &Fence{} }

// Close ends every command in the fence.
func (*Fence) Close() {}

// Run is a command in a full fence. There is none here.
type Run struct{}

var errFull = errors.New("a full fence needs Linux")

// Start starts a command in a full fence: never, here.
func (*Fence) Start(Command, Profile) (*Run, error) { return nil, errFull }

// PID is the number of the command's first process on this machine.
func (*Run) PID() int { return 0 }

// Output tells the run what the command wrote.
func (*Run) Output(int, []byte) {}

// End asks every process of the command to end.
func (*Run) End() {}

// Kill ends every process of the command at once.
func (*Run) Kill() {}

// Done is closed when nothing of the command is left.
func (*Run) Done() <-chan struct{} { return nil }

// Wait returns how the command ended.
func (*Run) Wait() Exit { return Exit{} }

// Confine starts a command in a fence of kind [Files].
func Confine(cmd *exec.Cmd, p Profile) (end func() Told, err error) {
	before := snap(p.Root)
	cmd.Args = seatbelt.Wrap(seatbelt.Rules{
		Write: append(append([]string{p.Root}, p.Write...), p.Caches...), Guard: append(p.Guard, p.Forbid...), Hide: p.Hide,
	}, cmd.Path, cmd.Args)
	cmd.Path = seatbelt.Program
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() Told { return Told{Changed: before.changed(snap(p.Root))} }, nil
}

// Inside says what shows that a process stands inside a fence. Here nothing shows it.
func Inside(int) (string, error) { return "", nil }

// Behind is [Inside] for the process at the other end of a Unix socket.
func Behind(syscall.RawConn) (string, error) { return "", nil }
