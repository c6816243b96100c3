package permission

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// devices may be written and read by any command.
var devices = map[string]bool{"/dev/null": true, "/dev/stdin": true, "/dev/stdout": true, "/dev/stderr": true}

func (r *lineReader) redirect(redir *syntax.Redirect) {
	r.expansions(redir.Hdoc)
	r.expansions(redir.Word)
	write := true
	switch redir.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	case syntax.RdrIn:
		write = false
	case syntax.DplIn, syntax.DplOut:
		if fd := redir.Word.Lit(); fd == "-" || fd != "" && strings.Trim(strings.TrimSuffix(fd, "-"), "0123456789") == "" {
			return
		}
		write = redir.Op == syntax.DplOut
	}
	target := readWord(redir.Word).arg(r.home)
	dirs := r.dirs
	if strings.HasPrefix(target.Text, "/") {
		dirs = []string{"/"}
	}
	if !target.Fixed || dirs == nil {
		r.unknown = true
		return
	}
	if devices[target.Text] {
		return
	}
	for _, dir := range dirs {
		if f := (redirect{join(dir, target.Text), write}); !slices.Contains(r.files, f) {
			r.files = append(r.files, f)
		}
	}
}

// join is the absolute path that a word means in a folder, without links.
func join(dir, name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

func below(root, p string) bool {
	root, p = path.Clean(root), path.Clean(p)
	return root != "" && (p == root || root == "/" || strings.HasPrefix(p, root+"/"))
}

// Files returns the absolute names of the files that the shell itself opens
// for the call's command line, by redirection, as far as they can be read in it. The
// caller resolves links in them and adds a [Path] with that Name for each; without
// one a name is taken to be what it seems.
func Files(c Call) []string {
	if c.Command == "" {
		return nil
	}
	l := readLine(c)
	var names []string
	for _, f := range l.files {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
