package shell

import (
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks is where Linux stops to follow links (path_resolution(7)).
const maxLinks = 40

// follow goes along an absolute path, through its links, and notes each folder in which a name is looked up.
func follow(name string) (end string, kind Kind, folders []string) {
	at, todo := "/", strings.Split(name, "/")
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		folders = append(folders, at)
		next := path.Join(at, name)
		stat, err := os.Lstat(next)
		if err != nil {
			return "", KindMissing, folders
		}
		if stat.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return "", KindMissing, folders
		}
		if path.IsAbs(target) {
			at = "/"
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return at, endKind(at), folders
}

// endKind is what stands at the end of a path, which is no link.
func endKind(name string) Kind {
	stat, err := os.Lstat(name)
	switch {
	case err != nil:
		return KindMissing
	case stat.IsDir():
		return KindFolder
	case !stat.Mode().IsRegular():
		return KindSpecial
	case unix.Faccessat(unix.AT_FDCWD, name, unix.X_OK, unix.AT_EACCESS) != nil:
		return KindFile
	}
	return KindProgram
}
