package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Streams are the standard input, output and error of a command.
type Streams struct{ In, Out, Err *os.File }

// Host does what a plan says: it opens files and starts programs, exactly those that it is told.
type Host struct {
	// Open opens a file of the plan. It follows no link, not even one that came since the plan was made.
	Open func(File) (*os.File, error)
	// Start starts the program of a step with these variables, no others, and with these streams, which belong to the caller: it
	// keeps none of them open. wait is called once; it returns the exit code, 128 and the signal for a program that one ended.
	// When ctx ends, the program and all that came from it are ended, and wait returns.
	Start func(ctx context.Context, s Step, env []string, streams Streams) (wait func() int, err error)
}

// errEmpty is what the zero Plan fails with.
var errEmpty = errors.New("there is no plan to run")

// Run runs the plan and returns the exit code of its last command that ran, as a shell does. The streams belong to the caller; In is
// not read by more than the commands. When ctx ends, what runs is ended, nothing more starts, and the error is ctx's.
//
// The commands of a pipe run beside each other: the exit code is that of the last, and one that writes to a pipe that nobody reads
// any more gets SIGPIPE. A file that cannot be opened, or a program that cannot be started, is said on the command's own standard
// error; the code is then 1, 126 or 127 and the line goes on as a shell's would.
func (p Plan) Run(ctx context.Context, h Host, s Streams) (code int, err error) {
	if len(p.list) == 0 || h.Open == nil || h.Start == nil {
		return 1, errEmpty
	}
	r := run{ctx: ctx, plan: p, host: h}
	for _, chain := range p.list {
		for _, j := range chain {
			if j.op == "&&" && r.code != 0 || j.op == "||" && r.code == 0 {
				continue
			}
			if err := r.pipe(j.pipe, s); err != nil {
				return r.code, err
			}
		}
	}
	return r.code, nil
}

// run is one run of a plan.
type run struct {
	ctx  context.Context
	plan Plan
	host Host
	code int // $?
}

// pipe starts the commands of a pipe and waits for all of them.
func (r *run) pipe(steps []Step, s Streams) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	waits := make([]func() int, 0, len(steps))
	in := held{File: s.In}
	var failed error
	for i, step := range steps {
		c := child{run: r, step: step, held: []io.Closer{in}, streams: Streams{in.File, s.Out, s.Err}}
		if i < len(steps)-1 {
			read, write, err := os.Pipe()
			if err != nil {
				in.Close()
				failed = fmt.Errorf("open a pipe: %w", err)
				break
			}
			c.streams.Out = write
			c.held = append(c.held, write)
			in = held{read, true}
		}
		waits = append(waits, c.start())
	}
	for _, wait := range waits {
		r.code = wait()
	}
	if failed != nil {
		r.code = 1
		return failed
	}
	return r.ctx.Err()
}

// held is a file that is closed only if it is ours.
type held struct {
	*os.File
	ours bool
}

func (h held) Close() error {
	if !h.ours {
		return nil
	}
	return h.File.Close()
}

// child is a command on its way.
type child struct {
	*run
	step    Step
	streams Streams
	// held are files that are ours until the command has them.
	held []io.Closer
}

func (c *child) release() {
	for _, f := range c.held {
		f.Close()
	}
}

// start starts the command and lets go of its files.
func (c *child) start() (wait func() int) {
	if err := c.redirect(); err != nil {
		return c.fail(1, err)
	}
	if c.step.Path == "" {
		return c.own()
	}
	defer c.release()
	wait, err := c.host.Start(c.ctx, c.step.clone(), c.env(), c.streams)
	if err != nil {
		code := 126
		if errors.Is(err, fs.ErrNotExist) {
			code = 127
		}
		return c.fail(code, err)
	}
	return wait
}

// env is the environment of the command: the plan's, where it runs, and what the line sets.
func (c *child) env() []string {
	env := append(slices.Clone(c.plan.env), "PWD="+path.Join(c.plan.root, c.step.Folder))
	for _, v := range c.step.Env {
		name, _, _ := strings.Cut(v, "=")
		env = slices.DeleteFunc(env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		env = append(env, v)
	}
	return env
}

// fail says why the command does not run.
func (c *child) fail(code int, err error) func() int {
	fmt.Fprintf(c.streams.Err, "parley: %s: %v\n", c.step.Args[0], err)
	c.release()
	return func() int { return code }
}

// redirect opens the files of the command, in their order.
func (c *child) redirect() error {
	opened := 0
	for _, st := range c.step.streams {
		switch st.op {
		case opErrToOut:
			c.streams.Err = c.streams.Out
			continue
		case opHere:
			read, err := c.document(st.body)
			if err != nil {
				return err
			}
			c.streams.In = read
			continue
		}
		file, err := c.host.Open(c.step.Files[opened])
		if err != nil {
			return err
		}
		opened++
		c.held = append(c.held, file)
		switch st.op {
		case opRead:
			c.streams.In = file
		case opErrWrite, opErrAppend:
			c.streams.Err = file
		default:
			c.streams.Out = file
		}
	}
	return nil
}

// document is a here-document: a pipe that it is written to as it is read.
func (c *child) document(body string) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.held = append(c.held, read)
	stop := context.AfterFunc(c.ctx, func() { write.Close() })
	go func() {
		// Who does not read to the end does not want the rest.
		_, _ = io.WriteString(write, body)
		if stop() {
			write.Close()
		}
	}()
	return read, nil
}
