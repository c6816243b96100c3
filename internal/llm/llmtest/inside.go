package llmtest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// ServeInside is [Serve] without a socket: client and server speak HTTP over pipes, so that both may be in the bubble of a
// testing/synctest, and wait for its clock.
func ServeInside(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	l := &pipes{open: make(chan net.Conn), closed: make(chan struct{})}
	transport := &http.Transport{DialContext: l.dial}
	s := newServer(t, replies)
	s.URL, s.client = "http://model.test", &http.Client{Transport: transport}
	h := &http.Server{Handler: s}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.Serve(l)
	}()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		h.Close()
		<-done
		s.busy.Wait()
	})
	return s
}

// pipes is a listener whose connections are pipes.
type pipes struct {
	open   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.open <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept is the other end of the next connection.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.open:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close lets nobody in any more.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr is no address.
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
