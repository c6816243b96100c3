package journal

import (
	"cmp"
	"context"
	"slices"

	"parley/internal/command"
	"parley/internal/event"
)

// A request is a batch that waits to be taken up.
type request struct {
	events []event.Event
	err    error
	ready  chan bool // true: lead; false: it is settled
	chosen bool      // true was sent
	last   bool      // close the log
}

// work is what a leader does as one transaction.
type work struct {
	requests []*request
	before   grown // published before, and not written
	fresh    grown // of the requests
	drops    []key
	facts    []Row
	size     int       // bytes of facts
	upto     event.Seq // the disk has everything up to here afterwards
	reserve  event.Seq // 0: as it is
	last     bool      // the log closes after it
	done     bool
}

// submit queues r and waits until it is settled, or until ctx ends before it was
// taken up. l.mu is held on entry and not on return.
func (l *tape) submit(ctx context.Context, r *request) ([]event.Event, error) {
	l.queue = append(l.queue, r)
	lead := !l.leading
	l.leading = true
	l.mu.Unlock()
	if !lead {
		select {
		case lead = <-r.ready:
		case <-ctx.Done():
			if l.withdraw(r) {
				return nil, given(l.id, ctx.Err())
			}
			lead = <-r.ready
		}
	}
	if lead {
		l.lead()
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.events, nil
}

// withdraw takes r out of the queue unless a leader has it or it is to lead.
func (l *tape) withdraw(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, r)
	if i < 0 || r.chosen {
		return false
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	return true
}

// lead takes up all that waits, settles it and hands on. l.leading is set.
func (l *tape) lead() {
	w := l.take()
	defer l.abandon(w)
	for _, r := range w.requests {
		if !r.last {
			r.err = l.stage(w, r)
		}
	}
	staged := len(w.requests) > 0
	if staged {
		w.reserve = reserve(l.last, l.reserved, w.last)
	}
	wrote := !w.before.empty() || len(w.facts) > 0 || w.fresh.full() || w.reserve != 0 || l.broken != nil
	var err error
	var k kept
	if wrote {
		k, err = l.write(w, staged)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	w.done = true
	switch {
	case err != nil:
		l.refuse(w, failed(l.id, "write to", err))
	case wrote:
		l.broken = nil
		l.written = w.upto
		l.shot, l.ends, l.top = k.shot, k.ends, k.top
		l.reserved = max(l.reserved, w.reserve)
	case staged:
		l.grown = w.fresh
	}
	if staged && err == nil {
		l.visible = nil
		for _, r := range w.requests {
			if r.err == nil {
				l.publish(r.events)
			}
		}
	}
	l.hand(w)
}

// take begins a piece of work. Until it is settled the state is the leader's own
// if there are requests; without any, grew events go on meanwhile.
func (l *tape) take() *work {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &work{requests: l.queue, before: l.grown, upto: l.last}
	w.last = slices.ContainsFunc(w.requests, func(r *request) bool { return r.last })
	w.reserve = reserve(l.last, l.reserved, false)
	l.queue, l.grown = nil, grown{}
	if len(w.requests) > 0 {
		l.visible = l.state.Clone()
	}
	l.disarm()
	return w
}

// reserve returns what must be reserved: nothing while more than half of what
// was is left. A log that closes gives back what it did not use.
func reserve(last, reserved event.Seq, closing bool) event.Seq {
	switch {
	case closing && last < reserved:
		return last
	case closing || last+chunk/2 < reserved:
		return 0
	}
	return last + chunk
}

// stage folds a request in and adds it to the work.
func (l *tape) stage(w *work, r *request) error {
	var drops []key
	var facts []Row
	size := 0
	err := l.admit(r.events, func(e event.Event) error {
		if k := dropOf(e); k.kind != 0 {
			drops = append(drops, k)
		}
		if !e.Durable() {
			return nil
		}
		data, err := e.AppendJSON(nil)
		if err != nil {
			return &failure{command.Faultf(command.Invalid, "%s cannot be written as JSON", e.Kind()), err}
		}
		facts = append(facts, Row{e.Seq, keyOf(e).String(), data})
		size += len(data)
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range r.events {
		if !e.Durable() {
			w.fresh.add(e)
		} else if k := dropOf(e); k.kind != 0 {
			w.fresh.drop(k)
		}
	}
	w.drops, w.facts, w.size = append(w.drops, drops...), append(w.facts, facts...), w.size+size
	w.upto = l.last
	return nil
}

// kept is what the leader knows after a write that succeeded.
type kept struct {
	shot shot
	ends ends
	top  event.Seq
}

// write makes the work durable.
func (l *tape) write(w *work, staged bool) (kept, error) {
	b := Batch{Reserved: w.reserve, Rows: w.facts}
	for _, k := range w.drops {
		b.Drop = append(b.Drop, k.String())
	}
	rows, gone, next := l.ends.extended(slices.Concat(w.before.rows, w.fresh.rows), w.drops)
	b.Replaced = gone
	for _, r := range rows {
		data, err := r.event().AppendJSON(nil)
		if err != nil {
			return kept{}, err
		}
		b.Rows = append(b.Rows, Row{r.e.Seq, r.key.String(), data})
	}
	slices.SortFunc(b.Rows, func(a, b Row) int { return cmp.Compare(a.Seq, b.Seq) })
	k := kept{l.shot, next, l.top}
	if n := len(b.Rows); n > 0 {
		k.top = b.Rows[n-1].Seq
	}
	k.shot.count(len(w.facts), w.size)
	if staged && k.shot.due(w.last) {
		k.shot, b.Snapshot = k.shot.take(l.state)
	}
	if err := l.back.Write(b); err != nil {
		return kept{}, err
	}
	// It is durable whatever this says; a test may end the process here.
	_ = l.opt.Reach(PointKept)
	return k, nil
}

// refuse undoes what was staged after a write that failed. The seqs stay used:
// the disk may hold them although it said that it does not.
func (l *tape) refuse(w *work, err error) {
	if len(w.requests) > 0 {
		l.state, l.visible = l.visible, nil
	}
	l.grown.put(w.before)
	l.broken = err
	for _, r := range w.requests {
		if r.err == nil {
			r.err = err
		}
	}
}

// abandon ends work that a panic has cut, so that it stops nobody but the one
// whose invariant was broken.
func (l *tape) abandon(w *work) {
	if w.done {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse(w, command.Faultf(command.Internal, "a defect stopped the write to %s; the daemon's log says more", l.id))
	l.hand(w)
}

// hand ends a piece of work: the next in the queue leads, or nobody.
func (l *tape) hand(w *work) {
	for _, r := range w.requests {
		r.ready <- false
	}
	if w.last {
		l.closed = true
		l.disarm()
		rouse(&l.wake)
		for _, r := range l.queue {
			r.err = closed(l.id)
			r.ready <- false
		}
		l.queue = nil
	}
	switch {
	case len(l.queue) > 0:
		l.queue[0].chosen = true
		l.queue[0].ready <- true
	case l.due && !l.grown.empty() && l.broken == nil && !l.closed:
		go l.lead()
	default:
		l.leading = false
		l.arm()
	}
	rouse(&l.settled)
}

// close writes what waits and closes the log for everyone.
func (l *tape) close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	_, err := l.submit(context.Background(), &request{last: true, ready: make(chan bool, 2)})
	if cerr := l.back.Close(); err == nil && cerr != nil {
		err = failed(l.id, "close", cerr)
	}
	return err
}
