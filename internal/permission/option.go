package permission

import (
	"path"
	"slices"
	"strings"

	"parley/internal/shell"
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
func (p Policy) options(r reading, warnings []Warning) []Option {
	options := append([]Option{{Key: "y", Label: "allow once", Effect: EffectAllow, Scope: ScopeOnce}}, p.outside(r.call)...)
	if !slices.ContainsFunc(warnings, func(w Warning) bool { return w.Level == LevelDanger }) { // worth a question each time
		for _, answer := range answers {
			rules := r.offer(answer.scope)
			if len(rules) == 0 || p.with(EffectAllow, answer.scope, rules).outcome(r).effect != EffectAllow {
				continue
			}
			options = append(options, Option{
				Key: answer.key, Label: "allow " + answer.label + ": " + joinRules(rules),
				Effect: EffectAllow, Scope: answer.scope, Rules: rules,
			})
		}
	}
	options = append(options, registryAnswers(r.call)...)
	options = append(options, Option{Key: "n", Label: "deny, and stop", Effect: EffectDeny, Scope: ScopeOnce})
	if rules, ok := r.refusal(); ok && p.with(EffectDeny, ScopeSession, rules).outcome(r).effect == EffectDeny {
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

// offer is what an allowing answer stores in the scope; nothing where that
// would be too much.
func (r reading) offer(scope Scope) []Rule {
	if r.call.Kind == KindPath && r.call.Command == "" {
		return offerPaths(r.call, scope)
	}
	rules, narrow := r.suggest()
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
		program := words[0].text
		return interpreters[path.Base(program)] || strings.Contains(program, "/") && !strings.HasPrefix(program, "/") && !words[0].tilde
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
func (r reading) refusal() ([]Rule, bool) {
	if r.call.line() && r.plan == nil {
		return nil, false
	}
	var found []Rule
	for _, a := range r.acts {
		if a.hidden || a.free {
			continue
		}
		rule, _ := a.rule(r.call)
		if a.kind == actCommand {
			rule = refusedCommand(*a.cmd.step, r.call, rule)
		}
		if !slices.Contains(found, rule) {
			found = append(found, rule)
		}
	}
	return found, len(found) == 1 && !found[0].Bare()
}

// refusedCommand is the rule that denies a step, and what else it could do under that name. The code of an interpreter is named by
// all of its words.
func refusedCommand(s shell.Step, c Call, exact Rule) Rule {
	if s.Inner != nil {
		return refusedCommand(*s.Inner, c, exact)
	}
	if interpreters[path.Base(s.Args[0])] {
		return exact
	}
	words := make([]word, shell.Depth(s.Args))
	for i := range words {
		words[i] = word{text: s.Args[i], static: true}
	}
	return Rule{tool: c.family(), kind: KindCommand, family: c.family(), pattern: formatWords(words), prefix: true}
}
