package journal

import (
	"context"

	"parley/internal/event"
)

// A Disk is what a child implements: where the logs are. Ids have been checked.
type Disk interface {
	// Create makes the storage of a new log; fs.ErrExist where there is one. base
	// is kept for Backend.Base; nil for none.
	Create(id event.SessionID, base []byte) (Backend, error)
	// Open opens the storage of a log; fs.ErrNotExist where there is none.
	Open(id event.SessionID) (Backend, error)
	// List returns the ids that have storage, in any order; never the catalog's.
	List() ([]event.SessionID, error)
	// Remove deletes the storage of a log that is closed, with its folder.
	Remove(id event.SessionID) error
	// Folder returns the folder of a log's files; it need not exist yet.
	Folder(id event.SessionID) (string, error)
	// Path returns the folder of the whole, or "".
	Path() string
	// Close releases it.
	Close() error
}

// A Backend stores the rows of one log. Write is called by one goroutine at a
// time; reads come from several, also while Write runs.
type Backend interface {
	// Load returns what is kept beside the rows.
	Load() (Image, error)
	// Write makes a batch durable, all of it or, where it fails, nothing.
	Write(Batch) error
	// Read returns rows with after < seq <= to in order: at most limit, and no
	// more once they hold size bytes. Top is the seq of the last row of all at the
	// moment that the rows are of.
	Read(ctx context.Context, after, to event.Seq, limit, size int) (rows []Row, top event.Seq, err error)
	// ReadBack returns the last rows with seq < before, in order, bounded alike.
	ReadBack(ctx context.Context, before event.Seq, limit, size int) ([]Row, error)
	// Base returns the base of a branch as JSON, nil for none.
	Base() ([]byte, error)
	// Close releases it. No other method is called afterwards, but those that
	// run may still end.
	Close() error
}

// A Batch is one transaction: drops first, then rows.
type Batch struct {
	Drop     []string    // keys of rows that are no longer needed
	Replaced []event.Seq // rows that are no longer needed
	Rows     []Row       // in order of seq, each past all rows that are stored
	Reserved event.Seq   // when not 0: no seq up to this is to be used anew
	Snapshot *Snapshot   // when not nil: replaces the one that is kept
}

// Size returns about how many bytes the batch writes.
func (b Batch) Size() int {
	n := 0
	for _, r := range b.Rows {
		n += len(r.Data)
	}
	return n
}

// A Row is one stored event.
type Row struct {
	Seq  event.Seq
	Key  string // "" or what a later batch may drop it by
	Data []byte // the event as JSON
}

// A Snapshot is the fold at a seq. Entries are kept one by one, since a session
// has many and each is written once.
type Snapshot struct {
	Seq     event.Seq
	State   []byte   // JSON, without the entries
	Entries [][]byte // any bytes; nil: as it is kept already; empty: nothing is kept for it
	From    int      // Entries[0] is the entry with this index
	Len     int      // number of entries; those past it are forgotten
}

// An Image is what a log is opened from.
type Image struct {
	Last     event.Seq // of the rows, 0 for none
	Reserved event.Seq
	Snapshot *Snapshot // with all that is kept for entries, in order; nil for none
}
