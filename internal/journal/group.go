package journal

import (
	"slices"

	"parley/internal/transcript"
)

// Entries without content are stored in groups of 64, one row each: this byte,
// which begins no JSON, and then each entry in its form. Reading a row for each
// entry of a session of 100 MB would be half of the time that opening it takes.
const (
	groupMark = 2
	groupSize = 64
)

// isGroup reports whether the entries from i on, where a group could begin, are
// stored as one. A group stays a group: no entry gets its content back.
func isGroup(entries []*transcript.Entry, i int) bool {
	return i+groupSize <= len(entries) && !slices.ContainsFunc(entries[i:i+groupSize], func(e *transcript.Entry) bool { return e == nil || e.Content != nil })
}

// appendGroup appends the stored form of a group.
func appendGroup(b []byte, entries []*transcript.Entry) (_ []byte, err error) {
	b = append(b, groupMark)
	for _, e := range entries {
		if b, err = appendEntry(b, e); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readEntries reads what is kept of a group or of an entry.
func readEntries(to []*transcript.Entry, data []byte) ([]*transcript.Entry, error) {
	if len(data) == 0 || data[0] != groupMark {
		e, err := readEntry(data)
		return append(to, e), err
	}
	whole, group := string(data), make([]transcript.Entry, groupSize)
	data = data[1:]
	for i := range group {
		if len(data) == 0 || data[0] != bare {
			return nil, errEntry
		}
		var err error
		if data, err = readBare(&group[i], whole, data[1:]); err != nil {
			return nil, err
		}
		to = append(to, &group[i])
	}
	if len(data) > 0 {
		return nil, errEntry
	}
	return to, nil
}

// stored returns what is to be kept for each of the entries where before is kept:
// nil where that is the same, and empty where the group's first has it.
func stored(entries, before []*transcript.Entry) ([][]byte, error) {
	out := make([][]byte, len(entries))
	for i := 0; i < len(entries); {
		n := min(groupSize, len(entries)-i)
		group, old := entries[i:i+n], before[min(i, len(before)):min(i+n, len(before))]
		now, was := isGroup(entries, i), isGroup(before, i)
		var err error
		switch {
		case now && was && slices.Equal(group, old):
		case now:
			for j := 1; j < n; j++ {
				out[i+j] = []byte{}
			}
			out[i], err = appendGroup(nil, group)
		default:
			for j, e := range group {
				if (was || j >= len(old) || old[j] != e) && err == nil {
					out[i+j], err = appendEntry(nil, e)
				}
			}
		}
		if err != nil {
			return nil, err
		}
		i += n
	}
	return out, nil
}

// loaded reads all that was kept. Entries that could be a group and were stored
// one by one, as by an earlier build, are nil in kept: they are written anew.
func loaded(data [][]byte) (entries, kept []*transcript.Entry, err error) {
	grouped := make(map[int]bool)
	for _, d := range data {
		if len(d) == 0 {
			continue // an earlier one has it
		}
		i := len(entries)
		if entries, err = readEntries(entries, d); err != nil {
			return nil, nil, err
		}
		grouped[i] = len(entries) > i+1
	}
	kept = slices.Clone(entries)
	for i := 0; i < len(entries); i += groupSize {
		if isGroup(entries, i) && !grouped[i] {
			clear(kept[i : i+groupSize])
		}
	}
	return entries, kept, nil
}
