package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
)

// Stream is a request's answer as run writes it. When run returns nil the answer is complete; with an error it failed
// there. The context that run gets ends with the iteration; secrets of the options are taken out of the fault.
func Stream(ctx context.Context, o Options, r Request, run func(context.Context, *Answer) error) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		a := &Answer{options: o, request: &r, id: CallIDs(r), yield: yield}
		err := run(inner, a)
		if a.left {
			cancel()
			a.close()
			return
		}
		if err == nil && a.tooLong {
			err = a.bound()
		}
		if err != nil {
			a.close()
		}
		yield(a.end(ctx, err))
		if a.body != nil {
			drain(a.body)
		}
	}
}

// bound is the Fault of an answer that is longer than the options allow. What was given out of it stands.
func (a *Answer) bound() *Fault {
	return &Fault{Code: CodeLimit, Message: fmt.Sprintf("the answer is longer than %d bytes; the rest of it was not read", a.options.longest())}
}

// model is one that a server has.
type model struct {
	wire    *Wire
	options Options
}

// Stream sends the request and has the wire's decoder take each event of the answer.
func (m *model) Stream(ctx context.Context, r Request) iter.Seq[Part] {
	return Stream(ctx, m.options, r, func(ctx context.Context, a *Answer) error {
		key, err := m.options.key(ctx, "")
		if err != nil {
			return err
		}
		fit := r.fitted(m.wire.Images)
		err = m.ask(ctx, a, fit, key)
		if a.began || err == nil || AsFault(ctx, err).Code != CodeDenied {
			return err
		}
		fresh, none := m.options.key(ctx, key)
		if none != nil || fresh == key || fresh == "" {
			return err
		}
		a.close()
		a.End = End{}
		return m.ask(ctx, a, fit, fresh)
	})
}

// ask makes one request and reads its answer.
func (m *model) ask(ctx context.Context, a *Answer, r fitted, key string) error {
	a.keys = append(a.keys, key)
	within, w, stop := m.options.watching(ctx)
	defer stop()
	q, post, err := m.request(within, r.Request, w, key)
	if err != nil {
		return err
	}
	if r.OnSent != nil {
		r.OnSent(q.ContentLength)
	}
	res, err := m.options.client().Do(q)
	if err != nil {
		return cause(within, r.blame(err, post.Body))
	}
	a.body = res.Body
	return cause(within, r.blame(a.read(m.wire.Decode(a), w), post.Body))
}

// request is the one HTTP request that the answer is the response to.
func (m *model) request(ctx context.Context, r Request, w *watch, key string) (*http.Request, Post, error) {
	base, fault := m.options.Base(m.wire.Base, m.wire.Version)
	if fault != nil {
		return nil, Post{}, fault
	}
	post, err := m.wire.Encode(r, Target{Provider: m.options.Provider, Base: base})
	if err != nil {
		return nil, Post{}, invalid(err)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, base+post.Path, nil)
	if err != nil {
		return nil, Post{}, invalid(err)
	}
	q.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(upload{bytes.NewReader(post.Body), w}), nil }
	q.Body, _ = q.GetBody()
	q.ContentLength = int64(len(post.Body))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "text/event-stream")
	for name, values := range post.Header {
		q.Header[name] = values
	}
	m.options.authorize(q.Header, m.wire, key)
	return q, post, nil
}

// invalid is the Fault of a request that cannot be written, or the one that the wire found itself.
func invalid(err error) error {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault
	}
	return &Fault{Code: CodeInvalid, Message: Line("the request cannot be written: " + err.Error())}
}

// authorize sets the headers of every request to the wire's servers. Those of the options come last.
func (o Options) authorize(h http.Header, w *Wire, key string) {
	h.Set("User-Agent", "parley")
	w.Authorize(h, key)
	for name, value := range o.Headers {
		h.Set(name, value)
	}
}

// read has the decoder take each event of the body until the answer is over, nobody listens any more, or it is too long.
func (a *Answer) read(d Decoder, w *watch) error {
	stream := newEvents(a.body, w.pinged)
	for !a.left {
		data, err := stream.next()
		if err == io.EOF {
			err = d.End()
			if a.tooLong {
				return a.bound()
			}
			return err
		}
		if err != nil {
			return malformed(err)
		}
		over, err := d.Event(data)
		if a.alive {
			w.heard()
		} else if a.pinged {
			w.pinged()
		}
		a.alive, a.pinged = false, false
		switch {
		case a.tooLong:
			return a.bound()
		case err != nil:
			return malformed(err)
		case over:
			return nil
		}
	}
	return nil
}

// malformed tells a fault, such as that of a dropped connection, from bytes that no decoder takes.
func malformed(err error) error {
	if fault := (*Fault)(nil); errors.As(err, &fault) {
		return err
	}
	return Malformed(err)
}
