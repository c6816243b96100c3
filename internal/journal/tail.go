package journal

import (
	"slices"
	"sort"

	"parley/internal/event"
)

// The bounds of the events that a log keeps in memory for readers at its head.
// Readers behind them read from the disk.
const (
	tailCount = 4096
	tailBytes = 1 << 20
	idleCount = 64 // after a run
	idleBytes = 64 << 10
)

// tail is the end of the log in memory: all visible events past floor.
type tail struct {
	floor event.Seq
	slots []slot
	bytes int
}

type slot struct {
	event event.Event
	size  int
}

// overhead is about what an event takes beyond its text.
const overhead = 192

func (t *tail) add(e event.Event, size int) {
	t.slots = append(t.slots, slot{e, size + overhead})
	t.bytes += size + overhead
}

// after appends to buf the events past seq: at most limit, and no more once they
// hold size bytes.
func (t *tail) after(seq event.Seq, buf []event.Event, limit, size int) []event.Event {
	i := sort.Search(len(t.slots), func(i int) bool { return t.slots[i].event.Seq > seq })
	for n := 0; i < len(t.slots) && len(buf) < limit && (n == 0 || n < size); i++ {
		buf = append(buf, t.slots[i].event)
		n += t.slots[i].size
	}
	return buf
}

// trim forgets the oldest events once there are more than count or bytes, but
// none past written, which are in memory only. It keeps half of the bound, so that
// the rest is not moved at every event.
func (t *tail) trim(written event.Seq, count, bytes int) {
	if len(t.slots) <= count && t.bytes <= bytes {
		return
	}
	n := 0
	for n < len(t.slots) && t.slots[n].event.Seq <= written && (len(t.slots)-n > count/2 || t.bytes > bytes/2) {
		t.bytes -= t.slots[n].size
		t.floor = t.slots[n].event.Seq
		n++
	}
	if 4*(len(t.slots)-n) < cap(t.slots) {
		t.slots = slices.Clone(t.slots[n:]) // a run is over: the room goes too
		return
	}
	kept := copy(t.slots, t.slots[n:])
	clear(t.slots[kept:])
	t.slots = t.slots[:kept]
}

// between returns the last limit events with after < seq < before.
func (t *tail) between(after, before event.Seq, limit int) []event.Event {
	end := sort.Search(len(t.slots), func(i int) bool { return t.slots[i].event.Seq >= before })
	var out []event.Event
	for i := max(0, end-limit); i < end; i++ {
		if e := t.slots[i].event; e.Seq > after {
			out = append(out, e)
		}
	}
	return out
}
