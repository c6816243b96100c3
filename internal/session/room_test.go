package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/session"
	"parley/internal/tool"
)

// planned is a model that answers as a function says; it keeps what it was sent.
type planned struct {
	sent   []llm.Request
	answer func(n int, r llm.Request) []llm.Part
}

func (m *planned) Stream(_ context.Context, r llm.Request) iter.Seq[llm.Part] {
	m.sent = append(m.sent, r)
	parts := m.answer(len(m.sent), r)
	return func(yield func(llm.Part) bool) {
		for _, p := range parts {
			if !yield(p) {
				return
			}
		}
	}
}

func says(text string, input int) []llm.Part {
	return []llm.Part{llm.TextDelta{Text: text}, llm.End{Reason: llm.Stop, Usage: llm.Usage{Input: input, Output: 5}}}
}

// reads is an answer of so many calls, each of which prints as many bytes.
func reads(n, calls, bytes, input int) (out []llm.Part) {
	for i := range calls {
		id := fmt.Sprintf("call_%d_%d", n, i)
		out = append(out, llm.ToolCallStart{ID: id, Name: "print"}, llm.ToolCall{ID: id, Name: "print", Arguments: json.RawMessage(fmt.Sprintf(`{"bytes":%d}`, bytes))})
	}
	return append(out, llm.End{Reason: llm.ToolCalls, Usage: llm.Usage{Input: input, Output: 5}})
}

func fails(f llm.Fault) []llm.Part { return []llm.Part{llm.End{Reason: llm.Failed, Fault: &f}} }

type printArgs struct {
	Bytes int `json:"bytes"`
}

// prints is a tool that prints lines until it has printed so many bytes.
var prints = tool.Definition[printArgs]{
	Spec:    tool.Spec{Name: "print", Description: "prints", ReadOnly: true, Concurrent: true, Schema: json.RawMessage(`{"type":"object","properties":{"bytes":{"type":"integer"}}}`)},
	Targets: func(tool.World, printArgs) (tool.Targets, error) { return tool.Targets{}, nil },
	Run: func(_ context.Context, _ tool.World, c tool.Call, a printArgs, _ tool.Grow) tool.Result {
		return tool.Result{Status: tool.Success, Text: c.ID + strings.Repeat("\nA line of what was printed.", a.Bytes/28)}
	},
}.Tool()

func plannedBed(t *testing.T, window int, answer func(n int, r llm.Request) []llm.Part, change ...func(*agent.Setup)) (*bed, *planned) {
	m := &planned{answer: answer}
	b, dir := newBed(t, `{"stop":"stop"}`), t.TempDir()
	b.setup = func() *agent.Setup {
		setup := &agent.Setup{Model: m, Provider: "mine", ModelName: "planned", ContextLimit: window, Tools: tool.NewSet(prints),
			World: tool.World{Spill: outputs(dir)}, Steps: 100, System: "You are Parley.", Threshold: 0.8, Target: 0.5}
		for _, f := range change {
			f(setup)
		}
		return setup
	}
	return b, m
}

// compactions runs a prompt to its end and returns the compactions of the whole log.
func (b *bed) compactions(prompt string) (cuts []event.ContextCompacted, last event.Reason) {
	b.t.Helper()
	head := b.log.Head()
	b.must(command.Prompt{Text: prompt})
	end := b.until(head, kind("run.ended"))
	b.kinds()
	page, err := b.log.Page(b.t.Context(), 0, 10000)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range page {
		if c, ok := e.Body.(event.ContextCompacted); ok {
			cuts = append(cuts, c)
		}
	}
	return cuts, end.Body.(event.RunEnded).Reason
}

// summarising reports whether a request asks for a summary.
func summarising(r llm.Request) bool {
	last := r.Messages[len(r.Messages)-1]
	text, ok := last.Parts[len(last.Parts)-1].(llm.Text)
	return ok && strings.HasPrefix(text.Text, "Summarise the conversation above")
}

// results are the texts of a request's results.
func results(r llm.Request) (out []string) {
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if result, ok := p.(llm.ToolResult); ok {
				out = append(out, result.Text)
			}
		}
	}
	return out
}

