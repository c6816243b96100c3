package agent

import (
	"fmt"

	"parley/internal/event"
	"parley/internal/llm"
)

// Affordable says why a setup cannot keep to an allowance; empty: it can.
func Affordable(a *event.Allowance, setup *Setup) string {
	if a == nil || a.Cost == 0 || setup.Cost == nil {
		return ""
	}
	if _, unpriced := setup.Cost(llm.Usage{Input: 1, Output: 1}); unpriced > 0 {
		return fmt.Sprintf("nobody knows what %s/%s costs: give its price in the configuration, or a budget in tokens", setup.Provider, setup.ModelName)
	}
	return ""
}

// exhausted says what of the allowance is used up; empty: the next request may be made. What sub-agents spend counts.
func (r *Run) exhausted() string {
	a := r.setup.Allowance
	if a == nil {
		return ""
	}
	r.agents.mu.Lock()
	used := r.agents.usage
	r.agents.mu.Unlock()
	switch tokens := used.Input + used.Output; {
	case a.Tokens > 0 && tokens >= a.Tokens:
		return fmt.Sprintf("the run has used %d tokens, and its budget is %d", tokens, a.Tokens)
	case a.Cost > 0 && used.Cost >= a.Cost:
		return fmt.Sprintf("the run has cost $%s, and its budget is $%s", dollars(used.Cost), dollars(a.Cost))
	case a.Cost > 0:
		return Affordable(a, r.setup)
	}
	return ""
}

// dollars is an amount in millionths, as people write it.
func dollars(micros int64) string {
	if micros%10_000 == 0 {
		return fmt.Sprintf("%.2f", float64(micros)/1e6)
	}
	return fmt.Sprintf("%.4f", float64(micros)/1e6)
}

// use adds what an answer cost to what the run has used.
func (a *agents) use(u event.Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage = a.usage.Plus(u)
}
