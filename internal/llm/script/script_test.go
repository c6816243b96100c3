package script_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/retry"
	"parley/internal/llm/script"
)

func parse(t testing.TB, text string) *script.Model {
	t.Helper()
	m, err := script.Parse("t.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(t testing.TB, m llm.Model, r llm.Request) (llmtest.Heard, []llm.Part) {
	t.Helper()
	h, parts := llmtest.Hear(m.Stream(context.Background(), r))
	if err := llmtest.Laws(r, parts); err != nil {
		t.Fatalf("%v in %#v", err, parts)
	}
	return h, parts
}

// Each kind of line, in the parts and at the times it says.
func TestLinesBecomeParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := script.Open("testdata/demo.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		r := llm.Request{Model: "m", Messages: []llm.Message{user("look")}}
		h, parts := ask(t, m, r)
		want := []llm.Part{
			llm.ThinkingDelta{Text: "I should"}, llm.ThinkingDelta{Text: " look fi"}, llm.ThinkingDelta{Text: "rst."},
			llm.TextDelta{Text: "Looking."},
			llm.ToolCallStart{ID: "c1", Name: "read"},
			llm.ToolCall{ID: "c1", Name: "read", Arguments: []byte(`{"path":"a.txt"}`)},
			llm.ToolCallStart{ID: "c2", Name: "bash"},
			llm.ToolCall{ID: "c2", Name: "bash", Arguments: []byte(`{}`), Malformed: `{"command":`},
			llm.End{Reason: llm.ToolCalls, Usage: llm.Usage{Input: 50, Output: 20, CachedRead: 10}, ResponseModel: "m"},
		}
		if diff := cmp.Diff(want, parts); diff != "" {
			t.Errorf("first answer (-want +got):\n%s", diff)
		}
		r.Messages = append(r.Messages, h.Message(), llm.Message{Role: llm.Tool, Parts: []llm.Content{
			llm.ToolResult{CallID: "c1", Name: "read", Text: "one line"},
			llm.ToolResult{CallID: "c2", Name: "bash", Text: "not JSON", Error: true},
		}})
		start := time.Now()
		var at []time.Duration
		parts = nil
		for p := range m.Stream(t.Context(), r) {
			at = append(at, time.Since(start))
			parts = append(parts, p)
		}
		want = []llm.Part{
			llm.TextDelta{Text: "Fünf "}, llm.TextDelta{Text: "🌍 wor"}, llm.TextDelta{Text: "ds."},
			llmtest.Pixel,
			llm.End{Reason: llm.Stop, Usage: llm.Usage{Input: 19, Output: 5}, ResponseModel: "m"},
		}
		if diff := cmp.Diff(want, parts); diff != "" {
			t.Errorf("second answer (-want +got):\n%s", diff)
		}
		half := 500 * time.Millisecond
		if diff := cmp.Diff([]time.Duration{0, half, 2 * half, 4 * half, 4 * half}, at); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

func user(text string) llm.Message {
	return llm.Message{Role: llm.User, Parts: []llm.Content{llm.Text{Text: text}}}
}

func assistant(text string) llm.Message {
	return llm.Message{Role: llm.Assistant, Parts: []llm.Content{llm.Text{Text: text}}}
}

func result(text string) llm.Message {
	return llm.Message{Role: llm.Tool, Parts: []llm.Content{llm.ToolResult{CallID: "c", Text: text}}}
}

const three = `{"text":"one"}
{"stop":""}
{"text":"two"}
{"stop":""}
{"text":"three"}
{"stop":""}
`

const failing = `{"fail":{"status":429,"retry_after":1}}
{"stop":"stop"}
{"fail":{"cut":true}}
{"text":"one"}
{"stop":""}
{"fail":{"status":401,"message":"bad key"}}
{"text":"tw"}
{"fail":{"cut":true}}
{"text":"three"}
{"stop":""}
`

const conditional = `{"when":"summary"}
{"text":"short"}
{"stop":""}
{"when":"terse","in":"system"}
{"when_not":1}
`

// Which answer a request is due, from its messages alone.
func TestAnswerDueByMessages(t *testing.T) {
	summary := "{\"when\":\"summary\"}\n{\"text\":\"short\"}\n{\"stop\":\"\"}\n" + three
	for _, c := range []struct {
		name, script string
		request      llm.Request
		want         string
	}{
		{"first prompt", three, llm.Request{Messages: []llm.Message{user("a")}}, "one"},
		{"after a tool", three, llm.Request{Messages: []llm.Message{user("a"), assistant("one"), result("r")}}, "two"},
		{"second prompt", three, llm.Request{Messages: []llm.Message{user("a"), assistant("one"), user("b")}}, "two"},
		{"interrupted after some text", three, llm.Request{Messages: []llm.Message{user("a"), assistant("o"), user("go on")}}, "two"},
		{"aborted before a word", three, llm.Request{Messages: []llm.Message{user("a"), user("b")}}, "one"},
		{"two prompts at once", three, llm.Request{Messages: []llm.Message{user("a"), assistant("one"), result("r"), user("b"), user("c")}}, "two"},
		{"compacted", three, llm.Request{Answered: 1, Messages: []llm.Message{user("sum"), assistant("two"), user("b")}}, "three"},
		{"past the end", three, llm.Request{Answered: 3, Messages: []llm.Message{user("a")}},
			"invalid: script t.jsonl has 3 answers, and this request is number 4"},
		{"fails first", failing, llm.Request{Messages: []llm.Message{user("a")}}, "limit: 429 Too Many Requests: as the script says"},
		{"retried", failing, llm.Request{Attempt: 1, Messages: []llm.Message{user("a")}}, "provider: the stream was cut before the answer was complete"},
		{"retried again", failing, llm.Request{Attempt: 2, Messages: []llm.Message{user("a")}}, "one"},
		{"retries were used up", failing, llm.Request{Messages: []llm.Message{user("a"), user("b")}}, "one"},
		{"both prompts in one message", failing, llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "a"}, llmtest.Pixel, llm.Text{Text: "b"}}}}}, "one"},
		{"a prompt and its picture", failing, llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "a"}, llmtest.Pixel}}}}, "limit: 429 Too Many Requests: as the script says"},
		{"an empty answer is over", "{\"delay_ms\":0}\n{\"stop\":\"\"}\n" + three, llm.Request{Messages: []llm.Message{user("a"), user("b")}}, "one"},
		{"an empty answer counts for none", "{\"stop\":\"\"}\n" + three, llm.Request{Messages: []llm.Message{user("a"), user("b"), assistant("one"), user("c")}}, "two"},
		{"fails in the next turn", failing, llm.Request{Messages: []llm.Message{user("a"), assistant("one"), user("b")}}, "denied: 401 Unauthorized: bad key"},
		{"not retried, asked anew", failing, llm.Request{Messages: []llm.Message{user("a"), assistant("one"), user("b"), user("c")}}, "tw provider: the stream was cut before the answer was complete"},
		{"cut after some text", failing, llm.Request{Messages: []llm.Message{user("a"), assistant("one"), user("b"), user("c"), assistant("tw"), user("d")}}, "three"},
		{"out of order", summary, llm.Request{Messages: []llm.Message{user("a"), assistant("one"), user("a summary, please")}}, "short"},
		{"out of order does not count", summary, llm.Request{Messages: []llm.Message{user("a summary"), assistant("one"), user("b")}}, "two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// A new model each time: nothing is remembered between requests.
			h, _ := ask(t, parse(t, c.script), c.request)
			got := h.Text
			if f := h.End.Fault; f != nil {
				got = strings.TrimSpace(got + " " + string(f.Code) + ": " + f.Message)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// With the retry middleware a script's failures pass, and the answers after them come in order.
func TestScriptedFailuresPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := retry.Wrap(parse(t, failing), retry.Options{Rand: func() float64 { return 0 }})
		h, _ := llmtest.Hear(m.Stream(t.Context(), llm.Request{Messages: []llm.Message{user("a")}}))
		if h.Text != "one" || len(h.Retries) != 2 || h.Retries[0].Wait != time.Second || h.Retries[0].Status != 429 {
			t.Errorf("%+v", h)
		}
	})
}

