package fence

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// snapshot is how the files of the table [later] were: by path, what would be another after any change.
type snapshot map[string]stamp

type stamp struct {
	inode   uint64
	size    int64
	mode    fs.FileMode
	changed syscall.Timespec // of the inode, which no program can set back
}

// mostInFolder bounds how many files of a folder of the table are looked at.
const mostInFolder = 500

// snap looks at a workspace.
func snap(root string) snapshot {
	s := make(snapshot)
	for _, e := range later {
		path := filepath.Join(root, e.path)
		stat, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if !stat.IsDir() {
			s.add(root, path, stat)
			continue
		}
		walk(path, mostInFolder, func(path string, d fs.DirEntry) bool {
			if stat, err := d.Info(); err == nil && !d.IsDir() {
				s.add(root, path, stat)
			}
			return true
		})
	}
	return s
}

func (s snapshot) add(root, path string, stat fs.FileInfo) {
	sys, ok := stat.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	rel, err := filepath.Rel(root, path)
	if err == nil {
		s[rel] = stamp{sys.Ino, stat.Size(), stat.Mode(), changeTime(sys)}
	}
}

// changed lists what came, went or is another, sorted.
func (s snapshot) changed(now snapshot) []string {
	var list []string
	for path, was := range s {
		if is, there := now[path]; !there || is != was {
			list = append(list, path)
		}
	}
	for path := range now {
		if _, there := s[path]; !there {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}
