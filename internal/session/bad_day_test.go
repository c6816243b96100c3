package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/openaichat"
	"parley/internal/llm/retry"
)

// served is a bed whose model is a server's, with retries, within a bubble.
func served(t *testing.T, policy retry.Policy, keys llm.Keys, replies ...llmtest.Reply) (*bed, *llmtest.Server) {
	t.Helper()
	b := newBed(t, `{"stop": "stop"}`)
	s := llmtest.ServeInside(t, replies...)
	model := llmtest.Open(openaichat.Provider, llm.Options{BaseURL: s.URL, Key: keys, HTTP: s.Client()})
	plain := b.setup
	b.setup = func() *agent.Setup {
		setup := plain()
		setup.Model, setup.Provider = retry.Wrap(model, retry.Options{Policy: policy}), "mine"
		return setup
	}
	return b, s
}

// answer is a chat answer with that text, whole or not.
func answer(text string, more ...string) string {
	out := fmt.Sprintf(`data: {"choices":[{"delta":{"content":%q}}]}`, text) + "\n\n"
	return out + strings.Join(more, "")
}

// stops ends a chat answer.
const stops = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

// run is a prompt and all events up to the end of its run, however long that takes by the bubble's clock.
func (b *bed) run(text string) (events []event.Event, took time.Duration) {
	b.t.Helper()
	start := time.Now()
	b.must(command.Prompt{Text: text})
	for e, err := range b.log.After(b.t.Context(), 0) {
		if err != nil {
			b.t.Fatal(err)
		}
		events = append(events, e)
		if e.Kind() == "run.ended" {
			break
		}
	}
	return events, time.Since(start)
}

func retries(events []event.Event) (out []event.RetryScheduled) {
	for _, e := range events {
		if r, ok := e.Body.(event.RetryScheduled); ok {
			out = append(out, r)
		}
	}
	return out
}

func ended(events []event.Event) event.Reason {
	return events[len(events)-1].Body.(event.RunEnded).Reason
}

// A server that is overloaded for an hour is waited for, and the run that waited goes on; each wait is an event with its
// reason and its length.
func TestAnHourOfOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		overloaded := llmtest.Reply{Status: 529, Type: "application/json", Body: `{"error":{"message":"Overloaded"}}`}
		b, _ := served(t, retry.Forever, nil, append(slices.Repeat([]llmtest.Reply{overloaded}, 40), llmtest.Reply{Body: answer("There.", stops)})...)
		events, took := b.run("Go")
		all := retries(events)
		if ended(events) != event.ReasonDone || len(all) != 40 || took < 50*time.Minute || took > 75*time.Minute {
			t.Fatalf("%s after %s and %d retries", ended(events), took, len(all))
		}
		for i, r := range all {
			if r.Attempt != i+1 || r.Max != 0 || r.DelayMS <= 0 || r.DelayMS > 120_000 || r.Status != 529 || r.Reason != "529 Overloaded: Overloaded" || r.Provider != "mine" {
				t.Errorf("retry %d: %+v", i+1, r)
			}
		}
		b.kinds()
	})
}

// A server that asks for an hour gets an hour. Who waits for it can be stopped at any time.
func TestAnHoursRetryAfter(t *testing.T) {
	wait := llmtest.Reply{Status: 429, Type: "text/plain", Header: map[string]string{"Retry-After": "3600"}}
	t.Run("waited for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, _ := served(t, retry.Forever, nil, wait, llmtest.Reply{Body: answer("There.", stops)})
			if events, took := b.run("Go"); took != time.Hour || ended(events) != event.ReasonDone || len(retries(events)) != 1 {
				t.Errorf("%s after %s", b.kinds(), took)
			}
		})
	})
	t.Run("beyond the patience", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, _ := served(t, retry.Policy{Patience: 10 * time.Minute}, nil, wait)
			events, took := b.run("Go")
			if took != 0 || ended(events) != event.ReasonError || !strings.Contains(b.kinds(), "fault.raised") {
				t.Errorf("%s after %s", b.kinds(), took)
			}
		})
	})
	t.Run("stopped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, _ := served(t, retry.Forever, nil, wait)
			start := time.Now()
			b.must(command.Prompt{Text: "Go"})
			b.until(0, kind("retry.scheduled"))
			time.Sleep(20 * time.Minute)
			b.must(command.Abort{})
			b.until(0, kind("run.ended"))
			if took := time.Since(start); took != 20*time.Minute || !strings.HasSuffix(b.kinds(), "run.ended aborted") {
				t.Errorf("%s after %s", b.kinds(), took)
			}
		})
	})
}

