package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
)

type sample struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Ratio float64 `json:"ratio"`
	On    bool    `json:"on"`
	Items []struct {
		Key string `json:"key"`
	} `json:"items"`
}

// echo is a tool that answers with its arguments.
func echo(run func(context.Context, tool.World, tool.Call, sample, tool.Grow) tool.Result) tool.Tool {
	return tool.Definition[sample]{
		Spec: tool.Spec{Name: "echo", Schema: json.RawMessage(`{
			"type": "object", "additionalProperties": false, "required": ["name"],
			"properties": {
				"name": {"type": "string", "minLength": 1},
				"count": {"type": "integer", "minimum": 1, "maximum": 10},
				"ratio": {"type": "number"},
				"on": {"type": "boolean"},
				"items": {"type": "array", "minItems": 1, "items": {
					"type": "object", "additionalProperties": false, "required": ["key"], "properties": {"key": {"type": "string"}}}}
			}}`),
			Aliases: []tool.Alias{{Of: "name", Names: []string{"title", "label"}}, {Of: "items.key", Names: []string{"word"}},
				{Of: "count", Names: []string{"seconds"}, Unit: tool.Seconds}}},
		Targets: func(_ tool.World, a sample) (tool.Targets, error) { return tool.Targets{Command: a.Name}, nil },
		Run:     run,
	}.Tool()
}

// Arguments are decoded, or refused in words that say what to write instead.
func TestArguments(t *testing.T) {
	tl := echo(func(_ context.Context, _ tool.World, _ tool.Call, a sample, _ tool.Grow) tool.Result {
		return tool.Result{Status: tool.Success, Text: fmt.Sprint(a)}
	})
	for arguments, want := range map[string]string{
		`{"name":"x"}`: "{x 0 0 false []}",
		`{"name":"x","count":10,"ratio":1e2,"on":true,"items":[{"key":"a"},{"key":""}]}`: "{x 10 100 true [{a} {}]}",
		`{"name":"x","count":null,"items":null}`:                                         "{x 0 0 false []}",
		`{"name":"\ud800"}`:                                                              "{\ufffd 0 0 false []}",
		``:                                                                               "echo: name is missing",
		` `:                                                                              "echo: name is missing",
		`{"name":null}`:                                                                  "echo: name must be a string, not null",
		`{"name":""}`:                                                                    "echo: name is empty",
		`{"name":7}`:                                                                     "echo: name must be a string, not a number",
		`{"name":"x","count":"3"}`:                                                       "{x 3 0 false []}",
		`{"name":"x","count":"3.5"}`:                                                     "echo: count must be an integer, not 3.5",
		`{"name":"x","count":"0x3"}`:                                                     "echo: count must be an integer, not a string",
		`{"name":"x","ratio":"-1.5e3","on":"True"}`:      "{x 0 -1500 true []}",
		`{"name":"x","items":{"key":"a"}}`:               "{x 0 0 false [{a}]}",
		`{"name":"x","items":"[{\"key\":\"a\"}]"}`:       "{x 0 0 false [{a}]}",
		`{"name":"x","items":"{\"key\":\"a\"}"}`:         "{x 0 0 false [{a}]}",
		`"{\"name\":\"x\"}"`:                             "{x 0 0 false []}",
		`{"Name":"x"}`:                                   "{x 0 0 false []}",
		`{"title":"x"}`:                                  "{x 0 0 false []}",
		`{"title":"x","name":"x"}`:                       "{x 0 0 false []}",
		`{"title":"x","name":null}`:                      "{x 0 0 false []}",
		`{"title":"x","name":"y"}`:                       "echo: title and name are one argument with two values; write name once",
		`{"title":"x","label":"y"}`:                      "echo: label and title are one argument with two values; write name once",
		`{"title":"x","key":"a"}`:                        "{x 0 0 false [{a}]}",
		`{"title":"x","Word":"a","items":[{"key":"a"}]}`: "{x 0 0 false [{a}]}",
		`{"title":"x","word":"a","items":[{"key":"b"}]}`: "echo: word belongs into items; write it there, once",
		`{"name":"x","seconds":2}`:                       "echo: count is 2000; the most is 10",
		`{"name":"x","seconds":"0.005","count":5}`:       "{x 5 0 false []}",
		`{"name":"x","count":1.5}`:                       "echo: count must be an integer, not 1.5",
		`{"name":"x","count":1e1}`:                       "{x 10 0 false []}",
		`{"name":"x","count":2.0}`:                       "{x 2 0 false []}",
		`{"name":"x","count":0}`:                         "echo: count is 0; the least is 1",
		`{"name":"x","count":11}`:                        "echo: count is 11; the most is 10",
		`{"name":"x","count":99999999999999999999}`:      "echo: count is 99999999999999999999; the most is 10",
		`{"name":"x","ratio":1e999}`:                     "the arguments of echo are not valid JSON: 1e999 is too large a number",
		`{"name":"x","on":"yes"}`:                        "echo: on must be a boolean, not a string",
		`{"name":"x","items":"[]"}`:                      "echo: items needs at least 1",
		`{"name":"x","items":"[{"}`:                      "echo: items must be an array, not a string",
		`{"name":"x","items":[]}`:                        "echo: items needs at least 1",
		`{"name":"x","items":[{"key":"a"},{"kay":"b"}]}`: `echo: unknown argument items[1].kay, did you mean "key"?`,
		`{"name":"x","items":[{}]}`:                      "echo: items[0].key is missing",
		`{"name":"x","cuont":1}`:                         `echo: unknown argument cuont, did you mean "count"?`,
		`{"name":"x","zzzzzzzz":1}`:                      "echo: unknown argument zzzzzzzz; there are count, items, name, on, ratio",
		`{"name":"x","name":"y"}`:                        `the arguments of echo are not valid JSON: "name" stands there twice`,
		`{"name":"x"`:                                    "the arguments of echo are not valid JSON: unexpected EOF",
		`{"name":"x"} x`:                                 "the arguments of echo are not valid JSON: there is more after the object",
		`"x"`:                                            "echo: the arguments must be an object, not a string",
	} {
		r := tl.Run(context.Background(), tool.World{}, tool.Call{Arguments: tool.Normalise(tl, json.RawMessage(arguments))}, nil)
		if r.Text != want || (r.Status == tool.Success) != strings.HasPrefix(want, "{") {
			t.Errorf("%s: %s %q, want %q", arguments, r.Status, r.Text, want)
		}
	}
}

