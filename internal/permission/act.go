package permission

import (
	"path"
	"strings"
)

// An act is one thing that a call does and that must be allowed: a command, a
// file, a host, a name, or the call as such.
type act struct {
	kind actKind
	tool string // whose rules with a pattern count
	cmd  command
	path Path
	text string // a host or a name
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

func compile(rules []Scoped) []compiled {
	out := make([]compiled, 0, len(rules))
	for _, s := range rules {
		c := compiled{Scoped: s}
		if s.Rule.tool == "bash" && s.Rule.pattern != "" {
			words, err := parseWords(s.Rule.pattern)
			if err != nil {
				continue // not made by ParseRule
			}
			c.words = words
		}
		out = append(out, c)
	}
	return out
}

// spansTool reports whether rules on tool a are also about calls of tool b.
func spansTool(a, b string) bool {
	switch {
	case a == "*" || a == b:
		return true
	case a == "read":
		return freeTools[b]
	case a == "edit":
		return b == "write"
	}
	return false
}

// covers reports whether an allow rule covers the act.
func (a act) covers(r compiled, c Call) bool {
	if r.Rule.Bare() {
		return spansTool(r.Rule.tool, c.Tool) || a.kind == actPath && spansTool(r.Rule.tool, a.tool)
	}
	if !spansTool(r.Rule.tool, a.tool) {
		return false
	}
	switch a.kind {
	case actCommand:
		return len(r.words) > 0 && a.cmd.covers(r.words, r.Rule.prefix)
	case actPath:
		return matchPath(r.Rule.pattern, a.path, c.Home, false)
	case actHost:
		return matchHost(r.Rule.pattern, a.text)
	case actName:
		return r.Rule.pattern == a.text
	case actCall, actDynamic, actUnknown:
	}
	return false
}

// meets reports whether a rule that takes away is about the act.
func (a act) meets(r compiled, c Call) match {
	if r.Rule.Bare() {
		if spansTool(r.Rule.tool, c.Tool) || a.kind == actPath && spansTool(r.Rule.tool, a.tool) {
			return surely
		}
		return never
	}
	if a.kind == actCommand && (freeTools[r.Rule.tool] || pathTools[r.Rule.tool] && writers[a.cmd.name()]) {
		return a.cmd.names(r.Rule.pattern, c)
	}
	if !spansTool(r.Rule.tool, a.tool) {
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
		matched = matchHost(r.Rule.pattern, a.text)
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
	if c.Tool == "bash" || c.Command != "" {
		l := readLine(c)
		return l.acts(c), l
	}
	var list []act
	for _, p := range c.Paths {
		free := p.Inside && !p.Write && (freeTools[c.Tool] || c.ReadOnly)
		list = append(list, act{kind: actPath, tool: c.Tool, path: p, free: free})
	}
	if c.Host != "" {
		list = append(list, act{kind: actHost, tool: c.Tool, text: c.Host})
	}
	if c.Name != "" {
		list = append(list, act{kind: actName, tool: c.Tool, text: c.Name})
	}
	if len(list) == 0 {
		free := c.ReadOnly && !pathTools[c.Tool] && c.Tool != "fetch"
		list = append(list, act{kind: actCall, tool: c.Tool, free: free})
	}
	return list, line{}
}

func (l line) acts(c Call) []act {
	var list []act
	for _, cmd := range l.commands {
		list = append(list, act{kind: actCommand, tool: "bash", cmd: cmd, free: cmd.free})
	}
	for _, cmd := range l.hidden {
		list = append(list, act{kind: actCommand, tool: "bash", cmd: cmd, hidden: true})
	}
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
		tool := "read"
		if f.write {
			tool = "write"
		}
		list = append(list, act{kind: actPath, tool: tool, path: p, free: p.Inside && !f.write, hidden: hidden})
	}
	for _, f := range l.files {
		file(f, false)
	}
	for _, f := range l.covert {
		file(f, true)
	}
	dynamic := l.dynamic
	for _, name := range l.entered {
		if p, ok := resolved[name]; ok && !p.Inside && below(c.Root, name) {
			dynamic = append(dynamic[:len(dynamic):len(dynamic)], "a cd through a link out of the workspace")
			break
		}
	}
	for _, p := range c.Paths {
		if p.Name == "" && !p.Inside {
			list = append(list, act{kind: actPath, tool: "read", path: p})
		}
	}
	for _, reason := range dynamic {
		list = append(list, act{kind: actDynamic, tool: "bash", text: reason})
	}
	if len(list) == 0 {
		list = append(list, act{kind: actCall, tool: "bash"})
	}
	if l.unknown {
		list = append(list, act{kind: actUnknown, tool: "bash", hidden: true})
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
		return "connect to " + a.text
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
