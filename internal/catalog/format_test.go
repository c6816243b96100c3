package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// again writes a catalog anew.
func again(c *Catalog) string {
	var sections []Section
	for _, s := range c.sections {
		one := Section{Provider: s.provider, Wire: s.wire, Base: s.base}
		for line := range strings.Lines(s.lines) {
			m, err := c.parseLine(s.provider, strings.TrimSuffix(line, "\n"))
			if err != nil {
				panic(err)
			}
			one.Models = append(one.Models, m)
		}
		sections = append(sections, one)
	}
	return Encode("", c.Header, sections)
}

// A file that is not whole, or says what cannot be, is refused: each line is a change to a good file.
func TestDamage(t *testing.T) {
	good := withoutComment(models)
	for _, w := range []struct{ what, from, to string }{
		{"another version", "parley-catalog 1", "parley-catalog 2"},
		{"no date", "dated 2026-11-10\n", ""},
		{"a date before there were models", "dated 2026", "dated 0226"},
		{"no sum", "integrity ", "# "},
		{"a date that is none", "dated 2026-11-10", "dated 2026-13-10"},
		{"an unknown key", "tools yes", "tolls yes"},
		{"an empty value", "tools yes", "tools"},
		{"a class out of order", "images a", "images b"},
		{"a class of letters", "images a 2000", "images a wide"},
		{"another count", fmt.Sprintf("models %d", Embedded().Count), "models 7"},
		{"no provider", "\nprovider ", "\nsupplier "},
		{"a provider without an address", "provider anthropic anthropic https://api.anthropic.com", "provider anthropic anthropic"},
		{"its end", "\nend ", "\nnd "},
		{"a line that is short", "claude-fable-5\t1000000\t", "claude-fable-5\t"},
		{"a window below 0", "claude-fable-5\t1000000", "claude-fable-5\t-1"},
		{"a window that is no number", "claude-fable-5\t1000000", "claude-fable-5\t1e6"},
		{"a window that is beyond bounds", "claude-fable-5\t1000000", "claude-fable-5\t1000000000"},
		{"an answer longer than the window", "claude-fable-5\t1000000\t128000", "claude-fable-5\t1000000\t1280000"},
		{"an unknown way", "claude-fable-5\t1000000\t128000\tadaptive", "claude-fable-5\t1000000\t128000\tadoptive"},
		{"efforts out of order", "adaptive/native:low,medium", "adaptive/native:medium,low"},
		{"a class that is not there", "max\td\t10 50 1 12.5", "max\tz\t10 50 1 12.5"},
		{"a price below 0", "\t10 50 1 12.5\n", "\t-10 50 1 12.5\n"},
		{"a price beyond bounds", "\t10 50 1 12.5\n", "\t10001 50 1 12.5\n"},
		{"a price of three", "\t10 50 1 12.5\n", "\t10 50 1\n"},
		{"a price of five", "\t10 50 1 12.5\n", "\t10 50 1 12.5 1\n"},
		{"a price in other digits", "\t10 50 1 12.5\n", "\t10 50 1.0 12.5\n"},
		{"half a price", "\t10 50 1 12.5\n", "\t- 50 1 12.5\n"},
		{"a tier without a price", "\t10 50 1 12.5\n", "\t10 50 1 12.5\t200000\n"},
		{"a tier at 0", "\t10 50 1 12.5\n", "\t10 50 1 12.5\t0\t1 1 1 1\n"},
		{"tiers out of order", "\t10 50 1 12.5\n", "\t10 50 1 12.5\t2000\t1 1 1 1\t1000\t1 1 1 1\n"},
		{"a name out of order", "\nclaude-fable-5\t", "\nzlaude-fable-5\t"},
		{"a name with a control code", "\nclaude-fable-5\t", "\nclaude-\x1b[31m\t"},
		{"a name that is long", "\nclaude-fable-5\t", "\n" + strings.Repeat("a", 201) + "\t"},
	} {
		text := strings.Replace(good, w.from, w.to, 1)
		if text == good {
			t.Errorf("%s: %q is not in the file", w.what, w.from)
		}
		if c, err := Open(text); err == nil && c.Check() == nil {
			t.Errorf("%s was taken", w.what)
		}
	}
	for cut := 0; cut < len(good); cut += 997 {
		if _, err := Open(good[:cut]); err == nil {
			t.Errorf("a file of which %d bytes are left was taken", cut)
		}
	}
}