// Ten large results of one step have 15 % of the window together and 5 % each, and the whole of each is in the file that
// stands where it was cut. The log has all of it.
func TestShareOfTheWindow(t *testing.T) {
	for calls, share := range map[int]int{1: 5, 2: 5, 10: 15} {
		synctest.Test(t, func(t *testing.T) {
			const window, size = 100_000, 60_000
			b, m := plannedBed(t, window, func(n int, _ llm.Request) []llm.Part {
				if n == 1 {
					return reads(n, calls, size, 0)
				}
				return says("Done.", 0)
			})
			if cuts, reason := b.compactions("Print."); len(cuts) > 0 || reason != event.ReasonDone {
				t.Fatalf("%+v, %s", cuts, reason)
			}
			sum := 0
			for i, text := range results(m.sent[1]) {
				sum += len(text)
				_, rest, _ := strings.Cut(text, "the whole is in ")
				path, _, _ := strings.Cut(rest, ",")
				whole, err := os.ReadFile(path)
				if err != nil || len(whole) < size-100 || !strings.HasPrefix(string(whole), fmt.Sprintf("call_1_%d\n", i)) || !strings.HasSuffix(text, "A line of what was printed.") {
					t.Errorf("result %d: %v, %d bytes kept, shown %.60q", i, err, len(whole), text)
				}
				if len(text) > window*3*5/100+300 {
					t.Errorf("result %d has %d bytes", i, len(text))
				}
			}
			if most := window * 3 * share * min(calls, 3) / 100; share == 15 && sum > window*3*15/100+300*calls || share == 5 && sum > most+300*calls {
				t.Errorf("%d results have %d bytes", calls, sum)
			}
		})
	}
}

// The provider's count is what counts: a request that looks small by its bytes is cut when the server says that it is not,
// and one that looks too large is left alone when the server says that it is small.
func TestProvidersCountIsTheTruth(t *testing.T) {
	for name, c := range map[string]struct {
		tokens int // that the server counts for four bytes
		cut    bool
	}{"dense": {3, true}, "as estimated": {1, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, _ := plannedBed(t, 40_000, func(n int, r llm.Request) []llm.Part {
					input := bytes(r) / 4 * c.tokens
					switch {
					case summarising(r):
						return says("## Task\nPrint.", input)
					case n < 12:
						return reads(n, 1, 5000, input)
					}
					return says("Done.", input)
				})
				cuts, reason := b.compactions("Print.")
				if (len(cuts) > 0) != c.cut || reason != event.ReasonDone {
					t.Fatalf("%d compactions, %s", len(cuts), reason)
				}
				for _, cut := range cuts {
					if cut.TokensAfter > 20_000 || cut.TokensAfter < 14_000 {
						t.Errorf("%d tokens are left of %d, the target is 20,000", cut.TokensAfter, cut.TokensBefore)
					}
				}
			})
		})
	}
}

// What the answer needs is kept free: room is made before prompt and answer together are more than the window, and an
// answer that has less room is asked to be shorter.
func TestReserveOfTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const window = 40_000
		b, m := plannedBed(t, window, func(n int, r llm.Request) []llm.Part {
			input := bytes(r) / 4
			if input+r.MaxOutput > window {
				return fails(llm.Fault{Code: llm.CodeInvalid, Message: "too large", Overflow: true, Limit: window, Requested: input + r.MaxOutput, Reserved: r.MaxOutput})
			}
			switch {
			case summarising(r):
				return says("## Task\nPrint.", input)
			case n < 40:
				return reads(n, 1, 5000, input)
			}
			return says("Done.", input)
		}, func(s *agent.Setup) { s.MaxOutput = 30_000 })
		cuts, reason := b.compactions("Print.")
		for _, c := range cuts {
			if c.Trigger != event.TriggerThreshold {
				t.Errorf("%+v", c)
			}
		}
		if len(cuts) == 0 || reason != event.ReasonDone || m.sent[0].MaxOutput != 30_000 {
			t.Fatalf("%d compactions, %s, the first answer may have %d", len(cuts), reason, m.sent[0].MaxOutput)
		}
		for i, r := range m.sent {
			if !summarising(r) && r.MaxOutput < 8_000 {
				t.Errorf("answer %d may have %d tokens", i, r.MaxOutput)
			}
		}
	})
}

// A server whose window is smaller than anybody knew is believed: the run goes on within what it says, and is not refused
// a second time.
func TestSmallerWindowThanKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := 0
		b, _ := plannedBed(t, 128_000, func(n int, r llm.Request) []llm.Part {
			input := bytes(r) / 4
			switch {
			case input > 8000:
				refused++
				return fails(llm.Fault{Code: llm.CodeInvalid, Message: "too large", Overflow: true, Limit: 8000, Requested: input})
			case summarising(r):
				return says("## Task\nPrint.", input)
			case n < 40:
				return reads(n, 1, 2000, input)
			}
			return says("Done.", input)
		})
		cuts, reason := b.compactions("Print.")
		if reason != event.ReasonDone || refused != 1 || len(cuts) < 2 || cuts[0].Trigger != event.TriggerOverflow || cuts[1].Trigger != event.TriggerThreshold {
			t.Errorf("%s, refused %d times, %d compactions", reason, refused, len(cuts))
		}
	})
}

