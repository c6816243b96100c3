package shell

import "strings"

// gitInside reads what git runs: aliases, what its configuration names, and the options of some of its commands.
func gitInside(args []Arg) Within {
	in := Within{Unknown: !fixed(args)}
	at := in.gitConfigured(args)
	if at < len(args) {
		if !gitCommands[args[at].Text] {
			in.Unknown = true // an alias, or a program git-NAME
		}
		in.gitOptions(args[at].Text, args[at+1:])
	}
	if in.Unknown || len(in.Texts) > 0 || len(in.Commands) > 0 {
		in.Need = Exactly
	}
	return in
}

// gitConfigured reads git's own options, and returns where its command stands.
func (in *Within) gitConfigured(args []Arg) (at int) {
	for at = 1; at < len(args) && strings.HasPrefix(args[at].Text, "-"); at++ {
		name, _, has := strings.Cut(args[at].Text, "=")
		if strings.HasPrefix(name, "-c") || name == "--config-env" || name == "--exec-path" && has {
			in.Unknown = true
		}
		if !gitValues[name] || has {
			continue
		}
		if at++; at < len(args) && name == "-c" {
			in.gitSetting(args[at].Text)
		}
	}
	return at
}

// gitSetting adds what a setting would run: aliases that begin with ! run in a shell.
func (in *Within) gitSetting(setting string) {
	if _, value, ok := strings.Cut(setting, "="); ok {
		in.Texts = append(in.Texts, strings.TrimPrefix(value, "!"))
	}
}

// gitOptions reads the words after git's command.
func (in *Within) gitOptions(command string, args []Arg) {
	for i, a := range args {
		if rest, ok := strings.CutPrefix(a.Text, "ext::"); ok {
			in.Texts = append(in.Texts, rest)
		}
		if a.Text != "" && a.Text == gitFollows[command] {
			rest := suffixes(args[i:])
			in.Commands = append(in.Commands, rest.Commands...)
			in.Texts = append(in.Texts, rest.Texts...)
		}
		value, takes := gitValue(command, a.Text)
		if takes && value == "" && i+1 < len(args) {
			value = args[i+1].Text
		}
		if takes {
			in.Texts = append(in.Texts, value)
			in.gitSetting(value)
		}
	}
}

// gitValue says whether a word is an option whose value git runs, and gives the value that is part of the word. Long options may be
// shortened.
func gitValue(command, text string) (value string, takes bool) {
	name, value, _ := strings.Cut(text, "=")
	for _, option := range gitRunning[command] {
		switch {
		case !strings.HasPrefix(option, "--") && strings.HasPrefix(text, option):
			return text[len(option):], true
		case strings.HasPrefix(option, "--") && len(name) > 3 && strings.HasPrefix(option, name):
			return value, true
		}
	}
	return "", false
}
