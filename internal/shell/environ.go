package shell

import "strings"

// environment is what a program gets of the person's environment: all but the variables that make one program run another, load
// code into it, or read its options in another way (the table executing). Of two values of one name the last counts. Of PATH
// stays what is absolute, is there, and cannot be written by the agent: programs look there for others.
func (w World) environment() []string {
	last := map[string]int{}
	for i, v := range w.Env {
		if name, _, ok := strings.Cut(v, "="); ok {
			last[name] = i
		}
	}
	var kept []string
	for i, v := range w.Env {
		name, value, ok := strings.Cut(v, "=")
		if !ok || last[name] != i || Executes(name) != "" {
			continue
		}
		if name == "PATH" {
			v = "PATH=" + w.path(value)
		}
		kept = append(kept, v)
	}
	return append(Unattended(kept), gitGuards...)
}

// gitGuards keep git, whoever starts it, from running what a folder of the workspace says: a bare repository that lies somewhere in
// it, with its own configuration, is not used unless it is named; no monitor of files and no hook is started.
var gitGuards = []string{
	"GIT_CONFIG_COUNT=3",
	"GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit",
	"GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false",
	"GIT_CONFIG_KEY_2=core.hooksPath", "GIT_CONFIG_VALUE_2=/dev/null",
}

// path is what stays of the entries of a PATH.
func (w World) path(entries string) string {
	var kept []string
	for entry := range strings.SplitSeq(entries, ":") {
		if !strings.HasPrefix(entry, "/") {
			continue
		}
		end, kind, folders := w.follow(entry)
		if kind == KindFolder && !w.writable(append(folders, end)) {
			kept = append(kept, entry)
		}
	}
	return strings.Join(kept, ":")
}

// Executes says why a variable of that name is kept from programs; it is empty for one that they get. Names are compared without
// regard to case, as npm and others do, but for those that a shell could not set at all.
func Executes(name string) string {
	if strings.Trim(name, nameBytes) != "" || name == "" {
		return "a name that no shell sets: functions of bash are handed on so"
	}
	upper := strings.ToUpper(name)
	for _, pattern := range harmless {
		if matchesName(pattern, upper) {
			return ""
		}
	}
	for _, row := range executing {
		for _, pattern := range row.names {
			if matchesName(pattern, upper) {
				return row.reason
			}
		}
	}
	return ""
}

func fields(s string) []string { return strings.Fields(s) }

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// BashEnvironment is the environment of a line that a person approved and bash runs as it stands: all of the person's but what bash
// itself would run or obey before the line, and without the person.
func BashEnvironment(env []string) []string {
	var kept []string
	for _, v := range env {
		name, _, ok := strings.Cut(v, "=")
		if !ok || strings.HasPrefix(name, "BASH_") || name == "ENV" || name == "SHELLOPTS" || name == "BASHOPTS" {
			continue
		}
		kept = append(kept, v)
	}
	return Unattended(kept)
}

// BashOptions stand between bash and -c: no file of its own is read, no function and no option taken from the environment.
var BashOptions = []string{"--noprofile", "--norc", "-p"}
