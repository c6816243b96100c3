package transport

import (
	"bufio"
	"context"
	"io"
	"time"
)

// deadliner is a stream that can be left in the middle of a call; one that is not
// is closed instead.
type deadliner interface {
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

type stream struct {
	rw      io.ReadWriteCloser
	framing Framing
	peer    Peer
	gone    func() bool
	r       *bufio.Reader
	skip    int64
	out     []byte
}

// Stream returns a connection over a byte stream. gone is asked at the end of
// input whether the peer has closed the other direction too; nil: it has, as the
// stream knows no half-close. The end of a context closes a stream that has no
// deadlines.
func Stream(rw io.ReadWriteCloser, f Framing, p Peer, gone func() bool) Conn {
	return &stream{rw: rw, framing: f, peer: p, gone: gone, r: bufio.NewReaderSize(rw, 8<<10)}
}

func (s *stream) Peer() Peer { return s.peer }

func (s *stream) Close() error { return s.rw.Close() }

func (s *stream) ReadFrame(ctx context.Context) ([]byte, error) {
	stop, err := s.during(ctx, deadliner.SetReadDeadline)
	if err != nil {
		return nil, err
	}
	frame, skip, err := s.framing.Next(s.r, s.skip)
	s.skip = skip
	if !stop() && err != nil {
		return nil, ctx.Err()
	}
	if err == io.EOF && (s.gone == nil || s.gone()) {
		return nil, ErrGone
	}
	return frame, err
}

// kept is how much of a write buffer stays with an idle connection, in bytes.
const kept = 64 << 10

func (s *stream) WriteFrames(ctx context.Context, frames ...[]byte) error {
	stop, err := s.during(ctx, deadliner.SetWriteDeadline)
	if err != nil {
		return err
	}
	b := s.out[:0]
	for _, f := range frames {
		b = s.framing.Append(b, f)
	}
	if s.out = b; cap(b) > kept {
		s.out = nil
	}
	_, err = s.rw.Write(b)
	if !stop() && err != nil {
		return ctx.Err()
	}
	return err
}

// during makes the end of ctx end a call. The function it returns reports
// whether ctx was still alive when the call was over.
func (s *stream) during(ctx context.Context, set func(deadliner, time.Time) error) (stop func() bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if ctx.Done() == nil {
		return func() bool { return true }, nil
	}
	return context.AfterFunc(ctx, func() {
		// Any time in the past ends the call at once.
		if d, ok := s.rw.(deadliner); !ok || set(d, time.Unix(1, 0)) != nil {
			_ = s.rw.Close()
		}
	}), nil
}
