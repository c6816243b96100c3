package llm_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// Opaque data stands where it belongs, once, for its own provider and model alone, wherever an agent put it and however
// it divided the text.
func TestOpaqueDataGoesBackWhereItWas(t *testing.T) {
	seal := func(text, calls int, name string) llm.Opaque {
		return llm.Seal("p", "m", llm.Place{Text: text, Calls: calls}, json.RawMessage(`"`+name+`"`))
	}
	call := func(id string) llm.ToolCall { return llm.ToolCall{ID: id} }
	first, middle, between, last := seal(0, 0, "first"), seal(3, 0, "middle"), seal(5, 1, "between"), seal(5, 2, "last")
	foreign := llm.Seal("q", "m", llm.Place{}, json.RawMessage("1"))
	other := llm.Seal("p", "n", llm.Place{}, json.RawMessage("1"))
	broken := llm.Opaque{Provider: "p", Model: "m", Data: []byte("{")}
	empty := llm.Opaque{Provider: "p", Model: "m", Data: []byte(`{"at":{"text":0,"calls":0}}`)}
	want := []llm.Content{first, llm.Text{Text: "abc"}, middle, llm.Text{Text: "de"}, call("1"), between, call("2"), last}
	for name, parts := range map[string][]llm.Content{
		"at the end":  {llm.Text{Text: "abcde"}, call("1"), call("2"), first, middle, between, last},
		"at the head": {first, middle, between, last, llm.Text{Text: "abcde"}, call("1"), call("2")},
		"in place":    {first, llm.Text{Text: "abc"}, middle, llm.Text{Text: "de"}, call("1"), between, call("2"), last},
		"twice":       {first, first, llm.Text{Text: "abcde"}, middle, call("1"), between, call("2"), last, first, middle, between, last},
		"with others": {foreign, other, broken, empty, llm.Text{Text: "abcde"}, call("1"), call("2"), first, middle, between, last},
	} {
		if diff := cmp.Diff(want, llm.Arrange(parts, "p", "m")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	thought := llm.Thinking{Text: "t"}
	after := []llm.Content{first, thought, llm.Text{Text: "abc"}, call("1"), seal(3, 1, "then"), llm.Text{Text: "de"}, call("2")}
	parts := []llm.Content{thought, llm.Text{Text: "abcde"}, call("1"), call("2"), first, seal(3, 1, "then")}
	if diff := cmp.Diff(after, llm.Arrange(parts, "p", "m")); diff != "" {
		t.Errorf("text behind a call (-want +got):\n%s", diff)
	}
	if got := llm.Arrange([]llm.Content{first, call("1")}, "p", "x"); len(got) != 1 {
		t.Errorf("another model gets %v", got)
	}
	if got := string(first.Block()); got != `"first"` {
		t.Errorf("block %s", got)
	}
}

// Neither fmt nor slog nor an error shows a secret.
func TestOptionsHide(t *testing.T) {
	o := llm.Options{
		Provider: "p", BaseURL: "https://me:pass-word@host/v1", Key: "sk-secret",
		Headers: map[string]string{"Authorization": "Bearer tok-secret"},
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "options", o)
	shown := fmt.Sprint(o) + fmt.Sprintf("%v %+v %#v %s %q %x", o, o, o, o, o, o) + fmt.Sprint(&o) + log.String()
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.WriteHeader(400)
		fmt.Fprintf(w, "%s %s pass-word %s", q.Header.Get("Authorization"), "sk-secret", url.QueryEscape("sk-secret"))
	}))
	defer r.Close()
	o.BaseURL = strings.Replace(r.URL, "://", "://me:pass-word@", 1)
	h, _ := llmtest.Hear(llmtest.Open(toy, o).Stream(t.Context(), llm.Request{}))
	if h.End.Fault == nil {
		t.Fatal("no fault")
	}
	shown += h.End.Fault.Error()
	for _, secret := range []string{"sk-secret", "tok-secret", "pass-word"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%s is in %s", secret, shown)
		}
	}
	if !strings.Contains(shown, "400 Bad Request: Bearer [key]") && !strings.Contains(shown, "400 Bad Request: [key]") {
		t.Errorf("the server's words are gone: %s", shown)
	}
}

