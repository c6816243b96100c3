package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// log is the Log over any backend. It commits in groups:
//
//	Append ─ durable ─► queue ─► leader: stage ─► Backend.Write ─► publish ─► tail ─► readers
//	       └ deltas ──► publish ─► tail ─► readers
//	                  └► pending ── 50 ms, or with the next commit ──► Backend.Write
//
// There is at most one leader: one of the callers of Append, or the timer. It
// commits all that is queued as one transaction. While a batch is staged, state
// is ahead of what readers may see and only the leader touches it; everybody
// else gets visible.
type log struct {
	id     event.SessionID
	back   Backend
	opt    Options
	folder func() (string, error)

	mu       sync.Mutex
	state    *transcript.State
	visible  *transcript.State // nil: state
	tail     tail
	pending  pending
	queue    []*request
	leading  bool
	due      bool // the timer fired while there was a leader
	stop     func() bool
	last     event.Seq // given to an event, seen or not
	reserved event.Seq // deltas may use seqs up to here without asking the disk
	written  event.Seq // the disk has everything up to here
	top      event.Seq // the last row on the disk; less than written where deltas were dropped
	snapshot sinceSnapshot
	openRows openRows
	broken   error // of the last write
	closed   bool
	wake     chan struct{} // closed when readers can see more; nil: nobody waits
	settled  chan struct{} // closed when the leader is done; nil: nobody waits
	damage   []Damage
}

// reserveAhead is how many seqs are reserved at a time.
const reserveAhead = 8192

// open reads a log from its backend.
func open(id event.SessionID, back Backend, folder func() (string, error), opt Options) (*log, error) {
	l := &log{id: id, back: back, opt: opt, folder: folder}
	img, err := back.Load()
	if err != nil {
		return nil, err
	}
	if err := l.load(img); err != nil {
		return nil, err
	}
	l.last = max(img.Last, img.Reserved)
	l.reserved = l.last
	l.written, l.top, l.tail.floor = img.Last, img.Last, img.Last
	return l, nil
}

func (l *log) load(img Image) error {
	if err := l.loadSnapshot(img.Snapshot); err != nil {
		l.damage = append(l.damage, Damage{Err: err})
		l.state, l.snapshot = nil, sinceSnapshot{}
	}
	if l.state == nil {
		base, err := l.base()
		if err != nil {
			return err
		}
		if l.state = base; base == nil {
			l.state = transcript.New()
		}
	}
	for at := l.state.Seq; at < img.Last; {
		rows, _, err := l.back.Read(context.Background(), at, img.Last, 512, 1<<20)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for _, r := range rows {
			at = r.Seq
			e, err := decode(r)
			if err != nil {
				l.damage = append(l.damage, Damage{r.Seq, err})
				continue
			}
			l.apply(e)
			l.snapshot.count(1, len(r.Data))
		}
	}
	return nil
}

func (l *log) base() (*transcript.State, error) {
	data, err := l.back.Base()
	if err != nil || data == nil {
		return nil, err
	}
	s := transcript.New()
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("base of %s: %w", l.id, err)
	}
	return s, nil
}

// fold returns e as the fold of this log sees it: the catalog's events name the
// sessions that they are about, and happen in the catalog.
func (l *log) fold(e event.Event) event.Event {
	if l.id == CatalogID {
		e.Session = CatalogID
	}
	return e
}

func (l *log) apply(e event.Event) { l.state.Apply(l.fold(e)) }

// admit stamps a batch and folds it in, or refuses it and leaves the state as it
// was. keep is given each event once it is known to be legal.
func (l *log) admit(events []event.Event, keep func(event.Event) error) error {
	last, now := l.last, l.opt.now()
	var before *transcript.State
	if len(events) > 1 {
		before = l.state.Clone()
	}
	for i := range events {
		l.last++
		e := &events[i]
		e.Seq, e.Time = l.last, now
		if e.Session == "" {
			e.Session = l.id
		}
		err := l.legal(*e)
		if err == nil {
			err = keep(*e)
		}
		if err != nil {
			l.last = last
			if before != nil {
				l.state = before
			}
			return err
		}
		l.apply(*e)
	}
	return nil
}

