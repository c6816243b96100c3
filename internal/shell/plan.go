package shell

import (
	"slices"
	"strings"
)

// Plan is what a line does in a world: what starts, with which words, in which folder, and which files are opened. What rules
// judge ([Plan.Steps]) is what [Plan.Run] runs; nothing of it is looked up again. The zero Plan runs nothing and fails.
type Plan struct {
	root string
	env  []string
	list [][]joined
}

// joined is a pipe of a chain.
type joined struct {
	op   string
	pipe []Step
}

// Step is one command of a plan.
type Step struct {
	// Path is the absolute path of the program; empty for a word of our own, which starts nothing: echo, pwd, true and false.
	Path string
	// Args are the words as the program gets them, first its name as it was written. An echo prints $? in them as digits.
	Args []string
	// Env are the variables that the line sets for the command, NAME=VALUE.
	Env []string
	// Folder is where it runs, relative to the workspace.
	Folder string
	// Files are what its redirections open, in order.
	Files []File
	// Filter says that it stands after a pipe and only filters what comes through it, so that it needs no rule.
	Filter bool
	// Inner is the command that this one starts in its turn, where all of that was read (timeout, nice, env): then what allows
	// Inner allows this. Nil otherwise.
	Inner *Step
	// Within is what it may start in its turn otherwise, for rules that deny, never for those that allow; and how many of its words
	// a rule must name.
	Within Within

	streams []stream
	// words are those of an echo with $? in it, one for each of Args.
	words []word
}

// File is a file that a redirection opens.
type File struct {
	// Path is relative to the workspace, without links; or it is [NullDevice].
	Path string
	Mode Mode
}

// NullDevice is the one file outside of the workspace that a redirection may open.
const NullDevice = "/dev/null"

// Mode is how a file is opened.
type Mode int

// The modes.
const (
	ModeRead   Mode = iota
	ModeWrite       // created, or emptied
	ModeAppend      // created, or added to
)

// stream is a redirection of a step, of the next of its files where it opens one.
type stream struct {
	op   string
	body string
}

// Plan makes the plan of the line in the world. The error is an [*Unread].
func (l Line) Plan(w World) (Plan, error) {
	if !strings.HasPrefix(w.Root, "/") {
		return Plan{}, &Unread{Reason: "there is no workspace"}
	}
	p := planner{World: w, text: l.text, matches: maxMatches, names: maxNames}
	if p.Folder == "" {
		p.Folder = "."
	}
	if l.folder != nil {
		if err := p.enter(*l.folder); err != nil {
			return Plan{}, err
		}
	}
	out := Plan{root: w.Root, env: p.environment()}
	for _, c := range l.list {
		var chain []joined
		for _, link := range c {
			pipe, err := p.pipe(link.pipe)
			if err != nil {
				return Plan{}, err
			}
			chain = append(chain, joined{link.op, pipe})
		}
		out.list = append(out.list, chain)
	}
	return out, nil
}

// Steps are the commands of the plan, in the order of the line.
func (p Plan) Steps() []Step {
	var steps []Step
	for _, chain := range p.list {
		for _, j := range chain {
			for _, s := range j.pipe {
				steps = append(steps, s.clone())
			}
		}
	}
	return steps
}

// Environment is what every program of the plan gets, beside PWD and its own [Step.Env].
func (p Plan) Environment() []string { return slices.Clone(p.env) }

// clone keeps what a caller does to a step from what runs.
func (s Step) clone() Step {
	s.Args, s.Env, s.Files = slices.Clone(s.Args), slices.Clone(s.Env), slices.Clone(s.Files)
	s.streams, s.words = nil, nil
	if s.Inner != nil {
		inner := s.Inner.clone()
		s.Inner = &inner
	}
	return s
}
