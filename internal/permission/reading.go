package permission

import (
	"errors"
	"path"

	"parley/internal/shell"
)

// reading is what a call does, as far as that is known before it does it.
type reading struct {
	call Call
	// acts are what rules are about. Of a command line they are what its plan does.
	acts []act
	// plan is all of a command line, nil where it was not read whole.
	plan *shell.Plan
	// rough are what bash would do with the line, as far as a parser of all of bash tells: nothing of it is ever allowed by
	// a rule with a pattern.
	rough []act
	// line is what warnings look at.
	line line
}

// read reads a call once, for all that is to be decided about it.
func (p Policy) read(c Call) reading {
	if !c.line() {
		return reading{call: c, acts: acts(c)}
	}
	r := reading{call: c}
	rough := readLine(c)
	plan, err := p.plan(c)
	if err != nil {
		r.line, r.rough = rough, rough.rough(c, err)
		return r
	}
	r.plan, r.line = &plan, plannedLine(c, plan)
	r.acts = r.line.acts(c)
	r.rough = rough.rough(c, errors.New("the whole line"))
	return r
}

var errWorld = errors.New("nothing is known of this machine")

// plan reads all of a command line.
func (p Policy) plan(c Call) (shell.Plan, error) {
	l, err := shell.Read(c.Command)
	if err != nil {
		return shell.Plan{}, err
	}
	if c.Shell == nil {
		return shell.Plan{}, errWorld
	}
	w := c.Shell(p.writable(c.Home, c.Root))
	if c.Dir != "" {
		start := lexical(path.Clean(c.Dir), c.Root)
		if !start.Inside {
			return shell.Plan{}, errors.New("it starts outside of the workspace")
		}
		w.Folder = start.Rel
	}
	return l.Plan(w)
}

// writable says what rules let the agent write, a file or what is in a folder.
func (p Policy) writable(home, root string) func(string) bool {
	var rules []Rule
	for _, s := range p.Rules {
		if s.Effect == EffectAllow && (s.Rule.tool == "*" || s.Rule.family == FamilyEdit) {
			rules = append(rules, s.Rule)
		}
	}
	return func(name string) bool {
		for _, r := range rules {
			if r.Bare() || matchPath(r.pattern, lexical(name, root), home, true) || matchPath(r.pattern, lexical(path.Join(name, "x"), root), home, true) {
				return true
			}
		}
		return false
	}
}

// plannedLine is what a plan does.
func plannedLine(c Call, plan shell.Plan) line {
	r := newReader(c)
	for _, s := range plan.Steps() {
		r.dirs = []string{path.Join(c.Root, s.Folder)}
		cmd := command{dirs: r.dirs, step: &s}
		for _, a := range s.Args {
			cmd.args = append(cmd.args, shell.Arg{Text: a, Fixed: true})
		}
		r.add(cmd)
		for _, text := range s.Within.Texts {
			r.inside(text)
		}
		for _, f := range s.Files {
			if f.Path != shell.NullDevice {
				r.files = append(r.files, redirect{path.Join(c.Root, f.Path), f.Mode != shell.ModeRead})
			}
		}
	}
	return r.line
}