// A counted script gives the n-th answer to the n-th request, whatever the request.
func TestCountedAnswers(t *testing.T) {
	m := parse(t, "{\"order\":\"count\"}\n"+three)
	for _, want := range []string{"one", "two", "three", ""} {
		h, _ := ask(t, m, llm.Request{Messages: []llm.Message{user("a")}})
		if h.Text != want || (want == "") != (h.End.Fault != nil) {
			t.Errorf("got %+v, want %q", h, want)
		}
	}
}

// Conditions look where they say.
func TestConditions(t *testing.T) {
	r := llm.Request{
		System: "be terse", Tools: []llm.ToolSpec{{Name: "read"}},
		Messages: []llm.Message{user("old"), assistant("said"), result("fresh")},
	}
	for _, c := range []struct {
		text, in string
		want     bool
	}{
		{"old", "any", true}, {"said", "", true}, {"fresh", "any", true}, {"terse", "any", true}, {"read", "any", true},
		{"nothing", "any", false},
		{"fresh", "new", true}, {"old", "new", false}, {"said", "new", false}, {"terse", "new", false},
		{"terse", "system", true}, {"old", "system", false},
		{"read", "tools", true}, {"write", "tools", false},
	} {
		in := ""
		if c.in != "" {
			in = `,"in":"` + c.in + `"`
		}
		m := parse(t, `{"text":"1"}`+"\n"+`{"stop":""}`+"\n"+`{"expect":"`+c.text+`"`+in+"}\n"+`{"text":"2"}`+"\n"+`{"stop":""}`)
		h, _ := ask(t, m, r)
		if got := h.Text == "2"; got != c.want {
			t.Errorf("%q in %q: %+v", c.text, c.in, h.End.Fault)
		}
		if f := h.End.Fault; !c.want && (f.Code != llm.CodeInvalid || !strings.Contains(f.Message, `expected "`+c.text+`"`)) {
			t.Errorf("%q in %q: %+v", c.text, c.in, f)
		}
	}
}

