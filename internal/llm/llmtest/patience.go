package llmtest

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/llm"
)

// inside hears the answer to one request within a bubble, and how long it took by the bubble's clock.
func (w Wire) inside(t *testing.T, reply Reply, check func(t *testing.T, h Heard, took time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := ServeInside(t, reply)
		start := time.Now()
		h, parts := Hear(w.open(llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client()}).Stream(t.Context(), First()))
		took := time.Since(start)
		w.check(t, parts)
		check(t, h, took)
	})
}

// A stream that is silent is cut after five minutes, before its first byte and in the middle; one that is slow is not.
func (w Wire) silence(t *testing.T) {
	cut := func(text string) func(*testing.T, Heard, time.Duration) {
		return func(t *testing.T, h Heard, took time.Duration) {
			want := "the server has sent nothing for 5m0s"
			if f := h.End.Fault; f == nil || f.Message != want || !f.Retryable || f.Code != llm.CodeProvider || f.Unreachable {
				t.Errorf("%+v", f)
			}
			if took != llm.Silence || h.Text != text {
				t.Errorf("after %v, text %q", took, h.Text)
			}
		}
	}
	t.Run("before the first byte", func(t *testing.T) { w.inside(t, Reply{Silent: true}, cut("")) })
	t.Run("in the text", func(t *testing.T) {
		w.inside(t, Reply{Body: untilText(w.Text), Hold: true}, func(t *testing.T, h Heard, took time.Duration) {
			cut(h.Text)(t, h, took)
			if h.Text == "" || !strings.HasPrefix(Said, h.Text) {
				t.Errorf("text %q", h.Text)
			}
		})
	})
	t.Run("slow", func(t *testing.T) {
		w.inside(t, Reply{Body: w.Text, Pause: llm.Silence - time.Second}, func(t *testing.T, h Heard, _ time.Duration) {
			if h.Text != Said {
				t.Errorf("%q %+v", h.Text, h.End.Fault)
			}
		})
	})
	t.Run("slow arguments", func(t *testing.T) {
		w.inside(t, Reply{Body: w.Calls, Pause: llm.Silence - time.Second}, func(t *testing.T, h Heard, _ time.Duration) {
			if len(h.Calls) != len(Calls) {
				t.Errorf("%+v", h.End.Fault)
			}
		})
	})
	t.Run("set", func(t *testing.T) {
		// Over a socket, by the real clock: that it ends is all that is looked at.
		s := Serve(t, Reply{Body: untilText(w.Text), Hold: true})
		o := llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client(), Silence: 20 * time.Millisecond}
		h, parts := Hear(w.open(o).Stream(t.Context(), First()))
		<-s.Left()
		w.check(t, parts)
		if f := h.End.Fault; f == nil || !f.Retryable || !strings.HasPrefix(f.Message, "the server has sent nothing for") {
			t.Errorf("%+v", f)
		}
	})
}

// What a server documents as a sign that it is at work keeps a stream, for an hour; what a proxy sends for the sake of the
// connection does not.
func (w Wire) pings(t *testing.T) {
	const comment, every = ": keep-alive\n\n", 200 * time.Second
	for name, ping := range map[string]string{"comment": comment, "event": w.Ping} {
		if ping == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w.inside(t, Reply{Body: strings.Repeat(ping, 10) + w.Text, Pause: every}, func(t *testing.T, h Heard, _ time.Duration) {
				if h.Text != Said {
					t.Errorf("%q %+v", h.Text, h.End.Fault)
				}
			})
			w.inside(t, Reply{Body: strings.Repeat(ping, 40) + w.Text, Pause: every}, func(t *testing.T, h Heard, took time.Duration) {
				if f := h.End.Fault; f == nil || !f.Retryable || took != time.Hour {
					t.Errorf("after %v: %q %+v", took, h.Text, f)
				}
			})
		})
	}
	t.Run("a proxy's", func(t *testing.T) {
		w.inside(t, Reply{Body: strings.Repeat(": ping\n\n", 9) + w.Text, Pause: every}, func(t *testing.T, h Heard, took time.Duration) {
			if f := h.End.Fault; f == nil || took != llm.Silence {
				t.Errorf("after %v: %q %+v", took, h.Text, f)
			}
		})
	})
}

