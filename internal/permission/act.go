package permission

import (
	"path"
	"strings"
)

// An act is one thing that a call does and that must be allowed: a command, a
// file, a host, a name, or the call as such.
type act struct {
	kind   actKind
	tool   string // whose rules with a pattern count, and those of its family
	family string
	cmd    command
	path   Path
	text   string // a host, a name, or why a line was not read
	// opened says that a command line opens path, and no tool does.
	opened bool
	// free acts need no rule.
	free bool
	// hidden acts need no rule, but deny and ask rules see them.
	hidden bool
}

type actKind int

const (
	actCall    actKind = iota // nothing in it to match a pattern with
	actCommand                // a simple command
	actPath
	actHost
	actName
	actLine    // a command line that is bash's, as it stands: no rule with a pattern covers it
	actUnknown // something in a line that runs and cannot be read
)

// compiled is a rule with what its text means, made once for each decision.
type compiled struct {
	Scoped
	words []word
}

func compile(rules []Scoped, c Call) []compiled {
	out := make([]compiled, 0, len(rules))
	for _, s := range rules {
		rule, ok := s.Rule.of(c)
		if !ok && s.Effect == EffectAllow {
			continue
		}
		s.Rule = rule // one that takes away, and says nothing of this tool, is about all of its calls
		r := compiled{Scoped: s}
		if rule.kind == KindCommand && rule.pattern != "" {
			words, err := parseWords(rule.pattern)
			if err != nil {
				continue // not made by a grammar
			}
			r.words = atHome(words, c.Home)
		}
		out = append(out, r)
	}
	return out
}

// spans reports whether a rule is also about calls of a tool.
func (r Rule) spans(tool, family string) bool {
	return r.tool == "*" || r.tool == tool || r.tool == family
}

// spanned reports whether a rule is about the tool of the act. A file that a
// command line writes is what any tool of the family edit would write.
func (a act) spanned(r Rule) bool {
	return r.spans(a.tool, a.family) || a.opened && a.path.Write && r.family == FamilyEdit
}

// whole reports whether a rule without a pattern is about the act.
func (a act) whole(r Rule, c Call) bool {
	return r.spans(c.Tool, c.family()) || a.kind == actPath && a.spanned(r)
}

// covers reports whether an allow rule covers the act.
func (a act) covers(r compiled, c Call) bool {
	if r.Rule.Bare() {
		return a.whole(r.Rule, c)
	}
	if !a.spanned(r.Rule) {
		return false
	}
	switch a.kind {
	case actCommand:
		return a.cmd.step != nil && r.covers(*a.cmd.step, c)
	case actPath:
		return matchPath(r.Rule.pattern, a.path, c.Home, false)
	case actHost:
		matches, _ := matchHost(r.Rule.pattern, a.text)
		return matches
	case actName:
		return r.Rule.pattern == a.text
	case actCall, actLine, actUnknown:
	}
	return false
}

// meets reports whether a rule that takes away is about the act.
func (a act) meets(r compiled, c Call) match {
	if r.Rule.Bare() {
		if a.whole(r.Rule, c) {
			return surely
		}
		return never
	}
	if a.kind == actCommand && r.Rule.kind == KindPath && (r.Rule.family == FamilyRead || r.Rule.family == FamilyEdit && a.cmd.changes()) {
		return a.cmd.names(r.Rule.pattern, c)
	}
	if !a.spanned(r.Rule) {
		return never
	}
	matched := false
	switch a.kind {
	case actCommand:
		if len(r.words) > 0 {
			return a.cmd.meets(r.words, r.Rule.prefix)
		}
	case actPath:
		matched = matchPath(r.Rule.pattern, a.path, c.Home, true)
	case actHost:
		known := false
		if matched, known = matchHost(r.Rule.pattern, a.text); !known {
			return maybe
		}
	case actName:
		matched = r.Rule.pattern == a.text
	case actUnknown:
		return maybe
	case actCall, actLine:
	}
	if matched {
		return surely
	}
	return never
}

