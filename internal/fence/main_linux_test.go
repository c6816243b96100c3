package fence_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// ordinary is the user as whom everything is run once more where the tests are run by root: what holds
// for root need not hold for others, nor the other way round.
const ordinary = 65534

func TestMain(m *testing.M) {
	switch {
	case os.Getenv("FENCE_NOTHING") != "":
		return
	case os.Getenv("FENCE_ATTEMPT") != "":
		attempt(os.Getenv("FENCE_ATTEMPT"), os.Getenv("FENCE_AIMS"))
	}
	code := m.Run()
	if programs != "" {
		os.RemoveAll(programs)
	}
	if code == 0 {
		if err := goleak.Find(goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if os.Getuid() == 0 && code == 0 {
		code = again()
	}
	os.Exit(code)
}

// base is where worlds are made: not among temporary files, of which a command has its own.
func base() string {
	if home := os.Getenv("HOME"); os.Getuid() != 0 && home != "" {
		return home
	}
	return "/var/lib" // other users can enter it
}

// again runs these tests as the ordinary user.
func again() int {
	dir, err := os.MkdirTemp(base(), "fence-again")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	home := filepath.Join(dir, "home")
	for _, step := range []func() error{
		func() error { return os.Chmod(dir, 0o755) },
		func() error { return os.Mkdir(home, 0o755) },
		func() error { return os.Chown(home, ordinary, ordinary) },
		func() error { return copyProgram("/usr/bin/id", filepath.Join(dir, "id"), 0o755|os.ModeSetuid) },
		func() error { return copyProgram("/proc/self/exe", filepath.Join(dir, "fence.test"), 0o755) },
	} {
		if err := step(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	// The runner's own files are root's.
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool {
		return strings.HasPrefix(a, "-test.testlogfile") || strings.HasPrefix(a, "-test.coverprofile") || strings.HasPrefix(a, "-test.gocoverdir") || strings.HasPrefix(a, "-update")
	})
	// Those are root's, and a build cache of its own would have to be filled first.
	args = append(args, "-test.skip=^TestPropagation$|^TestMainJob$/^go_test$")
	fmt.Println("again, as an ordinary user")
	cmd := exec.Command(filepath.Join(dir, "fence.test"), args...)
	cmd.Env = append(os.Environ(), "HOME="+home, "FENCE_SETUID="+filepath.Join(dir, "id"), "TMPDIR="+home)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "as an ordinary user:", err)
		return 1
	}
	return 0
}

func copyProgram(from, to string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Chmod(to, mode)
}
