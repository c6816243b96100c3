package local

import (
	"context"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"parley/internal/fence"
	"parley/internal/fence/proxy"
	"parley/internal/tool"
)

// Fence is what keeps the commands of a session in bounds.
type Fence struct {
	// Kind is [fence.Full] or [fence.Files].
	Kind fence.Kind
	// Commands are where those of kind Full run.
	Commands *fence.Fence
	// Profile is what a command may do. It is asked before each: rules and files change.
	Profile func() (fence.Profile, error)
}

// fenced starts a program in the fence, and not at all where that fails.
func (m machine) fenced(p program) (running, error) {
	profile, err := m.Fence.Profile()
	if err != nil {
		return nil, err
	}
	if m.Fence.Kind == fence.Files {
		confined := &confined{}
		confined.plain, err = m.plain(p, func(cmd *exec.Cmd) (err error) {
			confined.told, err = fence.Confine(cmd, profile)
			return err
		})
		if err != nil {
			return nil, err
		}
		return confined, nil
	}
	if p.connect != nil {
		profile.Network.Ask = func(ctx context.Context, h proxy.Host) bool { return p.connect(ctx, h.String()) }
	}
	run, err := m.Fence.Commands.Start(fence.Command{Path: p.path, Args: p.args, Dir: p.dir, Env: p.env, Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr}, profile)
	if err != nil {
		return nil, err
	}
	return full{run, m.Grace}, nil
}

// confined is a program in a fence of kind Files.
type confined struct {
	*plain
	told func() fence.Told
}

func (c *confined) wait(ctx context.Context) func() tool.Exit {
	end, told := c.plain.wait(ctx), sync.OnceValue(c.told)
	told()
	return func() tool.Exit { return tell(end(), told()) }
}

// full is a program in a full fence.
type full struct {
	run   *fence.Run
	grace time.Duration
}

func (f full) pid() int { return f.run.PID() }

func (f full) wrote(s tool.Stream, chunk []byte) {
	number := 1
	if s == tool.Stderr {
		number = 2
	}
	f.run.Output(number, chunk)
}

func (f full) wait(ctx context.Context) func() tool.Exit {
	select {
	case <-f.run.Done():
	case <-ctx.Done():
		f.run.End()
		// The first process ends all others after the grace; this is for one that hangs itself.
		last := time.AfterFunc(f.grace+giveUp, f.run.Kill)
		<-f.run.Done()
		last.Stop()
	}
	return func() tool.Exit {
		e := f.run.Wait()
		exit := tool.Exit{Code: e.Code, Ended: e.Ended}
		if e.Signal != 0 {
			exit.Signal = syscall.Signal(e.Signal).String()
		}
		if e.Stuck {
			exit.Stuck = []string{"what the command started"}
		}
		return tell(exit, e.Told)
	}
}

// tell adds what a fence stopped.
func tell(exit tool.Exit, told fence.Told) tool.Exit {
	exit.Stopped, exit.Later = told.Stopped(), told.Changed
	return exit
}
