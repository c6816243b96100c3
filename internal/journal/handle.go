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
	log     *log
	release func(*log) error
	once    sync.Once
	done    chan struct{}
	err     error
}

func (h *handle) open() error {
	select {
	case <-h.done:
		return closed(h.log.id)
	default:
		return nil
	}
}

func (h *handle) ID() event.SessionID      { return h.log.id }
func (h *handle) State() *transcript.State { return h.log.State() }
func (h *handle) Head() event.Seq          { return h.log.Head() }
func (h *handle) Dir() string              { return h.log.Dir() }
func (h *handle) Damage() []Damage         { return slices.Clone(h.log.damage) }

func (h *handle) Append(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	return h.log.Append(ctx, events...)
}

func (h *handle) After(ctx context.Context, seq event.Seq) iter.Seq2[event.Event, error] {
	return h.log.after(ctx, seq, h.done)
}

func (h *handle) Page(ctx context.Context, after event.Seq, limit int) ([]event.Event, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	return h.log.Page(ctx, after, limit)
}

func (h *handle) PageBefore(ctx context.Context, before event.Seq, limit int) ([]event.Event, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	return h.log.PageBefore(ctx, before, limit)
}

func (h *handle) Base(ctx context.Context) (*transcript.State, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	return h.log.Base(ctx)
}

func (h *handle) PutBlob(ctx context.Context, r io.Reader) (string, string, int64, error) {
	if err := h.open(); err != nil {
		return "", "", 0, err
	}
	return h.log.PutBlob(ctx, r)
}

func (h *handle) BlobPath(sum string) (string, error) {
	if err := h.open(); err != nil {
		return "", err
	}
	return h.log.BlobPath(sum)
}

func (h *handle) Close() error {
	h.once.Do(func() {
		close(h.done)
		h.err = h.release(h.log)
	})
	return h.err
}