// A tool that breaks, returns too much, or fails because its context ended is still within the contract.
func TestDefinition(t *testing.T) {
	call := tool.Call{Name: "echo", Arguments: json.RawMessage(`{"name":"x"}`)}
	ctx, cancel := context.WithCancel(context.Background())
	for _, tt := range []struct {
		run    func(context.Context, tool.World, tool.Call, sample, tool.Grow) tool.Result
		status tool.Status
		text   string
	}{
		{func(context.Context, tool.World, tool.Call, sample, tool.Grow) tool.Result { panic("oh") }, tool.Error, `the tool "echo" broke: oh`},
		{func(_ context.Context, _ tool.World, _ tool.Call, _ sample, grow tool.Grow) tool.Result {
			grow(tool.Stdout, "x")
			return tool.Result{Status: tool.Success, Text: strings.Repeat("ä", tool.MaxText)}
		}, tool.Success, "ää"},
		{func(context.Context, tool.World, tool.Call, sample, tool.Grow) tool.Result {
			return tool.Result{Status: tool.Success, Text: "a\xffb"}
		}, tool.Success, "a\ufffdb"},
		{func(ctx context.Context, _ tool.World, _ tool.Call, _ sample, _ tool.Grow) tool.Result {
			cancel()
			return tool.Failed(errors.New("connection lost"))
		}, tool.Aborted, "connection lost"},
		{func(context.Context, tool.World, tool.Call, sample, tool.Grow) tool.Result { panic("not reached") }, tool.Aborted, "Aborted before it began."},
	} {
		r := echo(tt.run).Run(ctx, tool.World{}, call, nil)
		if r.Status != tt.status || !strings.HasPrefix(r.Text, tt.text) || len(r.Text) > tool.MaxText {
			t.Errorf("%s %.100q, want %s %q", r.Status, r.Text, tt.status, tt.text)
		}
	}
}

// resolve is a file system of three paths, one of them a link that can be turned.
func resolve(link *string) func(string) (tool.Target, error) {
	return func(path string) (tool.Target, error) {
		switch path {
		case "in/file":
			return tool.Target{Path: "/w/in/file", Rel: "in/file", Inside: true}, nil
		case "link":
			return tool.Target{Path: *link, Inside: strings.HasPrefix(*link, "/w/")}, nil
		}
		return tool.Target{Path: path}, nil
	}
}

