package shell

import (
	"slices"
	"strings"
)

// gitInside reads what git runs: aliases, what its configuration names, and the options of some of its commands.
func gitInside(args []Arg) Within {
	in := Within{Unknown: !fixed(args)}
	at := 1
	for ; at < len(args) && strings.HasPrefix(args[at].Text, "-"); at++ {
		name, value, has := strings.Cut(args[at].Text, "=")
		if name == "-c" || name == "--config-env" || strings.HasPrefix(name, "-c") && len(name) > 2 || name == "--exec-path" && has {
			in.Unknown = true
			in.addText(value)
		}
		if gitValues[name] && !has {
			if at++; at < len(args) && name == "-c" {
				_, value, _ := strings.Cut(args[at].Text, "=")
				in.Texts = append(in.Texts, strings.TrimPrefix(value, "!"))
			}
		}
	}
	if at >= len(args) {
		return in
	}
	if !gitCommands[args[at].Text] {
		in.Unknown = true // an alias, or a program git-NAME
	}
	in.gitOptions(args[at+1:])
	return in
}

// gitOptions reads the words after git's command.
func (in *Within) gitOptions(args []Arg) {
	for i, a := range args {
		name, value, has := strings.Cut(a.Text, "=")
		long := len(name) > 3 && strings.HasPrefix(name, "--") &&
			slices.ContainsFunc(gitRunning, func(o string) bool { return strings.HasPrefix(o, name) })
		short := len(a.Text) > 1 && gitLetters[a.Text[:2]]
		switch {
		case gitFollows[a.Text] && i+1 < len(args):
			rest := suffixes(args[i:])
			in.Commands = append(in.Commands, rest.Commands...)
			in.Texts = append(in.Texts, rest.Texts...)
		case long && has:
			in.Texts = append(in.Texts, value)
		case short && len(a.Text) > 2:
			in.Texts = append(in.Texts, a.Text[2:])
		case (long || short) && i+1 < len(args):
			in.Texts = append(in.Texts, args[i+1].Text)
		case strings.HasPrefix(a.Text, "ext::"):
			in.Texts = append(in.Texts, strings.TrimPrefix(a.Text, "ext::"))
		}
	}
}
