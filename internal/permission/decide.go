package permission

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/shell"
)

// Decide says whether the call may run under the policy.
func Decide(p Policy, c Call) Verdict {
	if c.Outside {
		return p.leave(c)
	}
	r := p.read(c)
	switch o := p.outcome(r); o.effect {
	case EffectAllow:
		return o.allow()
	case EffectDeny:
		return Deny{Rule: ruleText(o.rules), Scope: nearest(o.rules), Reason: o.reason}
	default:
		warnings := r.warnings()
		return Ask{Reason: o.reason, Warnings: warnings, Options: p.options(r, warnings)}
	}
}

// outcome is a verdict before it is put into words.
type outcome struct {
	effect Effect
	rules  []Scoped // that decided
	reason string
	// whole says that a rule on every call of the tool was needed: what it allows runs as it stands.
	whole bool
	plan  *shell.Plan
	mode  Mode // that allowed it
}

func (o outcome) allow() Allow {
	a := Allow{Rule: ruleText(o.rules), Scope: nearest(o.rules), Reason: o.reason, Plan: o.plan, Mode: o.mode}
	if a.Reason == "" {
		a.Reason = "allowed by " + describe(o.rules)
	}
	return a
}

// outcome decides on a call. A command line runs from its plan where rules with a pattern allow all of that; what bash
// gets otherwise must also be right as a parser of all of bash reads it.
func (p Policy) outcome(r reading) outcome {
	if !r.call.line() {
		return p.judge(r.call, r.acts)
	}
	rough := func() outcome { return p.judge(r.call, r.rough) }
	if r.plan == nil {
		o := rough()
		if o.mode != "" && p.deniesCommands(r.call) {
			return outcome{effect: EffectAsk, reason: "a rule denies commands, and whether this is one is not read"}
		}
		return o
	}
	o := p.judge(r.call, r.acts)
	if o.effect == EffectAllow && !o.whole {
		o.plan = r.plan
		return o
	}
	if also := rough(); o.effect == EffectAllow || also.effect == EffectDeny && o.effect != EffectDeny {
		return also
	}
	return o
}

// judge decides on what a call does.
func (p Policy) judge(c Call, list []act) outcome {
	rules := compile(p.Rules, c)
	if o, decided := denied(rules, c, list); decided {
		return o
	}
	var used []Scoped
	var open *act    // the first that no rule covers
	var held *Scoped // the first ask rule that stands
	var about act    // what held is about
	whole := false
	for i, a := range list {
		rule, ask, ok := permit(rules, a, c)
		if rule != nil && !a.free {
			whole = whole || rule.Rule.Bare() && rule.Rule.spans(c.Tool, c.family())
		}
		switch {
		case ask != nil && held == nil:
			held, about = ask, a
		case !ok && open == nil:
			open = &list[i]
		case rule != nil && !slices.Contains(used, *rule):
			used = append(used, *rule)
		}
	}
	if open == nil && len(used) == 0 && c.line() {
		open = &list[0]
	}
	if (open != nil || held != nil) && p.Default != EffectDeny && (p.Mode == ModeAll || held == nil && p.Mode.allows(c)) {
		return outcome{effect: EffectAllow, reason: "the mode " + string(p.Mode) + " allows it", mode: p.Mode, whole: true}
	}
	switch {
	case open != nil && p.Default == EffectDeny:
		return outcome{effect: EffectDeny, reason: open.uncovered()}
	case held != nil:
		return outcome{effect: EffectAsk, rules: []Scoped{*held}, reason: fmt.Sprintf("%s wants a question for: %s", describe([]Scoped{*held}), about)}
	case open != nil && p.Default == EffectAllow:
		return outcome{effect: EffectAllow, reason: "everything is allowed that no rule denies", whole: true}
	case open != nil:
		return outcome{effect: EffectAsk, reason: open.uncovered()}
	case len(used) == 0:
		return outcome{effect: EffectAllow, reason: "reading inside the workspace needs no permission"}
	}
	return outcome{effect: EffectAllow, rules: used, whole: whole}
}