func dirOf(c Call) string {
	if c.Dir != "" {
		return c.Dir
	}
	return c.Root
}

// lexical is the path of a file as its name alone tells.
func lexical(abs, root string) Path {
	p := Path{Name: abs, Abs: abs}
	if root != "" && below(root, abs) {
		p.Inside = true
		p.Rel = strings.TrimPrefix(strings.TrimPrefix(abs, path.Clean(root)), "/")
	}
	return p
}

// acts lists what a call does that is no command line.
func acts(c Call) []act {
	var list []act
	add := func(a act) {
		a.tool, a.family = c.Tool, c.family()
		list = append(list, a)
	}
	for _, p := range c.Paths {
		add(act{kind: actPath, path: p, free: p.Inside && !p.Write && (c.Family == FamilyRead || c.ReadOnly)})
	}
	if c.Host != "" {
		add(act{kind: actHost, text: c.Host})
	}
	if c.Name != "" {
		add(act{kind: actName, text: c.Name})
	}
	if len(list) == 0 {
		add(act{kind: actCall, free: c.ReadOnly && c.Kind == KindName})
	}
	return list
}

// acts are what a line that was read whole does.
func (l line) acts(c Call) []act {
	var list []act
	for _, cmd := range l.commands {
		list = append(list, act{kind: actCommand, tool: c.Tool, family: c.family(), cmd: cmd, free: cmd.free()})
	}
	return append(append(list, l.inTurn(c)...), l.opened(c, false)...)
}

// rough are what a line that bash gets as it stands may do: all of it needs a rule that covers the whole line.
func (l line) rough(c Call, why error) []act {
	list := []act{{kind: actLine, tool: c.Tool, family: c.family(), text: why.Error()}}
	for _, cmd := range l.commands {
		list = append(list, act{kind: actCommand, tool: c.Tool, family: c.family(), cmd: cmd, hidden: true})
	}
	return append(append(list, l.inTurn(c)...), l.opened(c, true)...)
}

// inTurn are what the commands of the line may run.
func (l line) inTurn(c Call) []act {
	var list []act
	for _, cmd := range l.hidden {
		list = append(list, act{kind: actCommand, tool: c.Tool, family: c.family(), cmd: cmd, hidden: true})
	}
	if l.unknown {
		list = append(list, act{kind: actUnknown, tool: c.Tool, family: c.family(), hidden: true})
	}
	return list
}

// opened are the files that the line opens, and what else it was said to read.
func (l line) opened(c Call, hidden bool) []act {
	var list []act
	resolved := make(map[string]Path, len(c.Paths))
	for _, p := range c.Paths {
		resolved[p.Name] = p
	}
	file := func(f redirect, hidden bool) {
		p := lexical(f.name, c.Root)
		// Where the line was read whole no link is on the way.
		if at, ok := resolved[f.name]; ok && hidden {
			p = at
		}
		p.Write = f.write
		family := FamilyRead
		if f.write {
			family = FamilyEdit
		}
		list = append(list, act{kind: actPath, tool: family, family: family, path: p, opened: true, free: p.Inside && !f.write, hidden: hidden})
	}
	for _, f := range l.files {
		file(f, hidden)
	}
	for _, f := range l.covert {
		file(f, true)
	}
	for _, p := range c.Paths {
		if p.Name == "" && !p.Inside {
			list = append(list, act{kind: actPath, tool: FamilyRead, family: FamilyRead, path: p})
		}
	}
	return list
}

func (a act) String() string {
	switch a.kind {
	case actCommand:
		return a.cmd.String()
	case actPath:
		verb := "read "
		if a.path.Write {
			verb = "write "
		}
		return verb + a.path.display()
	case actHost:
		return "connect to " + plainHost(a.text)
	case actName:
		return a.tool + " " + a.text
	case actLine:
		return a.text
	case actUnknown:
		return "something that only shows when it runs"
	case actCall:
	}
	return a.tool
}

func (p Path) display() string {
	switch {
	case p.Inside && p.Rel != "":
		return p.Rel
	case p.Inside:
		return "."
	}
	return p.Abs
}
