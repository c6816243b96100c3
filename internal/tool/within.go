package tool

import (
	"context"
	"sync"
	"time"
)

// Within does f and returns what it gives, but does not wait for it beyond the end of ctx: for what may hang in the
// kernel, such as a file of a server that is gone. f may go on alone then, and must hold nothing that others need.
func Within[T any](ctx context.Context, f func() T) (result T, done bool) {
	type outcome struct {
		result T
		panic  any
	}
	out := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panic = recover()
			out <- o
		}()
		o.result = f()
	}()
	select {
	case o := <-out:
		if o.panic != nil {
			panic(o.panic)
		}
		return o.result, true
	case <-ctx.Done():
		return result, false
	}
}

// hung is how long a call on files may take to end after it was aborted: what was begun to be written is then written.
const hung = 2 * time.Second

// patient returns a context that ends some time after ctx.
func patient(ctx context.Context) (late context.Context, release func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(hung, cancel) })
	return late, func() { stop(); cancel() }
}

// gate lets nothing through once it is closed.
func gate(grow Grow) (gated Grow, closeGate func()) {
	var mu sync.Mutex
	closed := false
	return func(s Stream, chunk string) {
			mu.Lock()
			defer mu.Unlock()
			if !closed && grow != nil {
				grow(s, chunk)
			}
		}, func() {
			mu.Lock()
			defer mu.Unlock()
			closed = true
		}
}
