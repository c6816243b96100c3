package local

import (
	"context"
	"crypto/rand"
	"os"
	"path"
	"slices"
	"sync"

	"parley/internal/shell"
	"parley/internal/tool"
)

// plan runs a plan: files below the workspace's handle, programs each in a session, and a fence, of its own. What one
// leaves in its session is ended when it has ended; what belongs to any of them, when the plan is.
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
	r := planned{machine: m, command: c, mark: rand.Text()}
	out := m.pass(c, streams, r.wrote)
	code, err := c.Plan.Run(ctx, shell.Host{Open: m.disk.Open, Start: r.start}, shell.Streams{In: null, Out: streams[0].write, Err: streams[1].write})
	if c.Started != nil && len(r.runs) == 0 {
		c.Started(0)
	}
	for _, s := range streams {
		s.write.Close()
	}
	out.finish(m.Linger)
	exit := r.exit()
	if exit.Code != code {
		exit.Signal = ""
	}
	exit.Code = code
	if ctx.Err() != nil {
		err = nil // what runs has been ended
	}
	return exit, err
}

// planned is a plan that runs.
type planned struct {
	machine
	command tool.Command
	mark    string // by which all of it is known

	mu   sync.Mutex
	runs []running
	ends []func() tool.Exit // in the order in which they were waited for
}

// start starts a program of the plan.
func (r *planned) start(ctx context.Context, s shell.Step, env []string, streams shell.Streams) (wait func() int, err error) {
	dir, leave, err := r.disk.Enter(s)
	if err != nil {
		return nil, err
	}
	defer leave()
	run, err := r.machine.start(program{
		path: s.Path, args: s.Args, env: env, dir: path.Join(r.Root.Path(), s.Folder), handle: dir, mark: r.mark,
		stdin: streams.In, stdout: streams.Out, stderr: streams.Err, connect: r.command.Connect,
	})
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	first := len(r.runs) == 0
	r.runs = append(r.runs, run)
	r.mu.Unlock()
	if first && r.command.Started != nil {
		r.command.Started(run.pid())
	}
	ended := make(chan func() tool.Exit, 1)
	go func() { ended <- run.wait(ctx) }()
	return func() int {
		end := <-ended
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ends = append(r.ends, end)
		return end().Code
	}, nil
}

// wrote is told what all of them write: they share the streams.
func (r *planned) wrote(s tool.Stream, chunk []byte) {
	r.mu.Lock()
	runs := r.runs
	r.mu.Unlock()
	for _, run := range runs {
		run.wrote(s, chunk)
	}
}

// exit is that of the program that was waited for last, with what was left and stopped of all.
func (r *planned) exit() (all tool.Exit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range r.ends {
		exit := end()
		exit.Ended, exit.Stuck = slices.Concat(all.Ended, exit.Ended), slices.Concat(all.Stuck, exit.Stuck)
		exit.Stopped, exit.Later = more(all.Stopped, exit.Stopped), more(all.Later, exit.Later)
		all = exit
	}
	return all
}

// more adds what is not there yet.
func more(list, further []string) []string {
	for _, s := range further {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