// A stream that goes silent is cut after five minutes: before its first word it is asked again, in the middle of an answer
// the next step goes on from there.
func TestSilentStream(t *testing.T) {
	t.Run("before the first word", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, _ := served(t, retry.Forever, nil, llmtest.Reply{Silent: true}, llmtest.Reply{Silent: true}, llmtest.Reply{Body: answer("There.", stops)})
			events, took := b.run("Go")
			all := retries(events)
			if ended(events) != event.ReasonDone || len(all) != 2 || all[0].Reason != "the server has sent nothing for 5m0s" || took < 10*time.Minute || took > 11*time.Minute {
				t.Errorf("%s after %s: %+v", ended(events), took, all)
			}
		})
	})
	t.Run("in the middle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, s := served(t, retry.Forever, nil, llmtest.Reply{Body: answer("Half"), Hold: true}, llmtest.Reply{Body: answer(" a word.", stops)})
			events, took := b.run("Go")
			if ended(events) != event.ReasonDone || took != 5*time.Minute || !strings.Contains(b.kinds(), "response.interrupted provider\nnote.added\n") {
				t.Errorf("%s after %s", b.kinds(), took)
			}
			if q := s.Queries(); len(q) != 2 || !strings.Contains(string(q[1].Body), "Go on exactly where it stops") {
				t.Errorf("%d requests", len(q))
			}
		})
	})
}

// A key that is refused in the middle of a run is asked for anew, and the run goes on without a word.
func TestKeyExpiresInARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const call = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"note","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
		leases := []string{"first-key", "second-key"}
		keys := llm.Renewed(func(context.Context) (llm.Lease, error) {
			key := leases[0]
			leases = leases[1:]
			return llm.Lease{Key: key}, nil
		}, llm.Clock{})
		b, s := served(t, retry.Forever, keys, llmtest.Reply{Body: call},
			llmtest.Reply{Status: 401, Type: "application/json", Body: `{"error":{"message":"token expired"}}`}, llmtest.Reply{Body: answer("Done.", stops)})
		events, _ := b.run("Go")
		if ended(events) != event.ReasonDone || strings.Contains(b.kinds(), "fault.raised") || len(retries(events)) != 0 {
			t.Error(b.kinds())
		}
		var sent []string
		for _, q := range s.Queries() {
			sent = append(sent, strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer "))
		}
		if got := strings.Join(sent, " "); got != "first-key first-key second-key" {
			t.Errorf("sent %s", got)
		}
	})
}

// A request that is too large is told by what the server says, room is made, and it is sent again; what only has the words of
// an overflow in it takes nothing out: a rate is waited for, and anything else ends the run.
func TestOverflowOverHTTP(t *testing.T) {
	const call = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_%d","function":{"name":"note","arguments":"{\"text\":\"%s\"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	var steps []llmtest.Reply
	for i := range 6 {
		steps = append(steps, llmtest.Reply{Body: fmt.Sprintf(call, i, strings.Repeat(fmt.Sprint("x", i), 2000))})
	}
	done := llmtest.Reply{Body: answer("Done.", stops)}
	for _, saying := range llmtest.Sayings() {
		t.Run(saying.Server, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				word, rest, _ := strings.Cut(saying.Want, " ")
				overflow, passes := word == "overflow", strings.HasPrefix(rest, "retry")
				reply := llmtest.Reply{Status: saying.Status, Type: "application/json", Body: saying.Body}
				replies := append(slices.Clone(steps), reply)
				switch {
				case overflow:
					replies = append(replies, llmtest.Reply{Body: answer("We noted.", stops)}, done)
				case passes:
					replies = append(replies, done)
				}
				b, s := served(t, retry.Forever, nil, replies...)
				events, _ := b.run("Go")
				want := event.ReasonError
				if overflow || passes {
					want = event.ReasonDone
				}
				if got := strings.Contains(b.kinds(), "context.compacted"); got != overflow || ended(events) != want || len(s.Queries()) != len(replies) {
					t.Errorf("compacted %v, %d of %d requests\n%s", got, len(s.Queries()), len(replies), b.kinds())
				}
				refused, last := s.Queries()[len(steps)].Body, s.Queries()[len(replies)-1].Body
				if overflow && len(last) > len(refused)*3/4 || passes && len(last) != len(refused) {
					t.Errorf("%d bytes were refused, and then %d were sent", len(refused), len(last))
				}
			})
		})
	}
}

