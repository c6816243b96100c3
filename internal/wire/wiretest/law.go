package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// Laws are the laws of one dialect.
type Laws struct {
	Dialect *wire.Dialect
	Peer    wire.Peer                 // after its handshake
	Valid   func(wire.Frame) error    // nil: a JSON object
	Text    func([]wire.Frame) string // all text of the answers in frames; nil: the chunking law is left out
	Facts   func([]wire.Frame) []Fact // what the frames tell of a run, the past aside; nil: the law of who joins is left out
	IDs     []string                  // ids that requests may have; nil: 7
}

// Run checks every law.
func (l Laws) Run(t *testing.T) {
	t.Run("total", l.total)
	t.Run("answers", l.Answers)
	t.Run("late", l.late)
	if l.Facts != nil { // or the dialect begins with a state, or with the run
		t.Run("joined", l.joined)
	}
	if l.Text != nil {
		t.Run("chunking", l.chunking)
	}
	if l.Dialect.ForPeer != nil { // or it answers with results only
		t.Run("private", l.private)
	}
}

// Logs are legal logs, for laws.
func Logs() [][]event.Event { return [][]event.Event{eventtest.Run(), Turns()} }

func (l Laws) valid(t *testing.T, what string, frames []wire.Frame) {
	t.Helper()
	for _, f := range frames {
		var object map[string]json.RawMessage
		err := json.Unmarshal(f, &object)
		if l.Valid != nil {
			err = l.Valid(f)
		}
		if err != nil {
			t.Errorf("%s: %v in %q", what, err, f)
		}
	}
}

// total: every kind of event in every state, live and as a page of the past,
// gives valid frames and never a panic.
func (l Laws) total(t *testing.T) {
	d := l.Dialect
	past := l.Peer
	past.Past = true
	for _, s := range states() {
		l.valid(t, "attach", d.Attach(l.Peer, s.Clone()))
		if d.Detach != nil {
			l.valid(t, "detach", d.Detach(l.Peer, s.Clone()))
		}
		for _, e := range eventtest.All() {
			for _, cause := range []event.Cause{"", event.Cause(l.Peer.Cause("7"))} {
				e.Cause = cause
				l.valid(t, e.Kind(), d.Frames(l.Peer, s.Clone(), e))
				l.valid(t, e.Kind()+" of a sub-agent", d.Frames(past, s.Clone(), child(e)))
			}
		}
	}
}

// Answers checks that every outcome of every command, and what else is said
// outside the log, is a valid frame, also where no session is followed.
func (l Laws) Answers(t *testing.T) {
	d := l.Dialect
	all := states()
	for _, s := range []*transcript.State{nil, all[0], all[len(all)/2]} {
		for _, r := range l.results() {
			l.valid(t, r.Name+" "+r.ID, d.Answer(l.Peer, s, r))
		}
	}
	if d.Error != nil {
		for _, f := range Faults() {
			l.valid(t, "refuse", d.Error(l.Peer, nil, f))
		}
	}
	if d.Welcome != nil {
		l.valid(t, "welcome", d.Welcome(l.Peer, wire.Welcome{Name: "parley", Session: eventtest.Session, Head: 4}))
	}
}

func child(e event.Event) event.Event {
	e.Session = "sess-child"
	return e
}

// states are sessions at points of the logs, known from the start and from that
// point on only.
func states() []*transcript.State {
	out := []*transcript.State{transcript.New()}
	for _, log := range Logs() {
		s := transcript.New()
		for i, e := range log {
			if s.Apply(e); i%3 == 0 {
				out = append(out, s.Clone(), s.Resume(s.Seq))
			}
		}
	}
	return out
}

func (l Laws) results() []command.Result {
	ids := l.IDs
	if ids == nil {
		ids = []string{"7"}
	}
	var out []command.Result
	for _, id := range ids {
		for _, b := range command.Bodies() {
			r := command.Result{ID: l.Peer.Cause(id), Name: command.Name(b)}
			out = append(out, r)
			for _, d := range Data() {
				r.Data = d
				out = append(out, r)
			}
			r.Data = nil
			for _, f := range append(Faults(), wire.ErrTimeout) {
				r.Fault = f
				out = append(out, r)
			}
		}
	}
	return out
}

// late: a client that joins after n events gets exactly the rest of what the others
// get, also with a state that was encoded and read back; and one that joins in the
// middle of a run gets all of the run, from the state before it.
func (l Laws) late(t *testing.T) {
	for _, log := range Logs() {
		whole := make([][]byte, len(log))
		s := transcript.New()
		var live []*transcript.State
		for i, e := range log {
			live = append(live, s.Clone())
			whole[i] = join(l.Dialect.Frames(l.Peer, s, e))
		}
		for cut, s := range live {
			l.tail(t, fmt.Sprintf("from %d", cut), s.Clone(), log[cut:], whole[cut:])
			l.tail(t, fmt.Sprintf("from %d, read back", cut), readBack(t, s), log[cut:], whole[cut:])
			if s.Run == nil {
				continue
			}
			before := s.Checkpoint()
			i := int(before.Seq)
			l.tail(t, fmt.Sprintf("from %d, by the run", cut), before, log[i:], whole[i:])
		}
	}
}

