package llm

import (
	"encoding/json"
	"html"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// direct is the client of Options without one. It is made once, so that connections are kept between requests.
var direct = sync.OnceValue(func() *http.Client { return HTTP(nil) })

// HTTP makes a client fit for long streams: a dial and a handshake are given ten seconds, an answer's first byte ten
// minutes, its body no limit. The proxy function is as in http.Transport; nil means none.
func HTTP(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{Transport: &http.Transport{
		Proxy:                 proxy,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 10 * time.Minute,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       90 * time.Second,
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
	if f := refusal(res); f != nil {
		res.Body.Close()
		return nil, f
	}
	res.Body = body{res.Body}
	return res, nil
}

// refusal is the Fault of a response that is not a successful event stream, else nil.
func refusal(res *http.Response) *Fault {
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
	text = unlist(text)
	message, code := complaint(kind, text)
	if res.StatusCode >= 300 {
		f := StatusFault(res.StatusCode, res.Header, message)
		if to, err := res.Location(); err == nil {
			f.Message += ": the base URL redirects to " + host(to.String())
		}
		f.refine(code)
		if wait := retryDelay(text); f.Retry == 0 {
			f.Retry = wait
		}
		return f
	}
	f := &Fault{Code: CodeProvider, Message: "the server answered with " + kind + " instead of an event stream"}
	if kind == "application/json" && message == "" {
		f.Message += "; does it support streaming?"
	}
	if message != "" {
		f.Message += ": " + Line(message)
	}
	return f
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// complaint finds the words and the code in an error body. The shapes are those of OpenAI and Anthropic
// ({"error":{"message"}}), Google (the same, sometimes in an array), Ollama ({"error":"…"}), FastAPI ({"detail"}),
// and pages of proxies.
func complaint(kind string, text []byte) (message, code string) {
	trimmed := strings.TrimSpace(string(text))
	if kind == "text/html" || strings.HasPrefix(trimmed, "<") {
		if m := title.FindStringSubmatch(trimmed); m != nil {
			return html.UnescapeString(m[1]), ""
		}
		return "", ""
	}
	if !strings.HasPrefix(trimmed, "{") {
		return trimmed, ""
	}
	return Complaint([]byte(trimmed))
}

// unlist takes an error out of the array that Google puts it in.
func unlist(text []byte) []byte {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil && len(list) > 0 {
		return list[0]
	}
	return text
}

// Complaint finds the words and the code in an error object, inside an "error" member or not. Both are empty where
// the JSON holds neither.
func Complaint(object []byte) (message, code string) {
	var shape struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    json.RawMessage `json:"code"`
		Type    json.RawMessage `json:"type"`
	}
	if json.Unmarshal(object, &shape) != nil {
		return "", ""
	}
	if len(shape.Error) > 0 && shape.Error[0] == '{' {
		return Complaint(shape.Error)
	}
	for _, raw := range []json.RawMessage{shape.Error, shape.Message, shape.Detail} {
		if message = word(raw); message != "" {
			break
		}
	}
	if code = word(shape.Code); code == "" {
		code = word(shape.Type)
	}
	return message, code
}

// word is a JSON value as text: a string's own, a number's or structure's JSON, nothing for null.
func word(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// retryDelay is Google's RetryInfo in an error's details, as "34s"
// (https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto).
func retryDelay(text []byte) time.Duration {
	var shape struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(text, &shape) != nil {
		return 0
	}
	for _, d := range shape.Error.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			return wait
		}
	}
	return 0
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
