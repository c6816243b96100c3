package runtime

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/llm"
)

// The window of a model at home is the server's word, that of a vendor the catalog's, over all the user's; where nobody
// tells it is a guess, and nothing is asked for where it cannot be told better.
func TestWindow(t *testing.T) {
	var asked atomic.Int32
	home := func(w http.ResponseWriter, q *http.Request) {
		asked.Add(1)
		switch q.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, `{"data":[{"id":"qwen","max_model_len":32768},{"id":"gpt-6-sol","max_model_len":8192},{"id":"silent"}]}`)
		default:
			http.NotFound(w, q)
		}
	}
	for _, c := range []struct{ what, config, provider, name, want string }{
		{"asked", "", "home", "qwen", "32k tokens, from the server (max_model_len)"},
		{"over what a vendor has of that name", "", "home", "gpt-6-sol", "8k tokens, from the server (max_model_len)"},
		{"said by the user", `"models": {"qwen": {"context": 4000}}`, "home", "qwen", "4k tokens, from the configuration"},
		{"nobody tells", "", "home", "silent", "128k tokens, a guess: neither the configuration, the server nor the catalog tells it"},
		{"of the catalog", "", "anthropic", "claude-sonnet-5-5", "1.0M tokens, from the catalog (anthropic/claude-sonnet-5-5, of 2026-11-10)"},
		{"of its family", "", "anthropic", "claude-sonnet-7", "1.0M tokens, taken from a model of its family (anthropic/claude-sonnet-5-5)"},
		{"unknown at a vendor", "", "anthropic", "wizard", "128k tokens, a guess: neither the configuration, the server nor the catalog tells it"},
	} {
		asked.Store(0)
		cfg := configured(t, `{"providers": {"home": {"type": "openai-chat", "base_url": "http://home/v1", `+c.config+`}}}`)
		p, err := cfg.Provider(c.provider, keys)
		if err != nil {
			t.Fatal(err)
		}
		v := at(web{"home": home}).In(cfg, keys, time.Hour)
		k := v.Asked(t.Context(), p, c.name)
		if k.Window.String() != c.want || k.guess() != strings.Contains(c.want, "guess") {
			t.Errorf("%s: %s, want %s", c.what, k.Window, c.want)
		}
		n := asked.Load()
		if known := c.provider == "anthropic" || strings.HasSuffix(c.want, "from the configuration"); known != (n == 0) {
			t.Errorf("%s: %d questions", c.what, n)
		}
		if v.Asked(t.Context(), p, c.name); asked.Load() != n {
			t.Errorf("%s: it was asked twice", c.what)
		}
	}
}

// An answer is limited by what this server gives out or the user says, never so that the question has no room.
func TestAnswer(t *testing.T) {
	cfg := configured(t, `{"providers": {"anthropic": {"models": {"claude-opus-5-5": {"max_output": 5000}}}, "gateway": {"type": "openai-chat", "base_url": "https://gateway.example"}}}`)
	v := at(nil).In(cfg, keys, 0)
	for name, want := range map[string]int{
		"anthropic/claude-sonnet-5-5": 128000, "anthropic/claude-haiku-4-5-20251001": 64000, "anthropic/claude-opus-5-5": 5000,
		"anthropic/claude-sonnet-9": 0, "openai/gpt-4": 0, "openai/gpt-6-sol": 128000, "gateway/claude-sonnet-5-5": 0, "gateway/x": 0,
	} {
		n, fault := v.Find(t.Context(), name, "")
		if fault != nil {
			t.Fatal(fault)
		}
		if got := v.Known(n.Provider, n.Name).answer(n.Provider.Model(n.Name)); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// What is used costs what the user says, or else the catalog; tokens without a price are counted.
func TestCost(t *testing.T) {
	cfg := configured(t, `{"providers": {"home": {"type": "openai-chat", "base_url": "http://home", "models": {"free": {"price": {"input": 0, "output": 0}}, "half": {"price": {"output": 1}}}},
		"openai": {"models": {"gpt-6.1-sol": {"price": {"input": 1, "output": 2}}}}}}`)
	v := at(nil).In(cfg, keys, 0)
	used := llm.Usage{Input: 100_000, CachedRead: 80_000, CachedWrite: 10_000, Output: 1_000, Reasoning: 900}
	for name, want := range map[string]string{
		"anthropic/claude-sonnet-5-5": "63000 0", "anthropic/claude-sonnet-9": "0 101000", "home/free": "0 0", "home/x": "0 101000",
		"home/half": "1000 101000", "openai/gpt-6.1-sol": "102000 0", "script/x": "0 0",
	} {
		n, fault := v.Find(t.Context(), name, "")
		if fault != nil {
			t.Fatal(fault)
		}
		micros, unpriced := v.Known(n.Provider, n.Name).cost(used)
		if got := fmt.Sprint(micros, unpriced); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