// legal returns why an event may not be kept. The text of a delta must be valid
// UTF-8: JSON could not give it back, and offsets count its bytes.
func (l *log) legal(e event.Event) error {
	if found := transcript.Check(l.state, l.fold(e)); len(found) > 0 {
		return &Refusal{e, found}
	}
	if _, text, _ := e.Delta(); !utf8.ValidString(text) {
		return command.Faultf(command.Invalid, "%s with text that is not UTF-8", e.Kind())
	}
	return nil
}

// Append publishes deltas at once, and queues everything else for the leader.
func (l *log) Append(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	if len(events) == 0 {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, canceled(l.id, err)
	}
	events = slices.Clone(events)
	delta := !slices.ContainsFunc(events, event.Event.Durable)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, closed(l.id)
	}
	if delta && l.visible == nil && l.broken == nil && !l.pending.full() && l.last+event.Seq(len(events)) <= l.reserved {
		defer l.mu.Unlock()
		if err := l.admit(events, func(event.Event) error { return nil }); err != nil {
			return nil, err
		}
		for _, e := range events {
			l.pending.add(e)
		}
		l.publish(events)
		l.arm()
		return events, nil
	}
	return l.submit(ctx, &request{events: events, ready: make(chan bool, 2)})
}

// canceled is the error of a caller that gave up.
func canceled(id event.SessionID, err error) error {
	return &failure{command.Faultf(command.Canceled, "appending to %s was canceled", id), err}
}

// publish shows events to readers. l.mu is held.
func (l *log) publish(events []event.Event) {
	ended := false
	for _, e := range events {
		l.tail.add(e, weight(e))
		if _, ok := e.Body.(event.RunEnded); ok {
			ended = true
		}
	}
	l.tail.trim(l.written, tailCount, tailBytes)
	if ended && l.state.Idle() {
		l.tail.trim(l.written, idleCount, idleBytes)
	}
	wakeAll(&l.wake)
}

// rouse wakes who waits.
func wakeAll(c *chan struct{}) {
	if *c != nil {
		close(*c)
		*c = nil
	}
}

// await returns a channel for rouse.
func wakeUp(c *chan struct{}) <-chan struct{} {
	if *c == nil {
		*c = make(chan struct{})
	}
	return *c
}

// arm starts the timer that writes pending deltas, unless it runs. l.mu is held.
func (l *log) arm() {
	if l.stop == nil && !l.pending.empty() && l.broken == nil && !l.closed {
		l.stop = l.opt.afterFunc(Delay, l.flush)
	}
}

func (l *log) disarm() {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
	l.due = false
}

// flush writes the pending deltas.
func (l *log) flush() {
	l.mu.Lock()
	l.stop = nil
	if l.closed || l.pending.empty() {
		l.mu.Unlock()
		return
	}
	l.due = true
	if l.leading {
		l.mu.Unlock()
		return
	}
	l.leading = true
	l.mu.Unlock()
	l.lead()
}

// visibleState returns the state that readers may see. l.mu is held.
func (l *log) visibleState() *transcript.State {
	if l.visible != nil {
		return l.visible
	}
	return l.state
}

// State is a copy for the caller.
func (l *log) State() *transcript.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.visibleState().Clone()
}

// Head is the last seq that can be seen.
func (l *log) Head() event.Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.visibleState().Seq
}

// weight is about how many bytes of memory an event's texts take.
func weight(e event.Event) int {
	switch b := e.Body.(type) {
	case event.BlockDelta:
		return len(b.Text)
	case event.CallDelta:
		return len(b.Text)
	case event.BlockEnded:
		return len(b.Text)
	case event.UserSaid:
		return len(b.Text)
	case event.InputQueued:
		return len(b.Text)
	case event.CallStarted:
		return len(b.Arguments)
	case event.PermissionPreviewed:
		return len(b.Diff) + len(b.Summary)
	case event.ContextCompacted:
		return len(b.Summary)
	case event.CallEnded:
		n := len(b.Result)
		if b.Display != nil {
			n += len(b.Display.Diff)
		}
		return n
	case event.Unknown:
		return len(b.Data)
	case event.ResponseEnded:
		n := 0
		for _, o := range b.Opaque {
			n += len(o.Data)
		}
		return n
	}
	return 0
}
