// Package journal is the contract of a session's log: where events become
// durable, and where every reader gets them from.
//
// The log is the bus. A subscriber is a cursor on it ([Log.After]), not a queue:
// there is no buffer for each client, nothing to overflow, and no gap between a
// snapshot and what follows it.
//
// It guarantees:
//
//   - Append refuses what transcript.Check refuses, and then keeps nothing of it.
//   - Every event but a delta is durable before Append returns and before any
//     reader sees it; a batch is kept whole or not at all.
//   - Deltas are visible at once, and on disk within [Delay], merged. They are
//     dropped when the ended event of their block or call, which repeats them,
//     is kept.
//   - Seq rises strictly and is never used twice, also after a crash: the seqs
//     of deltas are reserved on disk before they are used.
//   - A reader gets every durable event past its cursor once and in order,
//     whatever its pace; one that falls behind gets deltas merged or, once their
//     block or call has ended, not at all. Its fold is still that of a reader
//     that was never behind.
//   - Nothing grows with the length of a log: not the cost of an event, not the
//     memory of an open log, not the time to open one.
//   - A log that waits costs no goroutine and no timer.
//
// The children of this directory differ in storage only ([Disk], [Backend]);
// journaltest holds the suite that each of them passes.
//
// It does not know what a session does with its events, and it does not repair:
// a damaged log opens ([Log.Damage]) and its session appends what closes it.
package journal

import (
	"context"
	"io"
	"iter"
	"time"

	"parley/internal/event"
	"parley/internal/transcript"
)

// Delay is the longest that a delta waits for the disk.
const Delay = 50 * time.Millisecond

// A Log is one open session: its events, its folded state and its files. All
// methods may be called by several goroutines at once. Every method of a log
// that was closed or removed fails with a command.Fault of the code closed.
type Log interface {
	// ID returns the session's id, or [CatalogID].
	ID() event.SessionID

	// Append adds events as one batch and returns them as they are stored, with
	// Seq and Time set, and Session where it was empty. The caller must not
	// change what a body refers to afterwards.
	//
	// It fails with a [*Refusal] when an event would break a law of the log, with a
	// command.Fault invalid when JSON could not give it back (the text of a delta
	// must be UTF-8 by itself: offsets count its bytes), and with an error
	// that holds a command.Fault (limit for a full disk, internal for any other)
	// when the disk refuses. Nothing of the batch is kept then, and no reader has
	// seen any of it. After an error of the disk the log can be read and not
	// written until a write succeeds; each Append tries one.
	// Cancelling ctx gives up a batch that has not been taken up yet.
	Append(ctx context.Context, events ...event.Event) ([]event.Event, error)

	// After yields every event past seq in order, those that are there and then
	// those that come, until ctx ends or the loop is left. A read that fails
	// yields one error and ends it. The consumer may be as slow as it likes.
	//
	// After(ctx, State().Seq) continues a state without a gap; no durable event is
	// repeated, and a delta may overlap the text so far. A seq past the head is
	// waited for: whoever takes one from a client compares it with Head first.
	After(ctx context.Context, seq event.Seq) iter.Seq2[event.Event, error]

	// State returns a copy of the fold of all that readers can see. It costs
	// what is open in the session, not its length.
	State() *transcript.State

	// Base returns the state that the fold began from: nil, or for a branch what
	// [Store.Branch] was given.
	Base(ctx context.Context) (*transcript.State, error)

	// Head returns the seq of the last event that readers can see, 0 for none.
	Head() event.Seq

	// Page returns at most limit events past after, in order; fewer where the
	// log ends or where they are large; none at its end.
	Page(ctx context.Context, after event.Seq, limit int) ([]event.Event, error)

	// PageBefore returns the last limit events before seq before, in order;
	// fewer where they are large; none at the log's beginning.
	PageBefore(ctx context.Context, before event.Seq, limit int) ([]event.Event, error)

	// PutBlob keeps what r yields beside the log and returns its SHA-256 in
	// lower-case hex, its path and its size in bytes. It is durable on return,
	// and kept once however often it is put.
	PutBlob(ctx context.Context, r io.Reader) (sha256, path string, size int64, err error)

	// BlobPath returns where a blob is; a command.Fault not_found where it is not.
	BlobPath(sha256 string) (string, error)

	// Dir returns the folder (0700) for files that belong to the session: whole
	// outputs, images. It goes with the session. It is made by the first call;
	// where that fails, writing in it says why.
	Dir() string

	// Damage returns what of the log could not be read when it was opened.
	Damage() []Damage

	// Close writes what waits and releases this handle; the log closes with its
	// last handle. Its readers end with a fault of the code closed.
	Close() error
}

// Damage is a stored event that could not be read. It was passed over.
type Damage struct {
	Seq event.Seq // 0: the snapshot, which was made anew from the events
	Err error
}

// A Store holds logs. Opening a log that is open gives another handle on it.
type Store interface {
	// Create makes the log of a new session; a command.Fault invalid for an id
	// that is no session id, busy for one that exists.
	Create(ctx context.Context, id event.SessionID) (Log, error)

	// Branch makes a log whose fold begins from base, which is kept. base.Session
	// must be empty and is named by the first event.
	Branch(ctx context.Context, id event.SessionID, base *transcript.State) (Log, error)

	// Open opens an existing log; a command.Fault not_found where there is none.
	// It never checks the laws: what a crash or a defect left can be opened.
	Open(ctx context.Context, id event.SessionID) (Log, error)

	// List returns the ids of all sessions, in order. It opens none.
	List(ctx context.Context) ([]event.SessionID, error)

	// Remove closes a log for all its readers and deletes it with its files.
	Remove(ctx context.Context, id event.SessionID) error

	// Catalog returns the log of the daemon itself. It belongs to the store: do
	// not close it. Its events name the session that they are about; of those
	// that replace each other (session.listed of a session, active.changed of a
	// family) only the last is kept. Where it was lost it is empty, and can be
	// made anew from the sessions.
	Catalog() Log

	// Path returns the store's folder, empty for one in memory.
	Path() string

	// Close closes every log and gives up the store.
	Close() error
}

// CatalogID is the id of the daemon's own log.
const CatalogID event.SessionID = "catalog"
