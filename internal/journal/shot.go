package journal

import (
	"encoding/json"

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
	out := &Snapshot{Seq: state.Seq, State: data, Len: len(state.Entries)}
	for out.From < min(len(s.entries), out.Len) && s.entries[out.From] == state.Entries[out.From] {
		out.From++
	}
	for i, e := range state.Entries[out.From:] {
		i += out.From
		if i < len(s.entries) && s.entries[i] == e {
			out.Entries = append(out.Entries, nil)
			continue
		}
		data, err := appendEntry(nil, e)
		if err != nil {
			return s, nil
		}
		out.Entries = append(out.Entries, data)
	}
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
	l.state.Entries = make([]*transcript.Entry, len(s.Entries))
	for i, data := range s.Entries {
		e, err := readEntry(data)
		if err != nil {
			return err
		}
		l.state.Entries[i] = e
	}
	l.state.Seq = s.Seq
	l.shot = shot{entries: l.state.Entries, size: len(s.State)}
	return nil
}
