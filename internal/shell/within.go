package shell

import (
	"math"
	"path"
	"slices"
	"strings"
)

// Arg is a word of a command.
type Arg struct {
	// Text is what the program gets. Where Fixed is not set that only shows when it runs.
	Text  string
	Fixed bool
}

// Within is what a command may run in its turn, as far as its words tell: one level of it.
type Within struct {
	// Commands may start, each with its words.
	Commands [][]Arg
	// Texts may be run by a shell.
	Texts []string
	// Unknown says that it runs something that cannot be seen here.
	Unknown bool
	// Need is how many of the words a rule that ends in :* must name at least, so that it says what is run: two of docker run, four
	// of xargs -n 1 grep. It is [Exactly] where only a rule with all the words does.
	Need int

	// whole is where the one command begins that it runs, as it stands; 0 where not all was read.
	whole int
}

// Exactly is more words than any command has.
const Exactly = math.MaxInt

// maxSuffixes bounds the words of a command that may each begin another.
const maxSuffixes = 64

// Inside reads what a command may run in its turn. It is for rules that deny: what it finds may run, and more may. A program counts
// under any path and in any case.
func Inside(args []Arg) Within { return nested(args, maxWrapped) }

// maxWrapped bounds how many wrappers around each other are read.
const maxWrapped = 16

func nested(args []Arg, most int) Within {
	in := look(args, most)
	in.Need = max(in.Need, 1)
	return in
}

func look(args []Arg, most int) Within {
	if most == 0 {
		return Within{Unknown: true, Need: Exactly}
	}
	if len(args) == 0 {
		return Within{}
	}
	if !args[0].Fixed {
		return Within{Unknown: true, Need: Exactly}
	}
	text := args[0].Text
	name := strings.ToLower(path.Base(text))
	w, wraps := wrappers[name]
	switch {
	case wraps:
		in := w.inside(args, most)
		// Only the well-known program of that name is read whole, not ./env.
		if text != name && text != "/bin/"+name && text != "/usr/bin/"+name {
			in.whole = 0
		}
		return in
	case name == "find":
		return findInside(args)
	case name == "git":
		return gitInside(args)
	case shells[name]:
		return shellInside(args)
	case evaluators[name]:
		return evaluates(args)
	case runners[name], managers[name]:
		in := suffixes(args)
		if in.Need = 1; runners[name] {
			in.Need = 2
		}
		return in
	}
	return Within{}
}

// suffixes are all commands that the words may begin, and all texts among them.
func suffixes(args []Arg) Within {
	in := Within{Unknown: len(args) > maxSuffixes, Need: Exactly}
	for i := 1; i < len(args) && i <= maxSuffixes; i++ {
		if !args[i].Fixed {
			in.Unknown = true
			continue
		}
		in.Commands = append(in.Commands, args[i:])
		in.addText(args[i].Text)
	}
	return in
}

// shellInside reads the words of a shell: the text after -c, or the name of a script. Without one it reads its standard input.
func shellInside(args []Arg) Within {
	for i, a := range args[1:] {
		switch {
		case !a.Fixed || strings.HasPrefix(a.Text, "--"):
			in := suffixes(args)
			in.Unknown = true
			return in
		case !strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "+"):
			return Within{Commands: [][]Arg{args[i+1:]}, Need: i + 2}
		case strings.Contains(a.Text, "c"):
			in := suffixes(args)
			in.Texts = nil
			for _, text := range args[i+2:] {
				in.Texts = append(in.Texts, text.Text)
			}
			return in
		case strings.Trim(a.Text[1:], "euxvil") != "":
			in := suffixes(args)
			in.Unknown = true
			return in
		}
	}
	return Within{Unknown: true, Need: Exactly}
}

// addText adds what may be the text of several words, or of more than words.
func (in *Within) addText(text string) {
	if _, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(text, "-") {
		text = value
	}
	if strings.ContainsAny(text, " \t\n;|&<>$`(") {
		in.Texts = append(in.Texts, text)
	}
}

// evaluates reads eval and its kin: their words are one text.
func evaluates(args []Arg) Within {
	in := Within{Need: Exactly}
	texts := make([]string, 0, len(args))
	for _, a := range args[1:] {
		texts = append(texts, a.Text)
		in.Texts = append(in.Texts, a.Text)
	}
	in.Texts = append(in.Texts, strings.Join(texts, " "))
	in.Unknown = path.Base(args[0].Text) != "eval" && path.Base(args[0].Text) != "trap" ||
		slices.ContainsFunc(args, func(a Arg) bool { return !a.Fixed })
	return in
}

