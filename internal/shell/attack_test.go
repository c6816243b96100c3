package shell

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// swapped are changes of a workspace between a plan and its run, and what must come of them.
var swapped = []struct {
	name, text string
	change     func(m *machine, outside string) error
	// out is what is printed; calls is how many programs still run.
	out   string
	calls int
}{
	{"a file that became a link", "s1 out=x > out/a", func(m *machine, outside string) error {
		return replaceByLink(outside+"/secret", m.root+"/out/a")
	}, "", 0},
	{"a new file that became a link", "echo x > out/new", func(m *machine, outside string) error {
		return os.Symlink(outside+"/secret", m.root+"/out/new")
	}, "", 0},
	{"a file that became a dangling link", "echo x > out/new", func(m *machine, outside string) error {
		return os.Symlink(outside+"/created", m.root+"/out/new")
	}, "", 0},
	{"a folder that became a link", "echo x >> out/secret", func(m *machine, outside string) error {
		return replaceByLink(outside, m.root+"/out")
	}, "", 0},
	{"a missing folder that became a link", "echo x > later/secret", func(m *machine, outside string) error {
		return os.Symlink(outside, m.root+"/later")
	}, "", 0},
	{"a file to read that became a link", "s1 cat < a.txt", func(m *machine, outside string) error {
		return replaceByLink(outside+"/secret", m.root+"/a.txt")
	}, "", 0},
	{"a file that became a pipe", "echo x > out/a", func(m *machine, _ string) error {
		os.Remove(m.root + "/out/a")
		return syscall.Mkfifo(m.root+"/out/a", 0o600)
	}, "", 0},
	{"a file to read that became a pipe", "s1 cat < a.txt", func(m *machine, _ string) error {
		os.Remove(m.root + "/a.txt")
		return syscall.Mkfifo(m.root+"/a.txt", 0o600)
	}, "", 0},
	{"a file that became a folder", "echo x > out/a", func(m *machine, _ string) error {
		os.Remove(m.root + "/out/a")
		return os.Mkdir(m.root+"/out/a", 0o700)
	}, "", 0},
	{"a file that got a second name", "echo x > out/a", func(m *machine, outside string) error {
		os.Remove(m.root + "/out/a")
		return os.Link(outside+"/secret", m.root+"/out/a")
	}, "", 0},
	{"a file to add to that got a second name", "echo x >> out/a", func(m *machine, outside string) error {
		os.Remove(m.root + "/out/a")
		return os.Link(outside+"/secret", m.root+"/out/a")
	}, "", 0},
	{"the folder of cd that became a link", "cd src && s1 out=ran; s2 > x", func(m *machine, outside string) error {
		return replaceByLink(outside, m.root+"/src")
	}, "", 0},
	{"the folder of cd that is gone", "cd src && s1 out=ran; echo x > y", func(m *machine, _ string) error {
		return os.RemoveAll(m.root + "/src")
	}, "", 0},
	{"more files that a pattern matches", "echo src/*.go; s1 src/*.go", func(m *machine, _ string) error {
		return os.WriteFile(m.root+"/src/--evil.go", nil, 0o600)
	}, "src/x.go src/y.go\n", 1},
	{"fewer files that a pattern matches", "echo src/*.go", func(m *machine, _ string) error {
		return os.Remove(m.root + "/src/x.go")
	}, "src/x.go src/y.go\n", 0},
	{"a program of the same name that comes earlier", "s1 out=mine", func(m *machine, outside string) error {
		return os.WriteFile(outside+"/s1", []byte("#!/bin/sh\necho other\n"), 0o755)
	}, "mine\n", 1},
	{"a program in the folder", "s1 out=mine", func(m *machine, _ string) error {
		return os.WriteFile(m.root+"/s1", []byte("#!/bin/sh\necho other\n"), 0o755)
	}, "mine\n", 1},
	{"a program that is gone", "s1 out=a; s2 out=b", func(m *machine, _ string) error {
		return os.Remove(m.programs + "/s1")
	}, "b\n", 1},
	{"a program of the workspace whose folder became a link", "sub/prog out=x", func(m *machine, outside string) error {
		if err := os.Link(m.programs+"/s1", outside+"/prog"); err != nil {
			return err
		}
		return replaceByLink(outside, m.root+"/sub")
	}, "", 0},
	{"a program of the workspace behind a folder that became a link", "cd sub && ./prog out=x", func(m *machine, outside string) error {
		return replaceByLink(outside, m.root+"/sub")
	}, "", 0},
}

func replaceByLink(to, name string) error {
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	return os.Symlink(to, name)
}

