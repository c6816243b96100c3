package wire

import (
	"sync"

	"parley/internal/event"
)

// A Cache holds the frames of the latest events for each class of peer, so that
// connections which follow the same session encode an event once. It is safe
// for use by several goroutines. The zero value is ready.
type Cache struct {
	mu      sync.Mutex
	entries map[key]*entry
	order   []key // the oldest first, from head on
	head    int
	size    int // bytes
}

// The bounds of a cache. A connection that is further behind encodes by itself.
const (
	cacheEntries = 1024
	cacheBytes   = 4 << 20
)

// A key is an event as a class sees it. Grown text is cut in different places
// for readers of different speed, so where it begins and how long it is belongs
// to the key.
type key struct {
	class   Class
	session event.SessionID
	seq     event.Seq
	rest    bool // what grew has not delivered, before the event with seq
	offset  int
	length  int
}

type entry struct {
	once   sync.Once
	frames []Frame
	panic  any
	size   int // bytes; guarded by the cache
}

func keyOf(c Class, e event.Event, seq event.Seq) key {
	k := key{class: c, session: e.Session, seq: seq, rest: e.Seq == 0}
	switch b := e.Body.(type) {
	case event.BlockGrew:
		k.offset, k.length = b.Offset, len(b.Text)
	case event.CallGrew:
		k.offset, k.length = b.Offset, len(b.Text)
	}
	return k
}

// frames returns what encode gives, from an earlier call where there was one.
// It panics where encode did.
func (c *Cache) frames(k key, encode func() []Frame) []Frame {
	e := c.entry(k)
	e.once.Do(func() {
		defer func() { e.panic = recover() }()
		e.frames = encode()
		c.grow(k, e)
	})
	if e.panic != nil {
		panic(e.panic)
	}
	return e.frames
}

func (c *Cache) entry(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[k]; e != nil {
		return e
	}
	if c.entries == nil {
		c.entries = make(map[key]*entry)
	}
	e := new(entry)
	c.entries[k] = e
	c.order = append(c.order, k)
	for len(c.order)-c.head > cacheEntries || c.size > cacheBytes && len(c.order)-c.head > 1 {
		c.drop()
	}
	return e
}

func (c *Cache) drop() {
	k := c.order[c.head]
	c.order[c.head] = key{}
	if c.head++; c.head > cacheEntries {
		c.order, c.head = append([]key(nil), c.order[c.head:]...), 0
	}
	c.size -= c.entries[k].size
	delete(c.entries, k)
}

// grow counts an entry that has been filled, where it is still there.
func (c *Cache) grow(k key, e *entry) {
	n := 0
	for _, f := range e.frames {
		n += len(f)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[k] == e {
		e.size = n
		c.size += n
	}
}
