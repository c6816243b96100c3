package catalog

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// What a request costs: fresh and cached tokens each at their rate, by the tier that its input is in; what is not known
// is not 0.
func TestCost(t *testing.T) {
	lookup := func(provider, name string) Price {
		m, ok := Embedded().Lookup(provider, name)
		if !ok {
			t.Fatal(name)
		}
		return m.Price
	}
	sonnet := lookup("anthropic", "claude-sonnet-5-5") // 2 10 0.1 2.5
	haiku := lookup("anthropic", "claude-haiku-5-5")   // 0.1 0.5 0.01 0.125, above 100000: 0.5 2.5 0.05 0.625
	free := lookup("openrouter", "google/gemma-4-31b-it:free")
	unknown := lookup("google", "gemma-4-31b-it")
	old := lookup("openai", "gpt-4") // 30 60, nothing cached
	for _, c := range []struct {
		what  string
		price Price
		usage Usage
		want  string
		known bool
	}{
		{"fresh, read, written and output", sonnet, Usage{Input: 100_000, CachedRead: 80_000, CachedWrite: 10_000, Output: 1_000, Reasoning: 900}, "$0.063", true},
		{"the edge of a tier", haiku, Usage{Input: 100_000, Output: 10_000}, "$0.015", true},
		{"above it all tokens are dearer", haiku, Usage{Input: 100_001, Output: 10_000}, "$0.075", true},
		{"a cent and more", sonnet, Usage{Input: 31_100, Output: 1_900}, "$0.0812", true},
		{"less than a cent", sonnet, Usage{Input: 100, Output: 10}, "<$0.01", true},
		{"dollars", sonnet, Usage{Input: 5_200_000, Output: 200_000}, "$12.40", true},
		{"nothing used", sonnet, Usage{}, "$0", true},
		{"free", free, Usage{Input: 1e6, Output: 1e6}, "$0", true},
		{"not known", unknown, Usage{Input: 1e6, Output: 1e6}, "unknown", false},
		{"not known, and nothing used", unknown, Usage{}, "$0", true},
		{"a cache without a rate costs what input does", old, Usage{Input: 1000, CachedRead: 1000}, "$0.03", true},
		{"numbers that cannot be", sonnet, Usage{Input: -5, CachedRead: 1e6, CachedWrite: -1, Output: -1}, "$0", true},
		{"more cached than sent", sonnet, Usage{Input: 1e6, CachedRead: 5e6, CachedWrite: 5e6}, "$0.10", true},
		{"more than there is", sonnet, Usage{Input: math.MaxInt, Output: math.MaxInt}, "$9223372.04", true},
	} {
		got := c.price.Cost(c.usage)
		if got.String() != c.want || got.Known() != c.known || math.Abs(float64(got.Micros())-got.Dollars()*1e6) > 0.51 {
			t.Errorf("%s: %s, %d, %v; want %s", c.what, got, got.Micros(), got.Known(), c.want)
		}
	}
	sum := sonnet.Cost(Usage{Input: 1e6}).Plus(unknown.Cost(Usage{Input: 1}))
	if sum.String() != "more than $2.00" || sum.Known() || sum.Dollars() != 2 {
		t.Errorf("a sum of which a part is not known is %s", sum)
	}
}

// The laws of costs: more tokens never cost less within a tier, reading from the cache never costs more than not, and a
// sum does not depend on its order.
func TestCostLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Price{Rates: drawRates(t)}
		if in, ok := p.Input.Dollars(); ok {
			if read, ok := p.CachedRead.Dollars(); ok && read > in {
				p.CachedRead = p.Input
			}
		}
		count := rapid.IntRange(0, 10_000_000)
		a := Usage{Input: count.Draw(t, "input"), Output: count.Draw(t, "output")}
		b := a
		b.Output += count.Draw(t, "more")
		cached := a
		cached.CachedRead = rapid.IntRange(0, a.Input).Draw(t, "read")
		x, y, z := p.Cost(a), p.Cost(b), p.Cost(cached)
		if y.Dollars() < x.Dollars() || z.Dollars() > x.Dollars() || x.Plus(y) != y.Plus(x) || x.Plus(y).Plus(z) != x.Plus(y.Plus(z)) {
			t.Fatalf("%v: %v %v %v", p, x, y, z)
		}
	})
}

// Rates are read exactly, and only as they are written.
func TestRate(t *testing.T) {
	for _, text := range []string{"0", "0.1", "0.000001", "12.5", "10000", "-"} {
		if r, ok := parseRate(text); !ok || r.String() != text {
			t.Errorf("%s is %s, %v", text, r, ok)
		}
	}
	for _, text := range []string{"", ".5", "1.", "01", "1.0", "1e3", "-1", "+1", "10000.000001", "0.0000001", "NaN", "1 "} {
		if r, ok := parseRate(text); ok {
			t.Errorf("%q is %s", text, r)
		}
	}
	for _, dollars := range []float64{-1, math.NaN(), math.Inf(1), 10001} {
		if _, known := USD(dollars).Dollars(); known {
			t.Errorf("%v is a rate", dollars)
		}
	}
}
