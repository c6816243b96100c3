package klaude_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
	"parley/internal/wire"
	"parley/internal/wire/klaude"
	"parley/test/need"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var peer = wire.Peer{ID: "c9", Ready: true, Class: wire.Class{Dialect: "klaude"}}

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

// stream is a whole log as parley replay prints it, with the end of the stream.
func stream(log []event.Event) (*transcript.State, []wire.Frame) {
	s := transcript.New()
	var out []wire.Frame
	for _, e := range log {
		out = append(out, klaude.Dialect.Frames(peer, s, e)...)
	}
	return s, append(out, klaude.Dialect.Detach(peer, s)...)
}

func golden(t *testing.T, file string, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
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

func text(frames []wire.Frame) string {
	return string(bytes.Join(frames, []byte("\n"))) + "\n"
}

// Every scenario gives the stream of its golden file, from its first event and
// to a client that joins when it is over.
func TestStreamOfScenarios(t *testing.T) {
	for name, log := range load(t) {
		s, frames := stream(log)
		golden(t, filepath.Join("testdata", name+".jsonl"), text(frames))
		golden(t, filepath.Join("testdata", "attach", name+".jsonl"), text(klaude.Dialect.Attach(peer, s)))
	}
}

type line struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

func parse(t *testing.T, frame []byte) (line, map[string]any) {
	t.Helper()
	var l line
	if err := json.Unmarshal(frame, &l); err != nil {
		t.Fatalf("%s: %v", frame, err)
	}
	data := make(map[string]any)
	if err := json.Unmarshal(l.Data, &data); err != nil {
		t.Fatalf("%s: %v", frame, err)
	}
	return l, data
}

// all are the frames of every situation: each scenario, each point at which a
// client could join it, a log that makes no sense, and what is said to clients.
func all(t *testing.T) []wire.Frame {
	t.Helper()
	logs := load(t)
	logs["nonsense"] = eventtest.All()
	var out []wire.Frame
	for _, log := range logs {
		_, frames := stream(log)
		out = append(out, frames...)
		s := transcript.New()
		for _, e := range log {
			s.Apply(e)
			out = append(out, klaude.Dialect.Attach(peer, s)...)
		}
	}
	out = append(out, klaude.Dialect.Error(peer, nil, command.Faultf(command.Internal, "broken"))...)
	out = append(out, klaude.Dialect.Answer(peer, transcript.New(), command.Result{Fault: &command.Fault{Code: command.Busy, Message: "later", Retry: 1}})...)
	out = append(out, klaude.Dialect.Decode(peer, nil, []byte("hello")).Replies...)
	return append(out, klaude.Dialect.Detach(peer, nil)...)
}

// Every line is valid by the schema, and so is every event of a replayed
// history. The schema refuses what is not written.
func TestSchema(t *testing.T) {
	need.Time(t)
	s, err := klaude.Schema()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]int)
	for _, frame := range all(t) {
		var v any
		if err := json.Unmarshal(frame, &v); err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		if err := r.Validate(v); err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		seen[v.(map[string]any)["type"].(string)]++
	}
	for _, variant := range s.OneOf {
		if name := (*variant.Properties["type"].Const).(string); seen[name] == 0 {
			t.Errorf("%s was never written", name)
		}
	}
	if len(s.OneOf) != 26 {
		t.Errorf("%d classes", len(s.OneOf))
	}
	for _, bad := range []string{
		`{"type":"TurnStartEvent","data":{"session_id":"s"}}`,
		`{"type":"EndEvent","data":{"session_id":"s","timestamp":1.0}}`,
		`{"type":"ToolResultEvent","data":{"session_id":"s","timestamp":1.0,"response_id":null,"tool_call_id":"c","tool_name":"t","result":"","ui_extra":null,"status":"aborted","task_metadata":null,"is_last_in_turn":true}}`,
		`{"type":"ReplayHistoryEvent","data":{"session_id":"s","timestamp":1.0,"events":[{"session_id":"s","timestamp":1.0}],"updated_at":1.0,"is_load":true}}`,
		`{"type":"LaterEvent","data":{}}`,
	} {
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
	s, err := klaude.Schema()
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../../../docs/klaude.schema.json", string(got)+"\n")
}

// Each field is fed by the scenarios, or it is in Unknown; not both.
func TestEveryFieldIsFed(t *testing.T) {
	fed := make(map[string]bool)
	for _, frame := range all(t) {
		l, data := parse(t, frame)
		note(fed, l.Type, data)
	}
	s, err := klaude.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var unfed []string
	for name, class := range s.Defs {
		for _, path := range paths(name, class) {
			if !fed[path] {
				unfed = append(unfed, path)
			}
		}
	}
	slices.Sort(unfed)
	want := slices.Sorted(slices.Values(klaude.Unknown))
	if d := cmp.Diff(want, unfed); d != "" {
		t.Errorf("Unknown is not what nothing feeds (-Unknown +unfed):\n%s", d)
	}
}

// note marks the paths that hold something: not null, empty, zero or false.
func note(fed map[string]bool, prefix string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			path := prefix + "." + key
			switch value {
			case nil, "", 0.0, false:
				continue
			}
			if list, ok := value.([]any); ok && len(list) == 0 {
				continue
			}
			fed[path] = true
			if key != "events" {
				note(fed, path, value)
			}
		}
	case []any:
		for _, value := range v {
			note(fed, prefix, value)
		}
	}
}

func paths(prefix string, s *jsonschema.Schema) []string {
	var out []string
	for name, p := range s.Properties {
		path := prefix + "." + name
		out = append(out, path)
		inner := p
		if p.Items != nil {
			inner = p.Items
		}
		if name != "task_metadata" && name != "sub_agent_task_metadata" {
			out = append(out, paths(path, inner)...)
		}
	}
	return out
}

