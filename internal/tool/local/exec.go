package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/internal/tool"
)

const (
	// fast is how much of a stream is read at full speed. A program that prints for ever is read at no
	// more than 32 MB/s after that, so that it costs the daemon next to nothing.
	fast = tool.MaxSpill
	slow = time.Millisecond
	// chatty is how many reads may find little. A program that goes on writing line by line is then read
	// once in a while instead of once a line; the pipe holds what comes meanwhile.
	chatty = 32
	// chunk is how much is read at once.
	chunk = 32 << 10
)

func (m machine) exec(ctx context.Context, c tool.Command) (tool.Exit, error) {
	if err := ctx.Err(); err != nil {
		return tool.Exit{}, err
	}
	if c.Plan != nil {
		return m.plan(ctx, c)
	}
	if len(c.Args) == 0 {
		return tool.Exit{}, errors.New("no command")
	}
	path := c.Args[0]
	if !filepath.IsAbs(path) {
		found, err := m.lookPath(path)
		if err != nil {
			return tool.Exit{}, err
		}
		path = found
	}
	streams, err := open()
	if err != nil {
		return tool.Exit{}, err
	}
	if c.Own {
		m.Fence = nil
	}
	r, err := m.start(program{
		path: path, args: c.Args, dir: c.Dir, env: append(append([]string{}, c.Env...), "PWD="+c.Dir),
		stdout: streams[0].write, stderr: streams[1].write, connect: c.Connect,
	})
	for _, s := range streams {
		s.write.Close()
	}
	if err != nil {
		for _, s := range streams {
			s.read.Close()
		}
		return tool.Exit{}, fmt.Errorf("start %s: %w", filepath.Base(path), err)
	}
	if c.Started != nil {
		c.Started(r.pid())
	}
	return m.attend(ctx, c, r, streams), nil
}

// attend is with a command from its start to the end of the last process it may not leave behind.
func (m machine) attend(ctx context.Context, c tool.Command, r running, streams []*stream) tool.Exit {
	out := m.pass(c, streams, r.wrote)
	end := r.wait(ctx)
	out.finish(m.Linger)
	return end()
}

// passing is the output of a command on its way.
type passing struct {
	streams []*stream
	read    chan struct{} // closed when all has been read
}

// pass hands what is written to the streams to the command's Output, and tells wrote of it first.
func (m machine) pass(c tool.Command, streams []*stream, wrote func(tool.Stream, []byte)) passing {
	var (
		mu      sync.Mutex
		readers sync.WaitGroup
	)
	for _, s := range streams {
		readers.Go(func() {
			s.pump(func(p []byte) {
				wrote(s.name, p)
				if c.Output != nil {
					mu.Lock()
					defer mu.Unlock()
					c.Output(s.name, p)
				}
			})
		})
	}
	p := passing{streams, make(chan struct{})}
	go func() { readers.Wait(); close(p.read) }()
	return p
}

// finish says that the command is over, and returns when its output has been passed on.
func (p passing) finish(linger time.Duration) {
	now := time.Now()
	for _, s := range p.streams {
		s.finish(now.Add(linger))
	}
	<-p.read
	for _, s := range p.streams {
		s.read.Close()
	}
}

// stream is the pipe of one output.
type stream struct {
	name        tool.Stream
	read, write *os.File
	mu          sync.Mutex
	over        bool
}

func open() ([]*stream, error) {
	var streams []*stream
	for _, name := range []tool.Stream{tool.Stdout, tool.Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			for _, s := range streams {
				s.read.Close()
				s.write.Close()
			}
			return nil, fmt.Errorf("open a pipe: %w", err)
		}
		streams = append(streams, &stream{name: name, read: r, write: w})
	}
	return streams, nil
}

// finish says that the command is over: what is in the pipe is still read, and a process that left the
// session and holds the pipe open is waited for at most until then.
func (s *stream) finish(until time.Time) {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	_ = s.read.SetReadDeadline(until)
}

func (s *stream) finished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// pipeSize is the most a pipe holds unless root raised it (pipe(7)).
const pipeSize = 1 << 20

func (s *stream) pump(output func([]byte)) {
	buffer := make([]byte, chunk)
	total, little, last := 0, 0, pipeSize
	for late := false; ; {
		n, err := s.read.Read(buffer)
		if n > 0 {
			output(buffer[:n])
		}
		if n < chunk/8 {
			little++
		}
		if total += n; err == nil && (total > fast || n < chunk/8 && little > chatty) {
			time.Sleep(slow)
		}
		if late {
			if last -= n; last <= 0 || n == 0 {
				return
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && s.finished() && !late {
			// The reader of the output may have been slow; what is there by now still counts.
			late, err = true, nil
		}
		if err != nil {
			return
		}
		if late {
			_ = s.read.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		}
	}
}
