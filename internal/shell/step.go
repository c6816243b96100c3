package shell

import (
	"path"
	"strings"
)

// own are the words of our own: what they do is done here, and no program starts.
var own = set("echo pwd true false")

// step reads the words of a command into its step.
func (p *planner) step(s *Step, c command, piped bool) error {
	for _, a := range c.env {
		s.Env = append(s.Env, a.name+"="+a.value.String())
	}
	fixed := 0 // words before the first that is a pattern
	for i, w := range c.words {
		if fixed == i && !w.glob() {
			fixed++
		}
		args, err := p.expand(w)
		if err != nil {
			return err
		}
		s.Args = append(s.Args, args...)
		for _, a := range args {
			if w.has(statusKind) {
				s.words = append(s.words, w)
				continue
			}
			s.words = append(s.words, word{parts: []part{{textKind, a}}})
		}
	}
	if own[s.Args[0]] {
		return p.own(s, c)
	}
	s.words = nil
	found, reason := p.program(s.Args[0])
	if reason != "" {
		return p.fail(c.words[0], reason)
	}
	s.Path = found
	s.Filter = piped && s.plain() && filters(s.Args)
	return p.within(s, c, fixed)
}

// own refuses what the words of our own cannot do.
func (p *planner) own(s *Step, c command) error {
	if s.Args[0] == "pwd" && len(s.Args) > 1 {
		return p.fail(c.words[1], "an argument of pwd")
	}
	return nil
}

// plain says that the command reads nothing but the pipe.
func (s *Step) plain() bool {
	for _, st := range s.streams {
		if st.op == opRead || st.op == opHere {
			return false
		}
	}
	return true
}

// within reads the command that a program starts in its turn.
func (p *planner) within(s *Step, c command, fixed int) error {
	args := make([]Arg, len(s.Args))
	for i, a := range s.Args {
		args[i] = Arg{Text: a, Fixed: true}
	}
	s.Within = Inside(args)
	if shells[path.Base(s.Args[0])] {
		for _, st := range s.streams {
			if st.op == opHere {
				s.Within.Texts = append(s.Within.Texts, st.body)
			}
		}
	}
	at := s.Within.whole
	if at == 0 || at >= fixed {
		return nil
	}
	inner := Step{Args: s.Args[at:], Folder: s.Folder, Env: s.Env}
	found, reason := p.program(inner.Args[0])
	if reason != "" {
		return p.fail(c.words[at], reason)
	}
	inner.Path = found
	if err := p.within(&inner, command{words: c.words[at:]}, fixed-at); err != nil {
		return err
	}
	s.Inner, s.Within = &inner, Within{Need: s.Within.Need}
	return nil
}

// program finds the program that a word names.
func (p *planner) program(name string) (found, reason string) {
	if strings.Contains(name, "/") {
		return p.named(name)
	}
	entries, ok := lookup(p.Env, "PATH")
	if !ok {
		return "", "there is no PATH to find it in"
	}
	for entry := range strings.SplitSeq(entries, ":") {
		relative := !strings.HasPrefix(entry, "/")
		if relative {
			entry = path.Join(p.Root, p.Folder, entry)
		}
		file := path.Join(entry, name)
		end, kind, folders := p.follow(file)
		switch {
		case kind != KindProgram:
		case relative:
			return "", "it is found by an entry of PATH that is relative"
		case p.writable(append(folders, end)):
			return "", "it is found where the agent can write: " + path.Dir(file)
		default:
			return file, ""
		}
	}
	return "", "no program of that name is found"
}

// named finds a program that is named by its path. One of the workspace may be a link, as those of node_modules/.bin are, but its
// folder may not be reached through one.
func (p *planner) named(name string) (found, reason string) {
	file, reason := p.below(name)
	switch {
	case reason == "":
		if kind, err := p.kind(path.Dir(file)); err != nil {
			return "", err.Error()
		} else if kind == KindLink {
			return "", reasonLink
		}
		found = path.Join(p.Root, file)
	case !strings.HasPrefix(name, "/"):
		return "", reason
	case strings.Contains(name+"/", "/../"):
		return "", reasonParent
	default:
		found = path.Clean(name)
	}
	if _, kind, _ := p.follow(found); kind != KindProgram {
		return "", "no such program"
	}
	return found, ""
}

// lookup finds a variable; the last of its name counts.
func lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}
