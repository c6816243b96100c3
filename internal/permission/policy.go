package permission

import "slices"

// Effect is what a rule does with the calls it matches.
type Effect string

// The effects. An empty Effect is EffectAsk.
const (
	EffectAllow Effect = "allow"
	EffectDeny  Effect = "deny"
	EffectAsk   Effect = "ask"
)

// Scope says how long and how widely a rule holds, and so where it came from.
type Scope string

// The scopes, from the nearest to the widest. The first five are what an
// answer may choose; the others are origins.
const (
	ScopeOnce    Scope = "once"    // this one call; never stored
	ScopeRun     Scope = "run"     // until the run ends
	ScopeSession Scope = "session" // as long as the session is open
	ScopeProject Scope = "project" // in this workspace, kept in the user's data
	ScopeUser    Scope = "user"    // everywhere, kept in the user's data
	ScopeFlag    Scope = "flag"    // --allow and --deny; holds like run
	ScopeConfig  Scope = "config"  // a configuration file
	ScopeDaemon  Scope = "daemon"  // serve --allow: clients that cannot answer
	ScopeBuiltin Scope = "builtin" // no rule: reading inside the workspace, or the policy's default
)

// width orders scopes by how wide they hold; unknown ones are the widest.
func (s Scope) width() int {
	switch s {
	case ScopeOnce:
		return 0
	case ScopeRun, ScopeFlag:
		return 1
	case ScopeSession:
		return 2
	case ScopeProject:
		return 3
	case ScopeUser:
		return 4
	}
	return 5
}

// answered reports whether rules of the scope are remembered answers: those cover what was seen, and what a table knows to be
// alike, but nothing else that begins so.
func (s Scope) answered() bool {
	return s == ScopeRun || s == ScopeSession || s == ScopeProject || s == ScopeUser
}

// Scoped is a rule in a policy.
type Scoped struct {
	Rule   Rule
	Effect Effect
	Scope  Scope
	// Origin says where the rule is written, for people: a file and line, a flag.
	Origin string
}

// Policy is what decides about calls: rules, and what happens to a call that
// none of them and no built-in freedom covers. It is a value: its methods
// return new ones. The zero Policy asks about everything but reading inside
// the workspace.
type Policy struct {
	Rules []Scoped
	// Default is for the calls no rule covers; empty means ask.
	Default Effect
	// Mode says what else needs no question; empty means ModeAsk.
	Mode Mode
}

// With returns the policy with more rules.
func (p Policy) With(rules ...Scoped) Policy {
	p.Rules = slices.Concat(p.Rules, rules)
	return p
}

// Forbidden returns a filter for tools that look into many files at once, such
// as grep: it reports the files that a deny rule keeps from the tools of that
// family. It is nil where there are none.
func (p Policy) Forbidden(family, home string) func(Path) bool {
	var globs []string
	for _, s := range p.Rules {
		if s.Effect == EffectDeny && s.Rule.pattern != "" && s.Rule.kind == KindPath && s.Rule.tool == family {
			globs = append(globs, s.Rule.pattern)
		}
	}
	if len(globs) == 0 {
		return nil
	}
	return func(file Path) bool {
		return slices.ContainsFunc(globs, func(glob string) bool { return matchPath(glob, file, home, true) })
	}
}
