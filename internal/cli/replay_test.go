package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/test/need"
)

// plays are runs of the scripted model, each a way in which a run can go.
var plays = []struct {
	name, script string
	code         int
	args         []string
}{
	{"answer", `
{"think":"They greet me.","chunk":2}
{"text":"# Hello\n\nSome **bold** text, a list:\n\n- one\n- two\n\n` + "```go\\nfunc main() {}\\n```" + `\n\nand the end.","chunk":3}
{"stop":""}`, 0, nil},
	{"calls", `
{"text":"I look."}
{"call":{"id":"c1","name":"read","arguments":{"path":"note.txt"}}}
{"call":{"id":"c2","name":"read","arguments":{"path":"missing.txt"}}}
{"call":{"id":"c3","name":"bash","arguments":{"command":"echo out; echo err >&2; exit 3"}}}
{"stop":""}
{"call":{"id":"c4","name":"write","arguments":{"path":"new.txt","content":"new\n"}}}
{"stop":""}
{"text":"Done.","chunk":1}
{"stop":""}`, 0, []string{"--allow", "bash", "--allow", "edit(**)"}},
	{"denied", `
{"call":{"id":"c1","name":"bash","arguments":{"command":"rm -rf /tmp/x"}}}
{"stop":""}
{"text":"Then not."}
{"stop":""}`, 3, nil},
	{"picture", `
{"text":"Here:"}
{"image":{"media_type":"image/gif","data":"R0lGODlhAQABAAAAACwAAAAAAQABAAA="}}
{"text":"A dot."}
{"stop":""}`, 0, nil},
	{"cut", `
{"text":"The first ha","chunk":4}
{"fail":{"cut":true}}
{"text":"lf and the second.","chunk":4}
{"stop":""}`, 0, nil},
	{"fails in the answer", `
{"think":"Hm.","chunk":1}
{"text":"It begins","chunk":1}
{"fail":{"malformed":true}}`, 1, nil},
	{"limit", `
{"order":"count"}
{"call":{"name":"ls","arguments":{"path":"."}}}
{"stop":""}
{"call":{"name":"ls","arguments":{"path":"."}}}
{"stop":""}
{"call":{"name":"ls","arguments":{"path":"."}}}
{"stop":""}
{"call":{"name":"ls","arguments":{"path":"."}}}
{"stop":""}
{"call":{"name":"ls","arguments":{"path":"."}}}
{"stop":""}`, 1, nil},
	{"agents", `
{"when":"ask two"}
{"text":"I ask two.","chunk":2}
{"call":{"id":"t1","name":"task","arguments":{"description":"the count","prompt":"count them"}}}
{"call":{"id":"t2","name":"task","arguments":{"description":"the look","prompt":"look around","profile":"research"}}}
{"stop":""}
{"when":"count them"}
{"think":"**Counting**\n\none, two"}
{"call":{"id":"r1","name":"read","arguments":{"path":"note.txt"}}}
{"stop":""}
{"when":"a note"}
{"text":"There are two.","chunk":1,"rate":300}
{"stop":""}
{"when":"look around"}
{"text":"Nothing to see.","chunk":1,"rate":300}
{"stop":""}
{"when":"There are two."}
{"text":"Both answered."}
{"stop":""}`, 0, []string{"--allow", "task"}},
}

// Replay prints what live printed: each run's output, in each format, comes
// again from the log that is kept, though that has lost the pieces in which the
// text came. Pieces are compared as the whole that they make, at their end.
func TestReplayIsLive(t *testing.T) {
	need.Time(t)
	h := newHome(t)
	if _, err := h.Write("note.txt", "a note\n"); err != nil {
		t.Fatal(err)
	}
	for _, play := range plays {
		if _, err := h.Write("play.ndjson", play.script+"\n"); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"plain", "klaude", "cogency", "cogency-token"} {
			t.Run(play.name+"/"+format, func(t *testing.T) {
				live := h.run(append([]string{"run", "--format", format, "--model", "script/play.ndjson", "ask two"}, play.args...)...)
				if live.Code != play.code {
					t.Fatal(live)
				}
				again := h.run("replay", "last", "--format", format)
				if again.Code != 0 {
					t.Fatal(again)
				}
				whole := wholes[format]
				if whole == nil {
					whole = func(text string) []string { return strings.Split(text, "\n") }
				}
				if d := cmp.Diff(whole(live.Out), whole(again.Out)); d != "" || live.Out == "" {
					t.Errorf("-live +replay:\n%s", d)
				}
			})
		}
	}
}

