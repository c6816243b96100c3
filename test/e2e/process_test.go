package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/test/rig"
)

// processes waits until that many processes that were started in this home have
// the name. It looks into /proc: Linux only.
func processes(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "processes N NAME")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var found []string
	err = rig.Until(func() (bool, error) {
		found = called(args[1], "HOME="+ts.Getenv("HOME"))
		return len(found) == want, nil
	})
	if err != nil {
		ts.Fatalf("there are %d: %s", len(found), strings.Join(found, ", "))
	}
}

// called lists the processes with this name that have a variable.
func called(name, variable string) []string {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var out []string
	for _, dir := range dirs {
		// A process may be gone by now, or be somebody else's.
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		first, _, _ := strings.Cut(string(args), "\x00")
		if filepath.Base(first) == name && strings.Contains("\x00"+string(env), "\x00"+variable+"\x00") {
			out = append(out, filepath.Base(dir)+" "+strings.ReplaceAll(string(args), "\x00", " "))
		}
	}
	return out
}

// peak looks at the most memory that the daemon ever had, in MiB.
func peak(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "peak MIB")
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	pid, err := scenarioOf(ts).home.Holder()
	ts.Check(err)
	got, err := rig.Peak(pid)
	ts.Check(err)
	if got > int64(most)<<20 {
		ts.Fatalf("%d MiB", got>>20)
	}
	fmt.Fprintf(ts.Stdout(), "%d MiB\n", got>>20)
}
