package cogency_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"parley/internal/cell"
	"parley/internal/display/plain"
	"parley/internal/wire"
	"parley/internal/wire/cogency"
	"parley/internal/wire/wiretest"
)

func laws(capabilities string) wiretest.Laws {
	return wiretest.Laws{Dialect: &cogency.Dialect, Peer: peer(capabilities), Text: func(frames []wire.Frame) string {
		var out strings.Builder
		for _, f := range frames {
			var e cogency.Event
			if json.Unmarshal(f, &e) == nil && (e.Type == "respond" || e.Type == "think") {
				out.WriteString(*e.Content)
			}
		}
		return out.String()
	}, Facts: func(frames []wire.Frame) []wiretest.Fact {
		var out []wiretest.Fact
		for _, f := range frames {
			var e cogency.Event
			if json.Unmarshal(f, &e) != nil {
				continue
			}
			fact := wiretest.Fact{What: e.Type, Grows: e.Type == "respond" || e.Type == "think"}
			if e.Content != nil {
				fact.Text = *e.Content
			}
			if e.Payload != nil && e.Payload.Content != nil {
				fact.Text += *e.Payload.Content
			}
			if e.Type != "metric" && e.Type != "error" {
				out = append(out, fact)
			}
		}
		return out
	}}
}

// The laws of every dialect hold in both forms.
func TestLaws(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, laws(form.capabilities).Run)
	}
}

func FuzzDecode(f *testing.F) { laws("").FuzzDecode(f, `{"type":"user","content":"hi"}`) }

// arrivals tells of every write.
type arrivals chan string

func (a arrivals) Write(p []byte) (int, error) {
	a <- string(p)
	return len(p), nil
}

// What can be shown is shown when its line has arrived, not when the stream ends.
func TestRenderIsLive(t *testing.T) {
	in, feed := io.Pipe()
	shown := make(arrivals)
	done := make(chan error)
	go func() {
		_, err := cogency.Render(context.Background(), in, plain.New(shown, plain.Options{}), nil, func(int, error) {})
		done <- err
	}()
	for _, step := range []struct{ line, want string }{
		{`{"type":"user","content":"q"}`, "$ q\n"},
		{`{"type":"call","content":"{\"name\":\"read\",\"args\":{\"file\":\"a\"}}"}`, "\nread(\"a\")\n"},
		{`{"type":"result","payload":{"outcome":"Read 1 line","content":"x"}}`, "✓ Read 1 line\nx\n"},
		{`{"type":"respond","content":"One paragraph.\n\nAnother"}`, "\nOne paragraph.\n"},
		{`{"type":"end"}`, "\nAnother\n"},
		{`{"type":"metric","total":{"input":1,"output":2}}`, "───\nInput: 1  Output: 2\n"},
	} {
		if _, err := io.WriteString(feed, step.line+"\n"); err != nil {
			t.Fatal(err)
		}
		if got := <-shown; got != step.want {
			t.Errorf("%s: %q, want %q", step.line, got, step.want)
		}
	}
	if err := errors.Join(feed.Close(), <-done); err != nil {
		t.Fatal(err)
	}
}

// An interrupt from outside keeps what was said, says so and exits with 130.
func TestRenderInterrupted(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close()
	ctx, cancel := context.WithCancel(context.Background())
	shown := make(arrivals, 8)
	exits := make(chan int)
	go func() {
		exit, err := cogency.Render(ctx, in, plain.New(shown, plain.Options{}), nil, func(int, error) {})
		if err != nil {
			t.Error(err)
		}
		exits <- exit
	}()
	_, _ = io.WriteString(feed, "{\"type\":\"user\",\"content\":\"q\"}\n{\"type\":\"respond\",\"content\":\"half an\"}\n")
	got := <-shown
	// The second line may be read after cancel or not; ask until it was.
	_, _ = io.WriteString(feed, "{\"type\":\"intent\"}\n")
	got += <-shown
	cancel()
	if exit := <-exits; exit != 130 {
		t.Errorf("exit %d", exit)
	}
	close(shown)
	for rest := range shown {
		got += rest
	}
	if got != "$ q\n\nhalf an\n⚠ Interrupted by user.\n" {
		t.Errorf("%q", got)
	}
}

// A stream that cannot be read ends in an error, exit 1, with all that came
// before it; a line over the limit is reported and skipped.
func TestRenderFailures(t *testing.T) {
	long := `{"type":"respond","content":"` + strings.Repeat("x", 16<<20) + `"}` + "\n"
	var out bytes.Buffer
	var reported []int
	in := io.MultiReader(strings.NewReader("{\"type\":\"user\",\"content\":\"q\"}\n"+long+"{\"type\":\"respond\",\"content\":\"so far\"}\n"), failing{})
	exit, err := cogency.Render(context.Background(), in, plain.New(&out, plain.Options{}), nil, func(n int, _ error) { reported = append(reported, n) })
	if exit != 1 || err == nil || out.String() != "$ q\n\nso far\nError: the disk is gone\n" || len(reported) != 1 || reported[0] != 2 {
		t.Errorf("exit %d, %v, %q, reported %v", exit, err, out.String(), reported)
	}
	exit, err = cogency.Render(context.Background(), strings.NewReader("{\"type\":\"user\",\"content\":\"q\"}\n"), plain.New(refusing{}, plain.Options{}), nil, nil)
	if exit != 1 || err == nil {
		t.Errorf("exit %d, %v", exit, err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// Any bytes are rendered or reported, without a panic and without an escape
// sequence that is not ours.
func FuzzRender(f *testing.F) {
	for _, log := range load(f) {
		f.Add([]byte(stream(log, "token")))
	}
	f.Add([]byte("{\"type\":\"result\",\"payload\":{\"error\":{\"a\":1}}}\n{\"type\":\"call\",\"payload\":[]}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		_, err := cogency.Render(context.Background(), bytes.NewReader(in), plain.New(&out, plain.Options{Profile: cell.NoStyle, Width: func() int { return 20 }}), nil, func(int, error) {})
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexAny(out.Bytes(), "\x1b\r\x00\x07"); i >= 0 {
			t.Errorf("%q at %d of %q", out.Bytes()[i], i, out.Bytes())
		}
	})
}
