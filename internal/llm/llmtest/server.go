// Package llmtest is the conformance suite of the llm contract, and the server it runs the wires against.
//
// [Run] holds a wire to the laws of package llm over real HTTP on the loopback interface, with bodies in the wire's
// recorded shape that the wire's own testdata holds. [Fuzz] feeds a wire any bytes. [Laws] checks any list of parts.
// [Serve] is also of use to packages above: it plays prepared answers and keeps what was asked.
package llmtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Reply is one prepared HTTP answer.
type Reply struct {
	// Status is 200 where 0; Type is text/event-stream where empty.
	Status int
	Type   string
	Header map[string]string
	Body   string
	// Split is the bytes of one write, each flushed; 0 writes the body whole.
	Split int
	// Pause is waited before each event of the body.
	Pause time.Duration
	// Cut drops the connection after the body instead of ending the answer.
	Cut bool
	// Hold keeps the connection open after the body until the client leaves it.
	Hold bool
	// Silent sends not even a header before the client leaves.
	Silent bool
}

// Query is one request as it came.
type Query struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// Server plays replies in order on a loopback address.
type Server struct {
	// URL is the address without a path.
	URL string

	t       testing.TB
	mu      sync.Mutex
	replies []Reply
	queries []Query
	asked   chan struct{}
	left    chan struct{}
	client  *http.Client
	endless func(w http.ResponseWriter)
	busy    sync.WaitGroup
}

// Serve starts a server that ends with the test. A request past the last reply fails the test.
func Serve(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	s := newServer(t, replies)
	transport := &http.Transport{}
	s.client = &http.Client{Transport: transport}
	h := httptest.NewServer(s)
	s.URL = h.URL
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		h.Close()
	})
	return s
}

func newServer(t testing.TB, replies []Reply) *Server {
	return &Server{t: t, replies: replies, asked: make(chan struct{}, 1<<16), left: make(chan struct{}, 1<<16)}
}

// Client is an HTTP client whose connections end with the server.
func (s *Server) Client() *http.Client { return s.client }

// Endless answers the next request, for which no reply is prepared, with a beginning and one event over and over, so many
// bytes in all unless the client leaves. Each is called after each event.
func (s *Server) Endless(beginning, event string, bytes int, each func(sent int)) {
	s.endless = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, beginning)
		for sent := 0; sent < bytes; sent += len(event) {
			if _, err := io.WriteString(w, event); err != nil {
				return
			}
			each(sent)
		}
	}
}

// Asked receives one value for each request that came, when its body was read.
func (s *Server) Asked() <-chan struct{} { return s.asked }

// Left receives one value each time a client left a held or silent reply.
func (s *Server) Left() <-chan struct{} { return s.left }

// Queries are the requests so far.
func (s *Server) Queries() []Query {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Query(nil), s.queries...)
}

// ServeHTTP plays the next reply.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.busy.Add(1)
	defer s.busy.Done()
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	n := len(s.queries)
	s.asked <- struct{}{}
	s.queries = append(s.queries, Query{q.Method, q.URL.RequestURI(), q.Header.Clone(), body})
	if n >= len(s.replies) && s.endless != nil {
		s.mu.Unlock()
		s.endless(w)
		return
	}
	if n >= len(s.replies) {
		s.mu.Unlock()
		s.t.Errorf("request %d: no reply is prepared", n+1)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	r := s.replies[n]
	s.mu.Unlock()
	if !r.Silent {
		r.write(q.Context(), w)
	}
	switch {
	case r.Cut:
		panic(http.ErrAbortHandler)
	case r.Hold, r.Silent:
		<-q.Context().Done()
		s.left <- struct{}{}
	}
}

// write sends the reply, to a client that may leave.
func (r Reply) write(left context.Context, w http.ResponseWriter) {
	kind := r.Type
	if kind == "" {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	flush := w.(http.Flusher).Flush
	rest := []byte(r.Body)
	if r.Pause > 0 {
		flush()
		for _, event := range Events(r.Body) {
			select {
			case <-time.After(r.Pause):
			case <-left.Done():
				return
			}
			io.WriteString(w, event)
			flush()
		}
		return
	}
	for r.Split > 0 && len(rest) > r.Split {
		w.Write(rest[:r.Split])
		flush()
		rest = rest[r.Split:]
	}
	w.Write(rest)
	flush()
}

// Events splits the body of an event stream into its events, each with its blank line.
func Events(body string) []string {
	var out []string
	for _, event := range strings.SplitAfter(body, "\n\n") {
		if strings.TrimSpace(event) != "" {
			out = append(out, event)
		}
	}
	return out
}

// canned is a transport that answers everything with one event stream, without a connection.
type canned []byte

func (c canned) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Body != nil {
		io.Copy(io.Discard, q.Body)
		q.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: q,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(c)),
	}, nil
}
