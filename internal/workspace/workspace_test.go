package workspace_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/workspace"
)

// Paths lead where the kernel would lead them, also where the last names do not exist yet.
func TestResolve(t *testing.T) {
	outside := real(t, t.TempDir())
	dir := real(t, t.TempDir())
	write(t, filepath.Join(dir, "src", "a.go"), "")
	write(t, filepath.Join(outside, "secret"), "")
	for name, target := range map[string]string{
		"file":     "src/a.go",
		"src/up":   "..",
		"out":      outside,
		"deep":     "src/up/out/secret",
		"dangling": filepath.Join(outside, "missing", "file"),
		"circle":   "circle",
		"relative": "../" + filepath.Base(outside),
	} {
		link(t, target, filepath.Join(dir, name))
	}
	r := open(t, dir)
	for _, tt := range []struct{ path, want string }{
		{".", "."},
		{dir, "."},
		{"src/a.go", "src/a.go"},
		{"src//./a.go", "src/a.go"},
		{"src/../src/a.go", "src/a.go"},
		{"file", "src/a.go"},
		{"src/up/src/up/file", "src/a.go"},
		{"new/dir/file", "new/dir/file"},
		{"new/../src/a.go", "src/a.go"},
		{"src/a.go/below", "src/a.go/below"},
		{"out", "OUT"},
		{"out/secret", "OUT/secret"},
		{"out/new", "OUT/new"},
		{"out/../" + filepath.Base(dir) + "/src", "src"},
		{"deep", "OUT/secret"},
		{"dangling", "OUT/missing/file"},
		{"relative/secret", "OUT/secret"},
		{"..", filepath.Dir(dir)},
		{"../../../../../../../../etc", "/etc"},
		{dir + "x", dir + "x"},
		{"circle", "ERROR"},
		{"circle/x", "ERROR"},
		{"", "ERROR"},
		{"a\x00b", "ERROR"},
	} {
		p, err := r.Resolve(tt.path)
		got := p.Path
		switch {
		case err != nil:
			got = "ERROR"
		case p.Inside:
			got = p.Rel
			if filepath.Join(dir, p.Rel) != p.Path {
				t.Errorf("%s: Rel %s does not belong to %s", tt.path, p.Rel, p.Path)
			}
		}
		if got = strings.Replace(got, outside, "OUT", 1); got != tt.want {
			t.Errorf("Resolve(%q) = %s (%v), want %s", tt.path, got, err, tt.want)
		}
	}
}

func real(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// What was read through a place that is inside is content from inside, whatever links there are, and
// where the path exists the place is the one EvalSymlinks finds.
func TestNoEscape(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	step := rapid.SampledFrom([]string{"a", "b", "c", "d", "..", "."})
	path := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(step, 1, 6).Draw(t, "steps"), "/") })
	rapid.Check(t, func(rt *rapid.T) {
		base := real(t, t.TempDir())
		dir, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
		for _, top := range []string{dir, outside} {
			if err := os.MkdirAll(filepath.Join(top, "a", "b"), 0o777); err != nil {
				rt.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 12).Draw(rt, "made") {
			top := rapid.SampledFrom([]string{dir, outside}).Draw(rt, "top")
			at := filepath.Join(top, name.Draw(rt, "1"), name.Draw(rt, "2"))
			switch rapid.IntRange(0, 4).Draw(rt, "kind") {
			case 0:
				_ = os.MkdirAll(at, 0o777)
			case 1, 2:
				_ = os.WriteFile(at, []byte(top), 0o666)
			case 3:
				_ = os.Symlink(path.Draw(rt, "target"), at)
			case 4:
				other := rapid.SampledFrom([]string{dir, outside}).Draw(rt, "other")
				_ = os.Symlink(filepath.Join(other, path.Draw(rt, "target")), at)
			}
		}
		r := open(t, dir)
		asked := path.Draw(rt, "asked")
		p, err := r.Resolve(asked)
		if err != nil {
			return
		}
		if p.Inside != (p.Path == dir || strings.HasPrefix(p.Path, dir+"/")) {
			rt.Fatalf("%s leads to %s, Inside %v", asked, p.Path, p.Inside)
		}
		if want, err := filepath.EvalSymlinks(dir + "/" + asked); err == nil && want != p.Path {
			rt.Fatalf("%s leads to %s, EvalSymlinks says %s", asked, p.Path, want)
		}
		if file, err := r.Open(p); err == nil {
			content, _ := io.ReadAll(file)
			file.Close()
			if p.Inside && string(content) == outside {
				rt.Fatalf("%s read a file from outside", asked)
			}
		}
		if !p.Inside {
			return
		}
		if err := r.Replace(p, []byte("written")); err == nil {
			if found := grep(outside, "written"); found != "" {
				rt.Fatalf("writing %s changed %s", asked, found)
			}
		}
	})
}

// grep returns the first file below dir with that content.
func grep(dir, content string) (found string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if b, err := os.ReadFile(path); err == nil && string(b) == content {
				found = path
			}
		}
		return nil
	})
	return found
}

