package llmtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"parley/internal/llm"
)

// Wire is a child to hold to the contract. Its testdata has text.sse and calls.sse.
type Wire struct {
	Provider llm.Provider
	// Text and Calls are the bodies.
	Text, Calls string
	// Thinks is the body of an answer that thinks Thought and says nothing, Empty that of one without a word.
	Thinks, Empty string
	// Error is an event with an error in it, Ping one that the server sends while it has nothing to say; "" where it
	// has none.
	Error func(message, code string) string
	Ping  string
	// Usage is what the bodies report, where that is not [Usage] whole.
	Usage llm.Usage
	// Key is the header, with its value for [Secret].
	KeyHeader, KeyValue string
	// Environment are the variables that its provider's own client reads.
	Environment []string
}

// quiet are the goroutines that are not the wire's: the server's, and those of connections that wait for use.
var quiet = []goleak.Option{
	goleak.IgnoreAnyFunction("net/http.(*Server).Serve"),
	goleak.IgnoreAnyFunction("net/http.(*conn).serve"),
	goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"),
	goleak.IgnoreAnyFunction("internal/poll.(*FD).Accept"),
}

// Run holds the wire to every law.
func Run(t *testing.T, w Wire) {
	if w.Usage == (llm.Usage{}) {
		w.Usage = Usage
	}
	t.Run("answer", w.answers)
	t.Run("cut", w.cuts)
	t.Run("status", w.statuses)
	t.Run("page", w.pages)
	t.Run("refused", w.refused)
	t.Run("cancel", w.cancels)
	t.Run("leave", w.leaves)
	t.Run("redirect", w.redirect)
	t.Run("environment", w.environment)
	t.Run("sent", w.sent)
	t.Run("silence", w.silence)
	t.Run("pings", w.pings)
	t.Run("keys", w.keys)
	t.Run("bound", w.bound)
	t.Run("memory", w.memory)
	t.Run("nothing said", w.saysNothing)
	t.Run("words", w.words)
	t.Run("pictures", w.pictures)
	t.Run("refused picture", w.refusedPicture)
}

// Open is the model of a provider.
func Open(p llm.Provider, o llm.Options) llm.Model {
	m, fault := p.Model(o, "")
	if fault != nil {
		panic(fault)
	}
	return m
}

func (w Wire) open(o llm.Options) llm.Model { return Open(w.Provider, o) }

func (w Wire) ask(s *Server, r llm.Request) (Heard, []llm.Part) {
	m := w.open(llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client()})
	return Hear(m.Stream(context.Background(), r))
}

// However the bytes of a stream are divided, its line ends written and its silence kept, it is the same answer.
func (w Wire) answers(t *testing.T) {
	shapes := map[string]func(string) Reply{
		"whole":     func(b string) Reply { return Reply{Body: b} },
		"one byte":  func(b string) Reply { return Reply{Body: b, Split: 1} },
		"crlf":      func(b string) Reply { return Reply{Body: strings.ReplaceAll(b, "\n", "\r\n")} },
		"crlf byte": func(b string) Reply { return Reply{Body: strings.ReplaceAll(b, "\n", "\r\n"), Split: 1} },
		"comments": func(b string) Reply {
			return Reply{Body: ": hello\n\n" + strings.ReplaceAll(b, "\n\n", "\n\n: keep-alive\n\n")}
		},
		"no type":  func(b string) Reply { return Reply{Body: b, Type: "text/plain"} },
		"charset":  func(b string) Reply { return Reply{Body: b, Type: "text/event-stream; charset=utf-8"} },
		"no space": func(b string) Reply { return Reply{Body: strings.ReplaceAll(b, "data: ", "data:")} },
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			s := Serve(t, shape(w.Text), shape(w.Calls))
			text, parts := w.ask(s, First())
			w.check(t, parts)
			compare(t, Heard{
				Thinking: Thought, Text: Said,
				End: llm.End{Reason: llm.Stop, Usage: w.Usage, ResponseModel: "model-1-0601"},
			}, text)
			calls, parts := w.ask(s, First())
			w.check(t, parts)
			compare(t, Heard{
				Thinking: Thought, Text: Announced, Calls: Calls,
				End: llm.End{Reason: llm.ToolCalls, Usage: w.Usage, ResponseModel: "model-1-0601"},
			}, calls)
		})
	}
}

