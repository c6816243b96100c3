// Package memory keeps logs in memory: for tests, for replay, for a run that
// leaves nothing behind.
//
// It guarantees all that the journal does but durability: what it holds ends
// with the store. Files of a session, which need a path, are in a temporary
// folder that is made on first use and goes with the store.
package memory

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"parley/internal/event"
	"parley/internal/journal"
)

// New returns an empty store.
func New(opt journal.Options) journal.Store {
	s, err := journal.NewStore(&disk{opt: opt, logs: make(map[event.SessionID]*log)}, opt)
	if err != nil {
		panic(err) // an empty catalog cannot fail to open
	}
	return s
}

type disk struct {
	opt  journal.Options
	mu   sync.Mutex
	root string
	logs map[event.SessionID]*log
}

func (d *disk) Create(id event.SessionID, base []byte) (journal.Backend, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.logs[id] != nil {
		return nil, fs.ErrExist
	}
	d.logs[id] = &log{opt: d.opt, base: base, first: make(map[string]event.Seq)}
	return d.logs[id], nil
}

func (d *disk) Open(id event.SessionID) (journal.Backend, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := d.logs[id]; l != nil {
		return l, nil
	}
	return nil, fs.ErrNotExist
}

func (d *disk) List() ([]event.SessionID, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := slices.Collect(maps.Keys(d.logs))
	return slices.DeleteFunc(ids, func(id event.SessionID) bool { return id == journal.CatalogID }), nil
}

func (d *disk) Remove(id event.SessionID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.logs[id] == nil {
		return fs.ErrNotExist
	}
	delete(d.logs, id)
	if d.root == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(d.root, string(id)))
}

func (d *disk) Folder(id event.SessionID) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.root == "" {
		root, err := os.MkdirTemp("", "parley-")
		if err != nil {
			return "", err
		}
		d.root = root
	}
	return filepath.Join(d.root, string(id)), nil
}

func (d *disk) Path() string { return "" }

func (d *disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.root == "" {
		return nil
	}
	return os.RemoveAll(d.root)
}

// log is the rows of one session, in order of seq.
type log struct {
	opt journal.Options

	mu       sync.Mutex
	base     []byte
	rows     []journal.Row
	first    map[string]event.Seq // of the rows with a key
	reserved event.Seq
	snapshot *journal.Snapshot
}

func (l *log) Load() (journal.Image, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	img := journal.Image{Reserved: l.reserved, Snapshot: l.snapshot}
	if n := len(l.rows); n > 0 {
		img.Last = l.rows[n-1].Seq
	}
	return img, nil
}

// Write makes all changes on copies, so that a point that fails leaves nothing.
func (l *log) Write(b journal.Batch) error {
	if err := l.opt.Reach(journal.PointBegin); err != nil {
		return err
	}
	if err := l.reach(b); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range b.Drop {
		l.drop(key)
	}
	for _, seq := range b.Replaced {
		if i := l.past(seq - 1); i < len(l.rows) && l.rows[i].Seq == seq {
			l.rows = slices.Delete(l.rows, i, i+1)
		}
	}
	for _, r := range b.Rows {
		if _, ok := l.first[r.Key]; !ok && r.Key != "" {
			l.first[r.Key] = r.Seq
		}
	}
	l.rows = append(l.rows, b.Rows...)
	if b.Reserved != 0 {
		l.reserved = b.Reserved
	}
	if b.Snapshot != nil {
		l.keep(*b.Snapshot)
	}
	return nil
}

// reach passes every point of a transaction before anything is changed.
func (l *log) reach(b journal.Batch) error {
	points := make([]journal.Point, 0, len(b.Drop)+len(b.Replaced)+len(b.Rows)+2)
	for range len(b.Drop) + len(b.Replaced) {
		points = append(points, journal.PointDrop)
	}
	for range b.Rows {
		points = append(points, journal.PointRow)
	}
	if b.Reserved != 0 {
		points = append(points, journal.PointReserve)
	}
	for _, p := range append(points, journal.PointCommit) {
		if err := l.opt.Reach(p); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes the rows of a key, at the cost of those since its first.
func (l *log) drop(key string) {
	first, ok := l.first[key]
	if !ok {
		return
	}
	delete(l.first, key)
	i := l.past(first - 1)
	kept := slices.DeleteFunc(l.rows[i:], func(r journal.Row) bool { return r.Key == key })
	l.rows = l.rows[:i+len(kept)]
}

func (l *log) keep(s journal.Snapshot) {
	entries := make([][]byte, s.Len)
	if l.snapshot != nil {
		copy(entries, l.snapshot.Entries)
	}
	for i, data := range s.Entries {
		if data != nil {
			entries[s.From+i] = data
		}
	}
	s.Entries, s.From = entries, 0
	l.snapshot = &s
}

func (l *log) Read(_ context.Context, after, to event.Seq, limit, size int) (rows []journal.Row, top event.Seq, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.rows); n > 0 {
		top = l.rows[n-1].Seq
	}
	i := l.past(after)
	for n := 0; i < len(l.rows) && l.rows[i].Seq <= to && len(rows) < limit && (n == 0 || n < size); i++ {
		rows = append(rows, l.rows[i])
		n += len(l.rows[i].Data)
	}
	return rows, top, nil
}

func (l *log) ReadBack(_ context.Context, before event.Seq, limit, size int) ([]journal.Row, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	end := sort.Search(len(l.rows), func(i int) bool { return l.rows[i].Seq >= before })
	i := end
	for n := 0; i > 0 && end-i < limit && (n == 0 || n < size); {
		i--
		n += len(l.rows[i].Data)
	}
	return slices.Clone(l.rows[i:end]), nil
}

func (l *log) past(seq event.Seq) int {
	return sort.Search(len(l.rows), func(i int) bool { return l.rows[i].Seq > seq })
}

func (l *log) Base() ([]byte, error) { return l.base, nil }

func (l *log) Close() error { return nil }
