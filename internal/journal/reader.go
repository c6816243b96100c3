package journal

import (
	"context"
	"fmt"
	"iter"

	"parley/internal/event"
	"parley/internal/transcript"
)

// How much a reader holds at a time.
const (
	readCount = 64
	readBytes = 64 << 10
)

// A cursor reads a log from a position on, from the disk or from the tail.
//
// On the disk the deltas of a block are merged, even where other events came
// between them. A merged delta has the seq of its last part, and a later write may
// replace it by a longer one with a higher seq. So what a reader of the disk has
// not been given yet is always past its cursor, but may be far past it. A cursor
// therefore changes over to the tail, where each delta is an event of its own,
// only once it has read the disk to its end and nothing was written meanwhile. A
// cursor that begins before the end of the disk begins on the disk.
//
// A read can meet rows of a write that is not published yet. They are handed out
// once it is: until then the write may still turn out to have failed.
type cursor struct {
	log  *log
	at   event.Seq
	tail bool
	disk event.Seq // read the disk up to here
	buf  []event.Event
}

func (l *log) cursor(seq event.Seq) *cursor { return &cursor{log: l, at: seq} }

// next returns the events that follow; none and a channel that is closed when
// there are more.
func (c *cursor) next(ctx context.Context, limit, size int) ([]event.Event, <-chan struct{}, error) {
	for {
		if c.tail || c.at >= c.disk {
			events, wake, err := c.live(limit, size)
			if len(events) > 0 || wake != nil || err != nil {
				return events, wake, err
			}
		}
		events, err := c.stored(ctx, limit, size)
		if len(events) > 0 || err != nil {
			return events, nil, err
		}
	}
}

// live reads the tail. Where the cursor is behind it, or was on the disk and there
// is more, it returns nothing and sends the cursor to the disk.
func (c *cursor) live(limit, size int) ([]event.Event, <-chan struct{}, error) {
	l := c.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, closed(l.id)
	}
	if c.tail = c.tail && c.at >= l.tail.floor || c.at >= l.written; !c.tail {
		c.disk = l.written
		return nil, nil, nil
	}
	c.buf = l.tail.after(c.at, c.buf[:0], limit, size)
	if n := len(c.buf); n > 0 {
		c.at = c.buf[n-1].Seq
		return c.buf, nil, nil
	}
	return nil, wakeUp(&l.wake), nil
}

// stored reads the disk. Rows that cannot be read are passed over.
func (c *cursor) stored(ctx context.Context, limit, size int) ([]event.Event, error) {
	l := c.log
	rows, top, err := l.back.Read(ctx, c.at, c.disk, limit, size)
	if err == nil {
		err = l.published(ctx, top)
	}
	if err != nil {
		return nil, l.readError(ctx, err)
	}
	held := 0
	for _, r := range rows {
		c.at = r.Seq
		held += len(r.Data)
	}
	if c.at == c.disk || len(rows) < limit && held < size {
		c.at = c.disk
		l.mu.Lock()
		c.tail = c.disk == l.written
		l.mu.Unlock()
	}
	c.buf = decoded(c.buf[:0], rows)
	return c.buf, nil
}

// published waits until the write that put top on the disk has been published.
func (l *log) published(ctx context.Context, top event.Seq) error {
	for {
		l.mu.Lock()
		if top <= l.top || !l.leading {
			l.mu.Unlock()
			return nil
		}
		settled := wakeUp(&l.settled)
		l.mu.Unlock()
		select {
		case <-settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// readError is the error of a read that failed.
func (l *log) readError(ctx context.Context, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return canceled(l.id, ctx.Err())
	case l.closed:
		return closed(l.id)
	}
	return failed(l.id, "read", err)
}

// decode reads a row. Not by way of json.Unmarshal, which would look through the
// whole once more before it asks the event.
func decode(r Row) (event.Event, error) {
	var e event.Event
	err := e.UnmarshalJSON(r.Data)
	e.Seq = r.Seq
	return e, err
}

func decoded(buf []event.Event, rows []Row) []event.Event {
	for _, r := range rows {
		if e, err := decode(r); err == nil {
			buf = append(buf, e)
		}
	}
	return buf
}

// after is After for a handle that ends when done is closed.
func (l *log) after(ctx context.Context, seq event.Seq, done <-chan struct{}) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		c := l.cursor(seq)
		for ctx.Err() == nil {
			events, wake, err := c.next(ctx, readCount, readBytes)
			if err != nil {
				if ctx.Err() == nil {
					yield(event.Event{}, err)
				}
				return
			}
			for i := range events {
				if ctx.Err() != nil || !yield(events[i], nil) {
					return
				}
			}
			if wake == nil {
				continue
			}
			select {
			case <-wake:
			case <-done:
				yield(event.Event{}, closed(l.id))
				return
			case <-ctx.Done():
			}
		}
	}
}

// pageBytes bounds a page.
const pageBytes = 4 << 20

// Page reads forwards.
func (l *log) Page(ctx context.Context, after event.Seq, limit int) ([]event.Event, error) {
	if limit <= 0 {
		return nil, nil
	}
	var page []event.Event
	c := l.cursor(after)
	for size := 0; len(page) < limit && size < pageBytes; {
		events, wake, err := c.next(ctx, min(limit-len(page), readCount), readBytes)
		if err != nil {
			return nil, err
		}
		if wake != nil {
			break
		}
		for _, e := range events {
			size += weight(e) + overhead
		}
		page = append(page, events...)
	}
	return page, nil
}

// PageBefore reads backwards: first what only the tail has, then the disk.
func (l *log) PageBefore(ctx context.Context, before event.Seq, limit int) ([]event.Event, error) {
	if limit <= 0 {
		return nil, nil
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, closed(l.id)
	}
	disk := min(before, l.written+1)
	page := l.tail.between(l.written, before, limit)
	l.mu.Unlock()
	for len(page) < limit && disk > 0 {
		rows, err := l.back.ReadBack(ctx, disk, limit-len(page), pageBytes)
		if err != nil {
			return nil, l.readError(ctx, err)
		}
		if len(rows) == 0 {
			break
		}
		disk = rows[0].Seq
		whole := decoded(make([]event.Event, 0, len(rows)+len(page)), rows)
		page = append(whole, page...)
		if len(whole) > 0 {
			break
		}
	}
	return page, nil
}

// Base is what the fold began from.
func (l *log) Base(context.Context) (*transcript.State, error) {
	s, err := l.base()
	if err != nil {
		return nil, l.readError(context.Background(), fmt.Errorf("%w: %w", ErrDamaged, err))
	}
	return s, nil
}
