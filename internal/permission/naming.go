package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"parley/internal/shell"
)

// silent commands open none of the files that their words name.
var silent = set("cd echo exit export false popd printf pushd pwd return set shift test true unset [ :")

// searchers read all files below a folder, below the one they run in where they are given none. Of those with options it
// is one of the options that makes them do so.
var searchers = map[string]string{
	"ack": "", "ag": "", "cp": "rRa", "cpio": "", "diff": "r", "egrep": "rRd", "fgrep": "rRd", "git": "", "grep": "rRd", "rg": "", "rgrep": "", "rsync": "",
	"scp": "", "tar": "", "ugrep": "", "zip": "",
}

// names reports whether a file that the glob matches may be among the words of the command. What the command does with it is
// unknown, and so is what a word means that only shows when it runs.
func (c command) names(glob string, call Call) match {
	if silent[c.name()] || len(c.args) == 0 {
		return never
	}
	for _, a := range c.args[1:] {
		if !a.Fixed || mentions(a.Text, glob) {
			return maybe
		}
		for _, text := range []string{a.Text, after(a.Text, '='), after(a.Text, '@'), after(a.Text, ':')} {
			if text != "" && slices.ContainsFunc(c.files(text), func(file string) bool { return matchPath(glob, lexical(file, call.Root), call.Home, true) }) {
				return maybe
			}
		}
		if c.dirs == nil && !strings.HasPrefix(a.Text, "-") {
			return maybe
		}
	}
	if c.searches() && slices.ContainsFunc(c.folders(), func(folder string) bool { return mayHold(folder, glob, call) }) {
		return maybe
	}
	return never
}

// files are the paths that a word may mean.
func (c command) files(text string) []string {
	if strings.HasPrefix(text, "/") {
		return []string{path.Clean(text)}
	}
	files := make([]string, len(c.dirs))
	for i, dir := range c.dirs {
		files[i] = path.Join(dir, text)
	}
	return files
}

func after(text string, mark byte) string { return text[strings.IndexByte(text, mark)+1:] }

// mentions reports whether the last name of the glob stands in the text, as in HEAD:.env or open('.env').
func mentions(text, glob string) bool {
	name := strings.ToLower(path.Base(glob))
	if strings.ContainsAny(name, `*?[{\`) || name == "" {
		return false
	}
	inName := func(b byte) bool {
		return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.'
	}
	for text = strings.ToLower(text); ; {
		at := strings.Index(text, name)
		if at < 0 {
			return false
		}
		end := at + len(name)
		if (at == 0 || !inName(text[at-1])) && (end == len(text) || !inName(text[end])) {
			return true
		}
		text = text[at+1:]
	}
}

// searches reports whether the command reads what is below a folder.
func (c command) searches() bool {
	letters, ok := searchers[c.name()]
	if !ok || c.name() == "git" && c.arg(1) != "grep" {
		return false
	}
	return letters == "" || slices.ContainsFunc(c.args[1:], func(a shell.Arg) bool {
		return strings.HasPrefix(a.Text, "--recursive") || strings.HasPrefix(a.Text, "--dereference-recursive") || strings.HasPrefix(a.Text, "--directories") ||
			strings.HasPrefix(a.Text, "--archive") || strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--") && strings.ContainsAny(a.Text, letters)
	})
}

// folders are those that a command may search: of its words, and its own where there may be none among them.
func (c command) folders() []string {
	if c.dirs == nil {
		return []string{"/"}
	}
	var folders []string
	operands := 0
	for _, a := range c.args[1:] {
		if !strings.HasPrefix(a.Text, "-") {
			operands++
			folders = append(folders, c.files(a.Text)...)
		}
	}
	if operands < 2 || c.name() == "git" && operands < 3 {
		folders = append(folders, c.dirs...)
	}
	return folders
}

// mayHold reports whether the glob may match something below the folder.
func mayHold(folder, glob string, c Call) bool {
	fixed, rest := doublestar.SplitPattern(glob)
	if !strings.ContainsAny(rest, `*?[{\`) {
		fixed = path.Join(fixed, rest)
	}
	switch {
	case strings.HasPrefix(glob, "~"):
		fixed = path.Join(c.Home, strings.TrimPrefix(fixed, "~"))
	case !strings.HasPrefix(glob, "/"):
		fixed = path.Join(c.Root, fixed)
	}
	return below(folder, fixed) || below(fixed, folder)
}
