package local

import (
	"context"
	"crypto/rand"
	"os"
	"slices"
	"sync"
	"syscall"

	"parley/internal/shell"
	"parley/internal/tool"
)

// plan runs a plan: files below the workspace's handle, programs each in a session of its own. What one leaves in its
// session is ended when it has ended; what belongs to any of them, when the plan is.
func (m machine) plan(ctx context.Context, c tool.Command) (tool.Exit, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return tool.Exit{}, err
	}
	defer null.Close()
	streams, err := open()
	if err != nil {
		return tool.Exit{}, err
	}
	out := m.pass(c, streams)
	r := planned{machine: m, command: c, mark: marker + "=" + rand.Text(), streams: streams}
	code, err := c.Plan.Run(ctx, shell.Host{Open: m.disk.Open, Start: r.start}, shell.Streams{In: null, Out: streams[0].write, Err: streams[1].write})
	if c.Started != nil && !r.started {
		c.Started(0)
	}
	for _, s := range streams {
		s.write.Close()
	}
	out.finish(m.Linger)
	if r.exit.Code != code {
		r.exit.Signal = ""
	}
	r.exit.Code = code
	if ctx.Err() != nil {
		err = nil // what runs has been ended
	}
	return r.exit, err
}

// planned is a plan that runs.
type planned struct {
	machine
	command tool.Command
	mark    string
	streams []*stream
	started bool

	mu   sync.Mutex
	exit tool.Exit // of the program that was waited for last, and what was left by all
}

// start starts a program of the plan.
func (r *planned) start(ctx context.Context, s shell.Step, env []string, streams shell.Streams) (wait func() int, err error) {
	cmd, err := r.disk.Spawn(s, append(env, r.mark), streams, &syscall.SysProcAttr{Setsid: true})
	if err != nil {
		return nil, err
	}
	if !r.started && r.command.Started != nil {
		r.command.Started(cmd.Process.Pid)
	}
	r.started = true
	ended := make(chan tool.Exit, 1)
	go func() { ended <- r.watch(ctx, cmd, r.mark, r.streams) }()
	return func() int {
		exit := <-ended
		r.mu.Lock()
		defer r.mu.Unlock()
		exit.Ended, exit.Stuck = slices.Concat(r.exit.Ended, exit.Ended), slices.Concat(r.exit.Stuck, exit.Stuck)
		r.exit = exit
		return exit.Code
	}, nil
}
