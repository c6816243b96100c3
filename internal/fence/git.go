package fence

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// gitPaths are the parts of a repository that git executes or is led elsewhere by.
type gitPaths struct {
	write, guard, forbid []string
	// fresh is where there is no repository yet, "" for nowhere.
	fresh string
}

// repository finds the repository of a workspace. A command can commit in it: a git folder outside the
// workspace may be written where it says itself that the workspace is its work tree. What makes git run
// programs is guarded.
func repository(root string) gitPaths {
	var p gitPaths
	for top := root; ; top = filepath.Dir(top) {
		git := filepath.Join(top, ".git")
		stat, err := os.Lstat(git)
		switch {
		case err != nil && top == "/":
			p.fresh = filepath.Join(root, ".git")
			return p
		case err != nil:
			continue
		case stat.IsDir():
			p.add(root, git)
		case stat.Mode().IsRegular():
			p.guard = append(p.guard, git)
			p.linked(root, git)
		case stat.Mode()&os.ModeSymlink != 0:
			p.guard = append(p.guard, git)
			if real, err := filepath.EvalSymlinks(git); err == nil && below(root, real) {
				p.add(root, real)
			}
		}
		if top != root {
			p.fresh = filepath.Join(root, ".git")
		}
		return p
	}
}

// linked adds what a file .git leads to: a work tree of another repository. The other side has to agree,
// since the file may be a command's own work.
func (p *gitPaths) linked(root, file string) {
	dir, ok := strings.CutPrefix(line(file), "gitdir: ")
	if !ok {
		return
	}
	dir = realIn(filepath.Dir(file), dir)
	if dir == "" || realIn(dir, line(filepath.Join(dir, "gitdir"))) != realIn("/", file) {
		return
	}
	if !below(root, dir) {
		p.write = append(p.write, dir)
	}
	p.guard = append(p.guard, filepath.Join(dir, "gitdir"))
	p.led(dir)
	if common := realIn(dir, line(filepath.Join(dir, "commondir"))); common != "" && filepath.Base(filepath.Dir(dir)) == "worktrees" && below(common, dir) {
		p.add(root, common)
	}
}

// add lets a git folder be written but for what git executes and where it is led by.
func (p *gitPaths) add(root, git string) {
	if !below(root, git) {
		p.write = append(p.write, git)
	}
	p.own(git)
	// Other work trees, elsewhere, are led by what stands here.
	if trees := filepath.Join(git, "worktrees"); exists(trees) {
		p.guard = append(p.guard, trees)
	}
	walk(filepath.Join(git, "modules"), mostModules, func(path string, d fs.DirEntry) bool {
		if !d.IsDir() || exists(filepath.Join(filepath.Dir(path), "HEAD")) && d.Name() != "modules" {
			return false // in a submodule's repository only further ones are of interest
		}
		if exists(filepath.Join(path, "HEAD")) {
			p.own(path)
		}
		return true
	})
}

// mostModules bounds how many names are looked at for submodules.
const mostModules = 10_000

// own guards the settings of one repository.
func (p *gitPaths) own(git string) {
	p.guard = append(p.guard, filepath.Join(git, "hooks"), filepath.Join(git, "config"))
	p.guard = append(p.guard, included(filepath.Join(git, "config"))...)
	p.led(git)
}

// included lists the files that a file of settings includes (git-config(1)): they are settings too.
func included(config string) []string {
	var list []string
	for _, m := range includeLine.FindAllStringSubmatch(small(config), -1) {
		path := strings.Trim(strings.TrimSpace(m[1]), `"`)
		if home, err := os.UserHomeDir(); err == nil {
			path = inHome(home, path)
		}
		list = append(list, resolve(filepath.Dir(config), path))
	}
	return list
}

// includeLine is generous: a path that git does not include is guarded for nothing.
var includeLine = regexp.MustCompile(`(?im)^\s*(?:\[include[^\]]*\])?\s*path\s*=\s*([^#;\n]+)`)

// led guards what leads git to other settings.
func (p *gitPaths) led(git string) {
	for _, name := range []string{"config.worktree", "commondir"} {
		// git fails where a folder has the name of either, so nothing can hold their places.
		if path := filepath.Join(git, name); exists(path) {
			p.guard = append(p.guard, path)
		} else {
			p.forbid = append(p.forbid, path)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// plainKeys are settings of a repository that make git run nothing and lead nowhere.
var plainKeys = regexp.MustCompile(`(?i)^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|` +
	`user\.(name|email)|init\.defaultbranch|branch\..*\.(remote|merge|rebase)|remote\..*\.(url|fetch)|commit\.gpgsign|extensions\.objectformat)$`)

// harmless says whether a new repository is as "git init" makes one: nothing in it runs anything.
func harmless(git string) bool {
	stat, err := os.Lstat(git)
	if err != nil || !stat.IsDir() || exists(filepath.Join(git, "commondir")) || exists(filepath.Join(git, "modules")) || exists(filepath.Join(git, "worktrees")) {
		return false
	}
	hooks, err := os.ReadDir(filepath.Join(git, "hooks"))
	if err != nil && !os.IsNotExist(err) {
		return false
	}
	for _, h := range hooks {
		if !h.Type().IsRegular() || filepath.Ext(h.Name()) != ".sample" {
			return false
		}
	}
	if l, err := os.Lstat(filepath.Join(git, "hooks")); err == nil && !l.IsDir() {
		return false
	}
	return plainConfig(filepath.Join(git, "config"))
}

// plainConfig says whether each line of a file of settings (git-config(1)) is understood and plain.
func plainConfig(path string) bool {
	text := small(path)
	if text == "" {
		return false
	}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "["):
			m := sectionLine.FindStringSubmatch(line)
			if m == nil {
				return false
			}
			section = m[1] + "."
			if m[2] != "" {
				section += m[2] + "."
			}
		default:
			key, value, _ := strings.Cut(line, "=")
			if strings.HasSuffix(value, `\`) || strings.Contains(value, "ext::") || !plainKeys.MatchString(section+strings.TrimSpace(key)) {
				return false
			}
		}
	}
	return true
}

var sectionLine = regexp.MustCompile(`^\[([A-Za-z]+)(?: "([\w./-]+)")?\]$`)

// line is the first line of a small file, "" where there is none.
func line(path string) string {
	first, _, _ := strings.Cut(small(path), "\n")
	return strings.TrimSpace(first)
}

// realIn is where a path, relative to dir, really leads; "" where it leads nowhere.
func realIn(dir, path string) string {
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}
