package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
)

// connect makes a tunnel.
func (t *Ticket) connect(w http.ResponseWriter, r *http.Request) {
	h, err := target(r.Host, "")
	if err != nil {
		http.Error(w, "parley: "+err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := t.context(r)
	defer cancel()
	out, err := t.dial(ctx, h)
	if err != nil {
		fail(w, err)
		return
	}
	defer out.Close()
	in, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		fail(w, err)
		return
	}
	defer in.Close()
	stop := context.AfterFunc(t.ctx, func() { in.Close(); out.Close() })
	defer stop()
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	// The client may have sent what belongs to the tunnel already.
	early := io.LimitReader(buffered, int64(buffered.Reader.Buffered()))
	var both sync.WaitGroup
	both.Go(func() { pass(out, io.MultiReader(early, in)) })
	both.Go(func() { pass(in, out) })
	both.Wait()
}

// pass copies one direction to its end, and says so to the other side.
func pass(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	to.Close()
}

// context ends with the request and with the ticket.
func (t *Ticket) context(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(t.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// forward passes a plain request on.
func (t *Ticket) forward(w http.ResponseWriter, r *http.Request) {
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		http.Error(w, "parley: this is a proxy for http:// addresses and CONNECT", http.StatusBadRequest)
		return
	}
	h, err := target(r.URL.Host, "80")
	if err != nil {
		http.Error(w, "parley: "+err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := t.context(r)
	defer cancel()
	// A connection is for one request: the next may be of a command that may reach less.
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return t.dial(ctx, h) }
	forward := httputil.ReverseProxy{
		Rewrite:      func(p *httputil.ProxyRequest) { p.Out.Host = p.In.URL.Host },
		Transport:    transport,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { fail(w, err) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	forward.ServeHTTP(w, r.WithContext(ctx))
}

// fail tells a command why it was not connected.
func fail(w http.ResponseWriter, err error) {
	code := http.StatusBadGateway
	if no := (refusal{}); errors.As(err, &no) {
		code = http.StatusForbidden
	}
	http.Error(w, "parley: "+err.Error(), code)
}