// A link that takes the place of a file or directory after the check is refused, for every way to use
// the place.
func TestSwappedLink(t *testing.T) {
	for _, swapped := range []string{"a/b/file", "a/b", "a"} {
		t.Run(swapped, func(t *testing.T) {
			base := real(t, t.TempDir())
			dir, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
			write(t, filepath.Join(dir, "a/b/file"), "inside")
			write(t, filepath.Join(outside, "a/b/file"), "outside")
			r := open(t, dir)
			p, err := r.Resolve("a/b/file")
			if err != nil {
				t.Fatal(err)
			}
			parent, err := r.Resolve("a/b")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, swapped), filepath.Join(base, "aside")); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(outside, swapped), filepath.Join(dir, swapped))

			if _, err := r.Open(p); !errors.Is(err, workspace.ErrLink) {
				t.Errorf("Open: %v", err)
			}
			if err := r.Replace(p, []byte("new")); !errors.Is(err, workspace.ErrLink) {
				t.Errorf("Replace: %v", err)
			}
			if swapped != "a/b/file" {
				walked := r.Walk(context.Background(), parent, workspace.Reach{}, func(workspace.Entry) error { return nil })
				if !errors.Is(walked, workspace.ErrLink) {
					t.Errorf("Walk: %v", walked)
				}
			}
			if got := read(t, filepath.Join(outside, "a/b/file")); got != "outside" {
				t.Errorf("the file outside is now %q", got)
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// While someone swaps a directory for a link as fast as they can, no use of a checked place reaches the
// other side.
func TestSwapRace(t *testing.T) {
	base := real(t, t.TempDir())
	dir, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
	write(t, filepath.Join(dir, "d", "file"), "inside")
	write(t, filepath.Join(outside, "file"), "outside")
	link(t, outside, filepath.Join(base, "link"))
	r := open(t, dir)
	p := r.At(filepath.Join(dir, "d", "file"))
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		at, aside, evil := filepath.Join(dir, "d"), filepath.Join(base, "aside"), filepath.Join(base, "link")
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(at, aside)
			_ = os.Rename(evil, at)
			_ = os.Rename(at, evil)
			_ = os.Rename(aside, at)
		}
	})
	for range 2000 {
		if file, err := r.Open(p); err == nil {
			content, _ := io.ReadAll(file)
			file.Close()
			if string(content) == "outside" {
				t.Fatal("read the file outside")
			}
		}
	}
	for range 20 {
		_ = r.Replace(p, []byte("inside"))
	}
	close(stop)
	swapper.Wait()
	if got := read(t, filepath.Join(outside, "file")); got != "outside" {
		t.Fatalf("the file outside is now %q", got)
	}
}

// Replace keeps permission bits, cuts hard links, makes parents, leaves no temporary file, and refuses
// what is no file.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	replace := func(name, content string) error {
		p, err := r.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		return r.Replace(p, []byte(content))
	}
	write(t, filepath.Join(dir, "run.sh"), "old")
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "run.sh"), filepath.Join(dir, "twin")); err != nil {
		t.Fatal(err)
	}
	link(t, "run.sh", filepath.Join(dir, "alias"))
	for name, content := range map[string]string{"alias": "new", "a/b/c.txt": "made"} {
		if err := replace(name, content); err != nil {
			t.Fatal(err)
		}
	}
	type state struct {
		Content string
		Mode    fs.FileMode
	}
	got := map[string]state{}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e.IsDir() {
			return nil
		}
		stat, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, path)
		got[rel] = state{read(t, path), stat.Mode() &^ 0o022}
		return nil
	})
	want := map[string]state{
		"run.sh":    {"new", 0o750 &^ 0o022},
		"alias":     {"new", fs.ModeSymlink | 0o777&^0o022},
		"twin":      {"old", 0o750 &^ 0o022},
		"a/b/c.txt": {"made", 0o644},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace("pipe", ""); !errors.Is(err, workspace.ErrSpecial) {
		t.Errorf("pipe: %v", err)
	}
	if err := replace("a", ""); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("directory: %v", err)
	}
	if err := replace("twin/x", ""); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("below a file: %v", err)
	}
	p := r.At(filepath.Join(r.Path(), "pipe"))
	if _, err := r.Open(p); !errors.Is(err, workspace.ErrSpecial) {
		t.Errorf("open a pipe: %v", err)
	}
	if _, err := r.Open(r.At(filepath.Join(r.Path(), "no"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open nothing: %v", err)
	}
}

// A walk ends at its bounds and says so, ends when the context does, and never follows a link.
func TestWalkBounds(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/b/c/d", "a/e", "f", "g"} {
		write(t, filepath.Join(dir, name), "")
	}
	link(t, ".", filepath.Join(dir, "self"))
	r := open(t, dir)
	top := r.At(r.Path())
	walk := func(ctx context.Context, reach workspace.Reach, skip string) (found []string, err error) {
		err = r.Walk(ctx, top, reach, func(e workspace.Entry) error {
			found = append(found, e.Below)
			if e.Below == skip {
				return fs.SkipDir
			}
			return nil
		})
		return found, err
	}
	got, err := walk(context.Background(), workspace.Reach{}, "")
	if d := cmp.Diff([]string{"a", "a/b", "a/b/c", "a/b/c/d", "a/e", "f", "g", "self"}, got); d != "" || err != nil {
		t.Error(err, d)
	}
	got, err = walk(context.Background(), workspace.Reach{}, "a/b")
	if d := cmp.Diff([]string{"a", "a/b", "a/e", "f", "g", "self"}, got); d != "" || err != nil {
		t.Error(err, d)
	}
	got, err = walk(context.Background(), workspace.Reach{Depth: 2}, "")
	if d := cmp.Diff([]string{"a", "a/b", "a/e", "f", "g", "self"}, got); d != "" || err != workspace.ErrReach {
		t.Error(err, d)
	}
	got, err = walk(context.Background(), workspace.Reach{Entries: 5}, "")
	if len(got) != 5 || err != workspace.ErrReach {
		t.Error(err, got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err = walk(ctx, workspace.Reach{}, ""); err != context.Canceled || got != nil {
		t.Error(err, got)
	}
}
