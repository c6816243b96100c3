package journal

import (
	"context"
	"io"
	"iter"
	"slices"
	"sync"

	"parley/internal/event"
	"parley/internal/transcript"
)

// A handle is one opener's use of a log.
type handle struct {
	tape    *tape
	release func(*tape) error
	once    sync.Once
	done    chan struct{}
	err     error
}

func (h *handle) open() error {
	select {
	case <-h.done:
		return closed(h.tape.id)
	default:
		return nil
	}
}

func (h *handle) ID() event.SessionID      { return h.tape.id }
func (h *handle) State() *transcript.State { return h.tape.State() }
func (h *handle) Head() event.Seq          { return h.tape.Head() }
func (h *handle) Dir() string              { return h.tape.Dir() }
func (h *handle) Damage() []Damage         { return slices.Clone(h.tape.damage) }

func (h *handle) Append(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	return h.tape.Append(ctx, events...)
}

func (h *handle) After(ctx context.Context, seq event.Seq) iter.Seq2[event.Event, error] {
	return h.tape.after(ctx, seq, h.done)
}

func (h *handle) Page(ctx context.Context, after event.Seq, limit int) ([]event.Event, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	return h.tape.Page(ctx, after, limit)
}

func (h *handle) PageBefore(ctx context.Context, before event.Seq, limit int) ([]event.Event, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	return h.tape.PageBefore(ctx, before, limit)
}

func (h *handle) Base(ctx context.Context) (*transcript.State, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	return h.tape.Base(ctx)
}

func (h *handle) PutBlob(ctx context.Context, r io.Reader) (string, string, int64, error) {
	if err := h.open(); err != nil {
		return "", "", 0, err
	}
	return h.tape.PutBlob(ctx, r)
}

func (h *handle) BlobPath(sum string) (string, error) {
	if err := h.open(); err != nil {
		return "", err
	}
	return h.tape.BlobPath(sum)
}

func (h *handle) Close() error {
	h.once.Do(func() {
		close(h.done)
		h.err = h.release(h.tape)
	})
	return h.err
}