// What changes between the plan and its run makes the line fail where it would do something else, and nothing outside of the
// workspace is touched.
func TestSwapped(t *testing.T) {
	for _, test := range swapped {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			outside := filepath.Join(filepath.Dir(m.root), "outside")
			if err := os.Mkdir(outside, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(outside+"/secret", []byte("secret\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			m.env[0] = "PATH=" + outside + ":" + m.programs
			p, err := planned(m.disk.World(m.env, nil), test.text)
			if err != nil {
				t.Fatal(err)
			}
			if err := test.change(m, outside); err != nil {
				t.Fatal(err)
			}
			m.before = nil // what is there now stays
			o := m.observe(t, func(s Streams) int {
				code, err := p.Run(t.Context(), m.host(), s)
				if err != nil {
					t.Fatal(err)
				}
				return code
			})
			if o.Out != test.out || len(o.Calls) != test.calls {
				t.Errorf("%q printed %q and started %q", test.text, o.Out, o.Calls)
			}
			entries, err := os.ReadDir(outside)
			if err != nil {
				t.Fatal(err)
			}
			if content, err := os.ReadFile(outside + "/secret"); err != nil || string(content) != "secret\n" {
				t.Errorf("the file outside is %q, %v", content, err)
			}
			for _, e := range entries {
				if e.Name() != "secret" && e.Name() != "s1" && e.Name() != "prog" {
					t.Errorf("%s was made outside", e.Name())
				}
			}
		})
	}
}

// While another process swaps files, folders and links all the time, what is written stays in the workspace.
func TestSwapping(t *testing.T) {
	m := newMachine(t)
	outside := filepath.Join(filepath.Dir(m.root), "outside")
	for _, dir := range []string{outside, m.root + "/a/b", m.root + "/real/b"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(outside+"/b", 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := planned(m.disk.World(m.env, nil), "echo x > a/b/file; echo y >> a/b/other")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
			}
			_ = os.Rename(m.root+"/a", m.root+"/parked")
			_ = os.Symlink(outside, m.root+"/a")
			_ = os.Remove(m.root + "/a")
			_ = os.Rename(m.root+"/parked", m.root+"/a")
			_ = os.Symlink(outside+"/b/file", m.root+"/a/b/file")
			_ = os.Remove(m.root + "/a/b/file")
		}
	}()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for range often(200, 500, 2000) {
		if _, err := p.Run(t.Context(), m.host(), Streams{null, null, null}); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	<-stopped
	err = filepath.WalkDir(outside, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s was made outside", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A workspace is the folder that was opened, whatever takes its place.
func TestRootReplaced(t *testing.T) {
	m := newMachine(t)
	p, err := planned(m.disk.World(m.env, nil), "echo x > out/new; s1 > out/made")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(m.root, m.root+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(m.root+"/out", 0o755); err != nil {
		t.Fatal(err)
	}
	m.before = nil
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, err := p.Run(t.Context(), m.host(), Streams{null, null, null}); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(m.root + "/out"); len(entries) > 0 {
		t.Errorf("the folder that took its place was written to: %v", entries)
	}
	if _, err := os.Stat(m.root + ".old/out/made"); err != nil {
		t.Error(err)
	}
	if calls := m.calls(t); len(calls) != 1 || !strings.Contains(calls[0], m.root+".old") {
		t.Errorf("it ran in another folder: %v", calls)
	}
}

// paths are values of PATH, and whether a program that they lead to is read.
var paths = []struct {
	path, text string
	reads      bool
}{
	{"PROGRAMS", "s1", true},
	{"BAD:PROGRAMS", "s1", true},
	{"BAD:PROGRAMS", "evil", false},
	{"BASE/tools:PROGRAMS", "evil", false},
	{"BASE/links", "evil", false},
	{"BASE/links", "relative", false},
	{"BASE/links", "loop", false},
	{"BAD", "away", false},
	{"BASE/links:PROGRAMS", "plain", false},
	{"BASE/links", "folder", false},
	{"bin:PROGRAMS", "evil", false},
	{"bin:PROGRAMS", "s1", true},
	{":PROGRAMS", "s1", true},
	{".:PROGRAMS", "sub/prog", true},
	{"sub", "prog", false},
	{"", "s1", false},
	{"BASE/granted", "g", false},
	{"BASE/links", "file", false},
	{"BASE/nosuch:PROGRAMS", "s1", true},
	{"PROGRAMS/../bin", "s1", true},
	{"ROOT/../w/bin", "evil", false},
}

// A PATH leads to programs that the agent cannot replace, or the line is not read.
func TestPathTricks(t *testing.T) {
	m := newMachine(t)
	base := filepath.Dir(m.root)
	bad := m.root + "/bin"
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Mkdir(bad, 0o755))
	check(os.WriteFile(bad+"/evil", []byte("#!/bin/sh\n"), 0o755))
	check(os.Symlink(bad, base+"/tools"))                      // a folder outside that leads in
	check(os.Mkdir(base+"/links", 0o755))                      // a program outside that leads in
	check(os.Symlink(bad+"/evil", base+"/links/evil"))         //
	check(os.Symlink("../w/bin/evil", base+"/links/relative")) //
	check(os.Symlink("loop", base+"/links/loop"))              //
	check(os.Symlink(m.programs+"/s1", bad+"/away"))           // one inside that leads out
	check(os.WriteFile(base+"/links/plain", nil, 0o644))       // not executable
	check(os.Mkdir(base+"/links/folder", 0o755))               //
	check(os.Mkdir(base+"/granted", 0o755))                    //
	check(os.WriteFile(base+"/granted/g", []byte("#!/bin/sh\n"), 0o755))
	check(os.WriteFile(base+"/links/file", []byte("#!/bin/sh\n"), 0o755)) // a file that a rule lets be written, in a folder that none does
	writable := func(name string) bool { return name == base+"/granted" || name == base+"/links/file" }
	names := strings.NewReplacer("BASE", base, "ROOT", m.root, "PROGRAMS", m.programs, "BAD", bad)
	for _, test := range paths {
		env := []string{"PATH=/nosuch", "PATH=" + names.Replace(test.path), "HOME=/"}
		p, err := planned(m.disk.World(env, writable), test.text)
		if (err == nil) != test.reads {
			t.Errorf("PATH=%s %s: %v", test.path, test.text, err)
		}
		if err != nil {
			continue
		}
		given, _ := lookup(p.Environment(), "PATH")
		for entry := range strings.SplitSeq(given, ":") {
			if entry != m.programs && entry != m.programs+"/../bin" && entry != base+"/links" {
				t.Errorf("PATH=%s: programs are given %q", test.path, given)
			}
		}
	}
}
