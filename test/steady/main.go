// Steady runs the tests many times beside a load that wants more than the
// machine has, and says which of them failed and how often. What passes here
// waits for what happens, and not for a time.
//
//	go run ./test/steady [-count 10] [-load 8] [PACKAGE…]
//
// Its exit code is 1 if anything failed. It does not look for races, and what
// only a long run finds it does not find either: see make race and make long.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == loadArgument {
		burden(os.Args[2])
		return
	}
	count := flag.Int("count", 10, "how often each test runs")
	load := flag.Int("load", 8, "how many processes compete with the tests")
	run := flag.String("run", "", "only the tests that match; see go help testflag")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	failures, err := steady(*count, *load, *run, packages)
	if err != nil {
		fmt.Fprintln(os.Stderr, "steady:", err)
		os.Exit(2)
	}
	if failures > 0 {
		os.Exit(1)
	}
}

// most is long for any package: what ends by it hangs.
const most = 2 * time.Hour

// steady runs the tests and prints what failed.
func steady(count, load int, run string, packages []string) (failures int, err error) {
	begin := time.Now()
	args := []string{"test", "-json", "-vet=off", "-timeout", most.String(), "-count", strconv.Itoa(count), "-run", run}
	cmd := exec.Command(tool(), append(args, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return 0, err
	}
	tally := newTally(count)
	end := func() {}
	// What compiles before the first test does so without a load.
	err = tally.read(out, func() (err error) {
		end, err = burdens(load)
		return err
	})
	defer end()
	if err != nil {
		return 0, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	ended := cmd.Wait()
	fmt.Printf("%s: each test %d times beside a load of %d, %s in all\n", strings.Join(packages, " "), count, load, time.Since(begin).Round(time.Second))
	if failures = tally.print(os.Stdout); failures == 0 && len(tally.passed) == 0 {
		ended = errors.Join(ended, errors.New("no test ran"))
	}
	if failures == 0 && ended != nil {
		return 0, fmt.Errorf("go test: %w", ended)
	}
	return failures, nil
}

// tool is the go command.
func tool() string {
	if name := os.Getenv("GO"); name != "" {
		return name
	}
	return "go"
}
