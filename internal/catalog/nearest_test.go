package catalog

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A name that a server does not have gets those that were meant.
func TestNearest(t *testing.T) {
	lists := listed(t)
	for _, c := range []struct{ name, provider, want string }{
		{"claude-sonet-5-5", "anthropic", "[claude-sonnet-5-5 claude-sonnet-5 claude-sonnet-4-6]"},
		{"claude-sonnet-4", "anthropic", "[claude-sonnet-5-5 claude-sonnet-5 claude-sonnet-4-6]"},
		{"claude-opus-4.8", "anthropic", "[claude-opus-4-8 claude-opus-5-5 claude-opus-5]"},
		{"gpt-5-turbo", "openai", "[gpt-4-turbo]"},
		{"gpt-6.1-soll", "openai", "[gpt-6.1-sol gpt-6-sol gpt-5.6-sol]"},
		{"GPT-6-SOL", "openai", "[gpt-6-sol gpt-6.1-sol gpt-5.6-sol]"},
		{"gemini-2.0-flash", "google", "[gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash]"},
		{"llama-3", "openai", "[]"},
		{"", "openai", "[]"},
	} {
		if got := fmt.Sprint(Nearest(c.name, lists[c.provider])); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A server has a name that it lists as it is, under a date or with a tag.
func TestServed(t *testing.T) {
	list := []string{"claude-haiku-4-5-20251001", "gpt-4o-2024-08-06", "qwen3:latest", "gpt-6-sol"}
	for name, want := range map[string]bool{
		"claude-haiku-4-5": true, "claude-haiku-4-5-20251001": true, "claude-haiku-4-5-20250101": false, "gpt-4o": true,
		"qwen3": true, "qwen3:8b": false, "gpt-6-sol": true, "gpt-6": false, "": false,
	} {
		if Served(name, list) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

// The law of nearest names: at most three, all of them listed, none twice, and never the name itself.
func TestNearestLaw(t *testing.T) {
	lists := listed(t)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfDistinct(rapid.SampledFrom(lists["openai"]), rapid.ID[string]).Draw(t, "list")
		name := rapid.OneOf(rapid.SampledFrom(lists["openai"]), rapid.String()).Draw(t, "name")
		got := Nearest(name, list)
		for i, n := range got {
			if len(got) > 3 || n == name || !slices.Contains(list, n) || slices.Contains(got[:i], n) {
				t.Fatalf("%q: %q", name, got)
			}
		}
	})
}

// A name without a provider is enough where one has it.
func TestUnique(t *testing.T) {
	offers := []Offer{
		{"work", "https://gateway/v1", []string{"claude-sonnet-5-5", "house"}},
		{"openai", "https://a/v1", []string{"gpt-6-sol", "o3"}},
		{"openai-chat", "https://a/v1", []string{"gpt-6-sol", "only-chat"}},
		{"anthropic", "https://b", []string{"claude-sonnet-5-5"}},
		{"one", "", []string{"same"}},
		{"two", "", []string{"same"}},
	}
	for _, c := range []struct{ name, provider, among string }{
		{"house", "work", "[work]"},
		{"gpt-6-sol", "openai", "[openai]"},
		{"only-chat", "openai-chat", "[openai-chat]"},
		{"claude-sonnet-5-5", "", "[work anthropic]"},
		{"same", "", "[one two]"},
		{"nothing", "", "[]"},
	} {
		if provider, among := Unique(c.name, offers); provider != c.provider || fmt.Sprint(among) != c.among {
			t.Errorf("%s: %q of %s, want %q of %s", c.name, provider, among, c.provider, c.among)
		}
	}
}

// What the data file says of thinking is read and written back as it stands; what is none is refused.
func TestThinkingOfDataFile(t *testing.T) {
	for _, text := range []string{"adaptive/native:low,medium,high,xhigh,max", "effort:off=none,high,max", "budget/asked:off=,low,medium,high", "effort:minimal=MINIMAL,high=HIGH", "fixed", "never"} {
		if thinking, ok := parseThinking(text); !ok || thinking.String() != text {
			t.Errorf("%s: %s", text, thinking)
		}
	}
	for _, text := range []string{"", "hard", "effort/always", "effort:high,low", "effort:low=low", "effort:loud", "effort:low=a b"} {
		if thinking, ok := parseThinking(text); ok {
			t.Errorf("%q is read as %s", text, thinking)
		}
	}
}

// Of what is told of a window, the best word counts, and people are told whose it is.
func TestWindow(t *testing.T) {
	c := Embedded()
	sonnet, match := c.Find("anthropic", "claude-sonnet-5-5")
	kin, like := c.Find("anthropic", "claude-sonnet-9")
	nothing, none := c.Find("", "qwen3:30b")
	trained := Window{131072, Trained, "n_ctx_train"}
	for _, w := range []struct {
		got  Window
		want string
	}{
		{Best(Model{Context: 5000}.Configured(), Window{4096, Loaded, "n_ctx"}, match.Window(c, sonnet), Guess()), "5k tokens, from the configuration"},
		{Best(Model{}.Configured(), Window{4096, Loaded, "n_ctx"}, match.Window(c, sonnet), Guess()), "4k tokens, from the server (n_ctx)"},
		{Best(trained, match.Window(c, sonnet), Guess()), "1.0M tokens, from the catalog (anthropic/claude-sonnet-5-5, of 2026-11-10)"},
		{Best(trained, like.Window(c, kin), Guess()), "131k tokens, what the model was trained for; the server may have loaded it with less (n_ctx_train)"},
		{Best(like.Window(c, kin), Guess()), "1.0M tokens, taken from a model of its family (anthropic/claude-sonnet-5-5)"},
		{Best(Window{}, none.Window(c, nothing), Guess()), "128k tokens, a guess: neither the configuration, the server nor the catalog tells it"},
		{Best(), "0 tokens, not known"},
	} {
		if w.got.String() != w.want {
			t.Errorf("got %s, want %s", w.got, w.want)
		}
	}
}

// A catalog is old after nine months, to the day.
func TestAge(t *testing.T) {
	h := Header{Dated: time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)}
	for _, c := range []struct {
		now  string
		want string
		old  bool
	}{
		{"2026-11-09", "0 days old", false},
		{"2026-11-11", "1 day old", false},
		{"2026-11-22", "12 days old", false},
		{"2027-08-09", "272 days old", false},
		{"2027-08-10", "9 months old: `parley models --refresh` gets a newer one", true},
		{"2028-11-22", "24 months old: `parley models --refresh` gets a newer one", true},
	} {
		now, err := time.Parse(time.DateOnly, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Age(now); got.String() != c.want || got.Old != c.old {
			t.Errorf("%s: %s, %v; want %s", c.now, got, got.Old, c.want)
		}
	}
}
