package fence

import (
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/fence/inside"
)

// machine is what a plan is made from beside the profile.
type machine struct {
	// look describes what is at a path; a link as a link.
	look func(path string) (fs.FileMode, error)
	// held says that what is at a path is only a place that another command holds.
	held func(path string) bool
	// read returns where a link leads.
	read func(path string) (string, error)
	// mounts are what is mounted where.
	mounts []mounted
	// sockets are the paths of the machine's Unix sockets.
	sockets []string
	// layer is the folder of the private layers of this run; "" leaves caches read-only.
	layer string
}

// plan is what a profile comes to on a machine.
type plan struct {
	mounts []inside.Mount
	// places are folders to be made before the start, so that there is something to guard.
	places []string
	// layers are folders to be made for private layers.
	layers []string
	// forbid are paths that must not appear.
	forbid []string
	// names are further names of what is covered, through a link, each with the one that is covered.
	names [][2]string
}

// replaced are folders that a command has its own of.
var replaced = []string{"/tmp", "/var/tmp", "/run", "/dev", "/proc"}

// planner builds a plan: what stands at a path is there once, the last word about it counting.
type planner struct {
	profile Profile
	machine machine
	plan    plan
	at      map[string]inside.Mount
}

// newPlan is a pure function of a profile and a machine.
func newPlan(p Profile, m machine) plan {
	b := &planner{profile: p, machine: m, at: make(map[string]inside.Mount)}
	b.base()
	b.writable()
	for _, path := range p.Guard {
		b.guard(path, 0)
	}
	b.plan.forbid = append(b.plan.forbid, p.Forbid...)
	for _, path := range p.Blank {
		b.cover(path, inside.Blank)
	}
	for _, path := range p.Hide {
		b.cover(path, inside.Hide)
	}
	for _, path := range m.sockets {
		if mode, err := m.look(path); err == nil && mode&fs.ModeSocket != 0 {
			b.cover(path, inside.Hide)
		}
	}
	b.arrange()
	return b.plan
}

// base puts up what every command has its own of.
func (b *planner) base() {
	for _, path := range replaced {
		if mode, err := b.machine.look(path); err != nil || !mode.IsDir() {
			continue // such as a /var/tmp that is a link to /tmp
		}
		switch path {
		case "/proc":
			b.set(inside.Mount{Kind: inside.Proc, Path: path})
		case "/dev":
			b.set(inside.Mount{Kind: inside.Devices, Path: path})
		case "/run":
			b.set(inside.Mount{Kind: inside.Empty, Path: path})
		default:
			b.set(inside.Mount{Kind: inside.Write, Path: path, From: b.profile.Temp})
		}
	}
	for _, e := range seen {
		b.show(e.path)
	}
	for _, path := range append([]string{b.profile.Home}, b.profile.Show...) {
		if path != "" {
			b.show(path)
		}
	}
	// The names of the user's keys are in no namespace.
	for _, path := range []string{"/proc/keys", "/proc/key-users"} {
		b.set(inside.Mount{Kind: inside.Hide, Path: path, Maybe: true})
	}
}

// within says whether a path lies in a folder that is replaced.
func (b *planner) within(path string) bool {
	return slices.ContainsFunc(replaced, func(dir string) bool { return dir != path && below(dir, path) })
}

// show keeps something visible that a replaced or hidden folder would take away.
func (b *planner) show(path string) {
	path = b.real(path)
	hidden := func(dir string) bool { return dir != path && below(b.real(dir), path) }
	if mode, err := b.machine.look(path); err == nil && mode&fs.ModeSymlink == 0 && (b.within(path) || slices.ContainsFunc(b.profile.Hide, hidden)) {
		b.set(inside.Mount{Kind: inside.Read, Path: path, Maybe: true})
	}
}

// writable lets the workspace and what was granted be written, and puts layers over caches.
func (b *planner) writable() {
	for _, path := range append([]string{b.profile.Root}, b.profile.Write...) {
		mode, err := b.machine.look(path)
		if path != b.profile.Root && (err != nil || mode&fs.ModeSymlink != 0) {
			continue // a link leads elsewhere than when the folder was granted
		}
		b.set(inside.Mount{Kind: inside.Write, Path: path})
	}
	if b.machine.layer == "" {
		return
	}
	for _, path := range b.profile.Caches {
		if b.covered(path) {
			continue // a layer over its parent is a layer over it
		}
		dir := filepath.Join(b.machine.layer, url.PathEscape(path))
		upper, work := filepath.Join(dir, "upper"), filepath.Join(dir, "work")
		b.plan.layers = append(b.plan.layers, upper, work)
		b.set(inside.Mount{Kind: inside.Layer, Path: path, From: upper, Work: work, Maybe: true})
	}
}

func (b *planner) covered(path string) bool {
	return slices.ContainsFunc(b.profile.Caches, func(c string) bool { return c != path && below(c, path) })
}

// set says what stands at a path.
func (b *planner) set(m inside.Mount) { b.at[m.Path] = m }

// maxLinks is where the kernel stops following links (path_resolution(7)).
const maxLinks = 40

