package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// known are types of providers as the program's wiring hands them over.
var known = Kinds{
	{Type: "openai-responses", Servers: []Server{{
		Name: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", BaseEnv: "OPENAI_BASE_URL",
	}}},
	{Type: "openai-chat", Servers: []Server{
		{Name: "openai-chat", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", BaseEnv: "OPENAI_BASE_URL"},
		{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", BaseEnv: "OLLAMA_HOST", ReadBase: func(host string) string {
			return "http://" + strings.ReplaceAll(host, "0.0.0.0", "127.0.0.1:11434") + "/v1"
		}},
	}},
	{Type: "anthropic", Servers: []Server{{
		Name: "anthropic", BaseURL: "https://api.anthropic.com", KeyEnv: "ANTHROPIC_API_KEY", BaseEnv: "ANTHROPIC_BASE_URL",
	}}},
	{Type: "gemini", Servers: []Server{{
		Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com", KeyEnv: "GEMINI_API_KEY", BaseEnv: "GOOGLE_GEMINI_BASE_URL",
	}}},
	{Type: "script", Local: true, Servers: []Server{{Name: "script"}}},
	{Type: "mock", Local: true},
}

// Everything about a provider is said by its type: a type that nobody wrote a line for here is there with its servers,
// their variables, and one that has no server can be named without an entry.
func TestNewKind(t *testing.T) {
	kinds := Kinds{
		{Type: "toy", Servers: []Server{{
			Name: "toys", BaseURL: "https://toys.example", KeyEnv: "TOY_TOKEN", BaseEnv: "TOY_HOST", ReadBase: strings.ToLower,
		}}},
		{Type: "echo", Local: true},
	}
	env := Env{"TOY_TOKEN": "k", "TOY_HOST": "HTTPS://OTHER.EXAMPLE"}
	c, origins, err := Load(Sources{Kinds: kinds, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	want := Resolved{Name: "toys", Type: "toy", BaseURL: "https://other.example", KeyEnv: "TOY_TOKEN", Key: NewSecret("k"),
		Headers: map[string]Secret{}}
	got, err := c.Provider("toys", env)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := c.Advice(); got != "set TOY_TOKEN, or name one with --model provider/model" {
		t.Errorf("without a key: %s", got)
	}
	if got := origins.Of("providers.toys.base_url"); got.Name != "TOY_HOST" {
		t.Errorf("its address is from %s", got)
	}
	if got := strings.Join(c.SecretEnv(), " "); got != "TOY_TOKEN" {
		t.Errorf("secret are %s", got)
	}
	if r, err := c.Provider("echo", nil); err != nil || !r.Local || !r.Ready() {
		t.Errorf("%+v, %v", r, err)
	}
	schema, err := Schema(kinds)
	if err != nil || !strings.Contains(string(schema), `"toy",`) || strings.Contains(string(schema), "openai") {
		t.Errorf("%v: %s", err, schema)
	}
	_, problems := parse([]byte(`{"providers": {"a": {"type": "toi"}}}`), Origin{Layer: LayerUser, File: "/c"}, grammar{kinds: kinds})
	if got := problems.Error(); !strings.Contains(got, `"toi" is not one of its values: did you mean "toy"?`) {
		t.Error(got)
	}
}

// Where nobody can be asked which model to take, it is said what gives one.
func TestNoModelSaysWhatGivesOne(t *testing.T) {
	const all = "set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, start ollama, or name one with --model provider/model"
	if got := (Config{kinds: known}).Advice(); got != all {
		t.Error(got)
	}
	if got := (Config{}).Advice(); got != "name one with --model provider/model" {
		t.Error(got)
	}
}
