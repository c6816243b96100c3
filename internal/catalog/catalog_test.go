package catalog

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite goldens")

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s is not what came (%v); go test ./internal/catalog -update writes it\n%s", file, err, got)
	}
}

func withoutComment(text string) string {
	_, rest, _ := strings.Cut(text, "\n\n")
	return rest
}

// The embedded file is whole, every entry is within bounds, and it is as its maker writes it, byte for byte.
func TestEmbedded(t *testing.T) {
	c := Embedded()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if got := again(c); got != "\n"+withoutComment(models) {
		t.Error("it is not what Encode writes: make it with go run ./test/catalog")
	}
	for _, provider := range c.Providers() {
		for m := range c.Models(provider) {
			rates := []Rates{m.Price.Rates}
			for _, tier := range m.Price.Tiers {
				rates = append(rates, tier.Rates)
			}
			for _, r := range rates {
				read, ok := r.CachedRead.Dollars()
				in, _ := r.Input.Dollars()
				if ok && read > in {
					t.Errorf("%s/%s: reading from the cache is dearer than not", provider, m.Name)
				}
			}
			if m.Context < 4000 || m.Output < 1 || m.Thinking.Way == "" || m.Images.Taken == Unknown || m.Tools != Yes {
				t.Errorf("%s/%s lacks something: %+v", provider, m.Name, m)
			}
			if one, ok := c.Lookup(provider, m.Name); !ok || fmt.Sprint(one) != fmt.Sprint(m) {
				t.Errorf("%s/%s is not found: %+v", provider, m.Name, one)
			}
		}
	}
	if size := len(models); size > 150_000 {
		t.Errorf("it adds %d bytes to the program", size)
	}
	if !slices.ContainsFunc(c.Providers(), func(p string) bool { return p == "anthropic" }) || c.Count < 1000 {
		t.Error("there is little in it")
	}
}

// NOTICE names the package that the data is from, and its licence.
func TestNotice(t *testing.T) {
	notice, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{Embedded().Package, Embedded().Licence + " License", "models.dev"} {
		if !strings.Contains(string(notice), want) {
			t.Errorf("NOTICE does not mention %s", want)
		}
	}
}

