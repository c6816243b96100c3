package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/internal/journal"
	"parley/internal/transport"
	"parley/internal/transport/unix"
)

// How long a daemon that a client started waits for another one that has the
// store, and how often it looks.
const (
	acquireWait  = 10 * time.Second
	acquirePause = 5 * time.Millisecond
)

// acquireStore opens the store for a daemon that a client started. Where two
// daemons start at once, the second one waits until the first one listens; one that
// starts while another leaves waits until the store is free. The store is nil where
// another daemon serves the socket by then.
func acquireStore(ctx context.Context, where, socket string) (journal.Store, error) {
	for end := time.Now().Add(acquireWait); ; {
		store, err := openStore(where)
		var held *journal.Held
		if !errors.As(err, &held) {
			return store, err
		}
		here := func(listen string) bool { return strings.HasSuffix(listen, "+"+socket) }
		if listens := held.Holder.Listen; len(listens) > 0 && !slices.ContainsFunc(listens, here) || time.Now().After(end) {
			return nil, err
		}
		if conn, err := unix.Dial(ctx, socket, transport.Lines{}); err == nil {
			return nil, conn.Close()
		}
		select {
		case <-time.After(acquirePause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
