package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// toy is a wire whose events are texts. "." is the last one, "!" one that makes no sense.
var toy = llm.Provider{Type: "toy", Wire: &llm.Wire{
	Base: "http://toy.invalid", Authorize: llm.Bearer,
	Encode: func(r llm.Request, to llm.Target) (llm.Post, error) {
		return llm.Post{Path: "/talk", Body: []byte(r.Model)}, nil
	},
	Decode: func(a *llm.Answer) llm.Decoder { return &toyDecoder{a} },
}}

type toyDecoder struct{ answer *llm.Answer }

func (d *toyDecoder) Event(data []byte) (bool, error) {
	switch string(data) {
	case ".":
		return true, nil
	case "!":
		return false, errors.New("an exclamation mark")
	}
	d.answer.Text("<" + string(data) + ">")
	return false, nil
}

func (d *toyDecoder) End() error { return llm.Cut() }

// stream answers every request with a body.
type stream struct {
	io.Reader
	closed bool
}

func (s *stream) Close() error {
	s.closed = true
	return nil
}

func (s *stream) RoundTrip(q *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: q,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: s,
	}, nil
}

func listen(r io.Reader) (llmtest.Heard, *stream) {
	s := &stream{Reader: r}
	m := llmtest.Open(toy, llm.Options{HTTP: &http.Client{Transport: s}})
	h, _ := llmtest.Hear(m.Stream(context.Background(), llm.Request{}))
	return h, s
}

// What counts as an event, by the standard for server-sent events.
func TestEventsOfStream(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for body, want := range map[string]string{
		"data: a\n\ndata: b\n\n":                         "<a><b>",
		"data:a\r\n\r\ndata:  b \r\n\r\n":                "<a><b>",
		"data: a\ndata: b\n\n":                           "<a\nb>",
		": hello\n\n\n\ndata: a\n: in between\n\n":       "<a>",
		"event: x\nid: 1\nretry: 5\ndata: a\n\n":         "<a>",
		"event: x\n\ndata\ndata:\ndata: \n\ndata: a\n\n": "<a>",
		"data: a\n\ndata: b\n":                           "<a>",
		"data: a\n\ndata: b":                             "<a>",
		"database: a\n\n data: b\n\ndata: c\n\n":         "<c>",
		"data: " + long + "\n\ndata: a\n\n":              "<" + long + "><a>",
		"data: a\n\ndata: .\n\ndata: b\n\n":              "<a>",
	} {
		if got, s := listen(strings.NewReader(body)); got.Text != want || !s.closed {
			t.Errorf("%.60q: %.60q, closed %v", body, got.Text, s.closed)
		}
	}
}

// However a stream comes in pieces, its events are the same.
func TestStreamInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOf(rapid.StringMatching(`[a-zü:]{1,40}( [a-z]{1,9})?`)).Draw(t, "events")
		var body, want strings.Builder
		for _, e := range events {
			end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
			body.WriteString(rapid.SampledFrom([]string{"", ": c" + end, "event: e" + end, end}).Draw(t, "before"))
			body.WriteString("data: " + e + end + end)
			want.WriteString("<" + e + ">")
		}
		size := rapid.IntRange(1, 50).Draw(t, "size")
		h, _ := listen(&pieces{rest: []byte(body.String()), size: size})
		if h.Text != want.String() {
			t.Fatalf("heard %q, want %q", h.Text, want.String())
		}
	})
}

// pieces reads a text in pieces of a size.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// An event has a bound, whatever it is made of: the answer fails, and the rest is not read.
func TestEventBound(t *testing.T) {
	for name, unit := range map[string]string{
		"a line that never ends":       "xxxxxxxxxxxxxxx",
		"lines of data that never end": "data: xxxxxxxxx\n",
		"a comment that never ends":    ": xxxxxxxxxxxxx",
	} {
		t.Run(name, func(t *testing.T) {
			endless := &repeat{unit: []byte(unit)}
			h, s := listen(io.MultiReader(strings.NewReader("data: a\n\ndata: "), endless))
			f := h.End.Fault
			if h.Text != "<a>" || f == nil || f.Message != "malformed stream: an event is longer than 32 MiB" || f.Retryable {
				t.Errorf("text %q, fault %+v", h.Text, f)
			}
			if !s.closed || endless.read > 80<<20 {
				t.Errorf("closed %v, after %d bytes", s.closed, endless.read)
			}
		})
	}
}

