package journal

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/transcript"
)

// Every field of an entry is kept, in either form. A field that was added to the
// entry must be added to the form.
func TestEntryIsKept(t *testing.T) {
	want := new(transcript.Entry)
	v := reflect.ValueOf(want).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("“" + v.Type().Field(i).Name + "”")
		case reflect.Int:
			f.SetInt(int64(i) + 300)
		case reflect.Uint64:
			f.SetUint(1<<40 + uint64(i))
		case reflect.Struct:
			f.Set(reflect.ValueOf(time.Date(2026, 11, 21, 9, 0, 0, 5, time.UTC)))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		default:
			t.Fatalf("the test knows no %s", f.Type())
		}
	}
	for range 2 {
		data, err := appendEntry(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readEntry(data)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%v %s", err, d)
		}
		for cut := range data {
			if _, err := readEntry(data[:cut]); err == nil {
				t.Errorf("an entry of %d bytes cut to %d was read", len(data), cut)
			}
		}
		want.Content = nil
	}
	if got, err := readEntry(mustEntry(t, new(transcript.Entry))); err != nil || !cmp.Equal(got, new(transcript.Entry)) {
		t.Errorf("the empty entry: %+v, %v", got, err)
	}
}

func mustEntry(t *testing.T, e *transcript.Entry) []byte {
	t.Helper()
	data, err := appendEntry(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Consecutive deltas of one text are merged, and rows on the disk are
// replaced by longer ones while they are short.
func TestPendingDeltasAreMerged(t *testing.T) {
	type row struct {
		seq    event.Seq
		call   string // or "" for the block
		stream string
		offset int
		text   string
	}
	long := strings.Repeat("x", maxRow-1)
	for _, test := range []struct {
		name    string
		batches [][]row
		drop    string // before the last batch
		rows    []row
		gone    []event.Seq
	}{
		{name: "one run", batches: [][]row{{{1, "", "", 0, "ab"}, {2, "", "", 2, "cd"}}}, rows: []row{{2, "", "", 0, "abcd"}}},
		{name: "an overlap", batches: [][]row{{{1, "", "", 0, "ab"}, {2, "", "", 1, "bc"}}}, rows: []row{{1, "", "", 0, "ab"}, {2, "", "", 1, "bc"}}},
		{name: "two calls", batches: [][]row{{{1, "a", "stdout", 0, "a"}, {2, "b", "stdout", 0, "b"}, {3, "a", "stdout", 1, "a"}}},
			rows: []row{{3, "a", "stdout", 0, "aa"}, {2, "b", "stdout", 0, "b"}}},
		{name: "two streams", batches: [][]row{{{1, "a", "stdout", 0, "o"}, {2, "a", "stderr", 1, "e"}, {3, "a", "stdout", 2, "o"}}},
			rows: []row{{1, "a", "stdout", 0, "o"}, {2, "a", "stderr", 1, "e"}, {3, "a", "stdout", 2, "o"}}},
		{name: "a row is replaced", batches: [][]row{{{1, "", "", 0, "ab"}}, {{5, "", "", 2, "cd"}}}, rows: []row{{5, "", "", 0, "abcd"}}, gone: []event.Seq{1}},
		{name: "a full row stays", batches: [][]row{{{1, "", "", 0, long}}, {{5, "", "", len(long), "cd"}}}, rows: []row{{5, "", "", len(long), "cd"}}},
		{name: "another's row stays", batches: [][]row{{{1, "a", "stdout", 0, "a"}}, {{2, "b", "stdout", 0, "b"}}}, rows: []row{{2, "b", "stdout", 0, "b"}}},
		{name: "what ended is dropped", batches: [][]row{{{1, "a", "stdout", 0, "a"}}, {{2, "a", "stdout", 1, "a"}, {3, "b", "stdout", 0, "b"}}}, drop: "a", rows: []row{{3, "b", "stdout", 0, "b"}}},
	} {
		var e openRows
		var out []*pendingRow
		var gone []event.Seq
		for i, batch := range test.batches {
			var g pending
			for _, w := range batch {
				ev := event.Event{Seq: w.seq, Body: event.BlockDelta{Block: "b", Offset: w.offset, Text: w.text}}
				if w.call != "" {
					ev.Body = event.CallDelta{Call: event.CallID(w.call), Stream: event.Stream(w.stream), Offset: w.offset, Text: w.text}
				}
				g.add(ev)
			}
			var dropped []key
			if test.drop != "" && i == len(test.batches)-1 {
				dropped = []key{{'c', "", test.drop}}
			}
			out, gone, e = e.extend(g.rows, dropped)
		}
		var rows []row
		for _, r := range out {
			switch b := r.event().Body.(type) {
			case event.BlockDelta:
				rows = append(rows, row{r.e.Seq, "", "", b.Offset, b.Text})
			case event.CallDelta:
				rows = append(rows, row{r.e.Seq, string(b.Call), string(b.Stream), b.Offset, b.Text})
			}
		}
		if d := cmp.Diff(test.rows, rows, cmp.AllowUnexported(row{})) + cmp.Diff(test.gone, gone); d != "" {
			t.Errorf("%s: %s", test.name, d)
		}
	}
}

// More is reserved when half of it is used, and a log that closes gives back what
// it did not use.
func TestReservedSeqs(t *testing.T) {
	for _, c := range []struct {
		last, reserved event.Seq
		closing        bool
		want           event.Seq
	}{
		{0, 0, false, reserveAhead},
		{1, reserveAhead, false, 0},
		{reserveAhead / 2, reserveAhead, false, reserveAhead/2 + reserveAhead},
		{reserveAhead, reserveAhead, false, 2 * reserveAhead},
		{7, reserveAhead, true, 7},
		{reserveAhead, reserveAhead, true, 0},
		{0, 0, true, 0},
	} {
		if got := reserve(c.last, c.reserved, c.closing); got != c.want {
			t.Errorf("reserve(%d, %d, %v) = %d, want %d", c.last, c.reserved, c.closing, got, c.want)
		}
	}
}

// The tail keeps what only it has, however much that is.
func TestTailKeepsTheUnwritten(t *testing.T) {
	var tl tail
	for seq := range event.Seq(100) {
		tl.add(event.Event{Seq: seq + 1}, 10)
	}
	for _, c := range []struct {
		written      event.Seq
		count, bytes int
		floor        event.Seq
	}{{0, 10, 1 << 20, 0}, {30, 10, 1 << 20, 30}, {100, 1000, 1 << 20, 30}, {100, 50, 1 << 20, 75}, {100, 1000, 10 * (overhead + 10), 95}} {
		tl.trim(c.written, c.count, c.bytes)
		if tl.floor != c.floor || len(tl.slots) != int(100-c.floor) {
			t.Errorf("written %d, bounds %d and %d: the floor is %d with %d events, want %d", c.written, c.count, c.bytes, tl.floor, len(tl.slots), c.floor)
		}
	}
}

// An id that is accepted is one plain name, whatever it is made of.
func FuzzCheckID(f *testing.F) {
	for _, id := range []string{"sess-01k0aaaaaaaaaaaaaaaaaaaaaa", "sess-..", "sess-a/b", "sess-A", "catalog", "sess-"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if CheckID(event.SessionID(id)) != nil {
			return
		}
		if filepath.Base(id) != id || !filepath.IsLocal(id) || len(id) > 100 || strings.ToLower(id) != id || strings.HasPrefix(id, ".") {
			t.Errorf("%q was accepted", id)
		}
	})
}

// Any bytes read as an entry or give an error.
func FuzzReadEntry(f *testing.F) {
	data, _ := appendEntry(nil, &transcript.Entry{ID: "e1", Role: "user", Seq: 7, Snippet: "hi"})
	f.Add(data)
	f.Add([]byte(`{"id":"e1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := readEntry(data); err == nil && e == nil {
			t.Error("neither an entry nor an error")
		}
	})
}
