//go:build unix

package fence

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"parley/internal/regular"
)

// What the daemon reads and changes in a workspace may have been put there by a hostile command, and may be
// changed by another one at this moment: a pipe that blocks who opens it, a link that leads out, a folder
// of a million names. So it goes by these functions.

// small reads a file of a few pages, "" for anything else.
func small(path string) string {
	const most = 64 << 10
	if stat, err := os.Lstat(path); err != nil || !stat.Mode().IsRegular() {
		return ""
	}
	text, err := regular.Read(path, most+1)
	if err != nil || len(text) > most {
		return ""
	}
	return string(text)
}

// walk visits what is below a folder, without following links, until visit says no or most names were
// seen; it reports whether it came to the end. visit says whether to look into a folder.
func walk(root string, most int, visit func(path string, d fs.DirEntry) (into bool)) bool {
	const page = 256
	for todo := []string{root}; len(todo) > 0; {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		file := os.NewFile(uintptr(fd), dir)
		for err == nil {
			var entries []fs.DirEntry
			entries, err = file.ReadDir(page)
			for _, d := range entries {
				if most--; most < 0 {
					file.Close()
					return false
				}
				path := filepath.Join(dir, d.Name())
				if visit(path, d) && d.IsDir() {
					todo = append(todo, path)
				}
			}
		}
		file.Close()
	}
	return true
}
