package nous_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/journal"
	"parley/internal/journal/memory"
)

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

// text answers a prompt that holds some text.
func text(when, say string) string {
	return fmt.Sprintf(`{"when":%q,"in":"new"}`+"\n"+`{"text":%q}`+"\n"+`{"stop":"","usage":{"input":3,"output":2}}`+"\n", when, say)
}

// gated answers a prompt that holds some text with calls, of which the first
// waits at the gate.
func gated(when string, more ...string) string {
	out := fmt.Sprintf(`{"when":%q,"in":"new"}`+"\n"+`{"text":"Going."}`+"\n"+`{"call":{"id":"g-%s","name":"gate","arguments":{}}}`+"\n", when, when)
	for i, name := range more {
		out += fmt.Sprintf(`{"call":{"id":"m%d-%s","name":%q,"arguments":{}}}`+"\n", i, when, name)
	}
	return out + `{"stop":"","usage":{"input":3,"output":2}}` + "\n"
}

// 1 and 2: a prompt that does not wait, and all of its run as events.
func TestAsyncPrompt(t *testing.T) {
	d := start(t, `{"when":"look","in":"new"}
{"think":"hm"}
{"text":"Let me see.","chunk":6}
{"call":{"id":"call_1","name":"glob","arguments":{"pattern":"*.txt"}}}
{"call":{"id":"call_2","name":"read","arguments":{"path":"gone.txt"}}}
{"call":{"id":"call_3","name":"sing","arguments":{}}}
{"stop":"","usage":{"input":20,"output":5}}
{"when":"a.txt","in":"new"}
{"text":"One file."}
{"stop":"","usage":{"input":40,"output":4}}
`)
	if err := os.WriteFile(filepath.Join(d.dir, "a.txt"), []byte("alpha\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	events := d.dial(".events")
	accepted := d.ask("prompt", `{"text":"look around","wait":false}`)
	if accepted["run_id"] != "run-1" || accepted["leaf_id"] != nil || !strings.HasPrefix(accepted["session_id"].(string), "sess-") {
		t.Errorf("%v", accepted)
	}
	got := events.eventsOf("run-1")
	want := lines(`
agent_start run-1
turn_start 1
message_start user
message_end
message_start assistant
message_update Let me see.
tool_execution_start find
tool_execution_update find a.txt
tool_execution_end find
message_update a.txt
tool_execution_start read
warning tool_execution_error …
tool_execution_end read
message_update tool_error: …
tool_execution_start sing
warning tool_not_found tool_not_found: sing
tool_execution_end sing
message_update tool_error: tool_not_found: sing
status provider_stop_reason: tool_use
status provider_usage: input=20 output=5 total=25
status await_next: continue_with_tool_results
message_update One file.
status provider_usage: input=40 output=4 total=44
message_end
turn_end 1
agent_end run-1`)
	for i, l := range got {
		got[i] = strings.TrimRight(l, "\n")
		for _, free := range []string{"warning tool_execution_error ", "message_update tool_error: "} {
			if strings.HasPrefix(l, free) && !strings.Contains(l, "tool_not_found") {
				got[i] = free + "…"
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	p := d.ask("get_messages", `{}`)
	m := p["messages"].([]any)
	last := m[len(m)-1].(map[string]any)
	if len(m) != 2 || !strings.HasPrefix(last["text"].(string), "Let me see.a.txt") || !strings.HasSuffix(last["text"].(string), "One file.") || last["run_id"] != "run-1" {
		t.Errorf("%v", m)
	}
}

// 3: a steer at the gate skips the rest of the step, and its turn comes before
// that of the follow-up; abort closes what is open.
func TestSteerFollowUpAndAbort(t *testing.T) {
	d := start(t, gated("work", "ls", "ls")+text("leave it", "Left.")+text("and then", "Then.")+gated("again"))
	events := d.dial(".events")
	d.ask("prompt", `{"text":"work","wait":false}`)
	events.until("tool_execution_start gate")
	for kind, payload := range map[string]string{"steer": `{"text":"leave it"}`, "follow_up": `{"text":"and then"}`} {
		if p := d.ask(kind, payload); p["run_id"] != "run-1" || p["command"] != kind {
			t.Errorf("%v", p)
		}
	}
	if p := d.ask("get_state", `{}`); fmt.Sprint(p["run_state"], p["run_id"], p["pending_counts"]) != "runningrun-1map[follow_up:1 steer:1]" {
		t.Errorf("%v", p)
	}
	<-d.gate
	got := events.eventsOf("run-1")
	want := lines(`
tool_execution_update gate through the gate
tool_execution_end gate
message_update through the gate
tool_execution_start ls
warning tool_execution_skipped Skipped due to queued user message.
tool_execution_update ls tool_error: Skipped due to queued user message.
tool_execution_end ls
message_update tool_error: Skipped due to queued user message.
tool_execution_start ls
warning tool_execution_skipped Skipped due to queued user message.
tool_execution_update ls tool_error: Skipped due to queued user message.
tool_execution_end ls
message_update tool_error: Skipped due to queued user message.
status provider_stop_reason: tool_use
status provider_usage: input=3 output=2 total=5
message_end
turn_end 1
turn_start 2
message_start user
message_end
message_start assistant
message_update Left.
status provider_usage: input=3 output=2 total=5
message_end
turn_end 2
turn_start 3
message_start user
message_end
message_start assistant
message_update Then.
status provider_usage: input=3 output=2 total=5
message_end
turn_end 3
agent_end run-1`)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	d.ask("prompt", `{"text":"again","wait":false}`)
	events.until("tool_execution_start gate")
	d.ask("abort", `{}`)
	if m := d.try("abort", `{}`); m["ok"] == true && d.ask("get_state", `{}`)["run_state"] == "running" {
		t.Errorf("%v", m)
	}
	got = events.eventsOf("run-2")
	if tail := strings.Join(got[len(got)-4:], "|"); tail != "warning provider_aborted request_aborted|message_end|turn_end 1|agent_end run-2" {
		t.Errorf("%v", got)
	}
	if m := d.try("steer", `{"text":"late"}`); fmt.Sprint(m["error"]) != "map[code:command_rejected message:no_active_run]" {
		t.Errorf("%v", m)
	}
}

// 4: modes hold before there is a session, and for every session after.
func TestModesHoldForEverySession(t *testing.T) {
	d := start(t, gated("work")+text("one\ntwo", "Both."))
	d.ask("set_steering_mode", `{"mode":"all"}`)
	if p := d.ask("get_state", `{}`); p["steering_mode"] != "all" || p["follow_up_mode"] != "one-at-a-time" || p["session_id"] != "" {
		t.Errorf("%v", p)
	}
	events := d.dial(".events")
	d.ask("prompt", `{"text":"work","wait":false}`)
	events.until("tool_execution_start gate")
	d.ask("steer", `{"text":"one"}`)
	d.ask("steer", `{"text":"two"}`)
	<-d.gate
	got := strings.Join(events.eventsOf("run-1"), "|")
	if !strings.Contains(got, "turn_start 2|message_start user|message_end|message_start assistant|message_update Both.") || strings.Contains(got, "turn_start 3") {
		t.Errorf("%v", got)
	}
	d.ask("new_session", `{}`)
	if p := d.ask("get_state", `{}`); p["steering_mode"] != "all" {
		t.Errorf("%v", p)
	}
}

// 5: new, switch and branch keep their contexts apart; the model sees what was
// said before in the session, and only that.
func TestSessionsKeepContextsApart(t *testing.T) {
	d := start(t, text("first", "One.")+text("second", "Two.")+text("third", "Three."))
	sync := func(prompt string) map[string]any { return d.ask("prompt", fmt.Sprintf(`{"text":%q}`, prompt)) }
	a := sync("first")
	if a["output"] != "One." || len(a["events"].([]any)) != 10 {
		t.Errorf("%v", a)
	}
	b := d.ask("branch_session", fmt.Sprintf(`{"session_id":%q}`, a["session_id"]))
	if b["parent_id"] != a["session_id"] || b["active"] != true {
		t.Errorf("%v", b)
	}
	sync("second")
	if m := d.ask("get_messages", `{}`); len(m["messages"].([]any)) != 4 || m["session_id"] != b["session_id"] {
		t.Errorf("%v", m)
	}
	d.ask("switch_session", fmt.Sprintf(`{"session_id":%q}`, a["session_id"]))
	if m := d.ask("get_messages", `{}`); len(m["messages"].([]any)) != 2 || m["session_id"] != a["session_id"] {
		t.Errorf("%v", m)
	}
	tree := d.ask("get_tree", `{}`)
	root := tree["nodes"].([]any)[0].(map[string]any)["id"]
	d.ask("set_leaf", fmt.Sprintf(`{"leaf_id":%q}`, root))
	if m := d.ask("get_messages", `{}`); len(m["messages"].([]any)) != 1 || m["leaf_id"] != root {
		t.Errorf("%v", m)
	}
	n := d.ask("new_session", `{}`)
	third := sync("third")
	if third["session_id"] != n["session_id"] || third["leaf_id"] != nil {
		t.Errorf("%v", third)
	}
	for _, id := range []string{"sess-none", "../sessions/x", "last", string([]byte(a["session_id"].(string))[:12])} {
		if m := d.try("switch_session", fmt.Sprintf(`{"session_id":%q}`, id)); m["error"].(map[string]any)["code"] != "session_not_found" {
			t.Errorf("%s: %v", id, m)
		}
	}
	if m := d.try("set_leaf", `{"leaf_id":"nope"}`); fmt.Sprint(m["error"]) != "map[code:command_rejected message:leaf_not_found]" {
		t.Errorf("%v", m)
	}
}

// 6: a client that comes back recovers state and history, and in a run gets that
// run from its start; the active session survives the daemon.
func TestReconnectRecoversStateAndHistory(t *testing.T) {
	d := start(t, text("first", "One.")+gated("work"))
	d.ask("prompt", `{"text":"first"}`)
	d.dial(".events").c.Close()
	d.ask("prompt", `{"text":"work","wait":false}`)
	first := d.dial(".events")
	first.until("tool_execution_start gate")
	first.c.Close()
	late := d.dial(".events")
	state := d.ask("get_state", `{}`)
	if state["run_state"] != "running" || state["run_id"] != "run-2" {
		t.Errorf("%v", state)
	}
	if m := d.ask("get_messages", `{}`)["messages"].([]any); len(m) < 2 || m[1].(map[string]any)["text"] != "One." {
		t.Errorf("%v", m)
	}
	late.until("tool_execution_start gate")
	<-d.gate
	got := late.eventsOf("run-2")
	if got[0] != "tool_execution_update gate through the gate" {
		t.Errorf("%v", got)
	}
}

// The active session and its leaf survive the daemon; run numbers begin anew.
func TestActiveSessionSurvivesRestart(t *testing.T) {
	d := start(t, text("first", "One.")+text("second", "Two."))
	d.ask("set_follow_up_mode", `{"mode":"all"}`)
	session := d.ask("prompt", `{"text":"first"}`)["session_id"]
	d.ask("set_leaf", fmt.Sprintf(`{"leaf_id":%q}`, d.ask("get_messages", `{}`)["messages"].([]any)[0].(map[string]any)["id"]))
	d.stop()
	d = startOn(t, d.store, forNobody, text("first", "One.")+text("second", "Two."))
	if p := d.ask("get_state", `{}`); p["session_id"] != session || p["run_state"] != "idle" || p["follow_up_mode"] != "all" {
		t.Errorf("%v", p)
	}
	if m := d.ask("get_messages", `{}`)["messages"].([]any); len(m) != 1 {
		t.Errorf("%v", m)
	}
	if p := d.ask("prompt", `{"text":"second","wait":false}`); p["run_id"] != "run-1" || p["session_id"] != session {
		t.Errorf("%v", p)
	}
}

// Tools can be switched off by their names here; those without one stay.
func TestActiveTools(t *testing.T) {
	d := start(t, `{"when":"use","in":"new"}
{"call":{"id":"a","name":"ls","arguments":{}}}
{"call":{"id":"b","name":"glob","arguments":{"pattern":"*"}}}
{"stop":""}
`+text("tool_not_active", "So."))
	if p := d.ask("set_active_tools", `{"tools":["read","find","find"]}`); p["count"] != 3.0 {
		t.Errorf("%v", p)
	}
	events := d.dial(".events")
	d.ask("prompt", `{"text":"use","wait":false}`)
	got := strings.Join(events.eventsOf("run-1"), "|")
	if !strings.Contains(got, "warning tool_not_active tool_not_active: ls|") || strings.Contains(got, "not_active: find") {
		t.Errorf("%v", got)
	}
}

// Extensions answer by their own words.
func TestExtensionAnswers(t *testing.T) {
	d := start(t, text("hello", "Hi."))
	if p := d.ask("extension_command", `{"name":"echo","payload":{"text":"hi"}}`); p["echo"] != "hi" {
		t.Errorf("%v", p)
	}
	if m := d.try("extension_command", `{"name":"nope"}`); fmt.Sprint(m["error"]) != "map[code:command_rejected message:extension_command_not_found: nope]" {
		t.Errorf("%v", m)
	}
}

// The clients prompt first and then connect to the events: a hundred times in a
// row nothing of the run is missing, beside a subscriber who is always there.
func TestConnectAfterPrompt(t *testing.T) {
	d := startOn(t, memory.New(journal.Options{}), forClient, text("hello", "Hi."))
	always := d.dial(".events")
	var want []string
	for n := 1; n <= 100; n++ {
		run := fmt.Sprintf("run-%d", n)
		if p := d.ask("prompt", `{"text":"hello","wait":false}`); p["run_id"] != run {
			t.Fatalf("%v", p)
		}
		c := d.dial(".events")
		got := c.eventsOf(run)
		c.c.Close()
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], run, "run")
		}
		if want == nil {
			want = got
		}
		if d := cmp.Diff(want, got); d != "" || len(got) != 10 {
			t.Fatalf("run %d, %d events: %s", n, len(got), d)
		}
		if got := always.eventsOf(run); len(got) != 10 {
			t.Fatalf("the other one: %v", got)
		}
	}
}

// Whoever has read agent_end finds the daemon idle, and may prompt at once.
func TestIdleAfterEnd(t *testing.T) {
	d := start(t, text("hello", "Hi."))
	events := d.dial(".events")
	for n := 1; n <= 10; n++ {
		d.ask("prompt", `{"text":"hello","wait":false}`)
		events.eventsOf(fmt.Sprintf("run-%d", n))
		if p := d.ask("get_state", `{}`); p["run_state"] != "idle" || p["run_id"] != "" {
			t.Fatalf("after run %d: %v", n, p)
		}
	}
}

// Prompts of many clients at once all run, one after the other in one session.
func TestManyPrompts(t *testing.T) {
	d := start(t, text("hello", "Hi."))
	events := d.dial(".events")
	d.ask("prompt", `{"text":"hello","wait":false}`)
	events.eventsOf("run-1")
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			if i%2 == 0 {
				d.ask("prompt", `{"text":"hello","wait":false}`)
			} else if p := d.ask("prompt", `{"text":"hello"}`); p["output"] != "Hi." || len(p["events"].([]any)) != 10 {
				t.Errorf("%v", p)
			}
		})
	}
	group.Wait()
	for n := 2; n <= 11; n++ {
		if got := events.eventsOf(fmt.Sprintf("run-%d", n)); len(got) != 10 {
			t.Errorf("%v", got)
		}
	}
	if m := d.ask("get_messages", `{}`)["messages"].([]any); len(m) != 22 {
		t.Errorf("%d messages", len(m))
	}
}

