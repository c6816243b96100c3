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
	ready  chan bool // true: be the leader; false: it is settled
	chosen bool      // true was sent
	last   bool      // close the log
}

// transaction is what a leader writes at once.
type transaction struct {
	requests []*request
	before   pending // deltas that were published before and are not written
	fresh    pending // deltas of the requests
	drops    []key
	durable  []Row
	size     int       // bytes of durable
	upto     event.Seq // the disk has everything up to here afterwards
	reserve  event.Seq // 0: as it is
	last     bool      // the log closes after it
	done     bool
}

// submit queues r and waits until it is settled, or until ctx ends before it was
// taken up. l.mu is held on entry and not on return.
func (l *log) submit(ctx context.Context, r *request) ([]event.Event, error) {
	l.queue = append(l.queue, r)
	lead := !l.leading
	l.leading = true
	l.mu.Unlock()
	if !lead {
		select {
		case lead = <-r.ready:
		case <-ctx.Done():
			if l.withdraw(r) {
				return nil, canceled(l.id, ctx.Err())
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
func (l *log) withdraw(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, r)
	if i < 0 || r.chosen {
		return false
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	return true
}

// lead commits all that waits, tells its callers, and passes the lead on.
// l.leading is set.
func (l *log) lead() {
	tx := l.take()
	defer l.abandon(tx)
	for _, r := range tx.requests {
		if !r.last {
			r.err = l.stage(tx, r)
		}
	}
	staged := len(tx.requests) > 0
	if staged {
		tx.reserve = reserve(l.last, l.reserved, tx.last)
	}
	wrote := !tx.before.empty() || len(tx.durable) > 0 || tx.fresh.full() || tx.reserve != 0 || l.broken != nil
	var err error
	var k saved
	if wrote {
		k, err = l.write(tx, staged)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	tx.done = true
	switch {
	case err != nil:
		l.rollBack(tx, failed(l.id, "write to", err))
	case wrote:
		l.broken = nil
		l.written = tx.upto
		l.snapshot, l.openRows, l.top = k.snapshot, k.open, k.top
		l.reserved = max(l.reserved, tx.reserve)
	case staged:
		l.pending = tx.fresh
	}
	if staged && err == nil {
		l.visible = nil
		for _, r := range tx.requests {
			if r.err == nil {
				l.publish(r.events)
			}
		}
	}
	l.finish(tx)
}

// take begins a transaction. Where it has requests, the state is the leader's own
// until it is settled; where it has none, deltas go on meanwhile.
func (l *log) take() *transaction {
	l.mu.Lock()
	defer l.mu.Unlock()
	tx := &transaction{requests: l.queue, before: l.pending, upto: l.last}
	tx.last = slices.ContainsFunc(tx.requests, func(r *request) bool { return r.last })
	tx.reserve = reserve(l.last, l.reserved, false)
	l.queue, l.pending = nil, pending{}
	if len(tx.requests) > 0 {
		l.visible = l.state.Clone()
	}
	l.disarm()
	return tx
}

// reserve returns what must be reserved: nothing while more than half of what
// was is left. A log that closes gives back what it did not use.
func reserve(last, reserved event.Seq, closing bool) event.Seq {
	switch {
	case closing && last < reserved:
		return last
	case closing || last+reserveAhead/2 < reserved:
		return 0
	}
	return last + reserveAhead
}

// stage folds a request in and adds it to the transaction.
func (l *log) stage(tx *transaction, r *request) error {
	var drops []key
	var durable []Row
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
		durable = append(durable, Row{e.Seq, keyOf(e).String(), data})
		size += len(data)
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range r.events {
		if !e.Durable() {
			tx.fresh.add(e)
		} else if k := dropOf(e); k.kind != 0 {
			tx.fresh.drop(k)
		}
	}
	tx.drops, tx.durable, tx.size = append(tx.drops, drops...), append(tx.durable, durable...), tx.size+size
	tx.upto = l.last
	return nil
}

// saved is what the leader knows after a write that succeeded.
type saved struct {
	snapshot sinceSnapshot
	open     openRows
	top      event.Seq
}

// write makes the transaction durable.
func (l *log) write(tx *transaction, staged bool) (saved, error) {
	b := Batch{Reserved: tx.reserve, Rows: tx.durable}
	for _, k := range tx.drops {
		b.Drop = append(b.Drop, k.String())
	}
	rows, gone, next := l.openRows.extend(slices.Concat(tx.before.rows, tx.fresh.rows), tx.drops)
	b.Replaced = gone
	for _, r := range rows {
		data, err := r.event().AppendJSON(nil)
		if err != nil {
			return saved{}, err
		}
		b.Rows = append(b.Rows, Row{r.e.Seq, r.key.String(), data})
	}
	slices.SortFunc(b.Rows, func(a, b Row) int { return cmp.Compare(a.Seq, b.Seq) })
	k := saved{l.snapshot, next, l.top}
	if n := len(b.Rows); n > 0 {
		k.top = b.Rows[n-1].Seq
	}
	k.snapshot.count(len(tx.durable), tx.size)
	if staged && k.snapshot.due(tx.last) {
		k.snapshot, b.Snapshot = k.snapshot.take(l.state)
	}
	if err := l.back.Write(b); err != nil {
		return saved{}, err
	}
	// It is durable whatever this says; a test may end the process here.
	_ = l.opt.Reach(PointKept)
	return k, nil
}

// rollBack undoes what was staged, after a write that failed. The seqs stay used:
// the disk may hold them although it said that it does not.
func (l *log) rollBack(tx *transaction, err error) {
	if len(tx.requests) > 0 {
		l.state, l.visible = l.visible, nil
	}
	l.pending.put(tx.before)
	l.broken = err
	for _, r := range tx.requests {
		if r.err == nil {
			r.err = err
		}
	}
}

// abandon ends a transaction in which something panicked, so that only the
// caller whose invariant was broken is stopped by it.
func (l *log) abandon(tx *transaction) {
	if tx.done {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rollBack(tx, command.Faultf(command.Internal, "a defect stopped the write to %s; the daemon's log says more", l.id))
	l.finish(tx)
}

// finish ends a transaction: the next in the queue leads, or nobody.
func (l *log) finish(tx *transaction) {
	for _, r := range tx.requests {
		r.ready <- false
	}
	if tx.last {
		l.closed = true
		l.disarm()
		wakeAll(&l.wake)
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
	case l.due && !l.pending.empty() && l.broken == nil && !l.closed:
		go l.lead()
	default:
		l.leading = false
		l.arm()
	}
	wakeAll(&l.settled)
}

// close writes what waits and closes the log for everyone.
func (l *log) close() error {
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
