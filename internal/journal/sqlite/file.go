package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"

	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/regular"
)

// version is the user_version of the files that this package writes.
const version = 1

const schema = `
PRAGMA user_version = 1;
CREATE TABLE event (seq INTEGER PRIMARY KEY, key TEXT, data TEXT NOT NULL);
CREATE INDEX event_key ON event (key) WHERE key IS NOT NULL;
CREATE TABLE reserved (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL);
CREATE TABLE snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, entries INTEGER NOT NULL, state TEXT NOT NULL);
CREATE TABLE entry (i INTEGER PRIMARY KEY, data BLOB NOT NULL);
`

// file is the storage of one log: a connection that writes, and one that reads,
// so that neither waits for the other. The one that reads is made when it is
// first needed.
type file struct {
	path, basePath string
	opt            journal.Options

	mu     sync.Mutex // of the writer
	w      *conn
	good   event.Seq // of the last row
	failed bool      // the last write; the file may hold more than good

	rmu    sync.Mutex // of the reader
	r      *conn
	closed bool // under both locks
}

func openFile(path, base string, opt journal.Options) (*file, error) {
	if err := magic(path); err != nil {
		return nil, err
	}
	w, err := dial(path, "journal_mode(WAL)", "synchronous(FULL)", "wal_autocheckpoint(128)", "journal_size_limit(524288)", "cache_size(-512)")
	if err != nil {
		return nil, err
	}
	f := &file{path: path, basePath: base, opt: opt, w: w}
	var got int64
	if err := w.query(one(&got), `PRAGMA user_version`); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if got != version {
		err := fmt.Errorf("%s has version %d, this build reads %d", path, got, version)
		if got == 0 {
			err = fmt.Errorf("%w: %s holds no log", journal.ErrDamaged, path)
		}
		return nil, errors.Join(err, w.close())
	}
	return f, nil
}

// magic looks at a file before SQLite does, which takes an empty one for a new
// database (sqlite.org/fileformat2.html, 1.3).
func magic(path string) error {
	f, err := regular.Open(path)
	if errors.Is(err, regular.ErrSpecial) {
		return fmt.Errorf("%w: %s is not a file", journal.ErrDamaged, path)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 16)
	if _, err := io.ReadFull(f, head); err == io.EOF || err == io.ErrUnexpectedEOF || err == nil && string(head) != "SQLite format 3\x00" {
		return fmt.Errorf("%w: %s is not a database", journal.ErrDamaged, path)
	} else if err != nil {
		return err
	}
	return nil
}

func one(to *int64) func([]driver.Value) bool {
	return func(row []driver.Value) bool {
		*to, _ = row[0].(int64)
		return false
	}
}

func (f *file) Load() (journal.Image, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var last, reserved, entries int64
	img := journal.Image{}
	err := errors.Join(
		f.w.query(one(&last), `SELECT max(seq) FROM event`),
		f.w.query(one(&reserved), `SELECT seq FROM reserved`),
		f.w.query(func(row []driver.Value) bool {
			seq, _ := row[0].(int64)
			entries, _ = row[1].(int64)
			img.Snapshot = &journal.Snapshot{Seq: event.Seq(seq), State: text(row[2]), Len: int(entries)}
			return false
		}, `SELECT seq, entries, state FROM snapshot`))
	if err == nil && img.Snapshot != nil {
		err = f.w.query(func(row []driver.Value) bool {
			img.Snapshot.Entries = append(img.Snapshot.Entries, text(row[0]))
			return true
		}, `SELECT data FROM entry WHERE i < ? ORDER BY i`, entries)
	}
	if err != nil {
		return img, err
	}
	img.Last, img.Reserved = event.Seq(last), event.Seq(reserved)
	f.good = img.Last
	return img, nil
}

func text(v driver.Value) []byte {
	switch v := v.(type) {
	case string:
		return []byte(v)
	case []byte:
		return v // the driver's own copy
	}
	return nil
}

// largeBatch is a batch that is large against the write-ahead log.
const largeBatch = 128 << 10

// Write is one transaction. A commit that failed may yet be found in the
// write-ahead log after a crash; so the next one begins by taking it back.
func (f *file) Write(b journal.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return fs.ErrClosed
	}
	if err := f.opt.Reach(journal.PointBegin); err != nil {
		return err
	}
	if b.Size() > largeBatch {
		// So that the write-ahead log begins anew, and does not hold this on top
		// of what it held. Where it cannot, it only grows.
		_ = f.w.exec(`PRAGMA wal_checkpoint(PASSIVE)`)
	}
	if err := f.w.exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // also when a panic passes through
			f.failed = true
			// After some errors SQLite has rolled back by itself; then this says so.
			_ = f.w.exec(`ROLLBACK`)
		}
	}()
	err := f.fill(b)
	if err == nil {
		err = f.opt.Reach(journal.PointCommit)
	}
	if err == nil {
		err = f.w.exec(`COMMIT`)
	}
	if err != nil {
		return err
	}
	done, f.failed = true, false
	if n := len(b.Rows); n > 0 {
		f.good = b.Rows[n-1].Seq
	}
	return nil
}

