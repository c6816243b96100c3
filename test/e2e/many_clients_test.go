package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/transcript"
	"parley/test/rig"
)

// crowd says how many clients and how many deltas make one.
func crowd() (clients, deltas int) {
	if long {
		return 100, 20000
	}
	return 20, 4000
}

// word is what the model says again and again.
const word = "word after word, "

// A shared is a daemon with one session, and a client who begins a run.
type shared struct {
	home    *rig.Home
	model   *speaker
	daemon  *rig.Daemon
	session event.SessionID
	first   *rig.Client
}

func newShared(t *testing.T) *shared {
	t.Helper()
	s := &shared{home: newHome(t)}
	s.model = newSpeaker(t, s.home)
	var err error
	if s.daemon, err = s.home.Serve(); err != nil {
		t.Fatal(err)
	}
	s.first, s.session = s.join(t, "new", 0)
	return s
}

func (s *shared) join(t *testing.T, session string, since event.Seq) (*rig.Client, event.SessionID) {
	t.Helper()
	c, id, err := rig.Hello(s.home.Socket, "ann", session, &since, s.home.Work)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, id
}

func (s *shared) begin(t *testing.T) {
	t.Helper()
	r, err := s.first.Do("prompt", "1", s.session, map[string]string{"text": "talk"})
	if err != nil || r.Fault() != nil {
		t.Fatal(err, r.Fault())
	}
}

// over waits until a client has seen the end of the run.
func over(t *testing.T, c *rig.Client) {
	t.Helper()
	if _, _, err := c.Wait(0, func(l rig.Line) bool { return l.Type == "run.ended" }); err != nil {
		t.Error(err)
	}
}

// said is what a client has of the run: its durable events as they came, and the text, of
// which the deltas were the beginning, without a gap.
func said(t *testing.T, c *rig.Client, session event.SessionID) (durable []string, text string) {
	t.Helper()
	events, err := rig.Decode(c.Lines(), session)
	if err != nil {
		t.Fatal(err)
	}
	var grown string
	for _, e := range events {
		switch b := e.Body.(type) {
		case event.BlockDelta:
			if b.Offset > len(grown) {
				t.Fatalf("seq %d: a gap: a delta at %d of %d", e.Seq, b.Offset, len(grown))
			}
			grown = grown[:b.Offset] + b.Text
			continue
		case event.BlockEnded:
			text += b.Text
		}
		line, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		durable = append(durable, string(line))
	}
	if !strings.HasPrefix(text, grown) {
		t.Errorf("the deltas are something else than it ended with: %.200q, %.200q", grown, text)
	}
	return durable, text
}

