package event_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/internal/event"
)

// A call without a title is told by the argument that usually tells most.
func TestTitleOf(t *testing.T) {
	for _, c := range []struct{ arguments, want string }{
		{`{"start":1,"file":"dir/y.go","lines":9}`, "dir/y.go"},
		{`{"path":"src","pattern":"*.go"}`, "*.go"},
		{`{"content":"zzz","file":"b.txt"}`, "b.txt"},
		{`{"name":"web","count":3}`, "web"},
		{`{"command":"a\nb"}`, "a …"},
		{`{"command":"\u001b[2J\u202els\u200b\tx"}`, "[2Jls x"},
		{`{"seconds":5}`, "5"},
		{`{"opts":{"a":[1, 2]}}`, `{"a":[1,2]}`},
		{`{"count": 3, "host": "alder"}`, `{"count":3,"host":"alder"}`},
		{`{"path":""}`, ""},
		{`{}`, ""},
		{``, ""},
		{`not json`, "not json"},
		{`{"path":"a"} b`, `{"path":"a"} b`},
	} {
		if got := event.TitleOf("", json.RawMessage(c.arguments)); got != c.want {
			t.Errorf("%s: %q, want %q", c.arguments, got, c.want)
		}
	}
}

// A title is one short line that can be shown anywhere, whatever it is made from, and making it again changes nothing.
func TestTitleIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("a é\n\t\x1b\u202e\u2028世")), 0, 400, -1),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		got := event.Title(text)
		switch {
		case len(got) > event.MaxTitle || !utf8.ValidString(got):
			t.Fatalf("%q has %d bytes", got, len(got))
		case strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' ' }):
			t.Fatalf("%q cannot be shown", got)
		case event.Title(got) != got:
			t.Fatalf("%q becomes %q", got, event.Title(got))
		}
	})
}