// Reach keeps to the workspace; after a grant it keeps to what was granted, and to what for.
func TestReachKeepsToTheWorkspace(t *testing.T) {
	link := "/out/dir/file"
	w := tool.World{Root: "/w", Resolve: resolve(&link), Extra: []string{"/outputs/"}}
	reach := func(w tool.World, path string, write bool) string {
		got, err := w.Reach(path, write)
		if err != nil {
			return "refused"
		}
		return got.Path
	}
	dir := w.Grant(tool.Targets{Paths: []tool.Target{{Path: "/out/dir"}}})
	file := w.Grant(tool.Targets{Paths: []tool.Target{{Path: "/out/dir/file", Write: true}}})
	none := w.Grant(tool.Targets{})
	for _, tt := range []struct {
		name  string
		w     tool.World
		path  string
		write bool
		want  string
	}{
		{"inside", w, "in/file", true, "/w/in/file"},
		{"outside", w, "link", false, "refused"},
		{"extra", w, "/outputs/call.txt", false, "/outputs/call.txt"},
		{"extra beside", w, "/outputs2/x", false, "refused"},
		{"extra to write", w, "/outputs/call.txt", true, "refused"},
		{"granted below", dir, "link", false, "/out/dir/file"},
		{"granted to read", dir, "link", true, "refused"},
		{"granted beside", dir, "/out/dir2", false, "refused"},
		{"granted only that", dir, "in/file", false, "refused"},
		{"granted to write", file, "link", true, "/out/dir/file"},
		{"granted to write, read", file, "link", false, "/out/dir/file"},
		{"granted nothing", none, "in/file", false, "refused"},
	} {
		if got := reach(tt.w, tt.path, tt.write); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	link = "/w/secret"
	if got := reach(file, "link", true); got != "refused" {
		t.Errorf("a link that was turned leads to %s", got)
	}
	if _, err := (tool.World{}).Reach("x", false); !errors.Is(err, tool.ErrRefused) {
		t.Error(err)
	}
}

type stat struct {
	os.FileInfo
	size int64
	time time.Time
}

func (s stat) Size() int64        { return s.size }
func (s stat) ModTime() time.Time { return s.time }

// Seen tells contents apart as well as what it knows allows, and nobody is refused for what it cannot know.
func TestSeenTellsContentsApart(t *testing.T) {
	at := time.Unix(1, 0)
	a, b := tool.StampOf([]byte("a")), tool.StampOf([]byte("b"))
	weak := func(size int64, time time.Time) tool.Stamp { return tool.StampStat(stat{size: size, time: time}) }
	for _, tt := range []struct {
		name        string
		before, now tool.Stamp
		stale       bool
	}{
		{"same", a, a, false},
		{"changed", a, b, true},
		{"touched", weak(1, at), weak(1, at.Add(1)), true},
		{"untouched", weak(1, at), weak(1, at), false},
		{"grown", weak(1, at), weak(2, at), true},
		{"weak then whole, as large", weak(1, at), a, false},
		{"weak then whole, larger", weak(9, at), a, true},
	} {
		s := tool.NewSeen()
		if s.Stale("/f", tt.now) {
			t.Errorf("%s: stale before it was seen", tt.name)
		}
		s.Note("/f", tt.before)
		if got := s.Stale("/f", tt.now); got != tt.stale {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	var none *tool.Seen
	if none.Note("/f", a); none.Stale("/f", b) {
		t.Error("nothing is stale where nothing is remembered")
	}
}

type named string

func (n named) Spec() tool.Spec { return tool.Spec{Name: string(n)} }
func (named) Targets(tool.World, tool.Call) (tool.Targets, error) {
	return tool.Targets{}, nil
}
func (named) Run(context.Context, tool.World, tool.Call, tool.Grow) tool.Result { return tool.Result{} }

// A set is ordered by name, finds its tools, and names what it does not have.
func TestSetFindsItsTools(t *testing.T) {
	s := tool.NewSet(named("write"), named("bash"), named("read"))
	only, unknown := s.Only("read", "raed", "write")
	_, found := s.Get("bash")
	_, missing := only.Get("bash")
	got := []any{s.Names(), only.Names(), unknown, s.Suggest("raed"), found, missing, len(s.Specs()), tool.Set{}.Names()}
	want := []any{[]string{"bash", "read", "write"}, []string{"read", "write"}, []string{"raed"}, []string{"read"}, true, false, 3, []string(nil)}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	defer func() {
		if recover() == nil {
			t.Error("two tools of one name")
		}
	}()
	tool.NewSet(named("a"), named("a"))
}
