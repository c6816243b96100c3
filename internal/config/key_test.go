package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What Key writes, ParseKey reads back; what is no key is refused.
func TestParseKey(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string // nil: no key
	}{
		{"model", []string{"model"}},
		{"limits.steps", []string{"limits", "steps"}},
		{`providers.openai.models["gpt-6.1-sol"].context`, []string{"providers", "openai", "models", "gpt-6.1-sol", "context"}},
		{`providers.x.models["a\"b"]`, []string{"providers", "x", "models", `a"b`}},
		{`[""].x`, []string{"", "x"}},
		{"$schema", []string{"$schema"}},
		{"", nil},
		{".", nil},
		{"a.", nil},
		{".a", nil},
		{"a..b", nil},
		{"a]", nil},
		{`a"b"`, nil},
		{"a[b]", nil},
		{`a["b`, nil},
		{`a["b"`, nil},
		{"a[`b`]", nil},
		{`a["b"]c`, nil},
	} {
		got, err := ParseKey(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want != nil) {
			t.Errorf("ParseKey(%q): %v (-want +got):\n%s", tt.text, err, diff)
		}
		if tt.want != nil && Key(tt.want...) != tt.text {
			t.Errorf("Key(%q) = %s, want %s", tt.want, Key(tt.want...), tt.text)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, text := range []string{"model", `providers.openai.models["gpt-6.1-sol"].context`, `[""].x`, "a..b", "a[`b`]", `a["b"]c`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParseKey(text)
		if err != nil {
			return
		}
		again, err := ParseKey(Key(path...))
		if err != nil || !slices.Equal(path, again) {
			t.Errorf("%q is %q, which is written %q and read as %q: %v", text, path, Key(path...), again, err)
		}
	})
}

// A path that no configuration can have is refused with the name that was
// likely meant.
func TestCheckKey(t *testing.T) {
	for _, tt := range []struct{ key, want string }{
		{"model", ""},
		{"providers", ""},
		{"providers.mine.headers.X-Team", ""},
		{`providers.mine.models["a.b"].context`, ""},
		{"daemon.idle", ""},
		{"permission.allow", ""},
		{"modle", `unknown key "modle": did you mean "model"?`},
		{"limits.stpes", `unknown key "stpes" in limits: did you mean "steps"?`},
		{"threshold", `unknown key "threshold": did you mean context.threshold?`},
		{"model.x", "model has no parts"},
		{"providers.mine.headers.A.b", "providers.mine.headers.A has no parts"},
		{`providers["no good"]`, `"no good" cannot be a name in providers`},
	} {
		path, err := ParseKey(tt.key)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := CheckKey(path...); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.key, got, tt.want)
		}
	}
}

// Every key that is listed is one, and every effective value has a listed key.
func TestEveryListedKeyExists(t *testing.T) {
	listed := map[string]bool{}
	for _, key := range Keys() {
		listed[key] = true
		path, err := ParseKey(key)
		if err == nil {
			err = CheckKey(path...)
		}
		if err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	_, origins, err := Load(Sources{Kinds: known})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range origins.Entries {
		path, err := ParseKey(e.Key)
		if err != nil {
			t.Error(err)
			continue
		}
		for i := range path {
			if i > 0 && (path[i-1] == "providers" || path[i-1] == "models" || path[i-1] == "headers") {
				path[i] = "NAME"
			}
		}
		if !listed[Key(path...)] {
			t.Errorf("%s is set and not listed", Key(path...))
		}
	}
}

// What commands must not see: the keys of all providers, and what headers are
// made of.
func TestSecretEnv(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.jsonc")
	text := `{"providers": {"team": {"type": "openai-chat", "base_url": "https://models.example.org", "api_key_env": "TEAM_KEY",
		"headers": {"X-A": "Bearer ${TEAM_TOKEN}", "X-B": "${A_PART}:${TEAM_TOKEN}"}}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(Sources{User: file, Kinds: known})
	if err != nil {
		t.Fatal(err)
	}
	want := "ANTHROPIC_API_KEY A_PART GEMINI_API_KEY OPENAI_API_KEY TEAM_KEY TEAM_TOKEN"
	if got := strings.Join(c.SecretEnv(), " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