// A base URL may stand with or without its version and its slash.
func TestBaseURLForms(t *testing.T) {
	for given, want := range map[string]string{
		"":                          "https://standard/v1",
		"http://h":                  "http://h/v1",
		"http://h/":                 "http://h/v1",
		"http://h:80/v1/":           "http://h:80/v1",
		"http://h/openai":           "http://h/openai/v1",
		"http://h/v1beta/openai//":  "http://h/v1beta/openai",
		"http://h/api/v3":           "http://h/api/v3",
		"http://h/vault":            "http://h/vault/v1",
		"h/v1":                      "the base URL is not an http or https address: (unreadable)",
		"ftp://h":                   "the base URL is not an http or https address: ftp://h",
		"http://h/v1?api-version=1": "the base URL has a query or a fragment: http://h",
		"http://u:secret@h/%zz":     "the base URL is not an http or https address: (unreadable)",
		"http://h/v1#x":             "the base URL has a query or a fragment: http://h",
	} {
		got, fault := llm.Options{BaseURL: given}.Base("https://standard", "/v1")
		if fault != nil {
			got = fault.Message
		}
		if got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// What a transport may fail with, and what is said of it.
func TestAsFault(t *testing.T) {
	at := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://u:secret@host:8/v1?key=secret", Err: err}
	}
	dial := func(err error) error { return at(&net.OpError{Op: "dial", Net: "tcp", Err: err}) }
	own := &llm.Fault{Code: llm.CodeLimit, Message: "own"}
	for _, c := range []struct {
		name string
		err  error
		want llm.Fault
	}{
		{"own", fmt.Errorf("around: %w", at(own)), *own},
		{"refused", dial(syscall.ECONNREFUSED), llm.Fault{Message: "host:8: connection refused", Retryable: true, Unreachable: true}},
		{"no host", dial(&net.DNSError{Name: "host", IsNotFound: true}), llm.Fault{Message: "host:8: no such host", Retryable: true, Unreachable: true}},
		{"no resolver", dial(&net.DNSError{Name: "host", IsTimeout: true}), llm.Fault{Message: "host:8: the host's address could not be looked up", Retryable: true, Unreachable: true}},
		{"no route", dial(syscall.EHOSTUNREACH), llm.Fault{Message: "host:8: dial: no route to host", Retryable: true, Unreachable: true}},
		{"reset", at(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), llm.Fault{Message: "host:8: the connection was dropped", Retryable: true}},
		{"not TLS", at(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), llm.Fault{Message: "host:8: tls: first record does not look like a TLS handshake"}},
		{"certificate", at(&tls.CertificateVerificationError{Err: errors.New("expired")}), llm.Fault{Message: "host:8: tls: failed to verify certificate: expired"}},
		{"anything else", errors.New("odd\nthing\x1b[2J"), llm.Fault{Message: "odd thing [2J"}},
	} {
		if c.want.Code == "" {
			c.want.Code = llm.CodeProvider
		}
		if diff := cmp.Diff(c.want, *llm.AsFault(t.Context(), c.err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if end := llm.Ended(ctx, own); end.Reason != llm.Canceled || end.Fault.Code != llm.CodeCanceled {
		t.Errorf("canceled: %+v", end)
	}
}

// How long a server asks to wait, in each of the ways it may say so.
func TestRetryAfter(t *testing.T) {
	date := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	now := date.Format(http.TimeFormat)
	for _, c := range []struct {
		header http.Header
		want   time.Duration
	}{
		{nil, 0},
		{http.Header{"Retry-After": {"2"}}, 2 * time.Second},
		{http.Header{"Retry-After": {"0.5"}}, 500 * time.Millisecond},
		{http.Header{"Retry-After": {"-2"}}, 0},
		{http.Header{"Retry-After": {"soon"}}, 0},
		{http.Header{"Retry-After": {"NaN"}}, 0},
		{http.Header{"Retry-After": {"1e300"}}, 0},
		{http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"2"}}, 250 * time.Millisecond},
		{http.Header{"Date": {now}, "Retry-After": {date.Add(5 * time.Second).Format(http.TimeFormat)}}, 5 * time.Second},
		{http.Header{"Date": {now}, "Retry-After": {date.Add(-5 * time.Second).Format(http.TimeFormat)}}, 0},
	} {
		if got := llm.StatusFault(429, c.header, "").Retry; got != c.want {
			t.Errorf("%v: %v, want %v", c.header, got, c.want)
		}
	}
}

// Call ids are unique in the conversation, and fit for every wire.
func TestCallIDsAreUnique(t *testing.T) {
	next := llm.CallIDs(llm.Request{Messages: []llm.Message{{Role: llm.Assistant, Parts: []llm.Content{llm.ToolCall{ID: "call_0"}}}}})
	seen := map[string]bool{"call_0": true}
	for _, id := range []string{"call_0", "call_1", "call_1", "", ""} {
		got := next(id)
		if seen[got] || got == "" {
			t.Errorf("%q became %q, which was used", id, got)
		}
		seen[got] = true
	}
	if !seen["call_1"] {
		t.Error("a free id was not kept")
	}
	for id, same := range map[string]bool{"toolu_01-A": true, strings.Repeat("a", 40): true, strings.Repeat("a", 41): false, "functions.now:0": false, "": false, "ü": false} {
		got := llm.WireID(id, 40)
		if (got == id) != same || len(got) > 40 || got == "" || got != llm.WireID(id, 40) {
			t.Errorf("%q became %q", id, got)
		}
	}
}

// That a request was larger than the window is told by the provider's code or by its words, in a stream or not; a rate is
// no window.
func TestOverflowIsToldFromRateLimit(t *testing.T) {
	for _, c := range []struct {
		fault *llm.Fault
		want  bool
	}{
		{llm.StatusFault(400, nil, "This model's maximum context length is 128000 tokens."), true},
		{llm.StatusFault(400, nil, "prompt is too long: 210000 tokens > 200000 maximum"), true},
		{llm.StatusFault(400, nil, "messages: at least one is wanted"), false},
		{llm.StatusFault(429, nil, "slow down"), false},
		{llm.StreamFault("Your input is too large", "context_length_exceeded"), true},
		{llm.StreamFault("the request exceeds the context window", "odd"), true},
		{llm.StreamFault("slow down", "rate_limit_exceeded"), false},
	} {
		if c.fault.Overflow != c.want {
			t.Errorf("%+v", c.fault)
		}
	}
	body := `{"error":{"message":"Your input is too large","code":"context_length_exceeded"}}`
	s := llmtest.Serve(t, llmtest.Reply{Status: 400, Type: "application/json", Body: body})
	h, _ := llmtest.Hear(llmtest.Open(toy, llm.Options{BaseURL: s.URL, HTTP: s.Client()}).Stream(t.Context(), llm.Request{}))
	if f := h.End.Fault; f == nil || !f.Overflow {
		t.Errorf("over HTTP: %+v", f)
	}
}

// Arguments are one JSON object or are kept aside.
func TestNewCall(t *testing.T) {
	for text, want := range map[string]llm.ToolCall{
		"":                  {Arguments: []byte("{}")},
		" null\n":           {Arguments: []byte("{}")},
		` { "a" : [ 1 ] } `: {Arguments: []byte(`{"a":[1]}`)},
		"[]":                {Arguments: []byte("{}"), Malformed: "[]"},
		`"{}"`:              {Arguments: []byte("{}"), Malformed: `"{}"`},
		`{"a":1}{}`:         {Arguments: []byte("{}"), Malformed: `{"a":1}{}`},
		`{"a"`:              {Arguments: []byte("{}"), Malformed: `{"a"`},
	} {
		if diff := cmp.Diff(want, llm.NewCall("", "", text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// The client's own proxy is used, and no other: what the process's environment says does not count.
func TestOnlyTheClientsProxyIsUsed(t *testing.T) {
	var asked string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked = q.URL.String()
		w.Header().Set("Content-Type", "text/event-stream")
	}))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := llm.HTTP(http.ProxyURL(address))
	defer client.CloseIdleConnections()
	llmtest.Hear(llmtest.Open(toy, llm.Options{BaseURL: "http://model.invalid/v1", HTTP: client}).Stream(t.Context(), llm.Request{}))
	if asked != "http://model.invalid/v1/talk" {
		t.Errorf("asked %q", asked)
	}
}
