package wire

import (
	"context"
	"sync"

	"parley/internal/event"
)

// An item is what a session's goroutine hands over.
type item struct {
	follow *follow
	event  event.Event
	err    error
	end    bool
}

// An inbox is where the goroutines of the sessions put events for the loop. It
// holds a few of them: who puts more waits. The loop takes all at once, so that
// a stream costs it one wake-up for many events.
type inbox struct {
	ready chan struct{} // something is there; holds one

	mu    sync.Mutex
	room  sync.Cond
	items []item
	spare []item
}

func newInbox() *inbox {
	b := &inbox{ready: make(chan struct{}, 1)}
	b.room.L = &b.mu
	return b
}

// inboxSize is how many events the sessions may be ahead of the loop.
const inboxSize = 64

// wake lets those that wait look again whether their context has ended.
func (b *inbox) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room.Broadcast()
}

// put adds an item; false if ctx ended before there was room. ctx's end must
// call wake.
func (b *inbox) put(ctx context.Context, it item) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) >= inboxSize && ctx.Err() == nil {
		b.room.Wait()
	}
	if ctx.Err() != nil {
		return false
	}
	b.items = append(b.items, it)
	if len(b.items) == 1 {
		select {
		case b.ready <- struct{}{}:
		default:
		}
	}
	return true
}

// take returns what is there, merged where the loop is far behind. It is the
// loop's until the next take.
func (b *inbox) take() []item {
	out := b.swap()
	if len(out) < minMerged {
		return out
	}
	return merged(out)
}

func (b *inbox) swap() []item {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.items
	clear(b.spare)
	b.items, b.spare = b.spare[:0], out
	b.room.Broadcast()
	return out
}