// guard keeps a path from being changed. A folder on the way to it is mounted on itself, which keeps it
// from being moved; a link on the way is mounted on itself too, and what it leads to is guarded as well.
func (b *planner) guard(path string, links int) {
	if b.around(path) == "" {
		path = b.real(path)
	}
	base := b.around(path)
	if base == "" || links > maxLinks {
		return // nothing there can be written
	}
	at := base
	names := strings.Split(strings.TrimPrefix(path[len(base):], "/"), "/")
	for i, name := range names {
		last := i == len(names)-1
		at = filepath.Join(at, name)
		mode, err := b.machine.look(at)
		switch {
		case last && (err != nil || b.machine.held(at)):
			b.plan.places = append(b.plan.places, at)
			b.set(inside.Mount{Kind: inside.Read, Path: at})
			return
		case err != nil:
			b.plan.forbid = append(b.plan.forbid, path)
			return
		case mode&fs.ModeSymlink != 0:
			b.set(inside.Mount{Kind: inside.Read, Path: at, Maybe: true})
			if to, err := b.machine.read(at); err == nil {
				b.guard(filepath.Join(append([]string{resolve(filepath.Dir(at), to)}, names[i+1:]...)...), links+1)
			}
			return
		case last:
			b.set(inside.Mount{Kind: inside.Read, Path: at, Maybe: true})
		default:
			if _, there := b.at[at]; !there {
				b.set(inside.Mount{Kind: inside.Write, Path: at, Maybe: true})
			}
		}
	}
}

// around is the writable folder or file in which a path lies, the innermost one; "" for none.
func (b *planner) around(path string) string {
	best := ""
	for _, w := range append([]string{b.profile.Root}, b.profile.Write...) {
		if below(w, path) && len(w) > len(best) {
			best = w
		}
	}
	return best
}

func resolve(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// real follows the links in the folders above a path: a mount is put up where none is on the way.
func (b *planner) real(path string) string {
	at, names := "/", strings.Split(strings.TrimPrefix(filepath.Clean(path), "/"), "/")
	for links := 0; len(names) > 1; {
		next := filepath.Join(at, names[0])
		mode, err := b.machine.look(next)
		if err != nil || mode&fs.ModeSymlink == 0 {
			at, names = next, names[1:]
			continue
		}
		to, err := b.machine.read(next)
		if links++; err != nil || links > maxLinks {
			return path
		}
		rest := strings.Split(strings.TrimPrefix(resolve(at, to), "/"), "/")
		at, names = "/", append(rest, names[1:]...)
	}
	return filepath.Join(at, names[0])
}

// cover hides a path, what it leads to where it is a link, and each further place where the same is seen
// because its file system is mounted twice.
func (b *planner) cover(path string, kind inside.Kind) {
	for links := 0; links <= maxLinks; links++ {
		name := path
		path = b.real(path)
		mode, err := b.machine.look(path)
		if err != nil {
			return
		}
		if name != path {
			b.plan.names = append(b.plan.names, [2]string{name, path})
		}
		for _, same := range append([]string{path}, aliases(b.machine.mounts, path)...) {
			b.hide(same, kind)
		}
		if mode&fs.ModeSymlink == 0 {
			return
		}
		to, err := b.machine.read(path)
		if err != nil {
			return
		}
		path = resolve(filepath.Dir(path), to)
	}
}

func (b *planner) hide(path string, kind inside.Kind) {
	if path == b.profile.Root {
		return // who works in a place that is hidden elsewhere has chosen it
	}
	if b.within(path) && !b.shown(path) {
		return // what is replaced is not seen at all
	}
	b.set(inside.Mount{Kind: kind, Path: path, Maybe: true})
}

// shown says whether something below a replaced folder is visible all the same.
func (b *planner) shown(path string) bool {
	for dir := path; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if m, there := b.at[dir]; there && m.Kind != inside.Empty && !slices.Contains(replaced, dir) {
			return true
		}
	}
	return false
}

// arrange puts parents first. Where something stands in a folder that is hidden, the folder is empty
// instead, so that there is a way through it; where it stands in a new one, its place has to be made.
func (b *planner) arrange() {
	paths := make([]string, 0, len(b.at))
	for path := range b.at {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, byComponents)
	for _, path := range paths {
		m := b.at[path]
		parent := b.parent(path)
		switch b.at[parent].Kind {
		case inside.Hide, inside.Blank:
			if m.Kind == inside.Hide || m.Kind == inside.Blank {
				delete(b.at, path)
				continue
			}
			through := b.at[parent]
			through.Kind, through.Maybe = inside.Empty, false
			b.at[parent] = through
		}
	}
	for _, path := range paths {
		m, there := b.at[path]
		if !there {
			continue
		}
		parent := b.parent(path)
		m.Make = b.at[parent].Kind == inside.Empty || b.at[parent].From != "" && b.at[parent].Kind == inside.Write
		b.plan.mounts = append(b.plan.mounts, m)
	}
}

// parent is the innermost mount in which a path lies, "" for none.
func (b *planner) parent(path string) string {
	for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
		if _, there := b.at[dir]; there {
			return dir
		}
	}
	return ""
}

// byComponents orders paths so that a folder comes right before what is in it.
func byComponents(a, b string) int {
	return strings.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}