// Whatever is written is read again as it was.
func TestEncode(t *testing.T) {
	word := rapid.StringMatching(`[!-~]{1,20}`).Filter(func(s string) bool { return !strings.ContainsAny(s, ",=") })
	rapid.Check(t, func(t *rapid.T) {
		h := Header{Package: word.Draw(t, "package"), Version: word.Draw(t, "version"), Integrity: "sha512-x", Licence: "MIT",
			Dated: time.Date(2026, 1, rapid.IntRange(1, 300).Draw(t, "day"), 0, 0, 0, 0, time.UTC), Tools: Yes,
			Images: []Images{{Yes, 2000, 100, 5, 0}}}
		one := Section{Provider: word.Draw(t, "provider"), Wire: "anthropic", Base: "https://a"}
		names := rapid.SliceOfNDistinct(word, 1, 5, rapid.ID[string]).Draw(t, "names")
		slices.Sort(names)
		for _, name := range names {
			one.Models = append(one.Models, drawModel(t, one.Provider, name, h))
		}
		h.Count = len(names)
		c, err := Open(Encode("a\nb\n", h, []Section{one}))
		if err != nil || c.Check() != nil {
			t.Fatalf("%v %v", err, c.Check())
		}
		got := slices.Collect(c.Models(one.Provider))
		if fmt.Sprint(c.Header) != fmt.Sprint(h) || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", one.Models) {
			t.Fatalf("got  %+v %+v\nwant %+v %+v", c.Header, got, h, one.Models)
		}
	})
}

func drawModel(t *rapid.T, provider, name string, h Header) Model {
	m := Model{Provider: provider, Name: name, Tools: Yes, Context: rapid.IntRange(0, mostTokens).Draw(t, "context")}
	m.Output = rapid.IntRange(0, m.Context).Draw(t, "output")
	m.Images = rapid.SampledFrom([]Images{{Taken: No}, h.Images[0]}).Draw(t, "images")
	m.Thinking.Way = rapid.SampledFrom([]Way{Never, Fixed, Budget, Words, Adaptive}).Draw(t, "way")
	m.Thinking.Between = rapid.SampledFrom([]Between{"", Native, Asked, Echo}).Draw(t, "between")
	for _, effort := range EffortNames {
		if rapid.Bool().Draw(t, effort) {
			word := rapid.SampledFrom([]string{effort, "", "HIGH"}).Draw(t, "word")
			m.Thinking.Efforts = append(m.Thinking.Efforts, Effort{effort, word})
		}
	}
	m.Price.Rates = drawRates(t)
	for i := range rapid.IntRange(0, 2).Draw(t, "tiers") {
		r := drawRates(t)
		r.Input, r.Output = drawRate(t), drawRate(t)
		m.Price.Tiers = append(m.Price.Tiers, Tier{1 + i*1000, r})
	}
	return m
}

func drawRate(t *rapid.T) Rate {
	return USD(float64(rapid.IntRange(0, dearest*1e6).Draw(t, "micros")) / 1e6)
}

func drawRates(t *rapid.T) (r Rates) {
	if rapid.Bool().Draw(t, "priced") {
		r.Input, r.Output = drawRate(t), drawRate(t)
		for _, cached := range []*Rate{&r.CachedRead, &r.CachedWrite} {
			if rapid.Bool().Draw(t, "cached") {
				*cached = drawRate(t)
			}
		}
	}
	return r
}

// Whatever a file holds, it is refused, or it is read whole, within bounds, and written again as the same.
func FuzzOpen(f *testing.F) {
	lines := strings.SplitAfter(models, "\n")
	f.Add(strings.Join(lines[:17], "") + "end 1262\n")
	small := strings.Join(lines[:14], "")
	f.Add(strings.Replace(small, "models 1262", "models 2", 1) + "models 2\nprovider a anthropic https://a\n" +
		"m\t10\t5\tbudget/asked:off=,low\ta\t1 2 - 0.5\t100\t2 3 - -\nn\t0\t0\tnever\t-\t-\nend 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Open(text)
		if err != nil || c.Check() != nil {
			return
		}
		one := again(c)
		d, err := Open(one)
		if err != nil || d.Check() != nil || again(d) != one {
			t.Fatalf("%v\n%s", err, one)
		}
		for _, p := range c.Providers() {
			for m := range c.Models(p) {
				if m.Context < 0 || m.Output > m.Context || m.Context > mostTokens || len(m.Name) > longest {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}
