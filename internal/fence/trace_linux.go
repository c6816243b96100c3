package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/fence/inside"
)

// trace is what a command leaves outside of its fence while it runs and when it has ended: the plan, the
// places that were made to be guarded, the layers that are its own, and how things were before.
type trace struct {
	profile Profile
	plan    plan
	before  snapshot

	layer string // "" for none
	lock  *os.File
	free  chan struct{} // closed when another command can have the layer
}

// follow begins a trace.
func follow(p Profile) (*trace, error) {
	if p.Root == "/" {
		return nil, &StepError{Step: "build the mounts", Reason: "the workspace is /, and nothing is outside of that: work in a folder, or set sandbox.fence to off"}
	}
	t := &trace{profile: p}
	layer, err := t.takeLayer()
	if err != nil {
		return nil, err
	}
	t.plan = newPlan(p, look(layer))
	for _, dir := range t.plan.layers {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.close(true)
			return nil, fmt.Errorf("make a folder for a private layer: %w", err)
		}
	}
	needless, err := hold(t.plan.places)
	if err != nil {
		t.close(true)
		return nil, err
	}
	t.plan.leave(needless)
	t.before = snap(p.Root)
	return t, nil
}

// mostLayers bounds how many commands of a workspace have layers at a time; further ones read the caches.
const mostLayers = 64

// closing are the layers of commands that are over but whose mounts still stand, for some milliseconds.
// The next command waits for them: in another layer it would not find what the last one left.
var closing = struct {
	sync.Mutex
	layers map[string]chan struct{}
}{layers: make(map[string]chan struct{})}

// takeLayer finds a folder for layers that no other command uses: two overlays cannot share one.
func (t *trace) takeLayer() (string, error) {
	if t.profile.Keep == "" {
		return "", nil
	}
	if err := os.MkdirAll(t.profile.Keep, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of private layers: %w", err)
	}
	for i := range mostLayers {
		dir := filepath.Join(t.profile.Keep, strconv.Itoa(i))
		closing.Lock()
		soon := closing.layers[dir]
		closing.Unlock()
		if soon != nil {
			<-soon
		}
		file, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return "", fmt.Errorf("lock a private layer: %w", err)
		}
		if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			t.lock, t.layer, t.free = file, dir, make(chan struct{})
			return dir, nil
		}
		file.Close()
	}
	return "", nil
}

// close gives the layers back, when the mounts are gone. Where something hangs in them, nobody else gets
// them as long as this process lives.
func (t *trace) close(gone bool) {
	if t.lock == nil {
		return
	}
	if gone {
		t.lock.Close()
	}
	closing.Lock()
	delete(closing.layers, t.layer)
	closing.Unlock()
	close(t.free)
}

// end puts away what the trace made, and fills in what the command did. told is nil where none ran.
func (t *trace) end(told *Told) {
	release(t.plan.places)
	if t.lock != nil {
		closing.Lock()
		closing.layers[t.layer] = t.free
		closing.Unlock()
	}
	if told == nil {
		return
	}
	for _, path := range t.plan.forbid {
		if there(path) {
			told.Aside = append(told.Aside, aside(path))
		}
	}
	for _, path := range t.profile.Fresh {
		if there(path) && !harmless(path) {
			told.Aside = append(told.Aside, aside(path))
		}
	}
	told.Changed = t.before.changed(snap(t.profile.Root))
}

// aside moves something out of the way. Where that fails it says so in the name's place.
func aside(path string) string {
	to, err := moveAside(path)
	if err != nil {
		return fmt.Sprintf("%s (still there: %v)", path, err)
	}
	return to
}

// A place is an empty folder where something guarded would be if it existed: on it stands the mount that
// keeps commands from making it. An empty folder is what git, direnv and Parley itself take for nothing.
// Commands of several sessions share one; the last takes it away. One that a killed daemon left is known
// by its time, and taken over.
var places = struct {
	sync.Mutex
	used map[string]int
}{used: make(map[string]int)}

// placeTime marks a place.
var placeTime = time.Unix(1, 0)

// hold makes places, and returns those that nobody of this user could fill.
func hold(paths []string) (needless []string, err error) {
	places.Lock()
	defer places.Unlock()
	for i, path := range paths {
		err := in(path, func(folder int, name string) error {
			if err := unix.Mkdirat(folder, name, 0o755); err != nil {
				return err
			}
			when := unix.NsecToTimespec(placeTime.UnixNano())
			return unix.UtimesNanoAt(folder, name, []unix.Timespec{when, when}, unix.AT_SYMLINK_NOFOLLOW)
		})
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
			needless = append(needless, path)
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			letGo(paths[:i])
			return nil, fmt.Errorf("hold the place of %s, which is guarded: %w", path, err)
		}
		places.used[path]++
	}
	return needless, nil
}

// leave takes places out of a plan.
func (p *plan) leave(paths []string) {
	at := func(path string) bool { return slices.Contains(paths, path) }
	p.places = slices.DeleteFunc(p.places, at)
	p.mounts = slices.DeleteFunc(p.mounts, func(m inside.Mount) bool { return at(m.Path) })
}

func release(paths []string) {
	places.Lock()
	defer places.Unlock()
	letGo(paths)
}

func letGo(paths []string) {
	for _, path := range slices.Backward(paths) {
		if places.used[path] == 0 {
			continue
		}
		if places.used[path]--; places.used[path] > 0 {
			continue
		}
		delete(places.used, path)
		if stat, err := os.Lstat(path); err == nil && isPlace(stat) {
			// It fails, as it should, where somebody put something in.
			_ = in(path, func(folder int, name string) error { return unix.Unlinkat(folder, name, unix.AT_REMOVEDIR) })
		}
	}
}

func isPlace(stat fs.FileInfo) bool { return stat.IsDir() && stat.ModTime().Equal(placeTime) }
