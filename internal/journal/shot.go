package journal

import (
	"encoding/json"
	"fmt"

	"parley/internal/transcript"
)

// A snapshot is made after this many facts or bytes of facts. When the state is
// large it also waits until half of its own size was written, so that all
// snapshots together cost no more than a share of the log.
const (
	shotFacts = 1000
	shotBytes = 2 << 20
	lastFacts = 50 // when the log closes
)

// shot knows what has happened since the last snapshot.
type shot struct {
	entries []*transcript.Entry // as they are kept
	facts   int
	bytes   int
	size    int // of the last one, without the entries
}

func (s *shot) count(facts, bytes int) { s.facts, s.bytes = s.facts+facts, s.bytes+bytes }

func (s *shot) due(closing bool) bool {
	if closing {
		return s.facts >= lastFacts
	}
	return (s.facts >= shotFacts || s.bytes >= shotBytes) && s.bytes >= s.size/2
}

// take makes a snapshot of state. Entries never change in place, so those that
// are the same pointer as last time are not written again. A state that cannot
// be written gives none: the events are all there.
func (s shot) take(state *transcript.State) (shot, *Snapshot) {
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
	return shot{entries: state.Entries[:out.Len:out.Len], size: len(data)}, out
}

// loadSnapshot sets the state to a snapshot; nil leaves it.
func (l *tape) loadSnapshot(s *Snapshot) error {
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
	l.shot = shot{entries: kept, size: len(s.State)}
	return nil
}
