package permission

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// devices may be written and read by any command.
var devices = map[string]bool{"/dev/null": true, "/dev/stdin": true, "/dev/stdout": true, "/dev/stderr": true}

func (r *lineReader) redirect(redir *syntax.Redirect) {
	if redir.N != nil {
		if _, err := strconv.Atoi(redir.N.Value); err != nil {
			r.mark("a change of variables") // {name}> stores a descriptor
		}
	}
	r.expansions(redir.Hdoc)
	write := true
	switch redir.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return
	case syntax.WordHdoc:
		r.expansions(redir.Word)
		return
	case syntax.RdrIn:
		write = false
	case syntax.DplIn, syntax.DplOut:
		if fd := redir.Word.Lit(); fd == "-" || fd != "" && strings.Trim(strings.TrimSuffix(fd, "-"), "0123456789") == "" {
			return
		}
		write = redir.Op == syntax.DplOut
	}
	r.redirects++
	r.expansions(redir.Word)
	target := readWord(redir.Word)
	if !target.static {
		r.mark("a redirection whose file only shows when it runs")
		return
	}
	if devices[target.text] {
		return
	}
	if strings.HasPrefix(target.text, "/dev/tcp/") || strings.HasPrefix(target.text, "/dev/udp/") {
		r.mark("a connection made by the shell")
		return
	}
	absolute := target.tilde || strings.HasPrefix(target.text, "/")
	dirs := r.dirs
	if absolute {
		dirs = []string{"/"}
	}
	if dirs == nil || !absolute && r.moved && slices.Contains(strings.Split(target.text, "/"), "..") {
		r.mark("a redirection whose folder only shows when it runs")
		return
	}
	for _, dir := range dirs {
		name, ok := target.file(dir, r.home)
		if !ok {
			r.mark("a redirection whose file only shows when it runs")
			return
		}
		if f := (redirect{name, write}); !slices.Contains(r.files, f) {
			r.files = append(r.files, f)
		}
	}
}

func below(root, p string) bool {
	root, p = path.Clean(root), path.Clean(p)
	return root != "" && (p == root || root == "/" || strings.HasPrefix(p, root+"/"))
}

// Files returns the absolute names of the files that the shell itself opens
// for the call's command line, by redirection, and of the folders it enters by
// cd. The caller resolves links in them and adds a [Path] with that Name for
// each; without one a name is taken to be what it seems.
func Files(c Call) []string {
	if c.Command == "" {
		return nil
	}
	l := readLine(c)
	var names []string
	for _, f := range l.files {
		names = append(names, f.name)
	}
	names = append(names, l.entered...)
	slices.Sort(names)
	return slices.Compact(names)
}
