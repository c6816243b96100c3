package journal

import (
	"encoding/json"
	"fmt"

	"parley/internal/transcript"
)

// A snapshot is made after this many durable events, or bytes of them. Where the
// state is large it also waits until half of its own size was written, so that
// all snapshots together cost no more than a share of the log.
const (
	snapshotEvents = 1000
	snapshotBytes  = 2 << 20
	closingEvents  = 50 // when the log closes
)

// sinceSnapshot is what has happened since the last snapshot.
type sinceSnapshot struct {
	entries []*transcript.Entry // as they are kept
	events  int
	bytes   int
	size    int // of the last one, without the entries
}

func (s *sinceSnapshot) count(events, bytes int) { s.events, s.bytes = s.events+events, s.bytes+bytes }

func (s *sinceSnapshot) due(closing bool) bool {
	if closing {
		return s.events >= closingEvents
	}
	return (s.events >= snapshotEvents || s.bytes >= snapshotBytes) && s.bytes >= s.size/2
}

// take makes a snapshot of state. Entries never change in place, so those that
// are the same pointer as last time are not written again. A state that cannot
// be written gives none: the events are all there.
func (s sinceSnapshot) take(state *transcript.State) (sinceSnapshot, *Snapshot) {
	head := *state
	head.Entries = nil
	data, err := json.Marshal(&head)
	if err != nil {
		return s, nil
	}
	entries, err := stored(state.Entries, s.entries)
	if err != nil {
		return s, nil
	}
	out := &Snapshot{Seq: state.Seq, State: data, Len: len(entries)}
	for out.From < out.Len && entries[out.From] == nil {
		out.From++
	}
	out.Entries = entries[out.From:]
	return sinceSnapshot{entries: state.Entries[:out.Len:out.Len], size: len(data)}, out
}

// loadSnapshot sets the state to a snapshot; nil leaves it.
func (l *log) loadSnapshot(s *Snapshot) error {
	if s == nil {
		return nil
	}
	l.state = transcript.New()
	if err := json.Unmarshal(s.State, l.state); err != nil {
		return err
	}
	entries, kept, err := loaded(s.Entries)
	if err == nil && len(entries) != s.Len {
		err = fmt.Errorf("the snapshot has %d entries of %d", len(entries), s.Len)
	}
	if err != nil {
		return err
	}
	l.state.Entries = entries
	l.state.Seq = s.Seq
	l.snapshot = sinceSnapshot{entries: kept, size: len(s.State)}
	return nil
}