// A summary that fails is asked for once more, smaller and with the tools; when that fails too the oldest goes without one,
// and it is not asked for again before every step.
func TestSummaryFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []llm.Request
		b, m := plannedBed(t, 20_000, func(n int, r llm.Request) []llm.Part {
			input := bytes(r) / 4
			switch {
			case summarising(r):
				asked = append(asked, r)
				return fails(llm.Fault{Code: llm.CodeProvider, Message: "no summary today"})
			case n < 30:
				return append([]llm.Part{llm.TextDelta{Text: strings.Repeat("I explain it. ", 300)}}, reads(n, 1, 100, input)...)
			}
			return says("Done.", input)
		})
		cuts, reason := b.compactions("Print.")
		if reason != event.ReasonDone || len(cuts) == 0 || len(asked) != 2*len(cuts) {
			t.Fatalf("%s, asked %d times, %d compactions", reason, len(asked), len(cuts))
		}
		for i, r := range asked {
			if len(r.Tools) == 0 || i%2 == 1 && bytes(r) >= bytes(asked[i-1])*3/4 {
				t.Errorf("asked %d: %d tools, %d bytes", i, len(r.Tools), bytes(r))
			}
		}
		c := cuts[0]
		if !strings.Contains(c.Summary, "could not be summarised") || c.File == "" || !strings.Contains(b.kinds(), "note.added") {
			t.Errorf("%+v", c)
		}
		last := said(m.sent[len(m.sent)-1])
		if !strings.Contains(last, "left out here") || !strings.Contains(last, c.File[:strings.LastIndex(c.File, "/")]) {
			t.Errorf("the model is not told: %.300s", last)
		}
	})
}

// A server that cannot be reached at all takes nothing out of the memory.
func TestSummaryWithoutAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := plannedBed(t, 20_000, func(n int, r llm.Request) []llm.Part {
			if input := bytes(r) / 4; input > 15_000 {
				return fails(llm.Fault{Code: llm.CodeProvider, Message: "connection refused", Unreachable: true})
			}
			return append([]llm.Part{llm.TextDelta{Text: strings.Repeat("I explain it. ", 300)}}, reads(n, 1, 100, bytes(r)/4)...)
		})
		if cuts, reason := b.compactions("Print."); len(cuts) > 0 || reason != event.ReasonError {
			t.Errorf("%+v, %s", cuts, reason)
		}
	})
}

// A session of one prompt and many steps is compacted when a person asks for it: the oldest steps go, what they said and the
// newest steps stay, and the model is told what matters to them.
func TestCompactOneLongAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, m := plannedBed(t, 200_000, func(n int, r llm.Request) []llm.Part {
			switch {
			case summarising(r):
				if !strings.Contains(said(r), "What matters most, in the user's words: the ports") || len(r.Tools) == 0 {
					t.Errorf("%.2000s", said(r))
				}
				return says("## Task\nPrint, on port 8080.", 0)
			case n < 20:
				return reads(n, 1, 3000, 0)
			}
			return says(fmt.Sprintf("Done %d.", n), 0)
		})
		b.compactions("Print all of it.")
		if _, fault := b.session.Compact(t.Context(), session.Client{}, command.Compact{Instruction: "the ports"}, agent.Summarize); fault != nil {
			t.Fatal(fault)
		}
		cuts, _ := b.compactions("And now?")
		if len(cuts) != 1 || cuts[0].Steps < 8 || cuts[0].Parts != 0 || cuts[0].Instruction != "the ports" || cuts[0].TokensAfter > cuts[0].TokensBefore/2 {
			t.Fatalf("%+v", cuts)
		}
		last := m.sent[len(m.sent)-1]
		if n := len(results(last)); n != 19-cuts[0].Steps {
			t.Errorf("%d results are still sent, %d steps went", n, cuts[0].Steps)
		}
		text := said(last)
		for _, want := range []string{"port 8080", "Print all of it.", "Done 20.", "And now?", cuts[0].File} {
			if !strings.Contains(text, want) {
				t.Errorf("the request lacks %q:\n%s", want, text)
			}
		}
		if whole, err := os.ReadFile(cuts[0].File); err != nil || strings.Count(string(whole), "### print") != cuts[0].Steps {
			t.Errorf("%v: %.200s", err, whole)
		}
	})
}
