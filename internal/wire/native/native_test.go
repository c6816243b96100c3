package native_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
	"parley/internal/wire"
	"parley/internal/wire/native"
	"parley/internal/wire/wiretest"
)

var _ = flag.Bool("update", false, "rewrite the golden files")

var laws = wiretest.Laws{
	Dialect: &native.Dialect,
	Peer:    wire.Peer{ID: "c1", Name: "parley", Ready: true, Class: wire.Class{Dialect: "native"}},
	Text: func(frames []wire.Frame) string {
		var out strings.Builder
		for _, f := range frames {
			if l, err := native.Parse(f); err == nil && l.Event != nil {
				if b, ok := l.Event.Body.(event.BlockEnded); ok {
					out.WriteString(b.Text)
				}
			}
		}
		return out.String()
	},
}

func TestLaws(t *testing.T) { laws.Run(t) }

func TestTraffic(t *testing.T) {
	wiretest.Traffic(t, "testdata/*.traffic", &native.Dialect, &native.Dialect)
}

func FuzzDecode(f *testing.F) {
	laws.FuzzDecode(f, `{"type":"hello","protocol":1,"client":{"name":"x"},"session":"new","env":{"A":"b"}}`, `{"type":"prompt","id":"1","data":{"text":"x"}}`)
}

// What the daemon writes, a client reads as what it was.
func TestClientReadsWhatDaemonWrites(t *testing.T) {
	d, p := &native.Dialect, laws.Peer
	s := transcript.New()
	for _, e := range eventtest.Run()[:12] {
		s.Apply(e)
	}
	sent := s.Tail(20)
	sent.Run.Before = nil // is not sent
	all := eventtest.All()
	head := wire.Welcome{Name: "parley", Version: "1", Build: "b", PID: 7, Session: eventtest.Session, Head: 9}
	for _, c := range []struct {
		frames []wire.Frame
		want   native.Line
	}{
		{d.Welcome(p, head), native.Line{Welcome: &native.Welcome{Welcome: head, Client: "c1"}}},
		{d.Welcome(p, wire.Welcome{Name: "parley"}), native.Line{Welcome: &native.Welcome{Welcome: wire.Welcome{Name: "parley"}, Client: "c1"}}},
		{d.Attach(p, s), native.Line{State: sent}},
		{d.Encode(p.Class, s, all[3]), native.Line{Event: &all[3]}},
		{d.Answer(p, s, command.Result{ID: p.Cause("7"), Data: command.Moved{Session: "sess-1", Leaf: "e1"}}), native.Line{Reply: &command.Reply{ID: "7", Data: json.RawMessage(`{"session":"sess-1","leaf":"e1"}`)}}},
		{d.Answer(p, s, command.Result{ID: p.Cause("8"), Fault: &command.Fault{Code: command.Busy, Message: "later", Retry: time.Second}}), native.Line{Reply: &command.Reply{ID: "8", Fault: &command.Fault{Code: command.Busy, Message: "later", Retry: time.Second}}}},
		{d.Error(p, nil, command.Faultf(command.Closed, "the daemon is stopping")), native.Line{Fault: command.Faultf(command.Closed, "the daemon is stopping")}},
		{[]wire.Frame{[]byte(`{"type":"from the future"}`)}, native.Line{}},
	} {
		got, err := native.Parse(c.frames[0])
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(transcript.Buffer{}), cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.frames[0], err, diff)
		}
	}
	if _, err := native.Parse([]byte("{")); err == nil {
		t.Error("half a line was read")
	}
}

// What a client writes, the daemon reads as what it was.
func TestDaemonReadsWhatClientWrites(t *testing.T) {
	since := event.Seq(7)
	h := wire.Hello{Name: "parley", Version: "1", Build: "b", Cwd: "/w", Env: wire.Env{"A": "b"}, Capabilities: []string{"ask"}, Session: "last", Since: &since}
	in := native.Dialect.Decode(wire.Peer{ID: "c1"}, nil, native.Hello(h))
	if d := cmp.Diff(&h, in.Hello); d != "" || !in.Peer.Ready || in.Peer.Name != "parley" {
		t.Error(d)
	}
	p := in.Peer
	p.Session = "sess-1"
	in = native.Dialect.Decode(p, nil, native.Command(command.Command{ID: "7", Body: command.SetLeaf{Leaf: "e1"}}))
	want := []command.Command{{ID: "c1/7", Session: "sess-1", Body: command.SetLeaf{Leaf: "e1"}}}
	if d := cmp.Diff(want, in.Commands); d != "" {
		t.Error(d)
	}
}

var grews = []string{
	`{"seq":9,"time":"2026-11-21T09:00:00.000000005Z","session":"sess-1","run":"r1","turn":"r1.t1","step":"r1.t1.s1","response":"r1.t1.s1.m","cause":"c1/7","type":"block.grew","data":{"block":"b1","offset":4,"text":"a \"b\"\n\\ “hi” <b>"}}`,
	`{"seq":9,"time":"2026-11-21T09:00:00Z","session":"sess-1","type":"block.grew","data":{"block":"b1","offset":0,"text":""}}`,
	`{"seq":9,"time":"2026-11-21T10:00:00+01:00","session":"sess-1","type":"block.grew","data":{"block":"b1","offset":0,"text":"\u001b[0m \ud83d\ude00"}}`,
	`{"seq":9,"time":"2026-11-21T09:00:00Z","session":"sess-1","type":"block.grew","data":{"block":"b1","offset":0,"text":"x","new":1}}`,
	`{"seq":9,"time":"2026-11-21T09:00:00Z","session":"sess-1","type":"block.grew","data":{"block":"b1","text":"x","offset":3}} `,
	`{"seq":9,"time":"2026-11-21T09:00:00Z","session":"sess-1","type":"block.ended","data":{"block":"b1","role":"text","text":"x"}}`,
	`{"seq":09,"time":"2026-11-21T09:00:00Z","session":"sess-1","type":"block.grew","data":{"block":"b1","offset":0,"text":"x"}}`,
	"{\"seq\":9,\"time\":\"2026-11-21T09:00:00Z\",\"session\":\"sess-1\",\"type\":\"block.grew\",\"data\":{\"block\":\"b1\",\"offset\":0,\"text\":\"\xff\"}}",
}

// However a line is written, it reads as package event reads it.
func FuzzParse(f *testing.F) {
	for _, l := range grews {
		f.Add([]byte(l))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := native.Parse(line)
		if err != nil || got.Event == nil {
			return
		}
		want, err := event.Decode(line)
		if err != nil {
			t.Fatalf("%q is read, and is %v", line, err)
		}
		if d := cmp.Diff(want, *got.Event); d != "" {
			t.Error(d)
		}
	})
}