func compare(t *testing.T, want, got Heard) {
	t.Helper()
	if diff := cmp.Diff(got.Opaque, got.End.Opaque); diff != "" {
		t.Errorf("opaque parts (-streamed +at the end):\n%s", diff)
	}
	got.Opaque, got.End.Opaque = nil, nil
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(llm.ToolCall{}, "ID")); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func (w Wire) check(t *testing.T, parts []llm.Part) {
	t.Helper()
	if err := Laws(First(), parts); err != nil {
		t.Errorf("%v in %#v", err, parts)
	}
	if end, ok := parts[len(parts)-1].(llm.End); ok && end.Fault != nil && strings.Contains(fmt.Sprintf("%+v", *end.Fault), Secret) {
		t.Errorf("the key is in %+v", *end.Fault)
	}
}

// A stream that stops anywhere before its answer is complete is a retryable fault, and what came before stands.
func (w Wire) cuts(t *testing.T) {
	for _, body := range []string{w.Text, w.Calls} {
		events := Events(body)
		var replies []Reply
		for i := range events {
			part := strings.Join(events[:i], "")
			half := part + events[i][:len(events[i])/2]
			replies = append(replies, Reply{Body: part}, Reply{Body: part, Cut: true}, Reply{Body: half}, Reply{Body: half, Cut: true})
		}
		s := Serve(t, replies...)
		whole, _ := w.ask(Serve(t, Reply{Body: body}), First())
		complete := 0
		for i := range replies {
			got, parts := w.ask(s, First())
			w.check(t, parts)
			if !strings.HasPrefix(whole.Text, got.Text) || !strings.HasPrefix(whole.Thinking, got.Thinking) {
				t.Errorf("cut %d: %q %q is not a beginning", i, got.Thinking, got.Text)
			}
			if got.End.Reason == whole.End.Reason {
				complete++
				if got.Text != whole.Text || len(got.Calls) != len(whole.Calls) {
					t.Errorf("cut %d passes for complete: %+v", i, got)
				}
				continue
			}
			if f := got.End.Fault; got.End.Reason != llm.Failed || f.Code != llm.CodeProvider || !f.Retryable {
				t.Errorf("cut %d: %+v %+v", i, got.End, f)
			}
		}
		if complete > len(replies)/2 {
			t.Errorf("%d of %d cuts pass for complete", complete, len(replies))
		}
	}
}

// Each status has its code, its wait and the server's words; the key is not among them.
func (w Wire) statuses(t *testing.T) {
	date := time.Date(2031, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		reply Reply
		want  llm.Fault
	}{
		{"401", Reply{Status: 401}, llm.Fault{Code: llm.CodeDenied, Message: "401 Unauthorized: key [key] is wrong"}},
		{"403", Reply{Status: 403}, llm.Fault{Code: llm.CodeDenied, Message: "403 Forbidden: key [key] is wrong"}},
		{"404", Reply{Status: 404}, llm.Fault{Code: llm.CodeNotFound, Message: "404 Not Found: key [key] is wrong"}},
		{"400", Reply{Status: 400}, llm.Fault{Code: llm.CodeInvalid, Message: "400 Bad Request: key [key] is wrong"}},
		{"429", Reply{Status: 429, Header: map[string]string{"Retry-After": "7"}},
			llm.Fault{Code: llm.CodeLimit, Message: "429 Too Many Requests: key [key] is wrong", Retry: 7 * time.Second, Retryable: true}},
		{"429 date", Reply{Status: 429, Header: map[string]string{
			"Date": date.Format(http.TimeFormat), "Retry-After": date.Add(9 * time.Second).Format(http.TimeFormat)}},
			llm.Fault{Code: llm.CodeLimit, Message: "429 Too Many Requests: key [key] is wrong", Retry: 9 * time.Second, Retryable: true}},
		{"500", Reply{Status: 500}, llm.Fault{Code: llm.CodeProvider, Message: "500 Internal Server Error: key [key] is wrong", Retryable: true}},
		{"529", Reply{Status: 529}, llm.Fault{Code: llm.CodeProvider, Message: "529 Overloaded: key [key] is wrong", Retryable: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.reply.Type = "application/json"
			c.reply.Body = `{"error":{"type":"some_error","message":"key ` + Secret + ` is wrong"}}`
			got, parts := w.ask(Serve(t, c.reply), First())
			w.check(t, parts)
			c.want.Status = c.reply.Status
			if got.End.Fault == nil {
				t.Fatalf("end %+v", got.End)
			}
			if diff := cmp.Diff(c.want, *got.End.Fault); diff != "" || len(parts) != 1 {
				t.Errorf("fault (-want +got), %d parts:\n%s", len(parts), diff)
			}
		})
	}
}

