package e2e

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/transcript"
	"parley/test/rig"
)

// mutation is a log with one line too few or too many.
type mutation struct {
	name  string
	lines []string
	tail  bool // the last line was dropped: an open tail, which is no violation
}

// mutationsOf makes them of every line that begins or ends something.
func mutationsOf(events []rig.Line) []mutation {
	var raw []string
	for _, e := range events {
		raw = append(raw, e.Raw)
	}
	var out []mutation
	for i, e := range events {
		if !strings.HasSuffix(e.Type, ".started") && !strings.HasSuffix(e.Type, ".ended") {
			continue
		}
		at := fmt.Sprintf("%s, seq %d", e.Type, e.Seq)
		drop := append(append([]string{}, raw[:i]...), raw[i+1:]...)
		twice := append(append(append([]string{}, raw[:i+1]...), raw[i]), raw[i+1:]...)
		out = append(out, mutation{"dropped " + at, drop, i == len(events)-1}, mutation{"doubled " + at, twice, false})
	}
	return out
}

func mutations(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "mutations FILE")
	events, err := rig.Events(ts.MkAbs(args[0]))
	ts.Check(err)
	all := mutationsOf(events)
	if len(all) < 8 {
		ts.Fatalf("only %d mutations", len(all))
	}
	problems := make([]string, len(all))
	work := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range work {
				problems[i] = refused(scenarioOf(ts).home, all[i])
			}
		})
	}
	for i := range all {
		work <- i
	}
	close(work)
	wg.Wait()
	bad := false
	for i, p := range problems {
		if p != "" {
			bad = true
			ts.Logf("%s: %s", all[i].name, p)
		}
	}
	if bad {
		ts.Fatalf("check takes what is no log")
	}
	fmt.Fprintf(ts.Stdout(), "%d mutations\n", len(all))
}

// refused runs check on a mutation and says what is wrong with its answer.
func refused(home *rig.Home, m mutation) string {
	cmd := home.Command("check", "-")
	cmd.Stdin = strings.NewReader(strings.Join(m.lines, "\n") + "\n")
	out, err := cmd.Output()
	if m.tail {
		if err != nil || len(out) > 0 {
			return fmt.Sprintf("an open tail is called a violation: %v\n%s", err, out)
		}
		return ""
	}
	var exit *exec.ExitError
	if exit, _ = err.(*exec.ExitError); exit == nil || exit.ExitCode() != 1 {
		return fmt.Sprintf("not refused: %v", err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	_, law, _ := strings.Cut(first, " ")
	law, _, _ = strings.Cut(law, ":")
	for _, known := range transcript.Laws() {
		if string(known.Law) == law {
			return ""
		}
	}
	return "no law's name in: " + first
}
