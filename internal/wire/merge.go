package wire

import (
	"strings"

	"parley/internal/event"
)

// minMerged is how many consecutive deltas are merged: a client that is behind
// gets fewer lines, and one that keeps up gets each delta as it came.
const minMerged = 16

// mergedBytes bounds the text of a merged event, so that its line stays short.
const mergedBytes = 8 << 10

// merged merges long sequences of deltas in which each continues the one before
// it: the offset is that of the first, the seq and the time are those of the last.
// All else stays what and where it is. It reuses items.
func merged(items []item) []item {
	out := items[:0]
	for len(items) > 0 {
		n := 1
		for n < len(items) && continues(items[n-1], items[n]) {
			n++
		}
		if n < minMerged {
			out = append(out, items[:n]...)
		} else {
			out = appendJoined(out, items[:n])
		}
		items = items[n:]
	}
	return out
}

// appendJoined appends such a sequence as events of at most mergedBytes each; a
// single longer delta stays as it is.
func appendJoined(out, items []item) []item {
	for len(items) > 0 {
		n, size := 1, len(textOf(items[0]))
		for n < len(items) && size+len(textOf(items[n])) <= mergedBytes {
			size += len(textOf(items[n]))
			n++
		}
		out = append(out, joined(items[:n], size))
		items = items[n:]
	}
	return out
}

// continues reports whether b is the text that follows a's, and of the same.
func continues(a, b item) bool {
	if a.follow != b.follow || a.end || b.end || a.err != nil || b.err != nil {
		return false
	}
	if !event.SameText(a.event, b.event) {
		return false
	}
	offset, text, _ := a.event.Delta()
	next, _, _ := b.event.Delta()
	return offset+len(text) == next
}

// joined is one item for several that continue each other.
func joined(items []item, size int) item {
	it := items[0]
	if len(items) == 1 {
		return it
	}
	var text strings.Builder
	text.Grow(size)
	for i := range items {
		text.WriteString(textOf(items[i]))
	}
	last := items[len(items)-1].event
	offset, _, _ := it.event.Delta()
	it.event = it.event.WithDelta(offset, text.String())
	it.event.Seq, it.event.Time = last.Seq, last.Time
	return it
}

func textOf(it item) string {
	_, text, _ := it.event.Delta()
	return text
}