// What is not an event stream is named for what it is, and never shown as an answer.
func (w Wire) pages(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply Reply
		want  string
	}{
		{"html error", Reply{Status: 502, Type: "text/html", Body: "<html><head><title>Bad &amp; gone</title></head><body>x</body></html>"},
			"502 Bad Gateway: Bad & gone"},
		{"text error", Reply{Status: 503, Type: "text/plain", Body: "try\nlater"}, "503 Service Unavailable: try later"},
		{"empty error", Reply{Status: 500, Type: "text/plain"}, "500 Internal Server Error"},
		{"error as text", Reply{Status: 400, Type: "application/json", Body: `{"error":"model is missing"}`}, "400 Bad Request: model is missing"},
		{"html page", Reply{Type: "text/html", Body: "<title>Log in</title>"},
			"the server answered with text/html instead of an event stream: Log in"},
		{"json page", Reply{Type: "application/json", Body: `{"ok":true}`},
			"the server answered with application/json instead of an event stream; does it support streaming?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, parts := w.ask(Serve(t, c.reply), First())
			w.check(t, parts)
			if got.End.Fault == nil || got.End.Fault.Message != c.want || len(parts) != 1 {
				t.Errorf("end %+v %+v, want %q", got.End, got.End.Fault, c.want)
			}
		})
	}
	t.Run("garbage", func(t *testing.T) {
		got, parts := w.ask(Serve(t, Reply{Body: "event: message_start\ndata: {\"type\":\"message_start\", oops\n\n"}), First())
		w.check(t, parts)
		if f := got.End.Fault; f == nil || f.Code != llm.CodeProvider || f.Retryable || !strings.Contains(f.Message, "malformed") {
			t.Errorf("end %+v %+v", got.End, f)
		}
	})
}

// A port where nobody listens is told apart from a server that fails.
func (w Wire) refused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	m := w.open(llm.Options{BaseURL: "http://" + address, Key: llm.Secret(Secret), HTTP: &http.Client{Transport: &http.Transport{}}})
	got, parts := Hear(m.Stream(t.Context(), First()))
	w.check(t, parts)
	want := &llm.Fault{Code: llm.CodeProvider, Message: address + ": connection refused", Retryable: true, Unreachable: true}
	if diff := cmp.Diff(want, got.End.Fault); diff != "" {
		t.Errorf("fault (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"ftp://host/v1", "host:80", "http://", "http://h/v1?key=" + Secret} {
		got, parts := Hear(w.open(llm.Options{BaseURL: bad, Key: llm.Secret(Secret)}).Stream(t.Context(), First()))
		w.check(t, parts)
		if got.End.Fault == nil || got.End.Fault.Code != llm.CodeInvalid {
			t.Errorf("%s: %+v", bad, got.End.Fault)
		}
	}
}

