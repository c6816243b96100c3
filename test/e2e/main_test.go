// Package e2e holds the tests that play with the whole program: real daemons,
// real sockets, real tools, real terminals. A test's name says what a user would
// have lost where it fails.
package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/cli"
	"parley/test/need"
	"parley/test/rig"
)

// update rewrites the scenarios in which a command prints something else.
var update = flag.Bool("update", false, "rewrite the scenarios in testdata/script")

// The program under test is this binary, under another name, so that the tests
// need Go and nothing else. PARLEY_BINARY=PATH takes one that is built as it is
// shipped, which make test does; PATH is seen from the root of the repository.
func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){
		"parley": func() { os.Exit(cli.Main(os.Args[1:])) },
		"memo":   func() { os.Exit(cli.Main(os.Args[1:], memoTool())) },
		"nobody": func() { fmt.Fprintln(os.Stderr, nobody(os.Args[1:])) },
		"tracer": func() { os.Exit(rig.Tracer(os.Args[1:])) },
	})
}

type suite struct{ *testing.M }

func (s suite) Run() int {
	// The tests of this package wait for other processes more than they work.
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == n.DefValue {
		if err := n.Value.Set(strconv.Itoa(4 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	if binary := os.Getenv("PARLEY_BINARY"); binary != "" {
		dir, err := os.MkdirTemp("", "parley")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if err := ship(binary, filepath.Join(dir, "parley")); err != nil {
			panic(err)
		}
		os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	return s.M.Run()
}

// long asks for everything, however long it takes.
var long = need.Long()

// ship puts a program that is built where the tests find it.
func ship(from, to string) error {
	if !filepath.IsAbs(from) {
		from = filepath.Join("../..", from)
	}
	from, err := filepath.Abs(from)
	if err == nil {
		_, err = os.Stat(from)
	}
	if err != nil {
		return err
	}
	return os.Symlink(from, to)
}

// nobody gives up the rights of root and becomes another program.
func nobody(args []string) error {
	const id = 65534
	path, err := exec.LookPath(args[0])
	if err == nil {
		err = errors.Join(syscall.Setgroups(nil), syscall.Setgid(id), syscall.Setuid(id))
	}
	if err == nil {
		err = syscall.Exec(path, args, os.Environ())
	}
	return err
}

// newHome makes a home for a test of this package.
func newHome(t *testing.T) *rig.Home {
	t.Helper()
	parley, err := exec.LookPath("parley")
	if err != nil {
		t.Fatal(err)
	}
	home, err := rig.NewHome(t.TempDir(), parley)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := home.Close(); err != nil {
			t.Error(err)
		}
	})
	return home
}
