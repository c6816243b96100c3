package llm

import (
	"context"
	"time"
)

// Clock is the time that a model waits by. The zero value is the real one.
type Clock struct {
	// Now is the current time.
	Now func() time.Time
	// Sleep waits for d, or returns the context's error as soon as it is cancelled.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Time is c.Now, or the real time.
func (c Clock) Time() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// Wait is c.Sleep, or a real wait.
func (c Clock) Wait(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
