package transcript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/transcript"
)

// Tools join at the end and leave without moving the others; what cannot be (a tool that joins twice, or leaves without
// being there) is a violation; whoever joins later knows the same.
func TestToolsJoinInOrder(t *testing.T) {
	s := transcript.New()
	add := func(joined []event.JoinedTool, left ...string) (laws []transcript.Law) {
		e := event.Event{Seq: s.Seq + 1, Session: "sess-1", Body: event.ToolsChanged{Joined: joined, Left: left}}
		for _, b := range transcript.Check(s, e) {
			laws = append(laws, b.Law)
		}
		s.Apply(e)
		return laws
	}
	tools := func(names ...string) (out []event.JoinedTool) {
		for _, name := range names {
			out = append(out, event.JoinedTool{Name: name, Origin: "mcp:x"})
		}
		return out
	}
	s.Apply(event.Event{Seq: 1, Session: "sess-1", Body: event.SessionOpened{Origin: event.OriginNew}})
	once := []transcript.Law{transcript.LawTools}
	for i, c := range []struct {
		joined []event.JoinedTool
		left   []string
		laws   []transcript.Law
		want   []event.JoinedTool
	}{
		{tools("a", "b"), nil, nil, tools("a", "b")},
		{tools("c"), []string{"a"}, nil, tools("b", "c")},
		{tools("b"), []string{"b"}, nil, tools("c", "b")},
		{tools("c"), nil, once, tools("c", "b")},
		{tools("d", "d"), nil, once, tools("c", "b", "d")},
		{tools(""), nil, once, append(tools("c", "b", "d"), tools("")...)},
		{nil, []string{"gone"}, once, append(tools("c", "b", "d"), tools("")...)},
	} {
		before := s.Clone()
		laws := add(c.joined, c.left...)
		if d := cmp.Diff([]any{c.laws, c.want}, []any{laws, s.Tools}); d != "" {
			t.Errorf("%d: %s", i, d)
		}
		again := transcript.New()
		for _, e := range transcript.Opening(s) {
			again.Apply(e)
		}
		if d := cmp.Diff(s.Tools, again.Tools); d != "" {
			t.Errorf("%d: who joins later: %s", i, d)
		}
		if len(before.Tools) > 0 && before.Tools[0] != (event.JoinedTool{Name: before.Tools[0].Name, Origin: "mcp:x"}) {
			t.Errorf("%d: a clone changed", i)
		}
	}
}

// A call is titled as its start says, in an old log by its arguments, and anew where a person changed these.
func TestCallTitle(t *testing.T) {
	s := transcript.New()
	for _, b := range []event.Body{
		event.SessionOpened{Origin: event.OriginNew},
		event.CallStarted{Call: "new", Name: "grep", Title: `"log" src`, Arguments: []byte(`{"pattern":"log","path":"src"}`), Origin: event.CallerUser},
		event.CallStarted{Call: "old", Name: "grep", Arguments: []byte(`{"pattern":"log","path":"src"}`), Origin: event.CallerUser},
		event.CallStarted{Call: "changed", Name: "bash", Title: "rm -r a", Arguments: []byte(`{"command":"rm -r a"}`), Origin: event.CallerUser},
		event.PermissionDecided{Call: "changed", Granted: true, Method: event.MethodPerson, Arguments: []byte(`{"command":"rm a"}`), Title: "rm a"},
	} {
		s.Apply(event.Event{Seq: s.Seq + 1, Session: "sess-1", Body: b})
	}
	var got []string
	for _, c := range s.Loose {
		got = append(got, c.Title)
	}
	if d := cmp.Diff([]string{`"log" src`, "log", "rm a"}, got); d != "" {
		t.Error(d)
	}
}
