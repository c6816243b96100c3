package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Entry is one file, directory or link that a walk found.
type Entry struct {
	Place
	// Below is the path relative to where the walk began, "." for a walk of a single file.
	Below string
	// Type holds the type bits only.
	Type fs.FileMode
}

// Reach bounds a walk.
type Reach struct {
	// Entries is how many directory entries are looked at before the walk gives up; 0 means 200,000.
	Entries int
	// Depth is how many directories deep the walk goes; 0 means 128.
	Depth int
	// Ignored visits what git ignores too. The .git folder is never visited.
	Ignored bool
}

const (
	defaultEntries = 200_000
	defaultDepth   = 128
)

// ErrReach is returned by Walk after everything within its bounds was visited, where there was more.
var ErrReach = errors.New("too many files to look at")

// Walk visits what is below a resolved place, in the order of names within each directory, a directory
// before what is in it. Links are visited and never followed. Directories that cannot be read are passed
// over. visit may return fs.SkipDir and fs.SkipAll; another error of it, and the context's, ends the walk.
func (r *Root) Walk(ctx context.Context, start Place, reach Reach, visit func(Entry) error) error {
	if reach.Entries == 0 {
		reach.Entries = defaultEntries
	}
	if reach.Depth == 0 {
		reach.Depth = defaultDepth
	}
	file, err := r.Open(start)
	if err != nil {
		return err
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return err
	}
	if !stat.IsDir() {
		err := visit(Entry{start, ".", stat.Mode().Type()})
		if err == fs.SkipAll || err == fs.SkipDir {
			return nil
		}
		return err
	}
	w := walk{ctx: ctx, root: r, reach: reach, left: reach.Entries, visit: visit}
	at := level{tree: r.treeOf(start)}
	if !reach.Ignored {
		// Whoever asks for an ignored directory by name wants to see what is in it.
		at.rules, _ = at.tree.outer(start.Path, r.path)
	}
	err = w.dir(file, start.Path, "", at)
	if err == fs.SkipAll {
		return nil
	}
	if err == nil && w.more {
		return ErrReach
	}
	return err
}

type walk struct {
	ctx   context.Context
	root  *Root
	reach Reach
	left  int
	more  bool
	visit func(Entry) error
}

// level is what holds in one directory of a walk.
type level struct {
	tree  tree
	rules rules
	depth int
}

// batch is how many entries are read between two looks at the context.
const batch = 1024

func (w *walk) dir(file *os.File, path, below string, at level) error {
	names, err := w.entries(file)
	if err != nil {
		return err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(names, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	if has(".git") && path != at.tree.top {
		at.tree = tree{path, true}
		if at.rules = nil; !w.reach.Ignored {
			at.rules, _ = at.tree.outer(path, w.root.path)
		}
	}
	base := at.tree.rel(path)
	if base != "" {
		base += "/"
	}
	if !w.reach.Ignored && has(".gitignore") {
		// The slice is shared with the directories beside this one.
		at.rules = append(slices.Clip(at.rules), parseRules(base, readSmall(filepath.Join(path, ".gitignore")))...)
	}
	at.depth++
	for _, e := range names {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		name := e.Name()
		if name == ".git" || !w.reach.Ignored && at.rules.ignored(base+name, e.IsDir()) {
			continue
		}
		entry := Entry{w.root.At(filepath.Join(path, name)), below + name, e.Type()}
		if err := w.visit(entry); err == fs.SkipDir {
			continue
		} else if err != nil {
			return err
		}
		if !e.IsDir() {
			continue
		}
		if at.depth >= w.reach.Depth {
			w.more = true
			continue
		}
		if err := w.enter(file, name, entry, at); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) enter(parent *os.File, name string, e Entry, at level) error {
	file, err := openAt(int(parent.Fd()), name, e.Path)
	if err != nil {
		return nil
	}
	defer file.Close()
	return w.dir(file, e.Path, e.Below+"/", at)
}

// entries reads a directory, sorted, no more of it than the walk has left.
func (w *walk) entries(file *os.File) ([]fs.DirEntry, error) {
	var names []fs.DirEntry
	for {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		some, err := file.ReadDir(batch)
		names = append(names, some...)
		if len(names) > w.left {
			w.more = true
			names = names[:w.left]
			break
		}
		if err != nil || len(some) == 0 {
			break
		}
	}
	w.left -= len(names)
	slices.SortFunc(names, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return names, nil
}
