package runtime

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/config"
	"parley/internal/llm"
	"parley/internal/llm/retry"
)

// prepared is a setup with the model of that name.
func prepared(t *testing.T, m *Models, cfg config.Config, env config.Env, name string) *agent.Setup {
	t.Helper()
	r := New(Options{Providers: Builtin, Now: today})
	r.models = m
	setup := &agent.Setup{}
	if fault := r.setModel(t.Context(), setup, m.In(cfg, env, time.Hour), t.TempDir(), name, "", retry.Never); fault != nil {
		t.Fatal(fault)
	}
	return setup
}

// ended is how the answer to a request ended.
func ended(t *testing.T, setup *agent.Setup, effort string) llm.End {
	t.Helper()
	request := llm.Request{Model: setup.ModelName, Reasoning: llm.EffortOf(effort), Thinker: setup.Thinker, Messages: []llm.Message{{Role: llm.User, Parts: []llm.Content{llm.Text{Text: "hi"}}}}}
	for part := range setup.Model.Stream(t.Context(), request) {
		if end, ok := part.(llm.End); ok {
			return end
		}
	}
	t.Fatal("the stream has no end")
	return llm.End{}
}

// A model is asked to think as hard as it can, and not harder than it was asked; in the word of its server, and not at
// all where it takes none. What nobody knows is asked as it was said.
func TestEffortOfRequest(t *testing.T) {
	for _, c := range []struct{ model, asked, body, word string }{
		{"openai/gpt-6.1-sol", "high", `"effort":"high"`, ""},
		{"openai/gpt-6.1-sol", "off", `"effort":"low"`, "gpt-6.1-sol does not think with reasoning off; low is what it takes"},
		{"openai/gpt-6-sol", "off", `"effort":"none"`, ""},
		{"openai/gpt-5.2", "max", `"effort":"xhigh"`, "gpt-5.2 does not think with reasoning max; xhigh is what it takes"},
		{"openai/gpt-4.1", "high", ``, "gpt-4.1 takes no word for how hard to think; reasoning high is left out"},
		{"openai/gpt-6.1-sol", "", ``, ""},
		{"openai/house", "xhigh", `"effort":"xhigh"`, ""},
		{"openai/house", "off", `"effort":"none"`, ""},
	} {
		var sent string
		m := at(web{openaiHost: func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(q.Body)
			sent = string(body)
			http.Error(w, "enough", http.StatusTeapot)
		}})
		cfg := configured(t, "")
		setup := prepared(t, m, cfg, keys, c.model)
		ended(t, setup, c.asked)
		if c.body == "" && strings.Contains(sent, `"effort"`) || !strings.Contains(sent, c.body) || sent == "" {
			t.Errorf("%s of %s: sent %s, want %s", c.asked, c.model, sent, c.body)
		}
		p, err := cfg.Provider("openai", keys)
		if err != nil {
			t.Fatal(err)
		}
		if got := unfit(setup.ModelName, m.In(cfg, keys, 0).Known(p, setup.ModelName), c.asked); got != c.word {
			t.Errorf("%s of %s: %q, want %q", c.asked, c.model, got, c.word)
		}
	}
}

// A server that does not have a model is asked what it has instead, however it says so. What it does have, and a fault
// of another kind, stay as they are.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		what, model string
		status      int
		body        string
		listed      []string
		want        string
	}{
		{"404", "openai/gpt-6-soll", 404, `{"error":{"message":"The model does not exist"}}`, []string{"gpt-6-sol", "gpt-6.1-sol"},
			"404 Not Found: The model does not exist; its server does not list gpt-6-soll; near to it: gpt-6-sol, gpt-6.1-sol"},
		{"DeepSeek", "openai/gpt-9", 400, `{"error":{"message":"Model Not Exist"}}`, []string{"gpt-9-mini", "other"},
			"400 Bad Request: Model Not Exist; its server does not list gpt-9; 'parley models openai' shows what it lists"},
		{"OpenRouter", "openai/gpt-6-soll", 400, `{"error":{"message":"gpt-6-soll is not a valid model ID"}}`, []string{"gpt-6-sol"},
			"400 Bad Request: gpt-6-soll is not a valid model ID; its server does not list gpt-6-soll; near to it: gpt-6-sol"},
		{"one that its vendor has ended", "openai/gpt-5", 404, `{}`, []string{"gpt-6-sol"},
			"404 Not Found; its server does not list gpt-5 (its vendor ends it on 2026-12-10); 'parley models openai' shows what it lists"},
		{"one that is listed", "openai/gpt-6-sol", 404, `{}`, []string{"gpt-6-sol"}, "404 Not Found"},
		{"no list", "openai/gpt-9", 404, `{}`, nil, "404 Not Found"},
		{"another fault", "openai/gpt-9", 400, `{"error":{"message":"bad tools"}}`, []string{"gpt-6-sol"}, "400 Bad Request: bad tools"},
	} {
		m := at(web{openaiHost: func(w http.ResponseWriter, q *http.Request) {
			if q.Method == http.MethodGet && c.listed != nil {
				lists(c.listed...)(w, q)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}})
		end := ended(t, prepared(t, m, configured(t, ""), keys, c.model), "")
		if end.Fault == nil || end.Fault.Message != c.want {
			t.Errorf("%s: %v\nwant %s", c.what, end.Fault, c.want)
		}
	}
}
