package permission

import (
	"path"
	"slices"
	"strings"

	"parley/internal/shell"
)

// Suggest returns the narrowest rules that people would write to allow the
// call beside the policy; together they do, where no deny or ask rule of it
// stands against them.
func (p Policy) Suggest(c Call) []Rule {
	if c.Outside {
		c = c.leaving()
	}
	rules, _ := p.read(c).suggest()
	return rules
}

// suggest also says whether the rules are narrow enough to be offered as an
// answer: none of them opens more than the person has seen.
func (r reading) suggest() (rules []Rule, narrow bool) {
	c := r.call
	if c.line() && r.plan == nil {
		return []Rule{bare(c)}, false
	}
	narrow = true
	add := func(a act) (ok bool) {
		rule, ok := a.rule(c)
		narrow = narrow && ok
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
		return ok
	}
	for _, a := range r.acts {
		if !a.hidden && !a.free {
			add(a)
		}
	}
	for _, a := range r.acts {
		if len(rules) > 0 {
			break
		}
		if a.free && c.line() {
			add(a)
		}
	}
	if i := slices.IndexFunc(rules, func(rule Rule) bool { return rule.tool == c.Tool && rule.Bare() }); i >= 0 {
		return rules[i : i+1], narrow
	}
	if len(rules) == 0 {
		return []Rule{bare(c)}, false
	}
	return rules, narrow
}

func bare(c Call) Rule { return Rule{tool: c.Tool, kind: c.Kind, family: c.family()} }

// rule is the narrow rule for one act, or the one on the whole tool where
// there is none.
func (a act) rule(c Call) (rule Rule, narrow bool) {
	narrow = true
	switch a.kind {
	case actCommand:
		rule = commandRule(*a.cmd.step, c)
	case actPath:
		rule = Rule{tool: a.family, kind: KindPath, family: a.family, pattern: exactGlob(a.path, c.Home)}
	case actHost:
		rule, _ = parseHostPattern(plainHost(a.text))
		rule.tool, rule.family, rule.kind = a.family, a.family, KindHost
	case actName:
		rule, _ = parseNamePattern(strings.TrimSpace(a.text))
		rule.tool, rule.family = a.family, a.family
	case actLine, actUnknown:
		return bare(c), false
	case actCall:
		return bare(c), !c.line()
	}
	// A text that does not survive being written and read is no rule.
	if !rule.survives() || !a.covers(compile([]Scoped{{Rule: rule, Effect: EffectAllow}}, c)[0], c) {
		return bare(c), false
	}
	return rule, narrow
}

// exactGlob is the glob for one path.
func exactGlob(p Path, home string) string {
	switch {
	case p.Inside && (p.Rel == "" || p.Rel == "."):
		return "**"
	case p.Inside && strings.HasPrefix(p.Rel, "~"):
		return `\` + escapeGlob(p.Rel)
	case p.Inside:
		return escapeGlob(p.Rel)
	case home != "" && home != "/" && p.Abs != home && below(home, p.Abs):
		return "~" + escapeGlob(strings.TrimPrefix(p.Abs, path.Clean(home)))
	}
	return escapeGlob(p.Abs)
}

// widerGlob is the glob for the folder around the path, or for the folder that
// it is; the path itself where that would say too much.
func widerGlob(p Path, folder bool, home string) string {
	exact := exactGlob(p, home)
	dir := path.Dir(exact)
	if folder {
		dir = exact
	}
	top := strings.HasPrefix(dir, "/") && path.Dir(dir) == "/" // /etc says too much
	if exact == "**" || p.Abs == home || dir == "." || dir == "~" || top || secret(p.Abs) || p.Inside && inGuarded(p.Rel) {
		return exact
	}
	return dir + "/**"
}

// commandRule is the rule for a step: the words that name what it does where a table knows what else may follow, else all
// of them. What a wrapper runs is what the rule is on.
func commandRule(s shell.Step, c Call) Rule {
	if s.Inner != nil {
		return commandRule(*s.Inner, c)
	}
	args := slices.Clone(s.Args)
	n, unknown := shell.Prefix(args)
	prefix := n > 0 && unknown == "" && s.Within.Need <= n
	if s.Path != "" && strings.Contains(args[0], "/") {
		if args[0] = s.Path; below(c.Root, s.Path) {
			args[0] = "./" + lexical(s.Path, c.Root).Rel
		}
		prefix = prefix && args[0] == s.Args[0]
	}
	if prefix {
		args = args[:n]
	}
	words := make([]word, len(args))
	for i, a := range args {
		words[i] = word{text: a, static: true}
	}
	return Rule{tool: c.family(), kind: KindCommand, family: c.family(), pattern: formatWords(words), prefix: prefix}
}
