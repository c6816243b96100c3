package catalog

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// november is a day on which the lists in testdata were served.
var november = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// listed are what providers listed in that month.
func listed(t testing.TB) map[string][]string {
	text, err := os.ReadFile("testdata/listed.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] != "#" {
			out[f[0]] = append(out[f[0]], f[1])
		}
	}
	return out
}

// Every alias stands for a model that its provider listed in that month, whether the list is at hand or not, and that is
// not retired. What they are is written down, so that a change of a rule or of the catalog is seen.
func TestAliasesOfTheMonth(t *testing.T) {
	lists := listed(t)
	var got []string
	for line := range strings.Lines(aliases) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		provider, alias := f[0], f[1]
		if len(f) < 3 || !slices.Contains(Aliases, alias) {
			t.Fatalf("%q is no rule", line)
		}
		for _, list := range [][]string{nil, lists[provider]} {
			r, err := Embedded().Resolve(provider, alias, list, november)
			if err != nil {
				t.Errorf("%s/%s: %v", provider, alias, err)
				continue
			}
			m, _ := Embedded().Find(provider, r.Name)
			if m.Retired(november) || list != nil && !slices.Contains(list, r.Name) || r.Listed != (list != nil) {
				t.Errorf("%s/%s is %+v", provider, alias, r)
			}
			if len(got) > 0 && strings.HasPrefix(got[len(got)-1], provider+"/"+alias+" "+r.Name+",") {
				continue
			}
			got = append(got, fmt.Sprintf("%s/%s %s, %s", provider, alias, r.Name, r.Why))
		}
	}
	golden(t, "testdata/aliases.golden", strings.Join(got, "\n")+"\n")
}

// What an alias stands for changes with what the server lists and with the day.
func TestResolve(t *testing.T) {
	later := november.AddDate(2, 0, 0)
	for _, c := range []struct {
		what, provider, alias string
		listed                []string
		now                   time.Time
		name, why             string
	}{
		{"a model that came after the catalog", "anthropic", "default", []string{"claude-sonnet-5-5", "claude-sonnet-6"}, november,
			"claude-sonnet-6", "the newest claude-sonnet that the server lists"},
		{"a server that has less", "anthropic", "default", []string{"claude-haiku-4-5-20251001", "claude-opus-4-8"}, november,
			"claude-opus-4-8", "the newest claude-opus that the server lists"},
		{"only a dated name", "anthropic", "fast", []string{"claude-haiku-4-5-20251001"}, november,
			"claude-haiku-4-5-20251001", "the newest claude-haiku that the server lists"},
		{"the undated of two names", "anthropic", "fast", []string{"claude-haiku-4-5-20251001", "claude-haiku-4-5"}, november,
			"claude-haiku-4-5", "the newest claude-haiku that the server lists"},
		{"a preview only where nothing else is", "google", "default", []string{"gemini-3.1-pro-preview", "gemini-2.5-pro"}, november,
			"gemini-3.1-pro-preview", "the newest gemini-pro that the server lists, a preview or a name that moves"},
		{"a dated name is retired with the model", "google", "fast", []string{"gemini-2.5-flash-20260101", "gemini-3-flash-preview"}, november,
			"gemini-3-flash-preview", "the newest gemini-flash that the server lists, a preview or a name that moves"},
		{"before it was retired", "google", "default", []string{"gemini-3.1-pro-preview", "gemini-2.5-pro"}, november.AddDate(0, -2, 0),
			"gemini-2.5-pro", "the newest gemini-pro that the server lists"},
		{"a server that lists what its vendor ended", "google", "fast", []string{"gemini-2.5-flash"}, november,
			"gemini-2.5-flash", "the newest gemini-flash that the server lists, though its vendor has ended it"},
		{"not what has another suffix", "openai", "default", []string{"gpt-6-sol-pro", "gpt-audio", "gpt-5.6-sol"}, november,
			"gpt-5.6-sol", "the newest gpt-sol that the server lists"},
		{"10 is newer than 9", "anthropic", "default", []string{"claude-sonnet-9-9", "claude-sonnet-10"}, later,
			"claude-sonnet-10", "the newest claude-sonnet that the server lists"},
		{"a gateway with other models", "openai", "default", []string{"mock-model", "llama-3"}, november,
			"mock-model", "the first that the server lists"},
		{"a gateway with one that the catalog knows", "openai", "default", []string{"text-embedding-3-large", "o3"}, november,
			"o3", "the first that the server lists"},
		{"a server that the catalog does not know", "", "default", []string{"qwen3-coder:latest"}, november,
			"qwen3-coder:latest", "the first that the server lists"},
	} {
		r, err := Embedded().Resolve(c.provider, c.alias, c.listed, c.now)
		if want := (Resolution{c.name, c.why, true}); err != nil || r != want {
			t.Errorf("%s: got %+v (%v), want %+v", c.what, r, err, want)
		}
	}
}

