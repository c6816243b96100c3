package llm_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
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
	"parley/internal/llm/anthropic"
	"parley/internal/llm/gemini"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/openaichat"
	"parley/internal/llm/openairesponses"
	"parley/internal/llm/script"
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
		Provider: "p", BaseURL: "https://me:pass-word@host/v1", Key: llm.Secret("sk-secret"),
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
	spent := func(left, reset, value string) http.Header {
		return http.Header{"Date": {now}, left: {"0"}, reset: {value}}
	}
	for _, c := range []struct {
		header http.Header
		want   time.Duration
	}{
		{nil, 0},
		{http.Header{"Retry-After": {"2"}}, 2 * time.Second},
		{http.Header{"Retry-After": {"0.5"}}, 500 * time.Millisecond},
		{http.Header{"Retry-After": {"18000"}}, 5 * time.Hour},
		{http.Header{"Retry-After": {"-2"}}, 0},
		{http.Header{"Retry-After": {"soon"}}, 0},
		{http.Header{"Retry-After": {"NaN"}}, 0},
		{http.Header{"Retry-After": {"1e300"}}, 0},
		{http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"2"}}, 250 * time.Millisecond},
		{http.Header{"X-Ms-Retry-After-Ms": {"250"}}, 250 * time.Millisecond},
		{http.Header{"Date": {now}, "Retry-After": {date.Add(5 * time.Second).Format(http.TimeFormat)}}, 5 * time.Second},
		{http.Header{"Date": {now}, "Retry-After": {date.Add(-5 * time.Second).Format(http.TimeFormat)}}, 0},
		{spent("X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens", "6m0s"), 6 * time.Minute},
		{spent("X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens", "7.66s"), 7660 * time.Millisecond},
		{spent("Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset", date.Add(time.Minute).Format(time.RFC3339)), time.Minute},
		{spent("X-Ratelimit-Remaining", "X-Ratelimit-Reset", fmt.Sprint(date.Add(time.Minute).UnixMilli())), time.Minute},
		{spent("X-Ratelimit-Remaining", "X-Ratelimit-Reset", fmt.Sprint(date.Add(time.Minute).Unix())), time.Minute},
		{spent("Ratelimit-Remaining", "Ratelimit-Reset", "30"), 30 * time.Second},
		{spent("Ratelimit-Remaining", "Ratelimit-Reset", "-30"), 0},
		{spent("Ratelimit-Remaining", "Ratelimit-Reset", "later"), 0},
		{http.Header{"X-Ratelimit-Remaining-Tokens": {"7"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}}, 0},
		{http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"},
			"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"1h"}}, time.Hour},
	} {
		if got := llm.StatusFault(429, c.header, "").Retry; got != c.want {
			t.Errorf("%v: %v, want %v", c.header, got, c.want)
		}
	}
	if got := llm.StatusFault(503, spent("Ratelimit-Remaining", "Ratelimit-Reset", "30"), "").Retry; got != 0 {
		t.Errorf("a budget that has nothing to do with the failure: %v", got)
	}
	for message, want := range map[string]time.Duration{
		"Please try again in 7m12s. Visit": 7*time.Minute + 12*time.Second, "try again in 564ms.": 564 * time.Millisecond,
		"retry after 3 seconds": 3 * time.Second, "try again in 114h18m0s": 114*time.Hour + 18*time.Minute,
		"Retry in 1 minute": time.Minute, "try again in a while": 0, "try again in 5 years": 0,
	} {
		if got := llm.StatusFault(429, nil, message).Retry; got != want {
			t.Errorf("%s: %v, want %v", message, got, want)
		}
	}
}