// The dates of lifecycle.txt can be read, and those that they are told of a model reach it.
func TestLifecycle(t *testing.T) {
	if _, err := parseCalendar(lifecycle); err != nil {
		t.Fatal(err)
	}
	m, ok := Embedded().Lookup("openai", "gpt-4")
	if !ok || m.Retired(time.Date(2026, 10, 22, 23, 59, 0, 0, time.UTC)) || !m.Retired(time.Date(2026, 10, 23, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("gpt-4 retires %v", m.Retires)
	}
	for _, bad := range []string{
		"openai gpt-4 retires 2026-10-23", "http://a\nopenai gpt-4 ends 2026-10-23", "http://a\nopenai gpt-4 retires tomorrow",
		"http://a\nopenai gpt-4 retires 2026-10-23\nopenai gpt-4 retires 2026-10-24", "http://a\nopenai gpt-4",
	} {
		if _, err := parseCalendar(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// Which entry a configured provider is, and what is known of the names that people write.
func TestFind(t *testing.T) {
	c := Embedded()
	for _, w := range []struct{ name, base, want string }{
		{"openai", "https://api.openai.com/v1", "openai"},
		{"openai-chat", "http://127.0.0.1:9999/v1", "openai"},
		{"gemini", "https://generativelanguage.googleapis.com", "google"},
		{"work", "https://API.anthropic.com", "anthropic"},
		{"go", "https://opencode.ai/inference/go/openai/v1", "opencode-go"},
		{"zen", "https://opencode.ai/inference/openai/v1", "opencode"},
		{"groq", "https://proxy.example/groq", "groq"},
		{"ollama", "http://127.0.0.1:11434/v1", ""},
		{"mine", "://", ""},
	} {
		if got := c.Provider(w.name, w.base); got != w.want {
			t.Errorf("%s at %s is %q, not %q", w.name, w.base, got, w.want)
		}
	}
	for _, w := range []struct {
		provider, name string
		match          string
		context        int
		priced         bool
	}{
		{"anthropic", "claude-sonnet-5-5", "in the catalog", 1_000_000, true},
		{"anthropic", "claude-sonnet-5-5-20261001", "in the catalog as anthropic/claude-sonnet-5-5", 1_000_000, true},
		{"anthropic", "claude-sonnet-7", "not in the catalog; taken to be like anthropic/claude-sonnet-5-5", 1_000_000, false},
		{"", "anthropic/claude-opus-5", "not in the catalog here; taken for anthropic/claude-opus-5", 1_000_000, false},
		{"", "gpt-4o", "not in the catalog here; taken for openai/gpt-4o", 128_000, false},
		{"", "moonshotai/kimi-k3", "not in the catalog here; taken for moonshotai/kimi-k3", 1_048_576, false},
		{"", "qwen3:30b", "not in the catalog", 0, false},
		{"openai", "babbage", "not in the catalog", 0, false},
		{"openai", "gpt-4\t8192", "not in the catalog", 0, false},
		{"openai", "", "not in the catalog", 0, false},
	} {
		m, match := c.Find(w.provider, w.name)
		if (m.Thinking.Way == "") != (match.How == None || match.How == Vendor) {
			t.Errorf("%s/%s, %s: thinks %s", w.provider, w.name, match, m.Thinking)
		}
		if match.String() != w.match || m.Context != w.context || m.Price.unknown() == w.priced || m.Name != w.name || m.Provider != w.provider {
			t.Errorf("%s/%s: %s, %d, %v", w.provider, w.name, match, m.Context, m.Price.Rates)
		}
	}
}

// A user's own entry wins, fact by fact.
func TestOver(t *testing.T) {
	base, _ := Embedded().Lookup("anthropic", "claude-sonnet-5-5")
	own := Model{Context: 200_000, Tools: No, Price: Price{Rates: Rates{Input: USD(1), Output: USD(0)}}}
	got := own.Over(base)
	if got.Context != 200_000 || got.Output != 128_000 || got.Tools != No || got.Thinking.Way != Adaptive || got.Images.Taken != Yes ||
		got.Price.Rates.String() != "1 0 - -" || got.Name != base.Name {
		t.Errorf("%+v", got)
	}
	if empty := (Model{}).Over(base); fmt.Sprint(empty) != fmt.Sprint(base) {
		t.Errorf("%+v", empty)
	}
}

// Load takes a file that is whole and newer, and nothing else; it says why it does not take one that is damaged.
func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "models.txt")
	newer := strings.Replace(models, "dated 2026-11-10", "dated 2027-01-01", 1)
	older := strings.Replace(models, "dated 2026-11-10", "dated 2026-01-01", 1)
	if c, word := Load(path); c != Embedded() || word != "" {
		t.Errorf("without a file: %s, %q", c.Dated, word)
	}
	if err := Save(path, newer); err != nil {
		t.Fatal(err)
	}
	if c, word := Load(path); c.Dated.Year() != 2027 || word != "" {
		t.Errorf("a newer file: %s, %q", c.Dated, word)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("it is readable by others: %v %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("there is more than the file: %v %v", left, err)
	}
	if err := Save(path, newer[:len(newer)/2]); err == nil {
		t.Error("half a file was saved")
	}
	if c, _ := Load(path); c.Dated.Year() != 2027 {
		t.Error("a file that was refused took the place of the good one")
	}
	if err := Save(path, older); err != nil {
		t.Fatal(err)
	}
	if c, word := Load(path); c != Embedded() || word != "" {
		t.Errorf("an older file: %s, %q", c.Dated, word)
	}
	for _, damaged := range []string{"", "{}", newer[:len(newer)-9], strings.Replace(newer, "\t10 50 1 12.5", "\t10 50 1 1,5", 1), strings.Repeat("x", mostBytes+1)} {
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, word := Load(path); c != Embedded() || !strings.Contains(word, path) || !strings.Contains(word, "parley models --refresh") {
			t.Errorf("a damaged file: %s, %q", c.Dated, word)
		}
	}
	if c, word := Load(t.TempDir()); c != Embedded() || word == "" {
		t.Errorf("a folder: %s, %q", c.Dated, word)
	}
}
