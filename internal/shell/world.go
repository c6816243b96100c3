package shell

import "errors"

// World is what a plan needs to know of the machine. Its functions look and change nothing. No line has a plan in the zero
// World; a function that is nil knows nothing.
//
// Paths of files are relative to Root, with slashes, without links, ".", ".." and empty names in them; "." is Root itself.
type World struct {
	// Root is the workspace: an absolute path without links.
	Root string
	// Folder is where the line starts, as a path of a file; empty means Root.
	Folder string
	// Env is the person's environment, NAME=VALUE. Programs are looked up in its PATH.
	Env []string
	// Kind says what stands at a path. It follows no link: where one stands on the way, the answer is [KindLink].
	Kind func(path string) (Kind, error)
	// List names what is in a folder, in any order, and fails where that is more than most names.
	List func(folder string, most int) ([]string, error)
	// Follow goes along an absolute path and through the links on it. It returns where that ends, what stands there ([KindMissing],
	// [KindProgram], [KindFolder], or another kind), and each folder that decides it: those of the path and of each link on it.
	Follow func(path string) (end string, kind Kind, folders []string)
	// Writable says whether the agent may change a file, or what is in a folder: those of the workspace, and those that a rule, an
	// answer or the fence lets be written.
	Writable func(path string) bool
}

// Kind is what stands at a path.
type Kind int

// The kinds.
const (
	KindMissing Kind = iota
	KindFile         // a regular file with one name
	KindShared       // a regular file with several names (hard links), some of which may be elsewhere
	KindFolder
	KindLink
	KindSpecial // a pipe, a socket, a device
	KindProgram // of Follow only: a regular file that may be executed
)

var errUnknown = errors.New("nothing is known of files here")

func (w World) kind(path string) (Kind, error) {
	if w.Kind == nil {
		return KindMissing, errUnknown
	}
	return w.Kind(path)
}

func (w World) follow(path string) (end string, kind Kind, folders []string) {
	if w.Follow == nil {
		return "", KindMissing, nil
	}
	return w.Follow(path)
}

// writable says whether one of the paths may be written; it is assumed where nobody can tell.
func (w World) writable(paths []string) bool {
	for _, p := range paths {
		if w.Writable == nil || w.Writable(p) {
			return true
		}
	}
	return false
}