// repeat is a text without end.
type repeat struct {
	unit []byte
	read int
}

func (r *repeat) Read(b []byte) (int, error) {
	for n := range b {
		b[n] = r.unit[(r.read+n)%len(r.unit)]
	}
	r.read += len(b)
	return len(b), nil
}

// A connection that drops, bytes that make no sense and a stream that ends too early are told apart.
func TestBrokenStreams(t *testing.T) {
	for name, c := range map[string]struct {
		body io.Reader
		want llm.Fault
	}{
		"dropped":  {io.MultiReader(strings.NewReader("data: a\n\nda"), iotest.ErrReader(io.ErrUnexpectedEOF)), llm.Fault{Message: "the connection was dropped in the middle of the answer", Retryable: true}},
		"nonsense": {strings.NewReader("data: a\n\ndata: !\n\ndata: b\n\n"), llm.Fault{Message: "malformed stream: an exclamation mark"}},
		"cut":      {strings.NewReader("data: a\n\n"), llm.Fault{Message: "the stream was cut before the answer was complete", Retryable: true}},
	} {
		c.want.Code = llm.CodeProvider
		h, s := listen(c.body)
		if diff := cmp.Diff(&c.want, h.End.Fault); diff != "" || h.Text != "<a>" || !s.closed {
			t.Errorf("%s: text %q, closed %v, fault (-want +got):\n%s", name, h.Text, s.closed, diff)
		}
	}
}

// A caller that leaves hears nothing more, though the wire goes on to the end of its event, and nothing more is read.
func TestLeavingEndsTheStream(t *testing.T) {
	read := &repeat{unit: []byte("data: a\n\n")}
	s := &stream{Reader: read}
	m := llmtest.Open(toy, llm.Options{HTTP: &http.Client{Transport: s}})
	n := 0
	for range m.Stream(context.Background(), llm.Request{}) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 || !s.closed || read.read > 64<<10 {
		t.Errorf("%d parts, closed %v, %d bytes read", n, s.closed, read.read)
	}
}

// The elements of a list are the same whether they are encoded together or each by itself, and joined they are JSON.
func TestJoinedListIsValidJSON(t *testing.T) {
	type head struct {
		Model string `json:"model,omitempty"`
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.String()).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		model := rapid.SampledFrom([]string{"", "m<&>"}).Draw(t, "model")
		var whole, first, second llm.Elements
		for i, v := range values {
			whole.Add(v)
			if i < cut {
				first.Add(v)
			} else {
				second.Add(v)
			}
		}
		first.Append(second)
		want, err := llm.Join(head{model}, "list", whole)
		if err != nil {
			t.Fatal(err)
		}
		got, err := llm.Join(head{model}, "list", first)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v: %s, want %s", err, got, want)
		}
		var back struct {
			Model string
			List  []string
		}
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%v in %s", err, got)
		}
		if back.Model != model || len(back.List) != len(values) {
			t.Fatalf("%s is %+v", got, back)
		}
	})
	var broken, outer llm.Elements
	broken.Add("a")
	broken.Add(func() {})
	outer.AddJoined(head{}, "x", broken)
	outer.Append(llm.Elements{})
	if body, err := llm.Join(head{}, "list", outer); err == nil {
		t.Errorf("made %s of what is no JSON", body)
	}
}

// A request that cannot be written is refused before anything is sent.
func TestInvalidRequest(t *testing.T) {
	s := llmtest.Serve(t)
	wire := *toy.Wire
	wire.Encode = func(llm.Request, llm.Target) (llm.Post, error) { return llm.Post{}, errors.New("odd\nwords") }
	p := llm.Provider{Type: "toy", Wire: &wire}
	h, _ := llmtest.Hear(llmtest.Open(p, llm.Options{BaseURL: s.URL, HTTP: s.Client()}).Stream(t.Context(), llm.Request{}))
	want := &llm.Fault{Code: llm.CodeInvalid, Message: "the request cannot be written: odd words"}
	if diff := cmp.Diff(want, h.End.Fault); diff != "" {
		t.Errorf("fault (-want +got):\n%s", diff)
	}
}
