package shell

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fixture makes a workspace on the disk, and a folder of programs beside it, each a copy of the file program ("" for an empty one).
func fixture(t testing.TB, program string) (root, programs string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, programs = filepath.Join(base, "w"), filepath.Join(base, "bin")
	if err := os.Mkdir(programs, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range stubNames {
		stub(t, program, filepath.Join(programs, name))
	}
	populate(t, root, program)
	return root, programs
}

// stubNames are the programs on the PATH of a fixture.
var stubNames = strings.Fields(`s1 s2 s3 head tail grep sort uniq wc cut tr go git npm npx node make cargo cat ls find sed rg jq python python3
	pytest pip timeout nice env nohup xargs docker gh curl rm cp mv mkdir touch tee diff awk date sleep gofmt ruff mypy bash sh`)

func stub(t testing.TB, program, to string) {
	t.Helper()
	if program != "" {
		if err := os.Link(program, to); err == nil {
			return
		}
	}
	if err := os.WriteFile(to, nil, 0o755); err != nil {
		t.Fatal(err)
	}
}

// populate makes the files of a fixture's workspace.
func populate(t testing.TB, root, program string) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range strings.Fields("src/deep src/.hid out empty ctl sub p p.q") {
		check(os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, name := range []string{"a.txt", "b.txt", "c.go", "d.go", "with space.txt", "é.txt", "-dash", ".dot", "src/x.go", "src/y.go",
		"src/deep/z.go", "src/.hid/h.go", "out/a", "ctl/a\nb", "ctl/c\xff", "hard1", "p/x.c", "p.q/x.c"} {
		check(os.WriteFile(filepath.Join(root, name), []byte("text of "+name+"\n"), 0o644))
	}
	check(os.Symlink("src", filepath.Join(root, "link")))
	check(os.Symlink("a.txt", filepath.Join(root, "flink")))
	check(os.Link(filepath.Join(root, "hard1"), filepath.Join(root, "hard2")))
	check(syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	stub(t, program, filepath.Join(root, "sub/prog"))
}

func openDisk(t testing.TB, root string) *Disk {
	t.Helper()
	d, err := OpenDisk(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}