// A hundred clients on one run, half of which do not read: those cost nothing that
// grows with the run, and all others have the same to the last byte.
func TestHundredClients(t *testing.T) {
	clients, deltas := crowd()
	alone := newShared(t)
	alone.begin(t)
	alone.model.say(word, deltas)
	alone.model.end()
	over(t, alone.first)
	one := peakOf(t, alone)

	many := newShared(t)
	for range clients / 2 {
		c, err := rig.Connect(many.home.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		zero := event.Seq(0)
		if err := c.Send(rig.HelloLine("stalled", string(many.session), &zero, many.home.Work)); err != nil {
			t.Fatal(err)
		}
	}
	live := []*rig.Client{many.first}
	for len(live) < clients/2 {
		c, _ := many.join(t, string(many.session), 0)
		live = append(live, c)
	}
	many.begin(t)
	many.model.say(word, deltas)
	many.model.end()
	var wg sync.WaitGroup
	for _, c := range live {
		wg.Go(func() { over(t, c) })
	}
	wg.Wait()
	all := peakOf(t, many)
	t.Logf("the daemon's peak: %d MiB for one client, %d MiB for %d of which half are stalled", one>>20, all>>20, clients)
	// A connection costs a few goroutines and a batch of lines; one that keeps up also
	// has the text of the open block, which the collector may let lie about.
	if limit := one + int64(clients)*(512<<10) + int64(len(live)*deltas*len(word)*7); one > 0 && all > limit {
		t.Errorf("%d MiB; the limit is %d", all>>20, limit>>20)
	}
	durable, text := said(t, many.first, many.session)
	if want := strings.Repeat(word, deltas); text != want {
		t.Errorf("the text has %d bytes, not %d", len(text), len(want))
	}
	for i, c := range live[1:] {
		theirs, same := said(t, c, many.session)
		if diff := cmp.Diff(durable, theirs); diff != "" || same != text {
			t.Errorf("client %d has something else (-first +it):\n%s", i+1, diff)
		}
	}
}

// peakOf is the most memory that the daemon had; 0 where nobody can know.
func peakOf(t *testing.T, s *shared) int64 {
	t.Helper()
	n, err := rig.Peak(s.daemon.PID)
	if err != nil {
		t.Log(err)
	}
	return n
}

// Ten who watch as people do, joined at different times: each has read the same
// when it is over, and so has who comes when all is long past.
func TestTenWatchersReadTheSame(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	s.begin(t)
	watchers := make([]*actor, 10)
	for i := range watchers {
		s.model.say(fmt.Sprintf("Paragraph %d, word after word.\n\n", i), 60)
		var err error
		watchers[i], err = begin(s.home.Command("attach", string(s.session), "--format", "plain", "--until-idle"))
		if err == nil {
			t.Cleanup(watchers[i].end)
			err = watchers[i].says("Paragraph 0, ")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.model.end()
	for i, w := range watchers {
		<-w.gone
		late, err := s.home.Run("sessions", "show", string(s.session))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(late.Out, w.out.String()); diff != "" || w.cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("watcher %d: %s %s (-late +it):\n%s", i, w.cmd.ProcessState, w.err.String(), diff)
		}
	}
}

// Who comes in the middle of an answer gets what was said so far, and then the
// rest; whoever resumes after any seq, while it goes on or later, has what one has
// who was there all along.
func TestLateClientGetsTheSame(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	s.begin(t)
	const middle = 100 * len(word)
	s.model.say(word, 100)
	if _, _, err := s.first.Wait(0, grownTo(middle)); err != nil {
		t.Fatal(err)
	}
	before := s.first.Lines()
	joined, _, err := rig.Hello(s.home.Socket, "bob", string(s.session), nil, s.home.Work)
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	var resumed []*rig.Client
	cuts := []event.Seq{1, before[len(before)/3].Seq, before[len(before)/2].Seq, before[len(before)-1].Seq}
	for _, cut := range cuts {
		c, _ := s.join(t, string(s.session), cut)
		resumed = append(resumed, c)
	}
	s.model.say(word, 200)
	s.model.end()
	over(t, s.first)
	over(t, joined)
	if _, _, err := joined.Wait(0, grownTo(middle)); err != nil {
		t.Errorf("who joined did not get what was said until then: %v", err)
	}
	for _, cut := range cuts {
		c, _ := s.join(t, string(s.session), cut)
		resumed, cuts = append(resumed, c), append(cuts, cut)
	}
	live, err := rig.Decode(s.first.Lines(), s.session)
	if err != nil {
		t.Fatal(err)
	}
	want := fold(t, nil, live)
	_, text := said(t, s.first, s.session)
	if _, same := said(t, joined, s.session); same != text {
		t.Errorf("who joined has %d bytes of text, not %d", len(same), len(text))
	}
	for i, c := range resumed {
		over(t, c)
		late, err := rig.Decode(c.Lines(), s.session)
		if err != nil {
			t.Fatal(err)
		}
		var past []event.Event
		for _, e := range live {
			if e.Seq <= cuts[i] {
				past = append(past, e)
			}
		}
		if diff := cmp.Diff(want, fold(t, past, late)); diff != "" {
			t.Errorf("resumed after seq %d (-live +late):\n%s", cuts[i], diff)
		}
	}
}

// grownTo tells the line with which a text is at least so long.
func grownTo(n int) func(rig.Line) bool {
	return func(l rig.Line) bool {
		e, err := event.Decode([]byte(l.Raw))
		b, ok := e.Body.(event.BlockDelta)
		return err == nil && ok && b.Offset+len(b.Text) >= n
	}
}

// fold is the state after all events, as JSON; they come in order.
func fold(t *testing.T, parts ...[]event.Event) string {
	t.Helper()
	s := transcript.New()
	for _, events := range parts {
		for _, e := range events {
			if e.Seq <= s.Seq {
				t.Fatalf("seq %d after %d", e.Seq, s.Seq)
			}
			s.Apply(e)
		}
	}
	// Deltas may come merged, or not at all once it has ended.
	s.Counts.Events = 0
	text, err := json.Marshal(s)
	var out bytes.Buffer
	if err == nil {
		err = json.Indent(&out, text, "", " ")
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
