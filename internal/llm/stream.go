package llm

import (
	"bytes"
	"context"
	"errors"
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
		a := &Answer{options: o, model: r.Model, id: CallIDs(r), yield: yield}
		err := run(inner, a)
		if a.left {
			cancel()
			a.close()
			return
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

// model is one that a server has.
type model struct {
	wire    *Wire
	options Options
}

// Stream sends the request and has the wire's decoder take each event of the answer.
func (m *model) Stream(ctx context.Context, r Request) iter.Seq[Part] {
	return Stream(ctx, m.options, r, func(ctx context.Context, a *Answer) error {
		q, err := m.request(ctx, r)
		if err != nil {
			return err
		}
		if r.OnSent != nil {
			r.OnSent(q.ContentLength)
		}
		res, err := m.options.client().Do(q)
		if err != nil {
			return err
		}
		a.body = res.Body
		return a.read(m.wire.Decode(a))
	})
}

// request is the one HTTP request that the answer is the response to.
func (m *model) request(ctx context.Context, r Request) (*http.Request, error) {
	base, fault := m.options.Base(m.wire.Base, m.wire.Version)
	if fault != nil {
		return nil, fault
	}
	path, body, err := m.wire.Encode(r, Target{Provider: m.options.Provider, Base: base})
	if err != nil {
		return nil, invalid(err)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, bytes.NewReader(body))
	if err != nil {
		return nil, invalid(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "text/event-stream")
	m.options.authorize(q.Header, m.wire)
	return q, nil
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
func (o Options) authorize(h http.Header, w *Wire) {
	h.Set("User-Agent", "parley")
	w.Authorize(h, o.Key)
	for name, value := range o.Headers {
		h.Set(name, value)
	}
}

// read has the decoder take each event of the body until the answer is over or nobody listens any more.
func (a *Answer) read(d Decoder) error {
	stream := newEvents(a.body)
	for !a.left {
		data, err := stream.next()
		if err == io.EOF {
			return d.End()
		}
		if err != nil {
			return malformed(err)
		}
		over, err := d.Event(data)
		if err != nil {
			return malformed(err)
		}
		if over {
			return nil
		}
	}
	return nil
}

// malformed tells a fault, such as that of a dropped connection, from bytes that no decoder takes.
func malformed(err error) error {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault
	}
	return Malformed(err)
}
