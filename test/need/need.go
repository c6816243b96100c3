// Package need says what a test needs that may be missing here: a program, a
// right, time. Where it is missing the test is skipped with a word.
//
// It guarantees that nothing is left out where everything is there: with CI=true
// the machine has all that test/tools.sh installs, and the tests are root's on
// Linux, so what is missing fails. Only [Time] and [Asked] skip there too, which
// are about what was asked for. No other package skips a test; see test/repo.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name, "is not installed (make tools)")
	}
	return path
}

// Has reports whether there is a program that a part of a test needs, and says so
// where there is not.
func Has(t testing.TB, name string) bool {
	t.Helper()
	_, err := exec.LookPath(name)
	switch {
	case err == nil:
	case ci():
		t.Error(name, "is not installed (make tools)")
	default:
		t.Log(name, "is not installed: what it is needed for is left out")
	}
	return err == nil
}

// Root leaves the test to root, who may mount and be somebody else.
func Root(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		missing(t, "only root can do that")
	}
}

// No needs that there is no error, which says that something is not there.
func No(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		missing(t, err)
	}
}

func missing(t testing.TB, why ...any) {
	t.Helper()
	if ci() {
		t.Fatal(why...)
	}
	t.Skip(why...)
}

func ci() bool { return os.Getenv("CI") == "true" }

// Time leaves a test out of short runs, which are those with the race detector: it
// is slow there, and what it tests runs in one goroutine or in other processes.
func Time(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out in short runs")
	}
}

// Asked leaves out what is no test of its own but is asked for: by a flag, or by
// the script or the test that starts it.
func Asked(t testing.TB, asked bool, by string) {
	t.Helper()
	if !asked {
		t.Skip("asked for by ", by)
	}
}

// Long reports whether everything is asked for, however long it takes (make long).
func Long() bool { return os.Getenv("PARLEY_LONG") == "1" }
