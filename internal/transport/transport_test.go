package transport_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/transport"
)

// stream is a byte stream that ends; what is written to it is kept.
type stream struct {
	io.Reader
	bytes.Buffer
	writes int
}

func (s *stream) Read(b []byte) (int, error) { return s.Reader.Read(b) }
func (s *stream) Write(b []byte) (int, error) {
	s.writes++
	return s.Buffer.Write(b)
}
func (s *stream) Close() error { return nil }

// halved gives a stream in pieces of n bytes.
type halved struct {
	r io.Reader
	n int
}

func (h halved) Read(b []byte) (int, error) { return h.r.Read(b[:min(len(b), h.n)]) }

// read returns every frame and, last, the error that ended them. Frames over the
// limit are "!".
func read(c transport.Conn) []string {
	var out []string
	for {
		f, err := c.ReadFrame(context.Background())
		var over *transport.LimitError
		switch {
		case errors.As(err, &over):
			out = append(out, "!")
		case err != nil:
			return append(out, err.Error())
		default:
			out = append(out, string(f))
		}
	}
}

const gone = "the peer has gone"

// However the bytes come in, the frames are the same.
func TestFramesSurviveAnySplit(t *testing.T) {
	long, over := strings.Repeat("x", 9000), strings.Repeat("y", 10001)
	for _, c := range []struct {
		name    string
		framing transport.Framing
		bytes   string
		want    []string
	}{
		{"lines", transport.Lines{}, "a\nb c\n", []string{"a", "b c", gone}},
		{"carriage returns", transport.Lines{}, "a\r\n\r\nb\r\r\n", []string{"a", "", "b\r", gone}},
		{"empty lines are frames", transport.Lines{}, "\n\na\n", []string{"", "", "a", gone}},
		{"the last line without LF is not a frame", transport.Lines{}, "a\nb", []string{"a", gone}},
		{"unless it is", transport.Lines{Tail: true}, "a\nb\r", []string{"a", "b", gone}},
		{"longer than the buffer", transport.Lines{Max: 10000}, long + "\n" + long + "\r\n", []string{long, long, gone}},
		{"over the limit", transport.Lines{Max: 10000}, "a\n" + over + "\nb\n" + over + over + over + "\nc\n", []string{"a", "!", "b", "!", "c", gone}},
		{"over a small limit", transport.Lines{Max: 3}, "abc\nabcd\nabc\r\nabcd\r\nabcdef\nabc\n", []string{"abc", "!", "abc", "!", "!", "abc", gone}},
		{"over the limit at the end", transport.Lines{Max: 3, Tail: true}, "abcd", []string{"!", gone}},
		{"length", transport.Length{}, "\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x02bc", []string{"a", "", "bc", gone}},
		{"length over the limit", transport.Length{Max: 2}, "\x00\x00\x00\x03abc\x00\x00\x00\x02de", []string{"!", "de", gone}},
		{"length cut", transport.Length{}, "\x00\x00\x00\x03ab", []string{"unexpected EOF"}},
		{"length cut in the length", transport.Length{}, "\x00\x00", []string{"unexpected EOF"}},
		{"a length that is a lie", transport.Length{Max: 1 << 30}, "\x20\x00\x00\x00ab", []string{"unexpected EOF"}},
	} {
		for _, n := range []int{1, 7, 1 << 20} {
			s := &stream{Reader: halved{strings.NewReader(c.bytes), n}}
			got := read(transport.Stream(s, c.framing, transport.Peer{}, nil))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s, %d bytes at a time: -want +got\n%s", c.name, n, d)
			}
		}
	}
}

// Frames of one call leave in one write, and read back as they were.
func TestWriteIsOne(t *testing.T) {
	for _, f := range []transport.Framing{transport.Lines{}, transport.Length{}} {
		s := &stream{Reader: strings.NewReader("")}
		c := transport.Stream(s, f, transport.Peer{}, nil)
		want := []string{"a", strings.Repeat("b", 70000), ""}
		for range 2 {
			if err := c.WriteFrames(t.Context(), []byte(want[0]), []byte(want[1]), []byte(want[2])); err != nil {
				t.Fatal(err)
			}
		}
		if s.writes != 2 {
			t.Errorf("%d writes for 2 calls", s.writes)
		}
		back := transport.Stream(&stream{Reader: &s.Buffer}, f, transport.Peer{}, nil)
		if d := cmp.Diff(append(append(want, want...), gone), read(back)); d != "" {
			t.Error(d)
		}
	}
}

// The end of a context ends a read that waits and a write that nobody reads.
func TestContextEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		defer b.Close()
		c := transport.Stream(a, transport.Lines{}, transport.Peer{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		go func() { _, err := c.ReadFrame(ctx); errs <- err }()
		go func() { errs <- c.WriteFrames(ctx, []byte("nobody reads this")) }()
		synctest.Wait()
		cancel()
		for range 2 {
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
	})
}

// Close ends them too.
func TestCloseEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		defer b.Close()
		c := transport.Stream(a, transport.Lines{}, transport.Peer{}, nil)
		errs := make(chan error, 1)
		go func() { _, err := c.ReadFrame(t.Context()); errs <- err }()
		synctest.Wait()
		c.Close()
		if err := <-errs; err == nil {
			t.Error("a read of a closed connection")
		}
	})
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("a\r\n\nb"), uint8(3))
	f.Add([]byte("\x00\x00\x00\x01a"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, limit uint8) {
		for _, framing := range []transport.Framing{transport.Lines{Max: int(limit) + 1, Tail: true}, transport.Length{Max: int(limit) + 1}} {
			one := read(transport.Stream(&stream{Reader: halved{bytes.NewReader(b), 1}}, framing, transport.Peer{}, nil))
			all := read(transport.Stream(&stream{Reader: bytes.NewReader(b)}, framing, transport.Peer{}, nil))
			if d := cmp.Diff(all, one); d != "" {
				t.Error(d)
			}
			for _, frame := range all[:len(all)-1] {
				if len(frame) > int(limit)+1 {
					t.Errorf("a frame of %d bytes, the limit is %d", len(frame), int(limit)+1)
				}
			}
		}
	})
}
