package fence

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Place is where a session works, as [Standard] needs to know it.
type Place struct {
	// Root is the workspace, links resolved.
	Root string
	// Env is the environment of commands, NAME=VALUE; its HOME is the user's home.
	Env []string
	// Temp and Keep are the folders of [Profile].
	Temp, Keep string
	// Private are paths of Parley itself: the store, the sockets, the user's configuration.
	Private []string
}

// Standard is the profile of a command about which nothing else was said: the workspace, a temporary
// folder and caches may be written, what git and the shell execute is guarded, what is secret is hidden,
// and there is no network.
func Standard(p Place) Profile {
	home := variable(p.Env, "HOME")
	out := Profile{Root: p.Root, Home: home, Temp: p.Temp, Keep: p.Keep}
	out.Hide = append(out.Hide, p.Private...)
	if dir := variable(p.Env, "XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		out.Hide = append(out.Hide, dir) // where the sockets of the user's session are
	}
	for _, e := range hidden {
		if path := inHome(home, e.path); filepath.IsAbs(path) {
			out.Hide = append(out.Hide, path)
		}
	}
	for _, e := range blanked {
		if path := inHome(home, e.path); filepath.IsAbs(path) {
			out.Blank = append(out.Blank, path)
		}
	}
	for _, e := range guarded {
		out.Guard = append(out.Guard, filepath.Join(p.Root, e.path))
	}
	for _, e := range quiet {
		if name, _, _ := strings.Cut(e.path, "="); variable(p.Env, name) == "" {
			out.Env = append(out.Env, e.path)
		}
	}
	out.addCaches(p.Env)
	git := repository(p.Root)
	out.Write = append(out.Write, git.write...)
	out.Guard = append(out.Guard, git.guard...)
	out.Forbid = append(out.Forbid, git.forbid...)
	if git.fresh != "" {
		out.Fresh = append(out.Fresh, git.fresh)
	}
	return out
}

// addCaches finds the caches that exist, and moves those that do not into one that does.
func (p *Profile) addCaches(env []string) {
	taken := map[string]bool{}
	for _, e := range elsewhere {
		if dir := variable(env, e[0]); filepath.IsAbs(dir) {
			taken[e[0]] = true
			p.addCache(filepath.Join(dir, e[1]))
		}
	}
	if p.Home == "" {
		return
	}
	general := filepath.Join(p.Home, ".cache")
	// The one folder that programs make by themselves in every home.
	_ = os.Mkdir(general, 0o700)
	for _, c := range caches {
		if p.addCache(inHome(p.Home, c.path)) || c.variable == "" || taken[c.variable] {
			continue
		}
		p.Env = append(p.Env, c.variable+"="+filepath.Join(general, strings.TrimPrefix(filepath.Base(c.path), ".")))
	}
}

// addCache adds a folder that exists, where it really is.
func (p *Profile) addCache(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	stat, err := os.Stat(real)
	if err != nil || !stat.IsDir() {
		return false
	}
	// An overlay cannot have its own layer in what lies below it.
	if !below(real, p.Keep) && !below(real, p.Root) && !below(p.Root, real) {
		p.Caches = append(p.Caches, real)
	}
	return true
}

func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// mostFound bounds how many files [Find] looks at.
const mostFound = 200_000

// Find lists what a test on the path relative to root says yes to, below root, without following links:
// what a rule with a pattern names. Below a folder that is named it does not look. more says that there
// were too many files to look at all.
func Find(root string, names func(rel string, dir bool) bool) (found []string, more bool) {
	whole := walk(root, mostFound, func(path string, d fs.DirEntry) bool {
		named := names(strings.TrimPrefix(path, strings.TrimSuffix(root, "/")+"/"), d.IsDir())
		if named {
			found = append(found, path)
		}
		return !named
	})
	return found, !whole
}
