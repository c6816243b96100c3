package retry_test

import (
	"context"
	"iter"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/openaichat"
	"parley/internal/llm/retry"
)

// plays is a model that gives the n-th answer to the n-th request.
type plays struct {
	answers [][]llm.Part
	// took is how long the n-th answer is in coming.
	took     time.Duration
	attempts []int
}

func (p *plays) Stream(_ context.Context, r llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		time.Sleep(p.took)
		n := len(p.attempts)
		p.attempts = append(p.attempts, r.Attempt)
		for _, part := range p.answers[min(n, len(p.answers)-1)] {
			if !yield(part) {
				return
			}
		}
	}
}

func fails(f llm.Fault) []llm.Part { return []llm.Part{llm.End{Reason: llm.Failed, Fault: &f}} }

var (
	busy   = llm.Fault{Code: llm.CodeLimit, Message: "busy", Status: 429, Retryable: true}
	gone   = llm.Fault{Code: llm.CodeProvider, Message: "refused", Retryable: true, Unreachable: true}
	denied = llm.Fault{Code: llm.CodeDenied, Message: "no", Status: 401}
	good   = []llm.Part{llm.TextDelta{Text: "hi"}, llm.End{Reason: llm.Stop}}
)

// asks is a fault with a wait that the server asked for.
func asks(d time.Duration) llm.Fault {
	f := busy
	f.Retry = d
	return f
}

func announce(attempt int, wait time.Duration, f llm.Fault) llm.Part {
	return llm.Retry{Attempt: attempt, Max: 4, Wait: wait, Reason: f.Message, Status: f.Status}
}

// patient is a policy for a run that nobody watches.
var patient = retry.Policy{Patience: 10 * time.Minute}

// four is a policy of four retries, with no jitter.
var four = retry.Options{Policy: retry.Policy{Attempts: 4}, Rand: func() float64 { return 0 }}

// Which failures are asked again, when, and what a caller sees.
func TestRetryPolicy(t *testing.T) {
	opaque := llm.Opaque{Provider: "p", Model: "m", Data: []byte("1")}
	for _, c := range []struct {
		name    string
		answers [][]llm.Part
		took    time.Duration
		want    []llm.Part
		elapsed time.Duration
	}{
		{"first time", [][]llm.Part{good}, 0, good, 0},
		{"third time", [][]llm.Part{fails(busy), fails(busy), good}, 0,
			append([]llm.Part{announce(1, time.Second, busy), announce(2, 2*time.Second, busy)}, good...), 3 * time.Second},
		{"never", [][]llm.Part{fails(busy)}, 0,
			append([]llm.Part{announce(1, time.Second, busy), announce(2, 2*time.Second, busy), announce(3, 4*time.Second, busy), announce(4, 8*time.Second, busy)}, fails(busy)...),
			15 * time.Second},
		{"denied", [][]llm.Part{fails(denied)}, 0, fails(denied), 0},
		{"the server says when", [][]llm.Part{fails(asks(30 * time.Second)), good}, 0,
			append([]llm.Part{announce(1, 30*time.Second, busy)}, good...), 30 * time.Second},
		{"the server says much later", [][]llm.Part{fails(asks(5 * time.Hour)), good}, 0,
			append([]llm.Part{announce(1, 5*time.Hour, busy)}, good...), 5 * time.Hour},
		{"unreachable", [][]llm.Part{fails(gone)}, 0,
			append([]llm.Part{announce(1, time.Second, gone), announce(2, 2*time.Second, gone), announce(3, 4*time.Second, gone)}, fails(gone)...),
			7 * time.Second},
		{"unreachable and slow", [][]llm.Part{fails(gone)}, 3 * time.Second,
			append([]llm.Part{announce(1, time.Second, gone), announce(2, 2*time.Second, gone)}, fails(gone)...), 12 * time.Second},
		{"unreachable after a while of something else", [][]llm.Part{fails(asks(time.Hour)), fails(gone), fails(gone), good}, 0,
			append([]llm.Part{announce(1, time.Hour, busy), announce(2, 2*time.Second, gone), announce(3, 4*time.Second, gone)}, good...), time.Hour + 6*time.Second},
		{"after text", [][]llm.Part{append([]llm.Part{llm.TextDelta{Text: "h"}}, fails(busy)...)}, 0,
			append([]llm.Part{llm.TextDelta{Text: "h"}}, fails(busy)...), 0},
		{"after thinking", [][]llm.Part{append([]llm.Part{llm.ThinkingDelta{Text: "h"}}, fails(busy)...)}, 0,
			append([]llm.Part{llm.ThinkingDelta{Text: "h"}}, fails(busy)...), 0},
		{"after a call began", [][]llm.Part{append([]llm.Part{llm.ToolCallStart{ID: "c"}}, fails(busy)...)}, 0,
			append([]llm.Part{llm.ToolCallStart{ID: "c"}}, fails(busy)...), 0},
		{"opaque data of a failed try is gone", [][]llm.Part{append([]llm.Part{opaque}, fails(busy)...), append([]llm.Part{opaque}, good...)}, 0,
			append([]llm.Part{announce(1, time.Second, busy), opaque}, good...), time.Second},
		{"canceled", [][]llm.Part{{llm.End{Reason: llm.Canceled, Fault: &llm.Fault{Code: llm.CodeCanceled}}}}, 0,
			[]llm.Part{llm.End{Reason: llm.Canceled, Fault: &llm.Fault{Code: llm.CodeCanceled}}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := &plays{answers: c.answers, took: c.took}
				start := time.Now()
				_, got := llmtest.Hear(retry.Wrap(inner, four).Stream(t.Context(), llm.Request{}))
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("parts (-want +got):\n%s", diff)
				}
				if took := time.Since(start); took != c.elapsed {
					t.Errorf("took %v, want %v", took, c.elapsed)
				}
				for i, a := range inner.attempts {
					if a != i {
						t.Errorf("request %d says attempt %d", i, a)
					}
				}
			})
		})
	}
}

