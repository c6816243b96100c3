package cogency_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/command"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
	"parley/internal/wire"
	"parley/internal/wire/cogency"
)

// load reads the scenarios of package display.
func load(t testing.TB) map[string][]event.Event {
	t.Helper()
	files, err := filepath.Glob("../../display/testdata/scenario/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	out := make(map[string][]event.Event)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<20)
		var log []event.Event
		for lines.Scan() {
			e, err := event.Decode(lines.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, e)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".jsonl")] = log
	}
	return out
}

func peer(capabilities string) wire.Peer {
	return wire.Peer{ID: "c9", Ready: true, Class: wire.Class{Dialect: "cogency", Capabilities: capabilities}}
}

// stream encodes a log.
func stream(log []event.Event, capabilities string) string {
	var b strings.Builder
	s := transcript.New()
	for _, e := range log {
		for _, f := range cogency.Dialect.Frames(peer(capabilities), s, e) {
			b.Write(f)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

var forms = []struct{ name, capabilities string }{{"whole", ""}, {"token", "resume,token"}}

// Every scenario gives the stream of its golden file, in both forms.
func TestStreamOfScenarios(t *testing.T) {
	for name, log := range load(t) {
		for _, form := range forms {
			got := stream(log, form.capabilities)
			file := filepath.Join("testdata", "encode", name+"."+form.name+".jsonl")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s (-want +got):\n%s", file, d)
			}
		}
	}
}

// What is written reads as what happened: parley render of the stream is the
// line mode of the log, in both forms. The stream has no word for sub-agents,
// for attachments and images, nor for what a person runs beside the model; and a reply that goes
// on after a failure of the provider is one reply there, two here.
func TestRenderOfEncode(t *testing.T) {
	wordless := []string{"agent", "agents", "agent-of-a-tool", "interrupt-agent", "beside", "rich", "fault"}
	n := 0
	for name, log := range load(t) {
		if slices.Contains(wordless, name) {
			continue
		}
		n++
		var want bytes.Buffer
		r, s := plain.New(&want, plain.Options{}), transcript.New()
		for _, e := range log {
			if err := r.Apply(s, e); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		for _, form := range forms {
			got, _, _ := strings.Cut(render(t, stream(log, form.capabilities), plain.Options{}), "-- exit")
			if d := cmp.Diff(want.String(), got); d != "" {
				t.Errorf("%s, %s (-log +stream):\n%s", name, form.name, d)
			}
		}
	}
	if n < 12 {
		t.Errorf("only %d scenarios were compared", n)
	}
}

// Whole units and pieces say the same text.
func TestFormsAgree(t *testing.T) {
	for name, log := range load(t) {
		var texts [2]string
		for i, form := range forms {
			for line := range strings.Lines(stream(log, form.capabilities)) {
				var e cogency.Event
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatal(err)
				}
				if e.Type == "think" || e.Type == "respond" {
					texts[i] += *e.Content
				}
			}
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: %q and %q", name, texts[0], texts[1])
		}
	}
}

func schema(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	s, err := cogency.Schema()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func validate(t *testing.T, r *jsonschema.Resolved, frame []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(frame, &v); err != nil {
		t.Fatalf("%s: %v", frame, err)
	}
	if err := r.Validate(v); err != nil {
		t.Errorf("%s: %v", frame, err)
	}
}

// Every line of every scenario, and of a log that makes no sense at all, is
// valid by the published schema, and the schema refuses what is not written.
func TestSchema(t *testing.T) {
	r := schema(t)
	logs := load(t)
	logs["nonsense"] = eventtest.All()
	for _, log := range logs {
		for _, form := range forms {
			for line := range strings.Lines(stream(log, form.capabilities)) {
				validate(t, r, []byte(line))
			}
		}
	}
	p := peer("")
	for _, f := range [][]wire.Frame{
		cogency.Dialect.Error(p, nil, command.Faultf(command.Internal, "x")),
		cogency.Dialect.Answer(p, transcript.New(), command.Result{Fault: command.Faultf(command.Busy, "a \"run\" is open")}),
		cogency.Dialect.Decode(p, nil, []byte("hello")).Replies,
	} {
		if len(f) != 1 {
			t.Errorf("%d frames", len(f))
		}
		for _, frame := range f {
			validate(t, r, frame)
		}
	}
	for _, bad := range []string{`{"type":"user","timestamp":1.0}`, `{"type":"end","content":"x","timestamp":1.0}`, `{"type":"intent","content":"x","timestamp":1.0}`, `{"type":"metric","total":{"input":1,"output":2},"timestamp":1.0}`} {
		var v any
		if err := json.Unmarshal([]byte(bad), &v); err != nil {
			t.Fatal(err)
		}
		if r.Validate(v) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

// The published schema is the one of the code.
func TestSchemaFile(t *testing.T) {
	s, err := cogency.Schema()
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const file = "../../../docs/cogency.schema.json"
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

// Every member that the schema names is written by some scenario.
func TestEveryMemberIsFed(t *testing.T) {
	fed := make(map[string]bool)
	for _, log := range load(t) {
		for line := range strings.Lines(stream(log, "token")) {
			var v map[string]any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			note(fed, v["type"].(string), v)
		}
	}
	s, err := cogency.Schema()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, variant := range s.OneOf {
		for _, path := range paths((*variant.Properties["type"].Const).(string), variant) {
			n++
			if !fed[path] {
				t.Errorf("nothing writes %s", path)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d members", n)
	}
}

func note(fed map[string]bool, prefix string, v map[string]any) {
	for key, value := range v {
		fed[prefix+"."+key] = true
		if inner, ok := value.(map[string]any); ok {
			note(fed, prefix+"."+key, inner)
		}
	}
}

func paths(prefix string, s *jsonschema.Schema) []string {
	var out []string
	for name, p := range s.Properties {
		out = append(out, prefix+"."+name)
		out = append(out, paths(prefix+"."+name, p)...)
	}
	return out
}

// A client that joins in the middle of a run gets the piece that is open, and
// then what everybody gets.
func TestLateClientGetsOpenPiece(t *testing.T) {
	log := load(t)["markdown"]
	for cut := range log {
		s := transcript.New()
		for _, e := range log[:cut] {
			s.Apply(e)
		}
		var late strings.Builder
		for _, f := range cogency.Dialect.Attach(peer("token"), s.Clone()) {
			late.Write(append(f, '\n'))
		}
		for _, e := range log[cut:] {
			for _, f := range cogency.Dialect.Frames(peer("token"), s, e) {
				late.Write(append(f, '\n'))
			}
		}
		if got, want := replies(t, late.String()), replies(t, stream(log, "token")); got != want && !strings.HasSuffix(want, got) {
			t.Errorf("after %d events: %q", cut, got)
		} else if s := openText(log[:cut]); s != "" && got != want {
			t.Errorf("after %d events the open piece is lost: %q", cut, got)
		}
	}
}

func replies(t *testing.T, stream string) string {
	t.Helper()
	var out string
	for line := range strings.Lines(stream) {
		var e cogency.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "respond" {
			out += *e.Content
		}
	}
	return out
}

func openText(log []event.Event) string {
	s := transcript.New()
	for _, e := range log {
		s.Apply(e)
	}
	if s.Step == nil || s.Step.Response == nil || s.Step.Response.Block == nil {
		return ""
	}
	return s.Step.Response.Block.Text.String()
}
