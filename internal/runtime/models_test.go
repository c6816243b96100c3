package runtime

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/catalog"
	"parley/internal/config"
)

// today is when these tests play.
func today() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }

// web is servers by their host. Nobody listens on the others.
type web map[string]http.HandlerFunc

// RoundTrip lets a server answer without a network.
func (w web) RoundTrip(q *http.Request) (*http.Response, error) {
	serve, ok := w[q.URL.Host]
	if !ok {
		return nil, fmt.Errorf("%s: connection refused", q.URL.Host)
	}
	answer, over := httptest.NewRecorder(), make(chan bool)
	go func() { serve(answer, q); close(over) }()
	select {
	case <-over:
		res := answer.Result()
		res.Request = q
		return res, nil
	case <-q.Context().Done():
		return nil, q.Context().Err()
	}
}

// lists is a server that lists some models, and has nothing else.
func lists(names ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		if !strings.HasSuffix(q.URL.Path, "/models") {
			http.NotFound(w, q)
			return
		}
		var data, google []map[string]string
		for _, name := range names {
			data = append(data, map[string]string{"id": name})
			google = append(google, map[string]string{"name": "models/" + name})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": append([]map[string]string{}, data...), "models": append([]map[string]string{}, google...)})
	}
}

// at is the models of the program's providers, with these servers.
func at(servers web) *Models {
	m := NewModels(Builtin, "", today)
	m.clients["  "] = &http.Client{Transport: servers} // of an environment without proxies
	return m
}

// configured is a user's file, read.
func configured(t *testing.T, text string) config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.jsonc")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, _, err := config.Load(config.Sources{Kinds: Builtin.Kinds(), User: file})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

const (
	openaiHost    = "api.openai.com"
	anthropicHost = "api.anthropic.com"
	googleHost    = "generativelanguage.googleapis.com"
	ollamaHost    = "127.0.0.1:11434"
)

var keys = config.Env{"OPENAI_API_KEY": "a", "ANTHROPIC_API_KEY": "b", "GEMINI_API_KEY": "c"}

// The catalog that is used is the newer one of two files, and is read anew when it changes.
func TestRefreshedCatalog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "models.txt")
	m := NewModels(Builtin, path, today)
	if c, word := m.Catalog(); c != catalog.Embedded() || word != "" {
		t.Errorf("without a file: %s, %q", c.Dated, word)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("parley-catalog 9"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, word := m.Catalog(); c != catalog.Embedded() || !strings.Contains(word, path+" cannot be used") {
		t.Errorf("with a damaged file: %s, %q", c.Dated, word)
	}
	if err := catalog.Save(path, newer(t, "2027-01-01", catalog.Model{Name: "claude-sonnet-6", Context: 2e6, Output: 128e3, Thinking: catalog.Thinking{Way: catalog.Never}})); err != nil {
		t.Fatal(err)
	}
	n, fault := m.In(configured(t, ""), config.Env{"ANTHROPIC_API_KEY": "x"}, 0).Find(t.Context(), "anthropic/default", "")
	if fault != nil || n.Name != "claude-sonnet-6" || n.Why != "the newest claude-sonnet of the catalog of 2027-01-01" {
		t.Errorf("%s, %s, %v", n, n.Why, fault)
	}
}

// newer is a catalog of a later day, in which Anthropic has one model.
func newer(t *testing.T, day string, m catalog.Model) string {
	t.Helper()
	dated, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	h := catalog.Header{Package: "p", Version: "9.9.9", Integrity: "sha512-x", Licence: "MIT", Dated: dated, Tools: catalog.Yes, Count: 1}
	return catalog.Encode("", h, []catalog.Section{{Provider: "anthropic", Wire: "anthropic", Base: "https://api.anthropic.com", Models: []catalog.Model{m}}})
}

// What is listed: the words and what they stand for, what a server lists and the configuration names; what is no model
// that writes text, as far as anybody knows; the default, also where its server does not list it.
func TestChoices(t *testing.T) {
	m := at(web{
		anthropicHost: lists("claude-sonnet-5-5", "claude-haiku-5-5", "voice-1"),
		"home": func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path == "/v1/models" {
				fmt.Fprint(w, `{"data":[{"id":"small","max_model_len":9000}]}`)
			} else {
				http.NotFound(w, q)
			}
		},
	})
	cfg := configured(t, `{"model": "anthropic/other", "providers": {"home": {"type": "openai-chat", "base_url": "http://home"}}}`)
	choices, preset := m.In(cfg, config.Env{"ANTHROPIC_API_KEY": "x"}, time.Hour).Choices(t.Context(), true)
	var got []string
	for _, c := range choices {
		if c.Placeholder || !c.Ready {
			continue
		}
		line := fmt.Sprint(c.Name, " ", c.Context)
		for _, fact := range []struct {
			is  bool
			say string
		}{{c.Is != "", "= " + c.Is}, {c.Guess, "guess"}, {c.Listed, "listed"}, {c.Obscure, "obscure"}, {c.Default, "default"}} {
			if fact.is {
				line += " " + fact.say
			}
		}
		got = append(got, line)
	}
	want := []string{
		"home/default 9000 = home/small listed", "home/small 9000 listed",
		"anthropic/default 1000000 = anthropic/claude-sonnet-5-5 listed", "anthropic/fast 1000000 = anthropic/claude-haiku-5-5 listed",
		"anthropic/claude-sonnet-5-5 1000000 listed", "anthropic/claude-haiku-5-5 1000000 listed",
		"anthropic/voice-1 128000 guess listed obscure", "anthropic/other 128000 guess obscure default",
	}
	if diff := cmp.Diff(want, got); diff != "" || preset != "anthropic/other" {
		t.Errorf("default %s (-want +got):\n%s", preset, diff)
	}
}
