package journal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/transcript"
)

// A cupboard keeps what a backend would of the entries.
type storedEntries struct {
	cells   [][]byte
	written int // bytes
}

// keep is what a backend does with the entries of a snapshot.
func (c *storedEntries) keep(data [][]byte) {
	c.cells = append(c.cells, make([][]byte, max(0, len(data)-len(c.cells)))...)[:len(data)]
	for i, d := range data {
		if d != nil {
			c.cells[i] = d
			c.written += len(d)
		}
	}
}

// rows are the cells that a row would be read for.
func (c *storedEntries) rows() (n int) {
	for _, d := range c.cells {
		n += min(1, len(d))
	}
	return n
}

func entryOf(n int, said string) *transcript.Entry {
	e := &transcript.Entry{ID: event.EntryID(fmt.Sprintf("e%d", n)), Role: "user", Seq: event.Seq(n), Time: time.Date(2026, 11, 21, 9, 0, n, 5, time.UTC), Snippet: said}
	e.Content = &transcript.Content{Text: said}
	return e
}

// changed adds some entries and takes the content of some older ones. Now and then the
// last ones are others, as where the log was folded anew.
func changed(entries []*transcript.Entry, r *rand.Rand) []*transcript.Entry {
	entries = slices.Clone(entries)
	if len(entries) > 0 && r.IntN(5) == 0 {
		entries = entries[:r.IntN(len(entries))]
	}
	for range r.IntN(90) {
		e := entryOf(len(entries), strings.Repeat("word ", r.IntN(9)))
		if r.IntN(5) == 0 {
			e.Content = nil
		}
		entries = append(entries, e)
	}
	if r.IntN(3) == 0 {
		return entries
	}
	for i := range entries[:max(0, len(entries)-r.IntN(70))] {
		// One that is on another branch stays whole.
		if e := *entries[i]; e.Content != nil && (i%301 != 300 || r.IntN(4) == 0) {
			e.Content = nil
			entries[i] = &e
		}
	}
	return entries
}

// What is kept of the entries gives them back, whenever it is read: as they grow
// and lose their content, after a restart, and where an earlier build kept each by
// itself. What has not changed is not written again, and what has no content takes
// few rows.
func TestEntriesAreGrouped(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		var c storedEntries
		var entries, before []*transcript.Entry
		if seed%3 == 0 { // as an earlier build kept them
			entries = changed(changed(entries, r), r)
			for _, e := range entries {
				data, err := appendEntry(nil, e)
				if err != nil {
					t.Fatal(err)
				}
				c.cells = append(c.cells, data)
			}
			var err error
			if entries, before, err = loaded(c.cells); err != nil {
				t.Fatal(err)
			}
		}
		for round := range 8 {
			entries = changed(entries, r)
			data, err := stored(entries, before)
			if err != nil {
				t.Fatal(err)
			}
			c.keep(data)
			before = entries
			again, err := stored(entries, before)
			if err != nil || slices.ContainsFunc(again, func(d []byte) bool { return d != nil }) {
				t.Fatalf("seed %d, round %d: what has not changed is written again (%v)", seed, round, err)
			}
			got, kept, err := loaded(c.cells)
			if d := cmp.Diff(entries, got); d != "" || err != nil {
				t.Fatalf("seed %d, round %d: %v (-want +read):\n%s", seed, round, err, d)
			}
			whole := 0
			for i := 0; i+groupSize <= len(entries); i += groupSize {
				if isGroup(entries, i) {
					whole++
				}
			}
			if n := len(entries) - whole*(groupSize-1); c.rows() != n {
				t.Fatalf("seed %d, round %d: %d rows for %d entries with %d packs", seed, round, c.rows(), len(entries), whole)
			}
			if r.IntN(4) == 0 { // a restart
				entries, before = got, kept
				if again, _ := stored(entries, before); slices.ContainsFunc(again, func(d []byte) bool { return d != nil }) {
					t.Fatalf("seed %d, round %d: after a restart all is written again", seed, round)
				}
			}
		}
	}
}

// A pack that is cut, or longer than it should be, is not read.
func TestDamagedGroupIsRefused(t *testing.T) {
	var entries []*transcript.Entry
	for i := range groupSize {
		e := entryOf(i, "hi")
		e.Content = nil
		entries = append(entries, e)
	}
	data, err := appendGroup(nil, entries)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readEntries(nil, data); err != nil || !cmp.Equal(entries, got) {
		t.Errorf("%v %s", err, cmp.Diff(entries, got))
	}
	for cut := range data {
		if _, err := readEntries(nil, data[:cut]); err == nil {
			t.Fatalf("a pack of %d bytes cut to %d was read", len(data), cut)
		}
	}
	if _, err := readEntries(nil, append(data, 1)); err == nil {
		t.Error("a pack with something behind it was read")
	}
}
