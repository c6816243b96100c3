package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Keys is a source of a server's key. refused is the key that the server has just refused, "" for the first request: a
// source that has another key returns that, any other returns the same again. An error says why there is no key, and never
// holds one. Several requests may ask at once.
type Keys func(ctx context.Context, refused string) (key string, err error)

// Secret is a key that never changes; "" is none.
func Secret(key string) Keys {
	return func(context.Context, string) (string, error) { return key, nil }
}

// A Lease is a key and the time until which it is valid; the zero time: not known.
type Lease struct {
	Key   string
	Until time.Time
}

// Renewed asks for a key when it is wanted first, when it has run out, and when the server has refused it. What is asked may
// be a command, a file or an environment. Requests that want a key at the same time share one answer.
func Renewed(ask func(context.Context) (Lease, error), clock Clock) Keys {
	var lease Lease
	asking := make(chan struct{}, 1)
	return func(ctx context.Context, refused string) (string, error) {
		select {
		case asking <- struct{}{}:
		case <-ctx.Done():
			return "", ctx.Err()
		}
		defer func() { <-asking }()
		holds := lease.Until.IsZero() || clock.Time().Before(lease.Until)
		if lease.Key != "" && lease.Key != refused && holds {
			return lease.Key, nil
		}
		fresh, err := ask(ctx)
		if err != nil {
			return "", err
		}
		lease = fresh
		return lease.Key, nil
	}
}

// ParseLease reads what a command prints that gives out keys: the key alone on a line, or
// {"key": "…", "expires_at": "2026-01-02T15:04:05Z"}, or "expires_in" with seconds from now.
func ParseLease(output []byte, now time.Time) (Lease, error) {
	text := strings.TrimSpace(string(output))
	if !strings.HasPrefix(text, "{") {
		if text == "" || strings.ContainsAny(text, "\r\n") {
			return Lease{}, errors.New("it printed no key: one line is wanted, or a JSON object with a key")
		}
		return Lease{Key: text}, nil
	}
	var said struct {
		Key string    `json:"key"`
		At  time.Time `json:"expires_at"`
		In  float64   `json:"expires_in"`
	}
	// The decoder's own words may quote the key.
	if json.Unmarshal([]byte(text), &said) != nil {
		return Lease{}, errors.New("it printed JSON that is no key: want a key, and expires_at (RFC 3339) or expires_in (seconds)")
	}
	if said.Key == "" || strings.ContainsAny(said.Key, "\r\n") {
		return Lease{}, errors.New("it printed JSON without a key")
	}
	if said.At.IsZero() && said.In > 0 && said.In < 1e9 {
		said.At = now.Add(time.Duration(said.In * float64(time.Second)))
	}
	return Lease{said.Key, said.At}, nil
}

// key is the secret to send, and an error that says why there is none.
func (o Options) key(ctx context.Context, refused string) (string, error) {
	if o.Key == nil {
		return "", nil
	}
	key, err := o.Key(ctx, refused)
	if err != nil {
		return "", &Fault{Code: CodeDenied, Message: Line(fmt.Sprintf("there is no key: %v", err))}
	}
	return key, nil
}
