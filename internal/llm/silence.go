package llm

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Silence is how long a stream may be silent before it is cut, where [Options] do not say.
const Silence = 300 * time.Second

// pings is how many silences a server may bridge with pings alone. A gateway may go on with them when what is behind it
// is long gone (https://github.com/Wei-Shaw/sub2api/pull/1707).
const pings = 12

// watch cuts a request that is silent. Content breaks a silence, and so does what the server documents as a sign that it
// is at work (Answer.Ping, and the comments in alive); other bytes do not: proxies send them for the sake of the
// connection. Whether the connection is there is the transport's to find out.
type watch struct {
	clock   Clock
	start   time.Time
	limit   time.Duration
	content atomic.Int64 // when it last came, since start
	ping    atomic.Int64
}

// watching returns a context that a watchdog cancels after a silence. The watch must be stopped at the end.
func (o Options) watching(ctx context.Context) (within context.Context, w *watch, stop func()) {
	within, cancel := context.WithCancelCause(ctx)
	w = &watch{clock: o.Clock, start: o.Clock.Time(), limit: o.Silence}
	if w.limit == 0 {
		w.limit = Silence
	}
	if w.limit > 0 {
		go func() {
			if fault := w.wait(within); fault != nil {
				cancel(fault)
			}
		}()
	}
	return within, w, func() { cancel(nil) }
}

// wait returns when it has been silent for too long, or without a Fault when the context has ended.
func (w *watch) wait(ctx context.Context) *Fault {
	for {
		now := w.since()
		content, ping := time.Duration(w.content.Load()), time.Duration(w.ping.Load())
		due := min(max(content, ping)+w.limit, content+pings*w.limit)
		if now >= due {
			return silent(now - content)
		}
		if w.clock.Wait(ctx, due-now) != nil {
			return nil
		}
	}
}

func silent(d time.Duration) *Fault {
	return &Fault{Code: CodeProvider, Retryable: true, Message: fmt.Sprintf("the server has sent nothing for %s", d.Round(time.Second))}
}

func (w *watch) since() time.Duration { return w.clock.Time().Sub(w.start) }

func (w *watch) heard()  { w.content.Store(int64(w.since())) }
func (w *watch) pinged() { w.ping.Store(int64(w.since())) }

// cause is err, or the silence that led to it.
func cause(ctx context.Context, err error) error {
	if fault, ok := context.Cause(ctx).(*Fault); ok && err != nil {
		return fault
	}
	return err
}

// alive are the comments that servers document as a sign that they are at work.
var alive = map[string]string{
	"keep-alive":            "https://api-docs.deepseek.com/quick_start/rate_limit",
	"OPENROUTER PROCESSING": "https://openrouter.ai/docs/api/reference/streaming",
}

// upload is a request's body: while it is read the way to the server is not silent.
type upload struct {
	io.Reader
	watch *watch
}

func (u upload) Read(p []byte) (int, error) {
	u.watch.heard()
	return u.Reader.Read(p)
}
