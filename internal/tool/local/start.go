package local

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"syscall"

	"parley/internal/tool"
)

// marker is the variable by which a process is known to come from a command. It is inherited.
const marker = "PARLEY_CALL"

// program is a program to start.
type program struct {
	path      string // absolute
	args, env []string
	dir       string
	handle    string // a path to dir that no link can change meanwhile, in this process; "" for none
	mark      string // shared by the programs of a plan; "" makes one
	// The streams belong to the caller, who closes them once the program runs; nil is /dev/null.
	stdin, stdout, stderr *os.File
	// connect decides about a host that the fence does not let be reached; nil refuses it.
	connect tool.Connect
}

// running is a program that runs, with all that came from it.
type running interface {
	// pid is the number of its first process.
	pid() int
	// wrote is told what it writes, as far as somebody reads that.
	wrote(s tool.Stream, chunk []byte)
	// wait returns when the program has ended and nothing of it is left; the end of ctx ends all of it. How it
	// ended is known once all that it wrote was read.
	wait(ctx context.Context) (end func() tool.Exit)
}

// start starts a program in the machine's fence, where it has one. It is the one way in which anything is
// started.
func (m machine) start(p program) (running, error) {
	if m.Fence != nil {
		return m.fenced(p)
	}
	return m.plain(p, (*exec.Cmd).Start)
}

// plain starts a program with the rights of the daemon's user.
func (m machine) plain(p program, start func(*exec.Cmd) error) (*plain, error) {
	mark := marker + "=" + cmp.Or(p.mark, rand.Text())
	cmd := &exec.Cmd{
		Path: p.path, Args: p.args, Dir: cmp.Or(p.handle, p.dir),
		Env:         append(append([]string{}, p.env...), mark),
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	t := tree{mark: mark, grace: m.Grace, linger: m.Linger, table: m.table}
	// A nil *os.File in an interface is not nil.
	if p.stdin != nil {
		cmd.Stdin = p.stdin
	}
	for _, s := range []struct {
		file *os.File
		to   *io.Writer
	}{{p.stdout, &cmd.Stdout}, {p.stderr, &cmd.Stderr}} {
		if s.file == nil {
			continue
		}
		*s.to = s.file
		if name := inode(s.file); name != "" {
			t.pipes = append(t.pipes, name)
		}
	}
	if err := start(cmd); err != nil {
		return nil, err
	}
	t.leader = cmd.Process.Pid
	return &plain{cmd, t}, nil
}

// plain is a program that its tree of processes stands for.
type plain struct {
	cmd  *exec.Cmd
	tree tree
}

func (p *plain) pid() int                  { return p.tree.leader }
func (p *plain) wrote(tool.Stream, []byte) {}

func (p *plain) wait(ctx context.Context) func() tool.Exit {
	var exit tool.Exit
	exited := make(chan struct{})
	go func() { await(p.cmd); close(exited) }()
	select {
	case <-exited:
		exit.Ended, exit.Stuck = p.tree.hangUp(ctx)
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		exit.Stuck = p.tree.end(p.tree.all)
		if len(exit.Stuck) == 0 {
			<-exited
		}
	}
	select {
	case <-exited:
		exit.Code, exit.Signal = reap(p.cmd)
	default:
		// The program itself cannot be killed (a hung disk or network mount); it is reaped when it can be.
		go func() { <-exited; reap(p.cmd) }()
		exit.Code = -1
	}
	return func() tool.Exit { return exit }
}

func reap(cmd *exec.Cmd) (code int, signal string) {
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal()), status.Signal().String()
	}
	return cmd.ProcessState.ExitCode(), ""
}