// A cancelled context closes the connection at once, before the first byte and in the middle of the text.
func (w Wire) cancels(t *testing.T) {
	t.Run("before the first byte", func(t *testing.T) {
		s := Serve(t, Reply{Silent: true})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-s.Asked()
			cancel()
		}()
		_, parts := Hear(w.open(llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client()}).Stream(ctx, First()))
		<-s.Left()
		w.check(t, parts)
		if end := parts[0].(llm.End); end.Reason != llm.Canceled {
			t.Errorf("end %+v", end)
		}
	})
	t.Run("in the text", func(t *testing.T) {
		s := Serve(t, Reply{Body: untilText(w.Text), Hold: true})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var parts []llm.Part
		for p := range w.open(llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client()}).Stream(ctx, First()) {
			parts = append(parts, p)
			if _, text := p.(llm.TextDelta); text {
				cancel()
				<-s.Left()
			}
		}
		w.check(t, parts)
		if end := parts[len(parts)-1].(llm.End); end.Reason != llm.Canceled || len(parts) < 2 {
			t.Errorf("end %+v of %d parts", end, len(parts))
		}
	})
	t.Run("before the request", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := Serve(t)
		_, parts := Hear(w.open(llm.Options{BaseURL: s.URL, HTTP: s.Client()}).Stream(ctx, First()))
		w.check(t, parts)
		if end := parts[0].(llm.End); end.Reason != llm.Canceled {
			t.Errorf("end %+v", end)
		}
	})
}

// untilText is the body up to and with the first event that has visible text.
func untilText(body string) string {
	events := Events(body)
	for i, e := range events {
		if strings.Contains(e, Said[:5]) {
			return strings.Join(events[:i+1], "")
		}
	}
	return body
}

// A caller that leaves in the middle leaves nothing behind: the server sees the connection close, no goroutine stays.
func (w Wire) leaves(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := Serve(t, Reply{Body: untilText(w.Text), Hold: true})
	for p := range w.open(llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client()}).Stream(t.Context(), First()) {
		if _, text := p.(llm.TextDelta); text {
			break
		}
	}
	<-s.Left()
	s.Client().CloseIdleConnections()
	goleak.VerifyNone(t, append(quiet, before)...)
}

// A redirect is not followed: it would carry the key and the conversation to another host.
func (w Wire) redirect(t *testing.T) {
	other := Serve(t)
	s := Serve(t, Reply{Status: 307, Header: map[string]string{"Location": other.URL + "/v1/x?token=abc"}})
	got, parts := w.ask(s, First())
	w.check(t, parts)
	want := "307 Temporary Redirect: the base URL redirects to " + other.URL
	if got.End.Fault == nil || got.End.Fault.Message != want || got.End.Fault.Retryable {
		t.Errorf("end %+v, want %q", got.End.Fault, want)
	}
	if len(other.Queries()) > 0 {
		t.Error("the redirect was followed")
	}
}

// What the process's environment says has no influence.
func (w Wire) environment(t *testing.T) {
	trap := Serve(t)
	for _, name := range w.Environment {
		value := "planted-value"
		switch {
		case strings.HasSuffix(name, "_URL"):
			value = trap.URL
		case strings.HasSuffix(name, "_HEADERS"):
			value = "X-Planted: planted-value"
		}
		t.Setenv(name, value)
	}
	s := Serve(t, Reply{Body: w.Text}, Reply{Body: w.Text})
	for _, key := range []string{Secret, ""} {
		o := llm.Options{BaseURL: s.URL, Key: llm.Secret(key), HTTP: s.Client(), Headers: map[string]string{"X-Own": "own"}}
		got, parts := Hear(w.open(o).Stream(t.Context(), First()))
		w.check(t, parts)
		if got.Text != Said {
			t.Errorf("answer %+v %+v", got, got.End.Fault)
		}
	}
	for i, q := range s.Queries() {
		if all := fmt.Sprint(q); strings.Contains(all, "planted-value") {
			t.Errorf("the environment is in %s", all)
		}
		want := ""
		if i == 0 {
			want = w.KeyValue
		}
		if got := q.Header.Get(w.KeyHeader); got != want || q.Header.Get("X-Own") != "own" {
			t.Errorf("request %d: %s is %q, want %q; headers %v", i, w.KeyHeader, got, want, q.Header)
		}
	}
}

// OnSent says the size of the body.
func (w Wire) sent(t *testing.T) {
	s := Serve(t, Reply{Body: w.Text})
	r := First()
	var size int64
	r.OnSent = func(n int64) { size += n }
	w.ask(s, r)
	if got := int64(len(s.Queries()[0].Body)); size != got || size == 0 {
		t.Errorf("said %d, sent %d", size, got)
	}
}
