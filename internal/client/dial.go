package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/internal/wire"
	"parley/internal/wire/native"
)

// Options say which daemon to talk to, and as whom.
type Options struct {
	Socket string
	Hello  wire.Hello
	// Start starts a daemon on Socket and returns when it runs or has failed;
	// nil: a daemon that does not run is an error.
	Start func(ctx context.Context) error
	// AnyBuild talks to a daemon of another build too.
	AnyBuild bool
}

// Dial is Dial with another hello: what a [Joining] reaches the daemon with.
func (o Options) Dial(ctx context.Context, h wire.Hello) (*Conn, error) {
	o.Hello = h
	return Dial(ctx, o)
}

// How long a daemon has to begin to listen, and to leave.
const (
	startTimeout = 10 * time.Second
	pause        = 5 * time.Millisecond
)

// ErrNoDaemon says that nobody listens on the socket.
var ErrNoDaemon = errors.New("no daemon is running")

// Dial connects to the daemon, starting one where Options say how. An idle
// daemon of another build is asked to leave first; a busy one is an error.
func Dial(ctx context.Context, o Options) (*Conn, error) {
	c, err := connect(ctx, o)
	if errors.Is(err, ErrNoDaemon) && o.Start != nil {
		return started(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	if o.AnyBuild || o.Start == nil || c.Welcome.Build == o.Hello.Build {
		return c, nil
	}
	return replace(ctx, o, c)
}

// started starts a daemon and waits until it can be talked to. Two clients may
// do so at once: the one whose daemon found the store taken uses the other's.
func started(ctx context.Context, o Options) (*Conn, error) {
	failed := o.Start(ctx)
	end := time.NewTimer(startTimeout)
	defer end.Stop()
	for {
		c, err := connect(ctx, o)
		if err == nil || !errors.Is(err, ErrNoDaemon) {
			return c, err
		}
		if failed != nil {
			return nil, failed
		}
		select {
		case <-time.After(pause):
		case <-end.C:
			return nil, fmt.Errorf("the daemon did not begin to serve within %s: %w", startTimeout, err)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// replace asks a daemon of another build to leave, and starts ours.
func replace(ctx context.Context, o Options, c *Conn) (*Conn, error) {
	w := c.Welcome
	go drain(c)
	_, err := c.Do(ctx, "", command.Stop{IfIdle: true})
	c.Close()
	var fault *command.Fault
	if errors.As(err, &fault) && fault.Code == command.Busy {
		return nil, fmt.Errorf("the daemon is of another build (version %s, pid %d) and busy; wait for its runs, or end it with 'parley daemon stop'", w.Version, w.PID)
	}
	if err != nil && !errors.Is(err, ErrLost) {
		return nil, err
	}
	if err := Gone(ctx, o.Socket); err != nil {
		return nil, err
	}
	return started(ctx, o)
}

func drain(c *Conn) {
	for range c.Lines() {
	}
}

// Gone waits until nobody listens on a socket any more.
func Gone(ctx context.Context, socket string) error {
	end := time.NewTimer(startTimeout)
	defer end.Stop()
	for {
		conn, err := unix.Dial(ctx, socket, transport.Lines{})
		if err != nil {
			return nil
		}
		conn.Close()
		select {
		case <-time.After(pause):
		case <-end.C:
			return fmt.Errorf("the daemon on %s did not leave within %s", socket, startTimeout)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func connect(ctx context.Context, o Options) (*Conn, error) {
	conn, err := unix.Dial(ctx, o.Socket, transport.Lines{})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%w on %s", ErrNoDaemon, o.Socket)
	case err != nil:
		return nil, err
	}
	w, err := greet(ctx, conn, o.Hello)
	if err != nil {
		conn.Close()
		if hungUp(err) {
			// The socket outlived its daemon for a moment: one that leaves, or was killed.
			return nil, fmt.Errorf("%w on %s: it hung up", ErrNoDaemon, o.Socket)
		}
		return nil, err
	}
	return newConn(ctx, conn, w), nil
}

func hungUp(err error) bool {
	return slices.ContainsFunc([]error{io.EOF, transport.ErrGone, syscall.ECONNRESET, syscall.EPIPE}, func(end error) bool { return errors.Is(err, end) })
}

func greet(ctx context.Context, conn transport.Conn, h wire.Hello) (native.Welcome, error) {
	if err := conn.WriteFrames(ctx, native.Hello(h)); err != nil {
		return native.Welcome{}, fmt.Errorf("greet the daemon: %w", err)
	}
	raw, err := conn.ReadFrame(ctx)
	if err != nil {
		return native.Welcome{}, fmt.Errorf("greet the daemon: %w", err)
	}
	line, err := native.Parse(raw)
	switch {
	case err != nil:
		return native.Welcome{}, fmt.Errorf("greet the daemon: %w", err)
	case line.Fault != nil:
		return native.Welcome{}, line.Fault
	case line.Welcome == nil:
		return native.Welcome{}, errors.New("greet the daemon: it answered with something else")
	}
	return *line.Welcome, nil
}

// Attach follows a session from a position on; nil is the start of the open run.
func (c *Conn) Attach(ctx context.Context, id event.SessionID, since *event.Seq) (command.Opened, error) {
	return Ask[command.Opened](ctx, c, id, command.Attach{Since: since})
}