// inside reads the command of a wrapper.
func (w wrapper) inside(args []Arg, most int) Within {
	at, ok := w.locate(args)
	if !ok {
		in := suffixes(args)
		in.Unknown = true
		return in
	}
	options := args[:at]
	if w.set {
		at = skipVariables(args, at)
	}
	if at >= len(args) {
		return Within{}
	}
	inner := args[at:]
	if w.appends {
		inner = w.appended(args[:at], inner)
	}
	in := Within{Commands: [][]Arg{inner}, Unknown: !inner[0].Fixed, Need: nested(inner, most-1).Need}
	if in.Need < Exactly {
		in.Need += at
	}
	if w.whole && fixed(args[:at+1]) && settable(args[len(options):at]) && (!w.set || len(options) == 1) {
		in.whole = at
	}
	return in
}

func fixed(args []Arg) bool {
	return !slices.ContainsFunc(args, func(a Arg) bool { return !a.Fixed })
}

func skipVariables(args []Arg, at int) int {
	for at < len(args) && args[at].Fixed && strings.Contains(args[at].Text, "=") {
		at++
	}
	return at
}

// settable says whether the words are assignments that may stand before a command.
func settable(args []Arg) bool {
	for _, a := range args {
		name, value, _ := strings.Cut(a.Text, "=")
		if !variableTakes(name, value) {
			return false
		}
	}
	return true
}

// appended are the words of a command that gets more of them, some of which only show when it runs.
func (w wrapper) appended(options, inner []Arg) []Arg {
	inner = slices.Clone(inner)
	mark, found := replaced(options)
	for i := range inner {
		if found && mark != "" && strings.Contains(inner[i].Text, mark) {
			inner[i].Fixed = false
		}
	}
	return append(inner, Arg{})
}

// replaced is the text that xargs -I replaces in every word.
func replaced(options []Arg) (mark string, found bool) {
	for i, a := range options {
		if rest, ok := strings.CutPrefix(a.Text, "--replace="); ok {
			return rest, true
		}
		cluster, ok := strings.CutPrefix(a.Text, "-")
		at := strings.IndexByte(cluster, 'I')
		if !ok || at < 0 || strings.HasPrefix(cluster, "-") {
			continue
		}
		if rest := cluster[at+1:]; rest != "" {
			return rest, true
		}
		if i+1 < len(options) {
			return options[i+1].Text, true
		}
	}
	return "", false
}

// locate finds the word where the wrapped command begins.
func (w wrapper) locate(args []Arg) (at int, ok bool) {
	operands := w.operands
	for i := 1; i < len(args); i++ {
		if !args[i].Fixed {
			return i, operands == 0
		}
		text := args[i].Text
		switch {
		case text == "--":
			return min(i+1+operands, len(args)), true
		case text == "-":
			return 0, false // env - is env -i
		case len(text) < 2 || text[0] != '-':
			if operands == 0 {
				return i, true
			}
			operands--
			continue
		}
		takes, known := w.option(text)
		if !known {
			return 0, false
		}
		if takes {
			i++
		}
		if i < len(args) && !args[i].Fixed {
			return 0, false
		}
	}
	return len(args), true
}

// option says whether an option takes the next word as its value.
func (w wrapper) option(text string) (takes, known bool) {
	if long, ok := strings.CutPrefix(text, "--"); ok {
		name, _, has := strings.Cut(long, "=")
		if slices.Contains(w.long, name+"=") {
			return !has, true
		}
		return false, !has && slices.Contains(w.long, name)
	}
	if w.digits && digits(text[1:]) {
		return false, true
	}
	for i, c := range text[1:] {
		switch {
		case strings.ContainsRune(w.values, c):
			return i == len(text)-2, true
		case !strings.ContainsRune(w.flags, c):
			return false, false
		}
	}
	return false, true
}

// findInside reads the commands of find's actions.
func findInside(args []Arg) Within {
	var in Within
	for i := 1; i < len(args); i++ {
		if !args[i].Fixed || actions[args[i].Text] || changes[args[i].Text] {
			in.Need = Exactly
		}
		in.Unknown = in.Unknown || !args[i].Fixed
		if !actions[args[i].Text] {
			continue
		}
		end := i + 1
		for end < len(args) && args[end].Text != ";" && !(args[end].Text == "+" && args[end-1].Text == "{}") {
			end++
		}
		run := slices.Clone(args[i+1 : end])
		for k := range run {
			run[k].Fixed = run[k].Fixed && !strings.Contains(run[k].Text, "{}")
		}
		if len(run) > 0 {
			in.Commands = append(in.Commands, run)
		}
		i = end
	}
	return in
}