// A key that is refused is asked for anew, once, and the request sent again where there is another. Neither is ever shown.
func (w Wire) keys(t *testing.T) {
	const fresh = "sk-fresh-8d1b0c5f3a2e4476"
	denied := func(status int) Reply {
		return Reply{Status: status, Type: "application/json", Body: `{"error":{"message":"key ` + Secret + ` or ` + fresh + ` is wrong"}}`}
	}
	for _, c := range []struct {
		name    string
		second  string
		replies []Reply
		asked   string
		text    string
	}{
		{"renewed", fresh, []Reply{denied(401), {Body: w.Text}}, " " + Secret, Said},
		{"renewed after 403", fresh, []Reply{denied(403), {Body: w.Text}}, " " + Secret, Said},
		{"the same", Secret, []Reply{denied(401)}, " " + Secret, ""},
		{"none", "", []Reply{denied(401)}, " " + Secret, ""},
		{"refused again", fresh, []Reply{denied(401), denied(401)}, " " + Secret, ""},
		{"something else", fresh, []Reply{{Status: 404, Type: "text/plain"}}, "", ""},
		{"in the answer", fresh, []Reply{{Body: untilText(w.Text) + w.Error("expired", "authentication_error")}}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Serve(t, c.replies...)
			var asked []string
			key := func(_ context.Context, refused string) (string, error) {
				if asked = append(asked, refused); refused == "" {
					return Secret, nil
				}
				return c.second, nil
			}
			h, parts := Hear(w.open(llm.Options{BaseURL: s.URL, Key: key, HTTP: s.Client()}).Stream(t.Context(), First()))
			w.check(t, parts)
			if got := strings.Join(asked, " "); got != c.asked || len(s.Queries()) != len(c.replies) {
				t.Errorf("asked for %q, %d requests", got, len(s.Queries()))
			}
			if c.text != "" && h.Text != c.text || c.text == "" && h.End.Fault == nil {
				t.Errorf("%q %+v", h.Text, h.End.Fault)
			}
			if f := h.End.Fault; f != nil && (strings.Contains(f.Message, Secret) || len(c.replies) > 1 && strings.Contains(f.Message, fresh)) {
				t.Errorf("a key is in %q", f.Message)
			}
			for i, q := range s.Queries() {
				want := strings.Replace(w.KeyValue, Secret, []string{Secret, c.second}[i], 1)
				if got := q.Header.Get(w.KeyHeader); got != want {
					t.Errorf("request %d: %q, want %q", i, got, want)
				}
			}
		})
	}
}

// An answer that thinks and does not speak, and one without a word, are told from one that says something.
func (w Wire) saysNothing(t *testing.T) {
	blank := strings.NewReplacer(`"Hello, wörld! 🌍 Two\nlines."`, `"  \n "`, `"Hello"`, `" "`, `", wörld! 🌍 Two"`, `" \n"`, `"\nlines."`, `" "`)
	for name, c := range map[string]struct {
		body     string
		thinking string
		want     llm.Said
	}{
		"thoughts": {w.Thinks, Thought, llm.Thoughts}, "nothing": {w.Empty, "", llm.Nothing},
		"white space after thoughts": {blank.Replace(w.Text), Thought, llm.Thoughts},
		"something":                  {w.Text, Thought, llm.Something}, "calls": {w.Calls, Thought, llm.Something},
	} {
		h, parts := w.ask(Serve(t, Reply{Body: c.body}), First())
		w.check(t, parts)
		if h.End.Said != c.want || h.Thinking != c.thinking || h.End.Fault != nil {
			t.Errorf("%s: %q, thinking %q, text %q, %+v", name, h.End.Said, h.Thinking, h.Text, h.End)
		}
	}
}