// uncovered says that no rule covers the act.
func (a act) uncovered() string {
	if a.kind == actLine {
		return "a rule on commands allows only a line that is read whole: " + a.text
	}
	return fmt.Sprintf("no rule allows: %s", a)
}

// denied looks at the deny rules. Where one of them may match but this cannot
// be seen, it decides on a question.
func denied(rules []compiled, c Call, list []act) (outcome, bool) {
	var doubt *compiled
	for i := range rules {
		r := &rules[i]
		if r.Effect != EffectDeny {
			continue
		}
		for _, a := range list {
			switch a.meets(*r, c) {
			case surely:
				return outcome{effect: EffectDeny, rules: []Scoped{r.Scoped}, reason: fmt.Sprintf("denied by %s: %s", describe([]Scoped{r.Scoped}), a)}, true
			case maybe:
				doubt = r
			case never:
			}
		}
	}
	if doubt == nil {
		return outcome{}, false
	}
	return outcome{effect: EffectAsk, rules: []Scoped{doubt.Scoped}, reason: fmt.Sprintf("whether %s denies it only shows when it runs", describe([]Scoped{doubt.Scoped}))}, true
}

// permit finds the allow rule for an act, one with a pattern before one on the whole tool; rule is nil where none is needed.
// held is the ask rule that stands against it.
func permit(rules []compiled, a act, c Call) (rule, held *Scoped, ok bool) {
	asked := func(allow *Scoped) *Scoped {
		for i := range rules {
			q := &rules[i].Scoped
			if q.Effect == EffectAsk && (allow == nil || holds(q, allow)) && a.meets(rules[i], c) != never {
				return q
			}
		}
		return nil
	}
	for _, whole := range []bool{false, true} {
		for i := range rules {
			r := &rules[i].Scoped
			if r.Effect != EffectAllow || r.Rule.Bare() != whole || !a.covers(rules[i], c) {
				continue
			}
			if q := asked(r); q != nil {
				held = q
				continue
			}
			if a.hidden {
				return nil, nil, true
			}
			return r, nil, true
		}
	}
	if held == nil {
		held = asked(nil)
	}
	return nil, held, held == nil && (a.free || a.hidden)
}

// holds reports whether an ask rule stands against an allow rule: it must be
// narrower, and not from a wider scope.
func holds(ask, allow *Scoped) bool {
	return narrower(ask.Rule, allow.Rule) && allow.Scope.width() >= ask.Scope.width()
}

// narrower reports whether a is about a part of what b is about.
func narrower(a, b Rule) bool {
	if b.Bare() {
		return !a.Bare() || b.tool == "*" && a.tool != "*"
	}
	if a == b || a.Bare() || a.kind != b.kind || !b.spans(a.tool, a.family) {
		return false
	}
	switch a.kind {
	case KindCommand:
		aw, errA := parseWords(a.pattern)
		bw, errB := parseWords(b.pattern)
		return errA == nil && errB == nil && b.prefix && len(bw) <= len(aw) && sameWords(aw[:len(bw)], bw)
	case KindPath:
		return coversGlob(b.pattern, a.pattern)
	case KindHost:
		return coversHost(b.pattern, a.pattern)
	case KindName:
	}
	return false
}

func ruleText(rules []Scoped) string {
	texts := make([]string, len(rules))
	for i, r := range rules {
		texts[i] = r.Rule.String()
	}
	return strings.Join(texts, ", ")
}

func nearest(rules []Scoped) Scope {
	if len(rules) == 0 {
		return ScopeBuiltin
	}
	return slices.MinFunc(rules, func(a, b Scoped) int { return a.Scope.width() - b.Scope.width() }).Scope
}

func describe(rules []Scoped) string {
	texts := make([]string, len(rules))
	for i, r := range rules {
		from := string(r.Scope)
		if r.Origin != "" {
			from = r.Origin
		}
		texts[i] = fmt.Sprintf("the rule %s (%s)", r.Rule, from)
	}
	return strings.Join(texts, " and ")
}