// wholes put the pieces of a text together, by format.
var wholes = map[string]func(string) []string{
	"klaude": func(text string) []string {
		return joined(text, func(kind string, data map[string]any) (piece, whole string) {
			of := fmt.Sprint(data["session_id"], " ", data["response_id"], " ")
			if name, ok := strings.CutSuffix(kind, "DeltaEvent"); ok && name != "AssistantImage" {
				return of + name, ""
			}
			if name, ok := strings.CutSuffix(kind, "EndEvent"); ok {
				return "", of + name
			}
			return "", ""
		})
	},
	"cogency-token": func(text string) []string {
		var out []string
		last := ""
		for line := range strings.Lines(text) {
			var e struct{ Type, Content string }
			if json.Unmarshal([]byte(line), &e) != nil || e.Type != "think" && e.Type != "respond" {
				out, last = append(out, line), ""
				continue
			}
			if e.Type != last {
				out, last = append(out, e.Type+" "), e.Type
			}
			out[len(out)-1] += e.Content
		}
		return out
	},
}

// joined drops the lines that are pieces and gives their contents to the line
// that ends them.
func joined(text string, of func(kind string, data map[string]any) (piece, whole string)) []string {
	var out []string
	texts := make(map[string]string)
	for line := range strings.Lines(text) {
		var e struct {
			Type string
			Data map[string]any
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return append(out, "not JSON: "+line)
		}
		piece, whole := of(e.Type, e.Data)
		if piece != "" {
			texts[piece] += e.Data["content"].(string)
			continue
		}
		if said, ok := texts[whole]; ok {
			line += said
			delete(texts, whole)
		}
		out = append(out, line)
	}
	for key, said := range texts {
		out = append(out, "never ended: "+key+" "+said)
	}
	return out
}

// A client that comes to a session with a past gets it in one ReplayHistoryEvent
// whose events carry their types; EndEvent is the last line of every stream.
func TestKlaudeHistory(t *testing.T) {
	h := newHome(t)
	if _, err := h.Write("play.ndjson", `{"text":"One.","chunk":1}
{"stop":""}
{"text":"Two.","chunk":1}
{"stop":""}
`); err != nil {
		t.Fatal(err)
	}
	if r := h.run("run", "--model", "script/play.ndjson", "first"); r.Code != 0 {
		t.Fatal(r)
	}
	inner := []string{"TaskStartEvent", "UserMessageEvent", "TurnStartEvent", "ResponseCompleteEvent", "TurnEndEvent", "TaskFinishEvent"}
	run := []string{"WelcomeEvent", "TaskStartEvent", "UserMessageEvent", "TurnStartEvent", "AssistantTextStartEvent", "AssistantTextEndEvent",
		"ResponseCompleteEvent", "UsageEvent", "ContextUsageEvent", "TurnEndEvent", "TaskMetadataEvent", "TaskFinishEvent", "EndEvent"}
	for _, c := range []struct {
		args        []string
		inner, want []string
	}{
		{[]string{"attach", "last", "--until-idle", "--format", "klaude"}, inner, []string{"ReplayHistoryEvent", "WelcomeEvent", "ContextUsageEvent", "EndEvent"}},
		{[]string{"run", "--session", "last", "--model", "script/play.ndjson", "--format", "klaude", "second"}, inner, append([]string{"ReplayHistoryEvent", "WelcomeEvent", "ContextUsageEvent"}, run[1:]...)},
		{[]string{"attach", "last", "--until-idle", "--format", "klaude"}, append(inner[:6:6], inner...), []string{"ReplayHistoryEvent", "WelcomeEvent", "ContextUsageEvent", "EndEvent"}},
	} {
		r := h.run(c.args...)
		var got, past []string
		for line := range strings.Lines(r.Out) {
			var e struct {
				Type string
				Data struct{ Events []struct{ Type string } }
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if e.Type == "AssistantTextDeltaEvent" {
				continue
			}
			got = append(got, e.Type)
			for _, inside := range e.Data.Events {
				past = append(past, inside.Type)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v (-want +got):\n%s", c.args, d)
		}
		if d := cmp.Diff(c.inner, past); d != "" {
			t.Errorf("%v, the past (-want +got):\n%s", c.args, d)
		}
	}
}
