package journal

import (
	"maps"
	"slices"

	"parley/internal/event"
)

// The bounds of the deltas that wait for the disk: past either, the next delta is
// written before Append returns.
const (
	maxPendingBytes = 256 << 10
	maxPendingCount = 2048
)

// A key names a block or a call, or in the catalog what a later event replaces.
type key struct {
	kind    byte // b block, c call, l listed, a active
	session event.SessionID
	id      string
}

func (k key) String() string {
	if k.kind == 0 {
		return ""
	}
	return string(k.kind) + "/" + string(k.session) + "/" + k.id
}

// keyOf returns what a stored event can be dropped by.
func keyOf(e event.Event) key {
	switch b := e.Body.(type) {
	case event.BlockDelta:
		return key{'b', e.Session, string(b.Block)}
	case event.CallDelta:
		return key{'c', e.Session, string(b.Call)}
	case event.SessionListed, event.SessionUnlisted:
		return key{'l', e.Session, ""}
	case event.ActiveChanged:
		return key{'a', "", b.Family}
	}
	return key{}
}

// dropOf returns the key of the stored events that e makes superfluous.
func dropOf(e event.Event) key {
	switch b := e.Body.(type) {
	case event.BlockEnded:
		return key{'b', e.Session, string(b.Block)}
	case event.CallEnded:
		return key{'c', e.Session, string(b.Call)}
	case event.SessionListed, event.SessionUnlisted, event.ActiveChanged:
		return keyOf(e)
	}
	return key{}
}

// pending are the deltas that are not on disk yet. Consecutive deltas of one
// block, or of one stream of a call, are one row, with the offset of the first
// and the seq of the last.
type pending struct {
	rows  []*pendingRow
	last  map[key]*pendingRow
	bytes int
	count int
}

type pendingRow struct {
	key  key
	e    event.Event // of the first, with the seq and the time of the last
	text []byte
	end  int // offset past the text
}

func (g *pending) add(e event.Event) {
	k := keyOf(e)
	offset, text, _ := e.Delta()
	g.count++
	g.bytes += len(text)
	if r := g.last[k]; r != nil && r.end == offset && event.SameText(r.e, e) {
		r.text = append(r.text, text...)
		r.end += len(text)
		r.e.Seq, r.e.Time = e.Seq, e.Time
		return
	}
	r := &pendingRow{key: k, e: e, text: []byte(text), end: offset + len(text)}
	if g.last == nil {
		g.last = make(map[key]*pendingRow)
	}
	g.last[k] = r
	g.rows = append(g.rows, r)
}

// drop forgets the deltas of a key.
func (g *pending) drop(k key) {
	if g.last[k] == nil {
		return
	}
	g.rows = slices.DeleteFunc(g.rows, func(r *pendingRow) bool {
		if r.key == k {
			g.bytes -= len(r.text)
		}
		return r.key == k
	})
	delete(g.last, k)
}

// put gives back rows that were taken, before those that came since.
func (g *pending) put(before pending) {
	for _, r := range before.rows {
		if g.last == nil {
			g.last = make(map[key]*pendingRow)
		}
		if g.last[r.key] == nil {
			g.last[r.key] = r
		}
	}
	g.rows = append(before.rows, g.rows...)
	g.bytes += before.bytes
	g.count += before.count
}

func (g *pending) empty() bool { return len(g.rows) == 0 }

func (g *pending) full() bool { return g.bytes >= maxPendingBytes || g.count >= maxPendingCount }

// event is the row as it is stored.
func (r *pendingRow) event() event.Event { return r.e.WithDelta(r.offset(), string(r.text)) }

func (r *pendingRow) offset() int {
	offset, _, _ := r.e.Delta()
	return offset
}

// maxRow is how much text a row holds before the next one begins. With shorter
// rows, a slow stream would leave one with its envelope for every few words; a
// longer row would be written again and again.
const maxRow = 8000

// openRows are the last rows on the disk of the blocks and calls that are still
// open. They are replaced by longer ones until they are full.
type openRows map[key]*pendingRow

// extend returns the rows to write, the seqs of those that they replace, and the
// open rows afterwards. It changes neither e nor the rows.
func (e openRows) extend(rows []*pendingRow, dropped []key) (out []*pendingRow, gone []event.Seq, next openRows) {
	next = maps.Clone(e)
	if next == nil {
		next = make(openRows)
	}
	for _, k := range dropped {
		delete(next, k)
	}
	for _, r := range rows {
		if slices.Contains(dropped, r.key) {
			continue
		}
		last := next[r.key]
		if last != nil && last.end == r.offset() && event.SameText(last.e, r.e) && len(last.text)+len(r.text) <= maxRow {
			longer := &pendingRow{key: r.key, e: last.e, text: slices.Concat(last.text, r.text), end: r.end}
			longer.e.Seq, longer.e.Time = r.e.Seq, r.e.Time
			if i := slices.Index(out, last); i >= 0 {
				out = slices.Delete(out, i, i+1)
			} else {
				gone = append(gone, last.e.Seq)
			}
			r = longer
		}
		next[r.key] = r
		out = append(out, r)
	}
	return out, gone, next
}