func (f *file) fill(b journal.Batch) error {
	if f.failed {
		err := f.w.exec(`DELETE FROM event WHERE seq > ?`, int64(f.good))
		if err == nil {
			err = f.w.exec(`DELETE FROM snapshot WHERE seq > ?`, int64(f.good))
		}
		if err != nil {
			return err
		}
	}
	for _, key := range b.Drop {
		if err := f.at(journal.PointDrop, `DELETE FROM event WHERE key = ?`, key); err != nil {
			return err
		}
	}
	for _, seq := range b.Replaced {
		if err := f.at(journal.PointDrop, `DELETE FROM event WHERE seq = ?`, int64(seq)); err != nil {
			return err
		}
	}
	for _, r := range b.Rows {
		var key driver.Value
		if r.Key != "" {
			key = r.Key
		}
		if err := f.at(journal.PointRow, `INSERT INTO event (seq, key, data) VALUES (?, ?, ?)`, int64(r.Seq), key, string(r.Data)); err != nil {
			return err
		}
	}
	if b.Reserved != 0 {
		if err := f.at(journal.PointReserve, `INSERT OR REPLACE INTO reserved (id, seq) VALUES (1, ?)`, int64(b.Reserved)); err != nil {
			return err
		}
	}
	if b.Snapshot == nil {
		return nil
	}
	return f.keep(b.Snapshot)
}

func (f *file) at(p journal.Point, query string, args ...driver.Value) error {
	if err := f.opt.Reach(p); err != nil {
		return err
	}
	return f.w.exec(query, args...)
}

func (f *file) keep(s *journal.Snapshot) error {
	err := f.w.exec(`DELETE FROM entry WHERE i >= ?`, int64(s.Len))
	for i := 0; i < len(s.Entries) && err == nil; i++ {
		switch data := s.Entries[i]; {
		case data == nil:
		case len(data) > 0:
			err = f.at(journal.PointEntry, `INSERT OR REPLACE INTO entry (i, data) VALUES (?, ?)`, int64(s.From+i), data)
		default:
			from := i
			for i+1 < len(s.Entries) && s.Entries[i+1] != nil && len(s.Entries[i+1]) == 0 {
				i++
			}
			err = f.at(journal.PointEntry, `DELETE FROM entry WHERE i >= ? AND i <= ?`, int64(s.From+from), int64(s.From+i))
		}
	}
	if err != nil {
		return err
	}
	return f.w.exec(`INSERT OR REPLACE INTO snapshot (id, seq, entries, state) VALUES (1, ?, ?, ?)`, int64(s.Seq), int64(s.Len), string(s.State))
}

// Read looks at the last row and at the rows in one transaction, so that both
// are of one moment.
func (f *file) Read(ctx context.Context, after, to event.Seq, limit, size int) (rows []journal.Row, top event.Seq, err error) {
	err = f.reading(ctx, func(r *conn) error {
		if err := r.exec(`BEGIN`); err != nil {
			return err
		}
		var last int64
		err := r.query(one(&last), `SELECT max(seq) FROM event`)
		if err == nil {
			rows, err = read(r, limit, size, `SELECT seq, data FROM event WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`, number(after), number(to), int64(limit))
		}
		top = event.Seq(last)
		return errors.Join(err, r.exec(`COMMIT`))
	})
	return rows, top, err
}

func (f *file) ReadBack(ctx context.Context, before event.Seq, limit, size int) (rows []journal.Row, err error) {
	err = f.reading(ctx, func(r *conn) error {
		rows, err = read(r, limit, size, `SELECT seq, data FROM event WHERE seq < ? ORDER BY seq DESC LIMIT ?`, number(before), int64(limit))
		return err
	})
	slices.Reverse(rows)
	return rows, err
}

// number fits a seq, which a client may have made up, into SQLite's integers.
func number(seq event.Seq) int64 { return int64(min(seq, math.MaxInt64)) }

// reading lends the connection that reads. One that failed is not used again.
func (f *file) reading(ctx context.Context, do func(*conn) error) error {
	f.rmu.Lock()
	defer f.rmu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.closed {
		return fs.ErrClosed
	}
	if f.r == nil {
		r, err := dial(f.path, "query_only(1)", "cache_size(-256)")
		if err != nil {
			return err
		}
		f.r = r
	}
	err := do(f.r)
	if err != nil {
		err = errors.Join(err, f.r.close())
		f.r = nil
	}
	return err
}

func read(r *conn, limit, size int, query string, args ...driver.Value) (rows []journal.Row, err error) {
	held := 0
	err = r.query(func(row []driver.Value) bool {
		seq, _ := row[0].(int64)
		data := text(row[1])
		rows = append(rows, journal.Row{Seq: event.Seq(seq), Data: data})
		held += len(data)
		return len(rows) < limit && held < size
	}, query, args...)
	return rows, err
}

func (f *file) Base() ([]byte, error) {
	data, err := regular.Read(f.basePath, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Close lets SQLite fold the write-ahead log into the file.
func (f *file) Close() error {
	f.rmu.Lock()
	defer f.rmu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	var errs []error
	if f.r != nil {
		errs = append(errs, f.r.close())
	}
	return errors.Join(append(errs, f.w.close())...)
}
