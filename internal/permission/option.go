package permission

import (
	"slices"
	"strings"
)

// answers are the scopes that an allowing answer may have, with their keys.
var answers = []struct {
	key   string
	scope Scope
	label string
}{
	{"r", ScopeRun, "for this run"},
	{"a", ScopeSession, "for this session"},
	{"p", ScopeProject, "always in this project"},
	{"u", ScopeUser, "always"},
}

// options lists the answers. An answer that stores rules is offered only if
// the rules are narrow, and if they would have allowed the call.
func (p Policy) options(c Call, list []act) []Option {
	options := []Option{{Key: "y", Label: "allow once", Effect: EffectAllow, Scope: ScopeOnce}}
	if !dangerous(c, list) {
		for _, answer := range answers {
			rules := offer(c, list, answer.scope)
			if len(rules) == 0 || p.with(EffectAllow, answer.scope, rules).outcome(c, list).effect != EffectAllow {
				continue
			}
			options = append(options, Option{
				Key: answer.key, Label: "allow " + answer.label + ": " + joinRules(rules),
				Effect: EffectAllow, Scope: answer.scope, Rules: rules,
			})
		}
	}
	options = append(options, Option{Key: "n", Label: "deny, and stop", Effect: EffectDeny, Scope: ScopeOnce})
	if rules, ok := refusal(c, list); ok && p.with(EffectDeny, ScopeSession, rules).outcome(c, list).effect == EffectDeny {
		options = append(options, Option{
			Key: "d", Label: "deny for this session: " + joinRules(rules),
			Effect: EffectDeny, Scope: ScopeSession, Rules: rules,
		})
	}
	return options
}

func (p Policy) with(effect Effect, scope Scope, rules []Rule) Policy {
	for _, r := range rules {
		p = p.With(Scoped{Rule: r, Effect: effect, Scope: scope})
	}
	return p
}

func joinRules(rules []Rule) string {
	texts := make([]string, len(rules))
	for i, r := range rules {
		texts[i] = r.String()
	}
	return strings.Join(texts, ", ")
}

// dangerous calls are worth a question each time.
func dangerous(c Call, list []act) bool {
	_, l := acts(c)
	return slices.ContainsFunc(warnings(c, list, l), func(w Warning) bool { return w.Level == LevelDanger })
}

// offer is what an allowing answer stores in the scope; nothing where that
// would be too much.
func offer(c Call, list []act, scope Scope) []Rule {
	if c.Kind == KindPath && c.Command == "" {
		return offerPaths(c, scope)
	}
	rules, narrow := suggest(c, list)
	if !narrow {
		return nil
	}
	if scope == ScopeUser && slices.ContainsFunc(rules, relative) {
		return nil
	}
	return rules
}

// relative rules mean another file, or script, in each workspace.
func relative(r Rule) bool {
	if r.kind == KindCommand {
		words, err := parseWords(r.pattern)
		if err != nil {
			return true
		}
		c := command{words: words}
		return interpreters[c.name()] || shells[c.name()] || strings.Contains(words[0].text, "/") && !strings.HasPrefix(words[0].text, "/") && !words[0].tilde
	}
	return r.kind == KindPath && !strings.HasPrefix(r.pattern, "/") && !strings.HasPrefix(r.pattern, "~")
}

func offerPaths(c Call, scope Scope) []Rule {
	var rules []Rule
	for _, p := range c.Paths {
		glob := widerGlob(p, p.Below, c.Home)
		if p.Inside && !p.Write {
			continue // free, unless an ask rule wants otherwise: then each time
		}
		if p.Inside && scope.width() <= ScopeSession.width() && !inGuarded(p.Rel) && !secret(p.Abs) {
			glob = "**"
		}
		rule, err := Rule{tool: c.family(), kind: KindPath, family: c.family()}.with(glob)
		if err != nil || scope == ScopeUser && relative(rule) {
			return nil
		}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// refusal is what a denying answer stores: only where the call is one thing,
// so that the person knows what is refused from now on.
func refusal(c Call, list []act) ([]Rule, bool) {
	var found []Rule
	for _, a := range list {
		if a.hidden || a.free {
			continue
		}
		rule, _ := a.rule(c)
		if a.kind == actCommand {
			cmd := a.cmd
			for cmd.inner != nil {
				cmd = *cmd.inner
			}
			if n := max(depth[cmd.name()+" "+cmd.arg(1)], depth[cmd.name()], 1); n <= len(cmd.words) && !interpreters[cmd.name()] && !slices.ContainsFunc(cmd.words[:n], func(w word) bool { return !w.static }) {
				rule = commandRule(c, cmd.words[:n], true)
			}
		}
		if rule.Bare() {
			return nil, false
		}
		found = append(found, rule)
	}
	return found, len(found) == 1
}
