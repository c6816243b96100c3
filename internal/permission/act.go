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
	text   string // a host or a name
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
	actDynamic // what no rule with a pattern covers; text says why
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
			r.words = words
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
		return len(r.words) > 0 && a.cmd.covers(r.words, r.Rule.prefix)
	case actPath:
		return matchPath(r.Rule.pattern, a.path, c.Home, false)
	case actHost:
		matches, _ := matchHost(r.Rule.pattern, a.text)
		return matches
	case actName:
		return r.Rule.pattern == a.text
	case actCall, actDynamic, actUnknown:
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
	if a.kind == actCommand && r.Rule.kind == KindPath && (r.Rule.family == FamilyRead || r.Rule.family == FamilyEdit && writers[a.cmd.name()]) {
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
	case actCall, actDynamic:
	}
	if matched {
		return surely
	}
	return never
}

// writers are commands that change the files they name.
var writers = set("chmod chown cp dd install ln mv patch perl rm rmdir rsync sed shred tee touch truncate unlink")

// names reports whether a word of the command may be a file that the glob
// matches. What the command does with it is unknown.
func (cmd command) names(glob string, c Call) match {
	for i, w := range cmd.words {
		if i == 0 {
			continue
		}
		if _, value, ok := strings.Cut(w.text, "="); ok && strings.HasPrefix(w.text, "-") {
			w.text = value
		}
		file, ok := w.file(dirOf(c), c.Home)
		if ok && matchPath(glob, lexical(file, c.Root), c.Home, true) {
			return maybe
		}
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

// acts lists what the call does. For a command line it also returns how the
// line was read.
func acts(c Call) ([]act, line) {
	if c.line() {
		l := readLine(c)
		return l.acts(c), l
	}
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
	return list, line{}
}

func (l line) acts(c Call) []act {
	var list []act
	add := func(a act) {
		a.tool, a.family = c.Tool, c.family()
		list = append(list, a)
	}
	for _, cmd := range l.commands {
		add(act{kind: actCommand, cmd: cmd, free: cmd.free})
	}
	for _, cmd := range l.hidden {
		add(act{kind: actCommand, cmd: cmd, hidden: true})
	}
	list = append(list, l.opened(c)...)
	for _, reason := range l.reasons(c) {
		add(act{kind: actDynamic, text: reason})
	}
	if len(list) == 0 {
		add(act{kind: actCall})
	}
	if l.unknown {
		add(act{kind: actUnknown, hidden: true})
	}
	return list
}

// opened are the files that the line opens, and what else it was said to read.
func (l line) opened(c Call) []act {
	var list []act
	resolved := make(map[string]Path, len(c.Paths))
	for _, p := range c.Paths {
		resolved[p.Name] = p
	}
	file := func(f redirect, hidden bool) {
		p, ok := resolved[f.name]
		if !ok {
			p = lexical(f.name, c.Root)
		}
		p.Write = f.write
		family := FamilyRead
		if f.write {
			family = FamilyEdit
		}
		list = append(list, act{kind: actPath, tool: family, family: family, path: p, opened: true, free: p.Inside && !f.write, hidden: hidden})
	}
	for _, f := range l.files {
		file(f, false)
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

// reasons are why no rule on single commands covers the line.
func (l line) reasons(c Call) []string {
	for _, name := range l.entered {
		for _, p := range c.Paths {
			if p.Name == name && !p.Inside && below(c.Root, name) {
				return append(l.dynamic[:len(l.dynamic):len(l.dynamic)], "a cd through a link out of the workspace")
			}
		}
	}
	return l.dynamic
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
	case actDynamic:
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
