// Package transport carries frames between a client and the daemon: whole
// messages over a byte stream, and who is at the other end.
//
// A [Conn] is one connection, a [Listener] takes them in, a [Framing] says where
// a frame ends. The children listen somewhere; [Stream] makes a Conn of any byte
// stream.
//
// It guarantees that a frame arrives whole or not at all, that a frame over the
// limit is an error which says so and leaves the connection usable, that several
// frames given to one call leave in one write, and that a half-closed connection
// can still be written to.
//
// It does not know what is in a frame, keeps no queue, and starts no goroutine
// that outlives a call: a writer that the peer does not read from waits.
package transport

import (
	"context"
	"errors"
	"fmt"
)

// MaxFrame is the limit of a frame in bytes where none is set: 64 MiB.
const MaxFrame = 64 << 20

// ErrGone says that the peer has closed both directions: nothing that is written
// will be read.
var ErrGone = errors.New("the peer has gone")

// A LimitError is a frame that was longer than the limit. It was passed over;
// the next read goes on behind it.
type LimitError struct{ Limit int } // bytes

func (e *LimitError) Error() string { return fmt.Sprintf("frame longer than %d bytes", e.Limit) }

// A Peer is who is at the other end of a connection, as the system knows it.
type Peer struct {
	Known bool // the system said so
	UID   int
	PID   int // 0: not known
}

// A Conn carries frames. One goroutine may read while one other writes.
type Conn interface {
	// ReadFrame returns the next frame, which is the caller's. The error is
	// io.EOF where the peer will send no more but may still read, ErrGone where
	// it will not, a *LimitError for a frame that was passed over, and ctx's
	// error where ctx ended, after which the connection can only be closed.
	ReadFrame(ctx context.Context) ([]byte, error)

	// WriteFrames sends frames in their order, in one write. It waits for a
	// peer that does not read, until ctx ends, after which the connection can
	// only be closed.
	WriteFrames(ctx context.Context, frames ...[]byte) error

	// Peer says who is at the other end.
	Peer() Peer

	// Close closes both directions and ends what waits in the other calls.
	Close() error
}

// A Listener takes connections in.
type Listener interface {
	// Accept returns the next connection of a peer that is allowed in. The
	// error is net.ErrClosed after Close, and ctx's error where ctx ended. With
	// a connection, it says why that should be refused: the process had no
	// descriptor for one more. One goroutine may accept.
	Accept(ctx context.Context) (Conn, error)

	// Addr says where it listens, for people.
	Addr() string

	// Close stops listening and leaves the accepted connections alone.
	Close() error
}
