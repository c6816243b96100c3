package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// load reads a user's file and nothing else.
func load(t *testing.T, text string) Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.jsonc")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(Sources{Kinds: known, User: file})
	if err != nil && !errors.As(err, new(Problems)) {
		t.Fatal(err)
	}
	return c
}

const ownProviders = `{"providers": {
	"work": {"type": "openai-chat", "base_url": "https://example.org", "api_key_env": "WORK_KEY", "models": {"b": {}, "a": {}}},
	"home": {"type": "openai-chat", "base_url": "http://10.0.0.2/v1"},
}}`

// Without a configured model the first provider that is ready gives one: the
// user's own before the built-in ones.
func TestDefaultModel(t *testing.T) {
	answers := func(want string, models ...string) func(Resolved) ([]string, bool) {
		return func(r Resolved) ([]string, bool) { return models, r.BaseURL == want }
	}
	const ollama = "http://127.0.0.1:11434/v1"
	const nothing = "no model: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, start ollama, or name one with --model provider/model"
	for _, test := range []struct {
		name, file string
		env        Env
		probe      func(Resolved) ([]string, bool)
		want       string
	}{
		{"nothing", "", nil, nil, nothing},
		{"openai", "", Env{"OPENAI_API_KEY": "x", "GEMINI_API_KEY": "y"}, nil, "openai/gpt-5"},
		{"anthropic", "", Env{"ANTHROPIC_API_KEY": "x", "OPENAI_API_KEY": ""}, nil, "anthropic/claude-sonnet-4-5"},
		{"gemini", "", Env{"GEMINI_API_KEY": "x"}, nil, "gemini/gemini-2.5-pro"},
		{"blank key", "", Env{"GEMINI_API_KEY": " \n"}, nil, nothing},
		{"ollama", "", nil, answers(ollama, "qwen3:8b", "llama3"), "ollama/qwen3:8b"},
		{"empty ollama", "", nil, answers(ollama), nothing},
		{"key before server", "", Env{"OPENAI_API_KEY": "x"}, answers(ollama, "m"), "openai/gpt-5"},
		{"own with key", ownProviders, Env{"OPENAI_API_KEY": "x", "WORK_KEY": "y"}, nil, "work/a"},
		{"own server", ownProviders, Env{"OPENAI_API_KEY": "x"}, answers("http://10.0.0.2/v1", "m"), "home/m"},
		{"own silent", ownProviders, Env{"OPENAI_API_KEY": "x"}, answers(ollama, "m"), "openai/gpt-5"},
		{"configured", `{"model": "script/a/b.ndjson"}`, Env{"OPENAI_API_KEY": "x"}, nil, "script/a/b.ndjson"},
		{"unknown", `{"model": "opnai/m"}`, nil, nil, `there is no provider "opnai": did you mean "openai"? There are: openai, openai-chat, anthropic, gemini, ollama, script`},
	} {
		got, err := load(t, test.file).DefaultModel(test.env, test.probe)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A model is named provider/model, and the model may hold slashes.
func TestModelNameMayHoldSlashes(t *testing.T) {
	c := load(t, ownProviders)
	for text, want := range map[string]string{
		"openai/gpt-5":         "openai gpt-5",
		"openai/any/thing:new": "openai any/thing:new",
		"script//tmp/x.ndjson": "script /tmp/x.ndjson",
		"work/x":               "work x",
		"gpt-5":                `"gpt-5" does not name a model: write provider/model, such as openai/gpt-5`,
		"openai/":              `"openai/" does not name a model: write provider/model, such as openai/gpt-5`,
		"/x":                   `"/x" does not name a model: write provider/model, such as openai/gpt-5`,
		"nobody/x":             `there is no provider "nobody"; there are: home, work, openai, openai-chat, anthropic, gemini, ollama, script`,
	} {
		provider, model, err := c.Find(text)
		got := provider + " " + model
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A resolved provider has its key and its headers from the environment; what
// is missing is named, and never shown is what is there.
func TestResolve(t *testing.T) {
	c := load(t, `{"providers": {
		"a": {"type": "gemini", "api_key_env": "A_KEY", "headers": {"X-Team": "t-${TEAM}", "X-Plain": "$TEAM"}},
		"b": {"type": "gemini", "headers": {"X": "${GONE}"}},
	}}`)
	env := Env{"A_KEY": " k \n", "TEAM": "blue"}
	got, err := c.Provider("a", env)
	want := Resolved{
		Name: "a", Type: "gemini", KeyEnv: "A_KEY", Key: NewSecret("k"),
		Headers: map[string]Secret{"X-Team": NewSecret("t-blue"), "X-Plain": NewSecret("$TEAM")},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	all, err := c.Resolve(env)
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	const text = "provider b: the header X wants the environment variable GONE, which is not set"
	if err == nil || err.Error() != text {
		t.Errorf("error %v, want %s", err, text)
	}
	if diff := cmp.Diff(append([]string{"a"}, known.names()...), names); diff != "" {
		t.Errorf("providers (-want +got):\n%s", diff)
	}
	if _, err := c.Provider("gmini", env); err == nil || !strings.Contains(err.Error(), `did you mean "gemini"?`) {
		t.Errorf("an unknown provider: %v", err)
	}
}

// Dated names are the model they begin with; others have a window of 128k.
func TestDatedNameIsItsModel(t *testing.T) {
	r, err := load(t, `{"providers": {"openai": {"models": {"gpt-4o": {"context": 5}}}}}`).Provider("openai", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Model{
		"gpt-5":                   {400000, 128000},
		"gpt-5-mini":              {400000, 128000},
		"gpt-5-mini-2025-08-07":   {400000, 128000},
		"gpt-4o":                  {5, 16384},
		"gpt-4.1-latest":          {1047576, 32768},
		"gpt-5-something-other":   {UnknownContext, 0},
		"gpt-50":                  {UnknownContext, 0},
		"ft:gpt-4o-2024-08-06:me": {UnknownContext, 0},
	} {
		if got := r.Model(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// A clone shares nothing with what it was made of.
func TestCloneSharesNothing(t *testing.T) {
	c := load(t, ownProviders)
	want := load(t, ownProviders)
	d := c.Clone()
	d.Providers["work"].Models["x"] = Model{Context: 1}
	d.Providers["new"] = Provider{}
	d.Permission.Allow = append(d.Permission.Allow, "*")
	if diff := cmp.Diff(want, c, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Errorf("the original changed (-want +got):\n%s", diff)
	}
}