// A prompt that the server cut without a word, as its own count says, makes room before the next request.
func TestSilentCutMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const call = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_%d","function":{"name":"note","arguments":"{\"text\":\"%s\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":%d,"completion_tokens":4}}` + "\n\ndata: [DONE]\n\n"
		var replies []llmtest.Reply
		for i := range 4 {
			replies = append(replies, llmtest.Reply{Body: fmt.Sprintf(call, i, strings.Repeat(fmt.Sprint("x", i), 5000), 500)})
		}
		replies = append(replies, llmtest.Reply{Body: fmt.Sprintf(call, 9, "last", 2100)}, llmtest.Reply{Body: answer("We noted.", stops)}, llmtest.Reply{Body: answer("Done.", stops)})
		b, s := served(t, retry.Forever, nil, replies...)
		small := b.setup
		b.setup = func() *agent.Setup {
			setup := small()
			setup.ContextLimit = 4096
			return setup
		}
		if events, _ := b.run("Go"); ended(events) != event.ReasonDone || !strings.Contains(b.kinds(), "context.compacted") {
			t.Errorf("%s, %d requests", b.kinds(), len(s.Queries()))
		}
	})
}

// An answer without a word is asked for again once, and then told.
func TestEmptyAnswer(t *testing.T) {
	nothing := llmtest.Reply{Body: answer(" \n", stops)}
	synctest.Test(t, func(t *testing.T) {
		b, s := served(t, retry.Forever, nil, nothing, llmtest.Reply{Body: answer("Here.", stops)})
		if events, _ := b.run("Go"); ended(events) != event.ReasonDone || !strings.Contains(string(s.Queries()[1].Body), "There was nothing in your answer") {
			t.Error(b.kinds())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b, _ := served(t, retry.Forever, nil, nothing, nothing)
		events, _ := b.run("Go")
		fault := events[slices.IndexFunc(events, kind("fault.raised"))].Body.(event.FaultRaised)
		if ended(events) != event.ReasonError || fault.Message != "test answered with nothing, and with nothing again when it was asked to go on" {
			t.Errorf("%q\n%s", fault.Message, b.kinds())
		}
	})
}

// A picture that the server does not take is left out from then on, and the session goes on.
func TestRefusedPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusal := llmtest.Reply{Status: 400, Type: "application/json", Body: `{"error":{"message":"Could not process image"}}`}
		b, s := served(t, retry.Forever, nil, refusal, llmtest.Reply{Body: answer("I see nothing.", stops)}, llmtest.Reply{Body: answer("Still.", stops)})
		sum, path, size, err := b.log.PutBlob(t.Context(), strings.NewReader(string(llmtest.Pixel.Data)))
		if err != nil {
			t.Fatal(err)
		}
		plain := b.setup
		b.setup = func() *agent.Setup {
			setup := plain()
			setup.Load = func(event.Attachment) ([]byte, error) { return llmtest.Pixel.Data, nil }
			return setup
		}
		picture := event.Attachment{Name: "plan.png", MediaType: "image/png", Blob: sum, Path: path, Size: size}
		b.must(command.Prompt{Text: "What is this?", Attachments: []event.Attachment{picture}})
		first := b.until(0, kind("run.ended"))
		b.must(command.Prompt{Text: "And now?"})
		b.until(first.Seq, kind("run.ended"))
		if got := strings.Count(b.kinds(), "images.refused"); got != 1 || strings.Contains(b.kinds(), "fault.raised") {
			t.Error(b.kinds())
		}
		for i, q := range s.Queries() {
			body := string(q.Body)
			if has := strings.Contains(body, "data:image/png"); has != (i == 0) {
				t.Errorf("request %d: picture %v", i, has)
			}
			if i > 0 && !strings.Contains(body, "a picture is left out here, the server did not take it plan.png") {
				t.Errorf("request %d has no word for it: %s", i, body)
			}
		}
	})
}