// What is wrong with a script is said with its file and line.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "t.jsonl: the script has no answer",
		"# nothing\n":                           "t.jsonl: the script has no answer",
		"{\"text\":\"a\"}\n\n":                  "t.jsonl:2: the last answer has no stop",
		"\n# c\n{\"txt\":\"a\"}":                `t.jsonl:3: unknown field "txt"`,
		"{}":                                    "t.jsonl:1: a line has exactly one of text, think, call, image, delay_ms, stop, fail, expect, when, order",
		`{"text":"a","stop":""}`:                "t.jsonl:1: a line has exactly one of text, think, call, image, delay_ms, stop, fail, expect, when, order",
		`{"text":""}`:                           "t.jsonl:1: an empty text",
		`{"text":"a"} {"stop":""}`:              "t.jsonl:1: more than one value on the line",
		`{"text":"a"`:                           "t.jsonl:1: unexpected EOF",
		`{"text":1}`:                            "t.jsonl:1: cannot unmarshal number into Go struct field line.text of type string",
		`{"stop":"end"}`:                        `t.jsonl:1: stop "end": want stop, tool_calls, length or content_filter`,
		`{"stop":"","chunk":2}`:                 "t.jsonl:1: chunk, rate and times belong to text and think",
		`{"text":"a","rate":-1}`:                "t.jsonl:1: a negative number",
		`{"text":"a","usage":{}}`:               "t.jsonl:1: usage belongs to stop",
		`{"text":"a","in":"new"}`:               "t.jsonl:1: in belongs to expect and when",
		`{"expect":"a","in":"old"}`:             `t.jsonl:1: in "old": want any, new, system or tools`,
		`{"call":{"id":"a"}}`:                   "t.jsonl:1: a call without a name",
		`{"image":{"data":"AA=="}}`:             "t.jsonl:1: an image without media_type or data",
		`{"fail":{}}`:                           "t.jsonl:1: a fail has one of status, cut and malformed",
		`{"fail":{"status":200}}`:               "t.jsonl:1: fail status 200: want 300 to 599",
		`{"fail":{"cut":true,"retry_after":1}}`: "t.jsonl:1: retry_after belongs to a status, in seconds",
		three + `{"order":"count"}`:             "t.jsonl:7: order must be the first line",
		`{"order":"random"}`:                    `t.jsonl:1: order "random": want history or count`,
		"{\"when\":\"a\"}\n{\"when\":\"b\"}":    "t.jsonl:2: an answer has one when",
	} {
		_, err := script.Parse("t.jsonl", strings.NewReader(text))
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
	if _, err := script.Open("testdata/none.jsonl"); err == nil || !strings.Contains(err.Error(), "testdata/none.jsonl") {
		t.Errorf("open: %v", err)
	}
}

// A cancelled context ends a pause, and a text between two of its deltas.
func TestCancelEndsPause(t *testing.T) {
	for _, text := range []string{`{"delay_ms":60000}`, `{"text":"a","times":1000000000}`, `{"text":"ab","chunk":1,"rate":0.01}`} {
		synctest.Test(t, func(t *testing.T) {
			m := parse(t, text+"\n"+`{"stop":""}`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			start := time.Now()
			time.AfterFunc(time.Second, cancel)
			var last llm.Part
			n := 0
			for p := range m.Stream(ctx, llm.Request{Messages: []llm.Message{user("a")}}) {
				last = p
				if n++; n == 1000 {
					cancel()
				}
			}
			if end, ok := last.(llm.End); !ok || end.Reason != llm.Canceled || time.Since(start) > time.Second {
				t.Errorf("%s: %+v after %v", text, last, time.Since(start))
			}
		})
	}
}

// Any text is a script or an error, and what is a script keeps the laws.
func FuzzScript(f *testing.F) {
	for _, text := range []string{three, failing, conditional, "{\"order\":\"count\"}\n" + three} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := script.Parse("f", strings.NewReader(text))
		if err != nil {
			return
		}
		m.Clock.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := llm.Request{Model: "m", Messages: []llm.Message{user("a")}}
		var parts []llm.Part
		for p := range m.Stream(ctx, r) {
			if parts = append(parts, p); len(parts) == 100 {
				cancel()
			}
		}
		if err := llmtest.Laws(r, parts); err != nil {
			t.Errorf("%v in %#v", err, parts)
		}
	})
}

func BenchmarkDeltas(b *testing.B) {
	const deltas = 20_000
	m := parse(b, `{"text":"word ","times":20000}`+"\n"+`{"stop":""}`)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range m.Stream(b.Context(), llm.Request{Messages: []llm.Message{user("a")}}) {
			n++
		}
		if n != deltas+1 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*deltas), "ns/delta")
}
