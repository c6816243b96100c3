package llm

import (
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// direct is the client of Options without one. It is made once, so that connections are kept between requests.
var direct = sync.OnceValue(func() *http.Client { return HTTP(nil) })

// HTTP makes a client fit for long streams: a dial and a handshake are given ten seconds, an answer no limit, which
// [Options] set. A connection of HTTP/2 that has been quiet for half a minute is asked whether it is still there; one of
// HTTP/1 is by TCP. The proxy function is as in http.Transport; nil means none.
func HTTP(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{Transport: &http.Transport{
		Proxy:               proxy,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		// A compressed stream comes in the compressor's blocks, not in the model's pieces.
		DisableCompression: true,
	}}
}

// client is the HTTP client of the options. Whatever is not a successful event stream becomes a *[Fault] in the error
// that its Do returns; a body that breaks off reads as a Fault, too.
func (o Options) client() *http.Client {
	client := direct()
	if o.HTTP != nil {
		client = o.HTTP
	}
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	// The guard turns a redirect into a Fault before the client sees it: net/http takes only Authorization off when one
	// leaves the host, other key headers it would send on.
	return &http.Client{Transport: guard{next}, Timeout: client.Timeout}
}

// guard lets event streams through.
type guard struct{ next http.RoundTripper }

func (g guard) RoundTrip(q *http.Request) (*http.Response, error) {
	res, err := g.next.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	if r := refused(res); r != nil {
		res.Body.Close()
		return nil, r
	}
	res.Body = body{res.Body}
	return res, nil
}

// refusal is a Fault with all that the server said of it.
type refusal struct {
	*Fault
	complaint
}

// Unwrap is the Fault alone.
func (r *refusal) Unwrap() error { return r.Fault }

// refused is the refusal of a response that is not a successful event stream, else nil.
func refused(res *http.Response) *refusal {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return nil
	}
	// Many compatible servers send a stream without saying so; what is really something else fails to parse.
	if res.StatusCode == http.StatusOK && (kind == "" || kind == "text/plain" || kind == "application/octet-stream") {
		return nil
	}
	const most = 64 << 10
	text, _ := io.ReadAll(io.LimitReader(res.Body, most))
	c := complain(kind, text)
	if res.StatusCode >= 300 {
		f := newFault(res.StatusCode, res.Header, &c)
		if to, err := res.Location(); err == nil {
			f.Message += ": the base URL redirects to " + host(to.String())
		}
		return &refusal{f, c}
	}
	f := &Fault{Code: CodeProvider, Message: "the server answered with " + kind + " instead of an event stream"}
	if kind == "application/json" && c.message == "" {
		f.Message += "; does it support streaming?"
	}
	if c.message != "" {
		f.Message += ": " + Line(c.message)
		f.classify(&c)
	}
	return &refusal{f, c}
}

// body marks a read that failed as a dropped connection, so that it is told apart from bytes that make no sense.
type body struct{ io.ReadCloser }

func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &Fault{Code: CodeProvider, Message: "the connection was dropped in the middle of the answer", Retryable: true}
	}
	return n, err
}

// drain closes a body whose answer is complete. It first reads the little that may follow, so that the connection can
// be used again, but never waits for it longer than a moment.
func drain(body io.ReadCloser) {
	const moment = 50 * time.Millisecond
	stop := time.AfterFunc(moment, func() { body.Close() })
	io.CopyN(io.Discard, body, 4<<10)
	stop.Stop()
	body.Close()
}