// The streams keep the order that the document demands: Start, Delta, End never
// nested and always closed, ToolCallStart outside, one ResponseComplete after
// the ends with the text of the deltas, none for a response that was cut.
func TestStreamOrder(t *testing.T) {
	for name, log := range load(t) {
		t.Run(name, func(t *testing.T) {
			_, frames := stream(log)
			type response struct {
				open           string
				text, thinking string
				complete       int
			}
			responses := make(map[string]*response)
			for i, frame := range frames {
				l, data := parse(t, frame)
				id, _ := data["response_id"].(string)
				key := fmt.Sprint(data["session_id"], " ", id)
				r := responses[key]
				if r == nil {
					r = &response{}
					responses[key] = r
				}
				content, _ := data["content"].(string)
				switch l.Type {
				case "ThinkingStartEvent", "AssistantTextStartEvent":
					if r.open != "" || r.complete > 0 {
						t.Errorf("line %d: %s inside %q", i, l.Type, r.open)
					}
					r.open = strings.TrimSuffix(l.Type, "StartEvent")
				case "ThinkingDeltaEvent":
					r.thinking += content
				case "AssistantTextDeltaEvent":
					r.text += content
				case "ThinkingEndEvent", "AssistantTextEndEvent":
					if r.open+"EndEvent" != l.Type {
						t.Errorf("line %d: %s after %q", i, l.Type, r.open)
					}
					r.open = ""
				case "ToolCallStartEvent":
					if r.open != "" {
						t.Errorf("line %d: a tool call inside %q", i, r.open)
					}
				case "ResponseCompleteEvent":
					r.complete++
					thinking, _ := data["thinking_text"].(string)
					if content != r.text || thinking != r.thinking || r.open != "" {
						t.Errorf("line %d: %q and %q, the deltas said %q and %q", i, content, thinking, r.text, r.thinking)
					}
				}
				if strings.HasSuffix(l.Type, "DeltaEvent") && l.Type != "AssistantImageDeltaEvent" && r.open+"DeltaEvent" != l.Type {
					t.Errorf("line %d: %s in %q", i, l.Type, r.open)
				}
			}
			for key, r := range responses {
				if r.open != "" || r.complete > 1 || r.complete > 0 && strings.HasSuffix(key, " ") {
					t.Errorf("%s: %q is open, %d complete", key, r.open, r.complete)
				}
			}
			if strings.HasPrefix(name, "interrupt-") && name != "interrupt-tool" && name != "interrupt-agent" && strings.Contains(text(frames), "ResponseCompleteEvent") {
				t.Error("a response that was cut is complete")
			}
		})
	}
}

// A client that joins at any point gets a history first if there is a past, the
// welcome, and then, open pieces included, all the text that is said from there.
func TestLateClientGetsHistoryAndOpenPieces(t *testing.T) {
	for name, log := range load(t) {
		s := transcript.New()
		for cut, e := range log {
			s.Apply(e)
			frames := klaude.Dialect.Attach(peer, s.Clone())
			if len(frames) == 0 {
				t.Fatalf("%s: nothing after %d events", name, cut+1)
			}
			first, data := parse(t, frames[0])
			past := slices.DeleteFunc(s.Path(s.Leaf), func(n *transcript.Entry) bool { return s.Turn != nil && n.ID == s.Turn.Entry })
			if (len(past) > 0) != (first.Type == "ReplayHistoryEvent") {
				t.Errorf("%s: after %d events the first line is %s", name, cut+1, first.Type)
			}
			if first.Type == "ReplayHistoryEvent" {
				for _, inner := range data["events"].([]any) {
					if m := inner.(map[string]any); m["type"] == nil || m["data"] == nil {
						t.Errorf("%s: an event without its type: %v", name, m)
					}
				}
			}
			if b := openBlock(s); b != nil && b.Role == event.RoleText && !strings.Contains(text(frames), `"content":`+quoted(b.Text.String())) {
				t.Errorf("%s: the open text is missing after %d events: %s", name, cut+1, text(frames))
			}
		}
	}
}

func openBlock(s *transcript.State) *transcript.OpenBlock {
	if s.Step == nil || s.Step.Response == nil || s.Step.Response.Block == nil || s.Step.Response.Block.Text.Len() == 0 {
		return nil
	}
	return s.Step.Response.Block
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// The context's fill is in percent of what is left beside an answer, and of all
// of a context that is smaller than that.
func TestContextPercent(t *testing.T) {
	for _, c := range []struct {
		used, limit int
		want        string
	}{{48000, 128000, `"context_percent":50}`}, {4000, 8000, `"context_percent":50}`}, {4000, 0, ""}} {
		s := transcript.New()
		e := event.Event{Session: "sess-a", Body: event.UsageChanged{ContextUsed: c.used, ContextLimit: c.limit}}
		got := text(klaude.Dialect.Frames(peer, s, e))
		if c.want == "" && strings.Contains(got, "ContextUsageEvent") || !strings.Contains(got, c.want) {
			t.Errorf("%d of %d: %s", c.used, c.limit, got)
		}
	}
}

// A line has the shape of the document, with the null values and without blanks.
func TestLineShape(t *testing.T) {
	_, frames := stream(load(t)["answer"])
	if got, want := string(frames[1]), `{"type":"TaskStartEvent","data":{"session_id":"sess-01k0aaaaaaaaaaaaaaaaaaaaaa","timestamp":1795251600.12,"sub_agent_state":null}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if last := string(frames[len(frames)-1]); !strings.HasPrefix(last, `{"type":"EndEvent","data":{"session_id":"__app__","timestamp":`) {
		t.Errorf("the last line is %s", last)
	}
}
