package shell

import (
	"slices"
	"strings"
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Words that are not the name of a program although they stand in its place. Reserved words and builtins of bash 5.2; the
// builtins echo, pwd, true, false, printf, test and kill are not among them: the first four are words of our own, and of the
// others a program of the same name does the same with fixed arguments.
var (
	reserved = set("if then elif else fi time for in until while do done case esac coproc select function")
	builtins = set(". : alias bg bind break builtin caller command compgen complete compopt continue declare dirs disown enable " +
		"eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly " +
		"return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait")
)

// name reads the first word of a command.
func (r *reader) name() (word, error) {
	start := r.at
	if r.sees("2>") || r.next(0) == '<' || r.next(0) == '>' {
		return word{}, r.fail("a redirection before the name of a command, or without one")
	}
	if b := r.next(0); r.end() || b == '\n' {
		return word{}, r.fail(reasonMissing)
	}
	w, err := r.word(inName)
	if err != nil {
		return w, err
	}
	reason := ""
	switch name := w.String(); {
	case name == "cd":
		reason = reasonFolder
	case reserved[name]:
		reason = "a reserved word of the shell"
	case builtins[name]:
		reason = "a command of the shell itself, which is no program"
	case name[0] == '%':
		reason = "a job of the shell"
	}
	if reason != "" {
		return w, unread(r.line, start, 0, reason)
	}
	return w, nil
}

// variables may be set before a command, to values of these bytes: a locale or a time zone with a path in it is a file.
var variables = map[string]string{
	"CI": wordBytes, "NO_COLOR": wordBytes, "CGO_ENABLED": wordBytes, "GOOS": wordBytes, "GOARCH": wordBytes,
	"RUST_BACKTRACE": wordBytes, "NODE_ENV": wordBytes, "TZ": wordBytes + "/+", "LANG": wordBytes + ".@", "LC_ALL": wordBytes + ".@",
}

const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// variableTakes says whether a variable may be set to a value.
func variableTakes(name, value string) bool {
	allowed, known := variables[name]
	return known && strings.Trim(value, allowed) == "" && !strings.HasPrefix(value, "/")
}

// environment reads the assignments before a command.
func (r *reader) environment() ([]assignment, error) {
	var list []assignment
	for {
		r.blanks()
		name, ok := r.variable()
		if !ok {
			return list, nil
		}
		start := r.at
		if _, known := variables[name]; !known {
			return nil, unread(r.line, start, 0, "a variable that may not be set here")
		}
		r.at += len(name) + len("=")
		w, err := r.word(inValue)
		if err != nil {
			return nil, err
		}
		if !variableTakes(name, w.String()) {
			return nil, unread(r.line, start, 0, "a value that "+name+" may not have here")
		}
		if slices.ContainsFunc(list, func(a assignment) bool { return a.name == name }) {
			return nil, unread(r.line, start, 0, "a variable that is set twice")
		}
		list = append(list, assignment{name, w})
	}
}

// variable is the name in "NAME=", if that stands here.
func (r *reader) variable() (string, bool) {
	name, _, ok := strings.Cut(r.line[r.at:], "=")
	if !ok || name == "" || digits(name[:1]) || strings.Trim(name, wordBytes) != "" || strings.Contains(name, "-") {
		return "", false
	}
	return name, true
}