// Which failures pass: the status says, and the server's own word.
func TestRetryable(t *testing.T) {
	for status, want := range map[int]bool{
		400: false, 401: false, 402: false, 403: false, 404: false, 405: false, 408: true, 409: true, 413: false, 422: false, 429: true,
		500: true, 501: false, 502: true, 503: true, 504: true, 505: false, 520: true, 529: true,
	} {
		for word, own := range map[string]bool{"": want, "true": true, "false": false} {
			f := llm.StatusFault(status, http.Header{"X-Should-Retry": {word}}, "")
			if f.Retryable != own && !f.Overflow {
				t.Errorf("%d %q: %+v", status, word, f)
			}
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

// An answer whose window was full, or whose prompt was cut, is told by the counts where the model's window is known.
func TestSilentCutIsTold(t *testing.T) {
	long := strings.Repeat("word ", 20_000)
	for name, c := range map[string]struct {
		window, in, out int
		stop            string
		system          string
		want            llm.Room
	}{
		"room":                           {1000, 500, 100, "stop", "", llm.Enough},
		"cut by the limit of the answer": {1000, 500, 100, "length", "", llm.Enough},
		"full":                           {1000, 900, 95, "length", "", llm.Full},
		"no room at all":                 {1000, 1000, 0, "length", "", llm.Full},
		"just enough":                    {1000, 900, 95, "stop", "", llm.Enough},
		"not known":                      {0, 900, 95, "length", "", llm.Enough},
		"truncated":                      {4096, 3000, 100, "stop", long, llm.Truncated},
		"of which some was cached":       {131_072, 300, 100, "stop", long, llm.Enough},
		"large":                          {40_000, 20_000, 100, "stop", long, llm.Enough},
	} {
		m, err := script.Parse(name, strings.NewReader(fmt.Sprintf(`{"text":"x"}
{"stop":%q,"usage":{"input":%d,"output":%d}}`, c.stop, c.in, c.out)))
		if err != nil {
			t.Fatal(err)
		}
		h, _ := llmtest.Hear(m.Stream(t.Context(), llm.Request{Window: c.window, System: c.system}))
		if h.End.Room != c.want {
			t.Errorf("%s: %q, want %q", name, h.End.Room, c.want)
		}
	}
}

// A place in the request that the server names leads to the picture there.
func TestRefusedPlace(t *testing.T) {
	colour := func(n uint8) llm.Image {
		i := image.NewGray(image.Rect(0, 0, 3, 3))
		i.Pix[0] = n
		var out bytes.Buffer
		if err := png.Encode(&out, i); err != nil {
			t.Fatal(err)
		}
		return llm.Image{MediaType: "image/png", Data: out.Bytes()}
	}
	r := llm.Request{Model: "m", Messages: []llm.Message{
		{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "Look."}, colour(1), colour(2)}},
		{Role: llm.Assistant, Parts: []llm.Content{llm.ToolCall{ID: "c1", Name: "read", Arguments: []byte("{}")}}},
		{Role: llm.Tool, Parts: []llm.Content{llm.ToolResult{CallID: "c1", Name: "read", Text: "x", Images: []llm.Image{colour(3), colour(4)}}}},
	}}
	for _, c := range []struct {
		provider   llm.Provider
		name, body string
		want       int
	}{
		{anthropic.Provider, "a prompt's", `{"error":{"message":"messages.0.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"}}`, 1},
		{anthropic.Provider, "a result's", `{"error":{"message":"messages.2.content.0.content.1.image.source.base64: image exceeds 5 MB maximum: 1 bytes > 0 bytes"}}`, 2},
		{openairesponses.Provider, "a prompt's", `{"error":{"message":"Invalid image.","param":"input[0].content[1].image_url","code":"invalid_image_format"}}`, 0},
		{openairesponses.Provider, "a result's", `{"error":{"message":"Invalid image.","param":"input[2].output[2].image_url","code":"invalid_image_format"}}`, 3},
		{openaichat.Provider, "a prompt's", `{"error":{"message":"You uploaded an unsupported image.","param":"messages.[0].content.[1].image_url","code":"invalid_image_format"}}`, 0},
		{gemini.Provider, "a prompt's", `{"error":{"message":"Invalid value at 'contents[0].parts[2].inline_data.data' (TYPE_BYTES), Base64 decoding failed","status":"INVALID_ARGUMENT"}}`, 1},
	} {
		s := llmtest.Serve(t, llmtest.Reply{Status: 400, Type: "application/json", Body: c.body})
		h, _ := llmtest.Hear(llmtest.Open(c.provider, llm.Options{BaseURL: s.URL, HTTP: s.Client()}).Stream(t.Context(), r))
		if f := h.End.Fault; f == nil || len(f.Pictures) != 1 || f.Pictures[0].Index != c.want {
			t.Errorf("%s, %s: %+v", c.provider.Type, c.name, f)
		}
	}
}

// An effort that a model does not take becomes the nearest one below that it does, and never none.
func TestEffort(t *testing.T) {
	some := llm.Thinker{Way: llm.Words, Levels: []llm.Level{{Effort: llm.Low, Word: "low"}, {Effort: llm.High, Word: "hard"}}}
	most := llm.Thinker{Way: llm.Words, Levels: llm.Same(llm.None, llm.High, llm.Max)}
	silent := llm.Thinker{Way: llm.Words, Levels: []llm.Level{{Effort: llm.None}}}
	for _, c := range []struct {
		thinker llm.Thinker
		effort  llm.Effort
		want    string
	}{
		{some, "", "nothing"}, {some, "none", "low"}, {some, "low", "low"}, {some, "medium", "low"}, {some, "max", "hard"},
		{some, "1", "low"}, {some, "4001", "low"}, {some, "999999", "hard"},
		{most, "medium", "high"}, {most, "none", "none"}, {most, "max", "max"}, {silent, "high", ""},
		{llm.Thinker{Way: llm.Never}, "high", "nothing"}, {llm.Thinker{Way: llm.Fixed}, "high", "nothing"},
		{llm.Thinker{}, "xhigh", "xhigh"}, {llm.Thinker{Way: llm.Budget}, "7000", "7000"},
	} {
		got := "nothing"
		if level, ok := c.thinker.Asks(c.effort); ok {
			got = level.Word
		}
		if got != c.want {
			t.Errorf("%v, %q: %q, want %q", c.thinker, c.effort, got, c.want)
		}
	}
	last := -1
	for _, e := range llm.Efforts {
		if n := e.Budget(); n <= last {
			t.Errorf("%s is worth %d", e, n)
		} else {
			last = n
		}
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
