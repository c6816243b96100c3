package catalog

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// A Rate is what a million tokens cost, exact to a millionth of a US dollar. The zero value is not known.
type Rate struct {
	micros int64 // of a dollar for a million tokens, which is as many millionths of a millionth for one
	known  bool
}

// USD is the rate of so many dollars for a million tokens; one that is negative or above [dearest] is not known.
func USD(dollars float64) Rate {
	if !(dollars >= 0 && dollars <= dearest) {
		return Rate{}
	}
	return Rate{int64(math.Round(dollars * 1e6)), true}
}

// dearest is the rate, in dollars, above which a number is taken for an error. The dearest model of 2026 is at 600.
const dearest = 10_000

// Dollars is the rate for a million tokens, and whether it is known.
func (r Rate) Dollars() (float64, bool) { return float64(r.micros) / 1e6, r.known }

// String is the shortest decimal number of dollars; "-" is not known.
func (r Rate) String() string {
	if !r.known {
		return "-"
	}
	return strconv.FormatFloat(float64(r.micros)/1e6, 'f', -1, 64)
}

// or is the rate, or another where it is not known.
func (r Rate) or(other Rate) Rate {
	if r.known {
		return r
	}
	return other
}

// Rates are what the four sorts of tokens cost.
type Rates struct{ Input, Output, CachedRead, CachedWrite Rate }

// A Tier is what all tokens of a request cost whose input is larger than Above.
type Tier struct {
	Above int
	Rates
}

// A Price is what a model costs. Tiers are in the order of Above.
type Price struct {
	Rates
	Tiers []Tier
}

func (p Price) unknown() bool { return p.Rates == Rates{} && len(p.Tiers) == 0 }

// Usage counts the tokens of one request. Input is the whole prompt, and CachedRead and CachedWrite are parts of it;
// Output is all that the model wrote, and Reasoning a part of it.
type Usage struct{ Input, Output, CachedRead, CachedWrite, Reasoning int }

// A Cost is an amount of money, or the part of it that is known. The zero value is nothing.
type Cost struct {
	picos   int64 // of a dollar
	partial bool
}

// Cost is what one request costs. Sums of requests are made with [Cost.Plus]: which tier holds is a matter of each
// request. Cached tokens whose rate is not known cost what input costs.
func (p Price) Cost(u Usage) Cost {
	rates := p.Rates
	for _, t := range p.Tiers {
		if u.Input > t.Above {
			rates = t.Rates
		}
	}
	read := min(max(u.CachedRead, 0), max(u.Input, 0))
	write := min(max(u.CachedWrite, 0), max(u.Input, 0)-read)
	var c Cost
	c.add(u.Input-read-write, rates.Input)
	c.add(read, rates.CachedRead.or(rates.Input))
	c.add(write, rates.CachedWrite.or(rates.Input))
	c.add(u.Output, rates.Output)
	return c
}

func (c *Cost) add(tokens int, r Rate) {
	switch {
	case tokens <= 0:
	case !r.known:
		c.partial = true
	default:
		high, low := bits.Mul64(uint64(tokens), uint64(r.micros))
		if high != 0 || low > math.MaxInt64 {
			low = math.MaxInt64
		}
		c.picos = saturated(c.picos, int64(low))
	}
}

func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Plus is the sum. It is known in part only if one of the two is.
func (c Cost) Plus(other Cost) Cost {
	return Cost{saturated(c.picos, other.picos), c.partial || other.partial}
}

// Known reports whether the cost is the whole one: the rate of all tokens was known.
func (c Cost) Known() bool { return !c.partial }

// Micros is what is known of the cost in millionths of a dollar, rounded.
func (c Cost) Micros() int64 { return c.picos/1e6 + (c.picos%1e6+5e5)/1e6 }

// Dollars is what is known of the cost.
func (c Cost) Dollars() float64 { return float64(c.picos) / 1e12 }

// String is the cost for people: $0, <$0.01, $0.0812, $12.40; "unknown", or "more than $1.20" where
// a part is known.
func (c Cost) String() string {
	switch {
	case c.partial && c.Dollars() < 0.01:
		return "unknown"
	case c.partial:
		return "more than " + amount(c.Dollars())
	}
	return amount(c.Dollars())
}

func amount(dollars float64) string {
	switch {
	case dollars == 0:
		return "$0"
	case dollars < 0.01:
		return "<$0.01"
	case dollars >= 0.99995:
		return fmt.Sprintf("$%.2f", dollars)
	}
	// Cents at the least: $0.50, not $0.5 or $0.5000.
	text := strings.TrimRight(fmt.Sprintf("%.4f", dollars), "0")
	return "$" + text + strings.Repeat("0", max(0, len("0.00")-len(text)))
}
