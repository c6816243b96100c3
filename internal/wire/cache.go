package wire

import (
	"sync"

	"parley/internal/event"
)

// A Cache holds the frames of the latest events for each class of peer, so that
// connections which follow the same session encode an event once. It is safe
// for use by several goroutines. The zero value is ready, and never holds more
// than 8 MiB of them.
type Cache struct {
	slots [cacheSlots]slot
}

// The bounds of a cache. A connection that is further behind, and one that
// meets a larger event, encodes by itself.
const (
	cacheSlots = 8192
	cacheEntry = 1 << 10 // bytes
)

type slot struct {
	mu    sync.Mutex
	key   key
	entry *entry
}

// A key is an event as a class sees it. Deltas are cut in different places for
// readers of different speed, so the offset and the length belong to the key.
type key struct {
	seq     event.Seq
	offset  int
	length  int
	missing bool // the text that no delta has brought, before the end with this seq
	session event.SessionID
	class   Class
}

type entry struct {
	once   sync.Once
	frames []Frame
	panic  any
}

func keyOf(c Class, e event.Event, seq event.Seq) key {
	offset, text, _ := e.Delta()
	return key{class: c, session: e.Session, seq: seq, missing: e.Seq == 0, offset: offset, length: len(text)}
}

// frames returns what encode gives, from an earlier call where there was one.
// It panics where encode did.
func (c *Cache) frames(k key, encode func() []Frame) []Frame {
	s := &c.slots[(uint64(k.seq)+uint64(len(k.class.Dialect)))%cacheSlots]
	s.mu.Lock()
	if s.entry == nil || s.key != k {
		s.key, s.entry = k, new(entry)
	}
	e := s.entry
	s.mu.Unlock()
	e.once.Do(func() {
		defer func() { e.panic = recover() }()
		e.frames = encode()
		if size(e.frames) > cacheEntry {
			s.forget(e)
		}
	})
	if e.panic != nil {
		panic(e.panic)
	}
	return e.frames
}

func (s *slot) forget(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entry == e {
		s.entry = nil
	}
}

func size(frames []Frame) int {
	n := 0
	for _, f := range frames {
		n += len(f)
	}
	return n
}
