// Package client is the near end of the native dialect, and what to build a
// program on that works with Parley: it finds the daemon or starts one, follows
// sessions and sends commands.
//
// A [Session] is one session that is followed. [Join] brings its state, and what
// happens after that comes from [Session.Updates], or folded from
// [Session.Events]:
//
//	s, err := client.Join(ctx, client.Joining{Dial: options.Dial, Hello: hello})
//	defer s.Close()
//	for e, err := range s.Events(ctx) {
//		… // s.State() has e
//	}
//
// A [Conn] is a connection by itself, for commands that are about no session.
//
// It guarantees:
//
//   - Dial returns a connection on which the handshake is done, and never talks to
//     a daemon of another build unless a socket was named.
//   - A reply reaches the call that waits for it; a daemon that is lost ends every
//     call with [ErrLost].
//   - The events of a Session have no gap and come in order, also over lost
//     connections and daemons that were killed. Folded by transcript.Advance and
//     Apply, its state is that of a client that was there all along.
//   - Its state is bounded: what is open, settings, counts and the last entries
//     without their content. The rest is read: [Session.Past] gives events page by
//     page, the command read gives entries.
//   - A Session owns its goroutines: after Close none is left.
//
// It shows nothing and decides nothing: that is for the commands and the TUI.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transport"
	"parley/internal/wire/native"
)

// ErrLost says that the daemon is gone; what it had accepted is kept.
var ErrLost = errors.New("the daemon is gone")

// A Line is one line of the daemon.
type Line struct {
	native.Line
	Raw []byte // as it came, without its end
}

// A Conn is a connection to the daemon. Its methods may be called from any
// goroutine; one goroutine must read Lines until it ends, or calls wait.
type Conn struct {
	Welcome native.Welcome

	conn     transport.Conn
	ctx      context.Context
	cancel   context.CancelFunc
	lines    chan Line
	ids      atomic.Int64
	coalesce atomic.Int64 // a duration; see Coalesce
	write    sync.Mutex

	mu      sync.Mutex // guards the fields below
	waiting map[string]chan command.Reply
	err     error
}

func newConn(ctx context.Context, conn transport.Conn, w native.Welcome) *Conn {
	c := &Conn{Welcome: w, conn: conn, lines: make(chan Line, 256), waiting: make(map[string]chan command.Reply)}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go c.read()
	return c
}

// Lines are the events, states and faults that come, in order. It is closed when
// the connection ends; Err then says why.
func (c *Conn) Lines() <-chan Line { return c.lines }

// Err is why the connection ended; nil after Close.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Conn) read() {
	defer close(c.lines)
	for {
		begin := time.Now()
		raw, err := c.conn.ReadFrame(c.ctx)
		if err != nil {
			c.lost(err)
			return
		}
		waited := time.Since(begin)
		line, err := native.Parse(raw)
		if err != nil {
			c.lost(fmt.Errorf("a line that is not of the protocol: %w", err))
			return
		}
		if line.Reply != nil {
			c.reply(*line.Reply)
			continue
		}
		select {
		case c.lines <- Line{line, raw}:
		case <-c.ctx.Done():
			return
		}
		c.pause(line, waited)
	}
}

// Coalesce makes the connection wait for d after a delta, so that several arrive
// together: being woken for each costs more than showing them. Nothing is later
// than d for it. 0, the default, waits for nothing.
func (c *Conn) Coalesce(d time.Duration) { c.coalesce.Store(int64(d)) }

// minWait tells a read that had to wait for its line from one that found it there.
const minWait = 200 * time.Microsecond

// pause waits after a delta that was the last of what had arrived.
func (c *Conn) pause(line native.Line, waited time.Duration) {
	d := time.Duration(c.coalesce.Load())
	if d == 0 || waited < minWait || line.Event == nil {
		return
	}
	switch line.Event.Body.(type) {
	case event.BlockDelta, event.CallDelta:
		select {
		case <-time.After(d):
		case <-c.ctx.Done():
		}
	}
}

func (c *Conn) lost(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() == nil && c.err == nil {
		c.err = fmt.Errorf("%w (%v)", ErrLost, err)
	}
	for id, ch := range c.waiting {
		close(ch)
		delete(c.waiting, id)
	}
}

func (c *Conn) reply(r command.Reply) {
	c.mu.Lock()
	ch := c.waiting[r.ID]
	delete(c.waiting, r.ID)
	c.mu.Unlock()
	if ch != nil {
		ch <- r
	}
}

// Do sends a command and waits for its answer. A refusal is a *command.Fault.
// The returned id is what the causes of its events end with.
func (c *Conn) Do(ctx context.Context, session event.SessionID, body command.Body) (json.RawMessage, error) {
	id := strconv.FormatInt(c.ids.Add(1), 10)
	ch := make(chan command.Reply, 1)
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return nil, c.err
	}
	c.waiting[id] = ch
	c.mu.Unlock()
	c.write.Lock()
	err := c.conn.WriteFrames(ctx, native.Command(command.Command{ID: id, Session: session, Body: body}))
	c.write.Unlock()
	if err != nil {
		c.lost(err)
		return nil, c.Err()
	}
	select {
	case r, ok := <-ch:
		if !ok {
			return nil, c.Err()
		}
		if r.Fault != nil {
			return nil, r.Fault
		}
		return r.Data, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A Doer carries out commands: a [Conn] or a [Session].
type Doer interface {
	Do(ctx context.Context, session event.SessionID, body command.Body) (json.RawMessage, error)
}

// Ask is Do with the answer decoded.
func Ask[T any](ctx context.Context, d Doer, session event.SessionID, body command.Body) (T, error) {
	var out T
	data, err := d.Do(ctx, session, body)
	if err != nil {
		return out, err
	}
	if len(data) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return out, fmt.Errorf("answer to %s: %w", command.Name(body), err)
	}
	return out, nil
}

// Close ends the connection. A run that it began goes on.
func (c *Conn) Close() error {
	c.cancel()
	return c.conn.Close()
}
