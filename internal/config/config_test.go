package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tailscale/hujson"
)

// No way of printing shows a secret, alone or inside of other values.
func TestSecretIsNeverPrinted(t *testing.T) {
	const key = "sk-1234567890"
	s := NewSecret(key)
	type inner struct {
		Key  Secret
		Keys map[string]Secret
		List []Secret
		Ptr  *Secret
	}
	all := inner{s, map[string]Secret{"a": s}, []Secret{s}, &s}
	var b strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		fmt.Fprintf(&b, verb+"\n", s)
		fmt.Fprintf(&b, verb+"\n", all)
		fmt.Fprintf(&b, verb+"\n", Resolved{Key: s, Headers: map[string]Secret{"A": s}})
	}
	for _, v := range []any{s, all, Config{Providers: map[string]Provider{"x": {Headers: map[string]Secret{"A": s}}}}} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
		slog.New(slog.NewTextHandler(&b, nil)).Info("text", "value", v)
		slog.New(slog.NewJSONHandler(&b, nil)).Info("json", "value", v)
	}
	for _, shown := range []string{key, "1234567890", fmt.Sprintf("%x", key), fmt.Sprintf("%d", []byte(key))} {
		if strings.Contains(b.String(), shown) {
			t.Errorf("%q is shown in:\n%s", shown, b.String())
		}
	}
	if s.Reveal() != key || !s.Equal(NewSecret(key)) || s.Empty() || !(Secret{}).Empty() || (Secret{}).String() != "" {
		t.Errorf("the secret itself is lost")
	}
	var read Secret
	if err := json.Unmarshal([]byte(`"`+key+`"`), &read); err != nil || !read.Equal(s) {
		t.Errorf("reading a secret: %v", err)
	}
}

func resolvedSchema(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	b, err := Schema(known)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The built-in configuration keeps its own rules.
func TestDefaultsKeepTheirRules(t *testing.T) {
	if _, problems := parse(defaults, Origin{Layer: LayerBuiltin}, grammar{}); len(problems) > 0 {
		t.Error(problems)
	}
	c, _, err := Load(Sources{Kinds: known})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"openai", "openai-chat", "anthropic", "gemini", "ollama", "script"}
	if diff := cmp.Diff(want, c.Names()); diff != "" {
		t.Errorf("providers (-want +got):\n%s", diff)
	}
}

// Whatever the bytes of a file: no panic, settings or problems; problems lie in
// the file; what is accepted has the schema's shape, and builds.
func FuzzParse(f *testing.F) {
	f.Add(string(defaults))
	for _, pattern := range []string{"layers", "problems", "untrusted", "syntax_open"} {
		b, err := os.ReadFile("testdata/load/" + pattern + ".txtar")
		if err != nil {
			f.Fatal(err)
		}
		_, text, _ := strings.Cut(string(b), "-- user.jsonc --\n")
		text, _, _ = strings.Cut(text, "\n-- ")
		f.Add(text)
	}
	f.Add("\ufeff{}")
	f.Add("[[[[")
	schema := resolvedSchema(f)
	f.Fuzz(func(t *testing.T, text string) {
		settings, problems := parse([]byte(text), Origin{Layer: LayerUser, File: "/c"}, grammar{kinds: known, rule: ruleCheck})
		lines := strings.Count(text, "\n") + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines || p.Column < 1 {
				t.Errorf("a problem outside of the file: %s", p)
			}
		}
		c, err := build(settings)
		if err != nil {
			t.Errorf("the settings do not build: %v", err)
		}
		entries(settings)
		c.incomplete(Origins{})
		if len(problems) > 0 || blank([]byte(strings.TrimPrefix(text, "\ufeff"))) {
			return
		}
		standard, err := hujson.Standardize([]byte(strings.TrimPrefix(text, "\ufeff")))
		if err != nil {
			t.Fatalf("accepted, and not JSON with comments: %v", err)
		}
		var v any
		if err := json.Unmarshal(standard, &v); err != nil {
			t.Fatalf("accepted, and not JSON: %v", err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("accepted against the schema: %v", err)
		}
	})
}

// A configuration file that a repository had made a link to a secret showed its first word in the error.
func TestUntrustedFileIsNotQuoted(t *testing.T) {
	for _, text := range []string{"sk-SECRET", "SECRET=1", `"SECRET"`, `{"SECRET": 1}`, `{"model": 4711}`, `{"providers": {"SECRET": {"type": "SECRET"}}}`,
		`{"permission": {"deny": ["SECRET("]}}`, `{"SECRET": 1, "SECRET": 2}`, "4711", "{\"model\": \"SECRET", `{"modle": "SECRET", "SECRET": 1}`, "SECRET\n\tSECRET", "{SECRET}"} {
		_, problems := parse([]byte(text), Origin{Layer: LayerWorkspace, File: "/c"}, grammar{kinds: known, rule: ruleCheck, quiet: true})
		if len(problems) == 0 {
			t.Errorf("%s: nothing is wrong", text)
		}
		if words := problems.Error(); strings.Contains(words, "SECRET") || strings.Contains(words, "4711") {
			t.Errorf("%s: %s", text, words)
		}
	}
}
