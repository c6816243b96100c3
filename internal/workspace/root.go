// Package workspace is the folder a session works in: its root, the paths below it, what git ignores
// there, and safe ways to open, replace and walk its files.
//
// It guarantees that no symbolic link leads out of the workspace unseen. [Root.Resolve] follows every
// link by hand (also in the middle of a path, also dangling, also of a path that does not exist yet) and
// says where a path really leads. Everything that touches a file afterwards opens the resolved path one
// component at a time and refuses to follow a link at all, so a link that is swapped in between the check
// and the use is an error, never an escape.
//
// It does not decide what is permitted: a [Place] outside the root opens as well, and the caller is the
// one who must have asked. It cannot tell a hard link from the file itself, and it trusts the folders above
// the root. Linux and macOS only.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Root is a workspace: an absolute folder without links in its path. It holds no file open and is safe
// for concurrent use.
type Root struct{ path string }

// Open returns the workspace at dir, which must be a folder; links in dir are resolved once, here.
func Open(dir string) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	path, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	stat, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	if !stat.IsDir() {
		return nil, fmt.Errorf("open workspace: %s is not a directory", dir)
	}
	return &Root{path}, nil
}

// Path returns the root's absolute path, links resolved.
func (r *Root) Path() string { return r.path }

// Place is where a path really leads.
type Place struct {
	// Path is absolute and free of links, "." and "..". It need not exist.
	Path string
	// Rel is Path relative to the root, "." for the root itself and "" outside.
	Rel string
	// Inside says that Path is the root or below it.
	Inside bool
}

// At returns the place of a path that is already resolved, such as one from a walk.
func (r *Root) At(resolved string) Place {
	resolved = filepath.Clean(resolved)
	if resolved == r.path {
		return Place{resolved, ".", true}
	}
	base := r.path
	if base != "/" {
		base += "/"
	}
	if rel, ok := strings.CutPrefix(resolved, base); ok {
		return Place{resolved, rel, true}
	}
	return Place{Path: resolved}
}

// maxLinks is where Linux stops following links (path_resolution(7)).
const maxLinks = 40

var (
	// ErrLinks is returned for a path with more than 40 links in it, which mostly is a circle.
	ErrLinks = errors.New("too many levels of symbolic links")
	// ErrPath is returned for a path that no file can have.
	ErrPath = errors.New("invalid path")
)

// Resolve says where path leads: links are followed to the end, a relative path starts at the root, and
// ".." means the parent of where a link led, as for the kernel. The last components need not exist.
func (r *Root) Resolve(path string) (Place, error) {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return Place{}, fmt.Errorf("%w %q", ErrPath, path)
	}
	at := "/"
	todo := strings.Split(path, "/")
	if !filepath.IsAbs(path) {
		at = r.path
	}
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		stat, err := os.Lstat(next)
		if err != nil {
			// Missing, or not ours to look at: opening it will say so.
			at = next
			continue
		}
		if stat.Mode()&os.ModeSymlink == 0 {
			at = filepath.Join(at, spelling(at, name, stat))
			continue
		}
		if links++; links > maxLinks {
			return Place{}, fmt.Errorf("resolve %s: %w", path, ErrLinks)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return Place{}, fmt.Errorf("resolve %s: %w", path, err)
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return r.At(at), nil
}

// spelling returns the name a directory really has for an entry. On a file system that folds case, a rule
// for "secrets" must also hold for "SECRETS".
func spelling(dir, name string, stat os.FileInfo) string {
	if !foldsCase {
		return name
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return name
	}
	found := name
	for _, e := range entries {
		if e.Name() == name {
			return name
		}
		if strings.EqualFold(e.Name(), name) {
			if other, err := e.Info(); err == nil && os.SameFile(stat, other) {
				found = e.Name()
			}
		}
	}
	return found
}