func (l Laws) tail(t *testing.T, what string, s *transcript.State, log []event.Event, want [][]byte) {
	t.Helper()
	for i, e := range log {
		if got := join(l.Dialect.Frames(l.Peer, s, e)); !bytes.Equal(got, want[i]) {
			t.Errorf("%s: %s at %d:\ngot  %s\nlive %s", what, e.Kind(), e.Seq, got, want[i])
		}
	}
}

func join(frames []wire.Frame) []byte { return bytes.Join(frames, []byte("\n")) }

func readBack(t *testing.T, s *transcript.State) *transcript.State {
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out := transcript.New()
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// chunking: however grown text is cut, merged, repeated or dropped after its
// end, the texts of the answers are the same.
func (l Laws) chunking(t *testing.T) {
	for _, log := range Logs() {
		want := l.Text(l.all(log))
		if want == "" {
			t.Error("no text")
		}
		for seed := range uint64(50) {
			cut := rechunk(log, rand.New(rand.NewPCG(seed, 1)))
			if got := l.Text(l.all(cut)); got != want {
				t.Errorf("seed %d: got %q, want %q", seed, got, want)
			}
		}
	}
}

func (l Laws) all(log []event.Event) []wire.Frame {
	var out []wire.Frame
	s := transcript.New()
	for _, e := range log {
		out = append(out, l.Dialect.Frames(l.Peer, s, e)...)
	}
	return out
}

// rechunk splits, doubles, overlaps and drops deltas.
func rechunk(log []event.Event, r *rand.Rand) []event.Event {
	var out []event.Event
	for _, e := range log {
		e.Seq *= 2 // room for a second piece
		b, ok := e.Body.(event.BlockDelta)
		switch {
		case !ok || len(b.Text) < 2:
			out = append(out, e)
		case r.IntN(3) == 0:
			// Dropped: the end brings it. What follows would leave a gap, so it
			// is dropped as well.
			out = append(out, event.Event{Seq: e.Seq, Session: e.Session, Body: event.NoteAdded{Level: event.LevelInfo, Text: "gap"}})
		default:
			n := 1 + r.IntN(len(b.Text)-1)
			first, second := b, b
			first.Text = b.Text[:n]
			back := r.IntN(n + 1) // an overlap
			second.Offset, second.Text = b.Offset+n-back, b.Text[n-back:]
			for _, body := range []event.BlockDelta{first, second} {
				e.Body = body
				out = append(out, e)
				e.Seq++
			}
		}
	}
	return dropGaps(out)
}

// dropGaps leaves out deltas behind a gap.
func dropGaps(log []event.Event) []event.Event {
	var out []event.Event
	have := make(map[event.BlockID]int)
	for _, e := range log {
		if b, ok := e.Body.(event.BlockDelta); ok {
			if b.Offset > have[b.Block] {
				continue
			}
			have[b.Block] = max(have[b.Block], b.Offset+len(b.Text))
		}
		out = append(out, e)
	}
	return out
}

// private: what one client caused is answered to no other.
func (l Laws) private(t *testing.T) {
	other := l.Peer
	other.ID = "c-other"
	for _, log := range Logs() {
		s, unasked := transcript.New(), transcript.New()
		for _, e := range log {
			mute := e
			mute.Cause = ""
			s.Apply(e)
			unasked.Apply(mute)
			e.Cause = event.Cause(l.Peer.Cause("7"))
			if got, want := join(l.Dialect.ForPeer(other, s, e)), join(l.Dialect.ForPeer(other, unasked, mute)); !bytes.Equal(got, want) {
				t.Errorf("%s: another client gets %s", e.Kind(), got)
			}
		}
	}
}

// FuzzDecode checks that any frame decodes without a panic, in any state, and
// that what is answered at once is valid. Seeds are client frames.
func (l Laws) FuzzDecode(f *testing.F, seeds ...string) {
	for _, s := range append(seeds, "", "{}", "[]", "null", `{"type":1}`, "\xff") {
		f.Add([]byte(s))
	}
	all := states()
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, s := range []*transcript.State{nil, all[0], all[len(all)/2]} {
			for _, p := range []wire.Peer{{ID: "c1"}, l.Peer} {
				in := l.Dialect.Decode(p, s, bytes.Clone(frame))
				l.valid(t, "reply", in.Replies)
				if in.Peer.ID != p.ID {
					t.Errorf("the peer became %q", in.Peer.ID)
				}
				for _, c := range in.Commands {
					if _, mine := p.RequestOf(c.Cause()); !mine || c.Body == nil {
						t.Errorf("command %q %T", c.ID, c.Body)
					}
				}
			}
		}
	})
}
