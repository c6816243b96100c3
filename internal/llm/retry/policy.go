package retry

import (
	"time"

	"parley/internal/llm"
)

// Policy says for how long a request is asked again, and how often. The zero value is [Forever].
type Policy struct {
	// Patience is the time from the first failure within which a request is asked again; 0 is without end.
	Patience time.Duration
	// Attempts is the most retries; 0 is any number, a negative one none.
	Attempts int
}

// The policies that there are names for.
var (
	// Forever asks until the context ends: where a person sees the countdown and can stop it.
	Forever = Policy{}
	// Never asks once.
	Never = Policy{Attempts: -1}
)

// Bounds of a wait that no server asked for.
const (
	first   = time.Second
	longest = 2 * time.Minute
	// unreachable is how long a host is tried that refuses connections or has no address, whatever the policy: it is
	// not busy but wrong, or switched off.
	unreachable = 10 * time.Second
)

// try is what is known when a request has failed.
type try struct {
	fault *llm.Fault
	// retries were made before this one.
	retries int
	// since is the time since the first failure, gone the time since the first of the last failures in a row to reach the
	// host, and took how long the last try lasted: the next may last as long.
	since, gone, took time.Duration
	// random is in [0,1).
	random float64
}

// wait is how long to wait before the request is asked again, and whether it is.
func (p Policy) wait(t try) (time.Duration, bool) {
	if p.Attempts != 0 && t.retries >= p.Attempts {
		return 0, false
	}
	wait := t.fault.Retry
	if wait == 0 {
		wait = backoff(t.retries, t.random)
		if left := p.Patience - t.since; p.Patience > 0 && left > 0 {
			wait = min(wait, left) // the last try is at the end of the patience
		}
	}
	if t.fault.Unreachable && t.gone+wait+t.took > unreachable {
		return 0, false
	}
	if p.Patience > 0 && (t.since >= p.Patience || t.since+wait > p.Patience) {
		return 0, false
	}
	return wait, true
}

// backoff doubles from a second to two minutes. Each wait is shorter by up to a quarter, so that those who failed together do
// not come back together.
func backoff(retries int, random float64) time.Duration {
	wait := longest
	if retries < 7 {
		wait = first << retries
	}
	return time.Duration(float64(wait) * (1 - random/4))
}
