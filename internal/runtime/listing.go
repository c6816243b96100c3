package runtime

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"sync"
	"time"

	"parley/internal/config"
	"parley/internal/llm"
)

// How long what a server said of its models is believed. Vendors change their lists by the day; a server that wants no
// key is one's own, and comes and goes. A server that did not answer is asked again soon.
const (
	listedFor   = 10 * time.Minute
	homeFor     = 10 * time.Second
	unlistedFor = 10 * time.Second
)

// longestList is how long a server may take at all: the answer serves who asks next.
const longestList = 10 * time.Second

// list is what a server said of its models.
type list struct {
	llm.Listing
	until time.Time     // it is believed until then
	asked time.Time     // when the request under way was made
	over  chan struct{} // closed when that is over; nil: there is none
}

// List asks the servers of some providers at once which models they have. The key of the result is the provider's name;
// of those that would get the same request one is asked.
func (v View) List(ctx context.Context, resolved ...config.Resolved) map[string]llm.Listing {
	var mu sync.Mutex
	out := make(map[string]llm.Listing, len(resolved))
	var asking sync.WaitGroup
	for _, p := range resolved {
		kind, ok := v.m.providers.of(p.Type)
		if !ok || kind.Wire == nil {
			continue
		}
		asking.Go(func() {
			l := v.listing(ctx, kind.Wire, p)
			mu.Lock()
			defer mu.Unlock()
			out[p.Name] = l
		})
	}
	asking.Wait()
	return out
}

// listing is what the server of a provider lists, as far as that is known in time. What a vendor listed before is taken
// while it is asked anew.
func (v View) listing(ctx context.Context, wire *llm.Wire, p config.Resolved) llm.Listing {
	o := optionsOf(p, v.m.HTTP(v.env), v.env)
	request := fmt.Sprint(p.Name, " ", p.BaseURL, " ", p.KeyCommand)
	if p.KeyCommand == "" { // which takes its time
		q, err := wire.ListRequest(ctx, o)
		if err != nil {
			return llm.Listing{Reason: llm.AsFault(ctx, err).Message}
		}
		request = fmt.Sprint(q.URL, q.Header)
	}
	key := fmt.Sprintf("%x", sha256.Sum256([]byte(request)))
	v.m.mu.Lock()
	l := v.m.lists[key]
	if l == nil {
		l = &list{}
		v.m.lists[key] = l
	}
	got, now := l.Listing, time.Now()
	if now.Before(l.until) {
		v.m.mu.Unlock()
		return got
	}
	if l.over == nil {
		l.over, l.asked = make(chan struct{}), now
		go v.m.ask(context.WithoutCancel(ctx), l, wire, o, p.KeyEnv != "")
	}
	over, left := l.over, min(v.until.Sub(now), l.asked.Add(v.wait).Sub(now))
	v.m.mu.Unlock()
	if got.Status == llm.Listed && p.KeyEnv != "" {
		return got
	}
	enough := time.NewTimer(left)
	defer enough.Stop()
	select {
	case <-over:
		v.m.mu.Lock()
		defer v.m.mu.Unlock()
		return l.Listing
	case <-enough.C:
	case <-ctx.Done():
	}
	return llm.Listing{Status: llm.Unreachable, Reason: fmt.Sprintf("%s: no answer within %s", hostOf(p.BaseURL), v.wait)}
}

// ask makes the request for a list. A vendor's list that is known stays where a new one is not to be had.
func (m *Models) ask(ctx context.Context, l *list, wire *llm.Wire, o llm.Options, vendor bool) {
	got := wire.List(ctx, o, longestList)
	m.mu.Lock()
	defer m.mu.Unlock()
	lasts := unlistedFor
	switch {
	case got.Status == llm.Listed && vendor:
		lasts = listedFor
	case got.Status == llm.Listed:
		lasts = homeFor
	}
	if got.Status == llm.Listed || !vendor || l.Status != llm.Listed {
		l.Listing = got
	}
	l.until = time.Now().Add(lasts)
	close(l.over)
	l.over = nil
}

// hostOf is the part of an address that is safe to show.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Host
	}
	return "the server"
}