// Where there is no model, the reason is told.
func TestUnresolved(t *testing.T) {
	for _, c := range []struct {
		provider, alias string
		listed          []string
		want            string
	}{
		{"openai", "best", nil, `"best" is no alias; there are: default, fast`},
		{"openai", "default", []string{}, "the server lists no model"},
		{"", "default", nil, "the server did not say which models it has, and the catalog does not know it"},
		{"baseten", "default", nil, "the server did not say which models it has, and the catalog knows none of baseten that the word stands for"},
	} {
		if r, err := Embedded().Resolve(c.provider, c.alias, c.listed, november); err == nil || err.Error() != c.want {
			t.Errorf("%s/%s: got %+v, %v; want %s", c.provider, c.alias, r, err, c.want)
		}
	}
}

// The law of aliases: of any list, the model is in it; it is retired or a preview only if the list has none of the
// alias's families that is neither; and none of its family that is as good is newer.
func TestResolveLaw(t *testing.T) {
	provider := "google"
	var names []string
	for m := range Embedded().Models(provider) {
		names = append(names, m.Name)
	}
	names = append(names, "gemini-9-flash", "gemini-9-pro-preview", "something-else")
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 12, rapid.ID[string]).Draw(t, "list")
		now := november.AddDate(0, rapid.IntRange(-18, 18).Draw(t, "months"), 0)
		alias := rapid.SampledFrom(Aliases).Draw(t, "alias")
		r, err := Embedded().Resolve(provider, alias, list, now)
		if err != nil || !slices.Contains(list, r.Name) {
			t.Fatalf("%+v, %v", r, err)
		}
		good := func(name string) bool {
			m, _ := Embedded().Lookup(provider, name)
			n := parseName(name)
			return !m.Retired(now) && !n.preview && !n.latest
		}
		for _, other := range list {
			n := parseName(other)
			of := slices.Contains(families(provider, alias), n.family)
			if of && good(other) && !good(r.Name) {
				t.Fatalf("%s is better than %s", other, r.Name)
			}
			if n.family == parseName(r.Name).family && of && good(other) && newer(other, r.Name) < 0 {
				t.Fatalf("%s is newer than %s", other, r.Name)
			}
		}
	})
}

// Names come apart into what people see in them.
func TestParseName(t *testing.T) {
	for text, want := range map[string]name{
		"claude-haiku-4-5-20251001":             {family: "claude-haiku", version: []int{4, 5}, stamp: 20251001},
		"claude-3-5-sonnet-latest":              {family: "claude-sonnet", version: []int{3, 5}, latest: true},
		"gpt-6.1-sol":                           {family: "gpt-sol", version: []int{6, 1}},
		"gpt-4o-2024-08-06":                     {family: "gpt-4o", stamp: 20240806},
		"o4-mini":                               {family: "o-mini", version: []int{4}},
		"kimi-k2.7-code":                        {family: "kimi-k-code", version: []int{2, 7}},
		"openai/gpt-oss-120b":                   {family: "openai/gpt-oss-120b"},
		"qwen3.8-27b":                           {family: "qwen-27b", version: []int{3, 8}},
		"mistral-large-2512":                    {family: "mistral-large", stamp: 20251200},
		"gemini-3.1-pro-preview":                {family: "gemini-pro", version: []int{3, 1}, preview: true},
		"deep-research-max-preview-04-2026":     {family: "deep-research-max", preview: true, stamp: 20260400},
		"gemini-2.5-pro-exp-03-25":              {family: "gemini-pro", version: []int{2, 5, 3, 25}, preview: true},
		"":                                      {},
		"2024-13":                               {stamp: 20202400, version: []int{13}},
		"anthropic/claude-sonnet-5.5:batch":     {family: "anthropic/claude-sonnet-batch", version: []int{5, 5}},
		"accounts/fireworks/models/glm-5p3":     {family: "accounts/fireworks/models/glm-5p3"},
		"model-99999999999999999999999999-beta": {family: "model-99999999999999999999999999", preview: true},
	} {
		if got := parseName(text); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"claude-haiku-4-5-20251001": "claude-haiku-4-5", "gpt-4o-2024-08-06": "gpt-4o", "chat-latest": "chat",
		"gpt-5": "gpt-5", "-latest": "-latest", "-20251001": "-20251001", "x-2512": "x-2512", "claude-sonnet-5-5": "claude-sonnet-5-5",
	} {
		if got := Dateless(text); got != want {
			t.Errorf("Dateless(%s) is %s, not %s", text, got, want)
		}
	}
}
