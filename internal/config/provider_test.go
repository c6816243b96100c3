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

// A model is named provider/model, and the model may hold slashes.
func TestModelNameMayHoldSlashes(t *testing.T) {
	c := load(t, ownProviders)
	for text, want := range map[string]string{
		"openai/gpt-6-sol":     "openai gpt-6-sol",
		"openai/any/thing:new": "openai any/thing:new",
		"script//tmp/x.ndjson": "script /tmp/x.ndjson",
		"work/x":               "work x",
		"gpt-6-sol":            `"gpt-6-sol" does not name a model: write provider/model, such as openai/default`,
		"openai/":              `"openai/" does not name a model: write provider/model, such as openai/default`,
		"/x":                   `"/x" does not name a model: write provider/model, such as openai/default`,
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

// What the user says of a model holds for its dated names, too; a price may be 0, which is not the same as unsaid.
func TestDatedNameIsItsModel(t *testing.T) {
	r, err := load(t, `{"providers": {"openai": {"models": {"gpt-6-sol": {"context": 5}, "gpt-6-sol-2026-09-22": {"reasoning": "max"}, "house": {"price": {"input": 0, "output": 1.5}}}}}}`).Provider("openai", nil)
	if err != nil {
		t.Fatal(err)
	}
	zero, more := 0.0, 1.5
	for name, want := range map[string]Model{
		"gpt-6-sol": {Context: 5}, "gpt-6-sol-20261001": {Context: 5}, "gpt-6-sol-latest": {Context: 5},
		"gpt-6-sol-2026-09-22": {Reasoning: "max"}, "gpt-6-sol-mini": {}, "gpt-6-so": {},
		"house": {Price: Price{Input: &zero, Output: &more}},
	} {
		if diff := cmp.Diff(want, r.Model(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
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