// busyFor is a server that is overloaded for a time, and then answers.
type busyFor struct {
	until time.Time
	fault llm.Fault
	asked int
}

func (b *busyFor) Stream(context.Context, llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		b.asked++
		if time.Now().Before(b.until) {
			f := b.fault
			yield(llm.End{Reason: llm.Failed, Fault: &f})
			return
		}
		for _, p := range good {
			if !yield(p) {
				return
			}
		}
	}
}

var overloaded = llm.Fault{Code: llm.CodeProvider, Message: "529 Overloaded", Status: 529, Retryable: true}

// An hour of a server that is overloaded is waited out where nobody minds, with two minutes between two requests at the most;
// a patience of ten minutes ends after ten, with a last request at its end; a number of attempts ends with that.
func TestAnHourOfOverload(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  retry.Policy
		asked   [2]int // from, to
		elapsed time.Duration
		answer  string
	}{
		{"forever", retry.Forever, [2]int{36, 48}, time.Hour, "hi"},
		{"patient", patient, [2]int{11, 14}, 10 * time.Minute, ""},
		{"an hour and a bit", retry.Policy{Patience: 61 * time.Minute}, [2]int{36, 48}, time.Hour, "hi"},
		{"three attempts", retry.Policy{Attempts: 3}, [2]int{4, 4}, 5 * time.Second, ""},
		{"never", retry.Never, [2]int{1, 1}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				inner := &busyFor{until: start.Add(time.Hour), fault: overloaded}
				h, _ := llmtest.Hear(retry.Wrap(inner, retry.Options{Policy: c.policy}).Stream(t.Context(), llm.Request{}))
				took := time.Since(start)
				if inner.asked < c.asked[0] || inner.asked > c.asked[1] || h.Text != c.answer {
					t.Errorf("asked %d times, answer %q", inner.asked, h.Text)
				}
				if took < c.elapsed || took > c.elapsed+2*time.Minute {
					t.Errorf("took %v", took)
				}
				if c.policy.Patience > 0 && c.answer == "" && took != c.policy.Patience {
					t.Errorf("gave up after %v", took)
				}
				for _, r := range h.Retries {
					if r.Wait <= 0 || r.Wait > 2*time.Minute {
						t.Errorf("a wait of %v", r.Wait)
					}
				}
			})
		})
	}
}

