package proxy

import (
	"context"
	"slices"
	"sync"
)

// Ticket is what one command may reach.
type Ticket struct {
	token  string
	proxy  *Proxy
	hosts  Hosts
	ask    Ask
	ctx    context.Context
	cancel context.CancelFunc
	room   chan struct{} // a place for each connection

	mu      sync.Mutex
	inside  sync.WaitGroup
	closed  bool
	asked   map[Host]*verdict
	refused []Host
}

// verdict is what an ask came to.
type verdict struct {
	done  chan struct{}
	grant bool
}

// refusals bounds how many refused hosts are remembered.
const refusals = 100

// Token is the user name by which the proxy knows the command.
func (t *Ticket) Token() string { return t.token }

// Refused lists what the command was not connected to, each host once, in the order of the first try.
func (t *Ticket) Refused() []Host {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.refused)
}

// Close ends the ticket's connections and returns when they are gone.
func (t *Ticket) Close() {
	t.proxy.mu.Lock()
	delete(t.proxy.tickets, t.token)
	t.proxy.mu.Unlock()
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.cancel()
	t.inside.Wait()
}

// enter takes a place, where one is free.
func (t *Ticket) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	select {
	case t.room <- struct{}{}:
		t.inside.Add(1)
		return true
	default:
		return false
	}
}

func (t *Ticket) leave() {
	<-t.room
	t.inside.Done()
}

// permits says whether a host may be reached, and asks where nobody has said so yet.
func (t *Ticket) permits(ctx context.Context, h Host) bool {
	if t.hosts.Name(h) {
		return true
	}
	t.mu.Lock()
	v, known := t.asked[h]
	if !known {
		v = &verdict{done: make(chan struct{})}
		// Who tries a million names is told no without a memory of each.
		if len(t.asked) < refusals {
			t.asked[h] = v
		}
	}
	t.mu.Unlock()
	if !known {
		v.grant = t.ask != nil && t.ask(t.ctx, h)
		close(v.done)
	}
	select {
	case <-v.done:
		if v.grant {
			return true
		}
	case <-ctx.Done():
	}
	t.refuse(h, "")
	return false
}

// refuse remembers a refusal.
func (t *Ticket) refuse(h Host, why string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.refused) < refusals && !slices.Contains(t.refused, h) {
		t.refused = append(t.refused, h)
	}
	return refusal{h, why}
}