// Lines are answered in order also when they come all at once, with CR, a broken
// one and one over the limit among them, and after a half-close.
func TestPipelinedLinesAreAnsweredInOrder(t *testing.T) {
	d := start(t, text("hello", "Hi."))
	c := d.dial("")
	for _, l := range []string{`{"id":"1","type":"ping"}` + "\r\n", "nonsense\n", `{"id":"2","type":"prompt","payload":{"text":"hello"}}` + "\n", strings.Repeat("x", 2<<20) + "\n", `{"id":"3","type":"ping"}` + "\n", `{"id":"4","type":"ping"}`} {
		if _, err := c.c.Write([]byte(l)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 5 {
		m := c.line()
		got = append(got, fmt.Sprint(m["id"], " ", m["type"]))
	}
	if d := cmp.Diff([]string{"1 pong", " error", "2 result", " error", "3 pong"}, got); d != "" {
		t.Error(d)
	}
	if _, err := c.r.ReadByte(); err == nil {
		t.Error("a last line without LF was answered")
	}
}

// The daemon leaves at once, whatever its clients do.
func TestDaemonLeavesAtOnce(t *testing.T) {
	d := start(t, gated("work"))
	events, idle, busy := d.dial(".events"), d.dial(""), d.dial("")
	busy.send("prompt", `{"text":"work"}`)
	events.until("tool_execution_start gate")
	idle.send("ping", `{}`)
	idle.line()
	d.stop()
	if _, err := os.Stat(d.path); err == nil {
		t.Error("the socket is still there")
	}
}