// What the server asks for is waited for, whatever its length, where the policy has room for it; else it is not begun.
func TestLongRetryAfterIsWaitedFor(t *testing.T) {
	for policy, want := range map[retry.Policy]time.Duration{retry.Forever: time.Hour, patient: 0, retry.Policy{Attempts: 1}: time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			inner := &busyFor{until: start.Add(time.Hour), fault: asks(time.Hour)}
			h, _ := llmtest.Hear(retry.Wrap(inner, retry.Options{Policy: policy}).Stream(t.Context(), llm.Request{}))
			if took := time.Since(start); took != want || (h.Text == "hi") != (want > 0) {
				t.Errorf("%+v: took %v, %+v", policy, took, h)
			}
			if want == 0 && h.End.Fault.Retry != time.Hour {
				t.Errorf("%+v", h.End.Fault)
			}
		})
	}
}

// The jitter shortens a wait by up to a quarter, and never lengthens it.
func TestJitterIsAQuarter(t *testing.T) {
	for random, want := range map[float64]time.Duration{0: time.Second, 0.4: 900 * time.Millisecond, 0.99: 752500 * time.Microsecond} {
		synctest.Test(t, func(t *testing.T) {
			inner := &plays{answers: [][]llm.Part{fails(busy), good}}
			h, _ := llmtest.Hear(retry.Wrap(inner, retry.Options{Rand: func() float64 { return random }}).Stream(t.Context(), llm.Request{}))
			if len(h.Retries) != 1 || h.Retries[0].Wait.Round(time.Microsecond) != want {
				t.Errorf("%v: %+v", random, h.Retries)
			}
		})
	}
}

// A cancelled context ends the wait at once.
func TestCancelInWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		inner := &plays{answers: [][]llm.Part{fails(asks(50 * time.Hour))}}
		start := time.Now()
		var parts []llm.Part
		for p := range retry.Wrap(inner, retry.Options{}).Stream(ctx, llm.Request{}) {
			parts = append(parts, p)
			time.AfterFunc(3*time.Second, cancel)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
		if err := llmtest.Laws(llm.Request{}, parts); err != nil || len(parts) != 2 || parts[1].(llm.End).Reason != llm.Canceled {
			t.Errorf("%v: %+v", err, parts)
		}
	})
}

// A caller that leaves at the announcement is not waited for.
func TestLeaveAtRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &plays{answers: [][]llm.Part{fails(busy)}}
		start := time.Now()
		for range retry.Wrap(inner, retry.Options{}).Stream(t.Context(), llm.Request{}) {
			break
		}
		if time.Since(start) != 0 || len(inner.attempts) != 1 {
			t.Errorf("%v, %d requests", time.Since(start), len(inner.attempts))
		}
	})
}

// Over a real wire: a dropped connection, a 503 and a 529 are asked again, with the same body, and the answer is whole.
func TestOverHTTP(t *testing.T) {
	const body = `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n"
	s := llmtest.Serve(t, llmtest.Reply{Body: ": hello\n\n", Cut: true}, llmtest.Reply{Status: 503, Type: "text/plain"},
		llmtest.Reply{Status: 529, Type: "text/plain", Header: map[string]string{"Retry-After": "3"}}, llmtest.Reply{Body: body})
	var waits []time.Duration
	clock := llm.Clock{Sleep: func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}}
	m := retry.Wrap(llmtest.Open(openaichat.Provider, llm.Options{BaseURL: s.URL, HTTP: s.Client()}), retry.Options{Clock: clock, Rand: func() float64 { return 0 }})
	h, parts := llmtest.Hear(m.Stream(t.Context(), llmtest.First()))
	if err := llmtest.Laws(llmtest.First(), parts); err != nil || h.Text != "hi" {
		t.Errorf("%v: %+v", err, h)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	queries := s.Queries()
	for _, q := range queries[1:] {
		if diff := cmp.Diff(queries[0].Body, q.Body); diff != "" {
			t.Errorf("body:\n%s", diff)
		}
	}
}

// A port where nobody listens is given up within ten seconds.
func TestRefusedOverHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	now := time.Unix(0, 0)
	clock := llm.Clock{
		Now:   func() time.Time { return now },
		Sleep: func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil },
	}
	client := &http.Client{Transport: &http.Transport{}}
	m := retry.Wrap(llmtest.Open(openaichat.Provider, llm.Options{BaseURL: "http://" + l.Addr().String(), HTTP: client}), retry.Options{Clock: clock})
	h, _ := llmtest.Hear(m.Stream(t.Context(), llmtest.First()))
	if took := now.Sub(time.Unix(0, 0)); took > 10*time.Second || h.End.Fault == nil || !h.End.Fault.Unreachable {
		t.Errorf("%v: %+v", took, h.End)
	}
}
