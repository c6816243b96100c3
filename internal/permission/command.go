package permission

import (
	"path"
	"slices"
	"strings"

	"parley/internal/shell"
)

// command is one simple command of a line, or one that another may run in turn.
type command struct {
	args []shell.Arg
	// dirs are the folders it may run in, nil if that is not known.
	dirs []string
	// step is the command in the plan of a line that was read whole, nil otherwise.
	step *shell.Step
}

func (c command) name() string {
	if len(c.args) == 0 || !c.args[0].Fixed {
		return ""
	}
	return strings.ToLower(path.Base(c.args[0].Text))
}

// arg is the text of a fixed word, or "".
func (c command) arg(i int) string {
	if i >= len(c.args) || !c.args[i].Fixed {
		return ""
	}
	return c.args[i].Text
}

// texts are the words as far as they are known, for display.
func (c command) texts() []string {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		texts[i] = a.Text
	}
	return texts
}

func (c command) String() string { return strings.Join(c.texts(), " ") }

// free commands need no rule: words of our own, and filters after a pipe.
func (c command) free() bool { return c.step != nil && (c.step.Path == "" || c.step.Filter) }

// changes reports whether the command changes the files that its words name.
func (c command) changes() bool { return slices.Contains(shell.Risks(c.args), shell.RiskChanges) }

// match is how surely a rule matches.
type match int

const (
	never match = iota
	maybe
	surely
)

// covers reports whether the rule allows a step of a plan, or the one command that it runs in turn.
func (r compiled) covers(s shell.Step, c Call) bool {
	if s.Inner != nil && r.covers(*s.Inner, c) {
		return true
	}
	if len(r.words) == 0 || len(r.words) > len(s.Args) || !r.Rule.prefix && len(r.words) != len(s.Args) ||
		r.Rule.prefix && len(r.words) < s.Within.Need || !names(r.words[0], s, c.Root) {
		return false
	}
	script := s.Folder != "." && interpreters[path.Base(r.words[0].text)]
	for i, w := range r.words[1:] {
		if s.Args[i+1] != w.text {
			return false
		}
		// A script is another one in another folder.
		if script && !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "/") {
			return false
		}
	}
	return !r.Rule.prefix || !r.Scope.answered() || tabled(s.Args, len(r.words))
}

// names reports whether the first word of a rule names the program of a step. With a slash in it, it is the program at that path.
func names(w word, s shell.Step, root string) bool {
	if strings.Contains(w.text, "/") {
		return s.Path != "" && s.Path == join(root, w.text)
	}
	return s.Args[0] == w.text
}

// tabled reports whether the first words name a use of which a table has all the others: then they do what their beginning says,
// and no more.
func tabled(args []string, first int) bool {
	n, unknown := shell.Prefix(args)
	return n > 0 && n <= first && unknown == ""
}

// interpreters run the script that their words name.
var interpreters = set("ash bash bun csh dash deno fish groovy julia ksh lua mksh node nodejs osascript perl php pwsh python python2 python3 " +
	"rscript ruby sh tclsh tcsh ts-node tsx zsh")

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// meets reports whether a rule that takes away matches the command. The
// program may stand under any path and in any case, and options may stand
// between the words of the rule.
func (c command) meets(words []word, prefix bool) match {
	if len(c.args) == 0 {
		return never
	}
	if !c.args[0].Fixed {
		return maybe
	}
	want := strings.ToLower(path.Base(words[0].text))
	if c.name() != want {
		return never
	}
	if !prefix {
		return c.meetsExactly(words)
	}
	// at marks the places where the next word of the rule may stand.
	at := make([]bool, len(c.args)+3)
	at[1] = true
	for _, want := range words[1:] {
		next := make([]bool, len(at))
		found := false
		for i := 1; i < len(c.args); i++ {
			if !at[i] {
				continue
			}
			a := c.args[i]
			if !a.Fixed {
				return maybe
			}
			if a.Text == want.text {
				next[i+1], found = true, true
			}
			if strings.HasPrefix(a.Text, "-") {
				// What follows an option may be its value, or the word.
				at[i+1], at[i+2] = true, true
			}
		}
		if !found {
			return never
		}
		at = next
	}
	return surely
}

func (c command) meetsExactly(words []word) match {
	for i, a := range c.args {
		switch {
		case !a.Fixed:
			return maybe
		case i >= len(words) || i > 0 && a.Text != words[i].text:
			return never
		}
	}
	if len(words) == len(c.args) {
		return surely
	}
	return never
}
