package shell

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"parley/internal/shell/shelltest"
	"parley/test/need"
)

var traceLines = flag.Int("shell.trace", 0, "lines that run under a tracer; 0: 40, 1,000 in CI, 10 in short tests")

// tracedEnv makes a process of the test binary the one that is traced: it names the workspace and its programs.
const tracedEnv = "PARLEY_TRACED"

// traced is what the traced process says of a line before it runs it.
type traced struct {
	Text  string
	Steps []Step
}

// marker is a look at a file that is not there, by which the trace shows where a line begins and ends.
const marker = "/parley-line/"

// What really starts and what is really opened, as a tracer of system calls sees it, was named by the plan: for the programs their
// path, words, variables and folder, for the files their path below the workspace, without links.
func TestTrace(t *testing.T) {
	if os.Getenv(tracedEnv) != "" {
		runTraced(t)
		return
	}
	t.Parallel()
	strace := need.Program(t, "strace")
	need.No(t, exec.Command(strace, "-f", "-o", os.DevNull, "true").Run()) // no process can be traced in some containers
	program, err := stubProgram()
	if err != nil {
		t.Fatal(err)
	}
	root, programs := fixture(t, program)
	dir := filepath.Dir(root)
	count := *traceLines
	if count == 0 {
		count = often(10, 40, 1000)
	}
	cmd := exec.Command(strace, "-f", "--seccomp-bpf", "-y", "-v", "-xx", "-s", "65536", "-o", dir+"/trace",
		"-e", "trace=execve,execveat,open,openat,openat2,creat,faccessat,faccessat2,clone,clone3,fork,vfork,chdir,fchdir,connect,socket",
		os.Args[0], "-test.run", "^TestTrace$", "-shell.trace", strconv.Itoa(count))
	cmd.Env = append(os.Environ(), tracedEnv+"="+root+":"+programs, "LD_PRELOAD_X=1", "GIT_SSH=/bin/false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkTrace(t, dir, count, root)
}

// runTraced is the traced process.
func runTraced(t *testing.T) {
	root, programs, _ := strings.Cut(os.Getenv(tracedEnv), ":")
	out, err := os.Create(filepath.Join(filepath.Dir(root), "plans"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := machine{root: root, programs: programs, disk: openDisk(t, root)}
	world := m.disk.World([]string{"PATH=.:" + programs, "HOME=" + root, "LD_PRELOAD=/nosuch.so", "GIT_SSH=x", "BASH_ENV=x"}, nil)
	g := shelltest.New(11, slices.Concat(shelltest.Corpus(), shelltest.Quirks()), append(realRuns, lawRuns...), realGiven)
	for done := 0; done < *traceLines; {
		text := strings.ReplaceAll(g.Line(), "/ROOT", root)
		p, err := planned(world, text)
		if err != nil || strings.Contains(text, "spew") || strings.Contains(text, "sleep") {
			continue
		}
		if err := json.NewEncoder(out).Encode(traced{text, p.Steps()}); err != nil {
			t.Fatal(err)
		}
		_ = unix.Access(marker+"begin", unix.F_OK)
		_, err = p.Run(t.Context(), m.host(), Streams{null, null, null})
		_ = unix.Access(marker+"end", unix.F_OK)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		done++
	}
}

var (
	callLine = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (-?\d+|\?)(?:<.*>)?(?: .*)?$`)
	hexText  = regexp.MustCompile(`"((?:\\x[0-9a-f]{2})*)"`)
	handle   = regexp.MustCompile(`^(?:AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>`)
)

// syscallLine is one call of the trace.
type syscallLine struct {
	pid, name, args, result string
}

func unhex(s string) string {
	var b strings.Builder
	for code := range strings.SplitSeq(s, `\x`) {
		if n, err := strconv.ParseUint(code, 16, 8); err == nil && code != "" {
			b.WriteByte(byte(n))
		}
	}
	return b.String()
}

// readTrace reads a trace; calls that another process interrupted are put together again.
func readTrace(t *testing.T, name string) []syscallLine {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var calls []syscallLine
	open := map[string]string{}
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		line := scan.Text()
		pid, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimLeft(rest, " ")
		if before, ok := strings.CutSuffix(rest, " <unfinished ...>"); ok {
			open[pid] = before
			continue
		}
		if strings.HasPrefix(rest, "<... ") {
			_, after, _ := strings.Cut(rest, " resumed>")
			if strings.HasPrefix(rest, "<... ??? ") {
				continue // killed while it was starting a call
			}
			rest = open[pid] + after
		}
		if m := callLine.FindStringSubmatch(pid + " " + rest); m != nil {
			calls = append(calls, syscallLine{m[1], m[2], m[3], m[4]})
		} else if !strings.HasPrefix(rest, "+++") && !strings.HasPrefix(rest, "---") && !strings.HasPrefix(rest, "???") {
			t.Fatalf("a line of the trace is not understood: %.200q", line)
		}
	}
	return calls
}

// checkTrace holds the trace against the plans.
func checkTrace(t *testing.T, dir string, count int, root string) {
	t.Helper()
	plans, err := os.Open(dir + "/plans")
	if err != nil {
		t.Fatal(err)
	}
	defer plans.Close()
	next := json.NewDecoder(plans)
	var now *traced
	runner := ""                 // the process that runs the plans
	ran := map[string]bool{}     // processes that have become another program
	threads := map[string]bool{} // of the runner
	lines, starts, opens := 0, 0, 0
	for _, c := range readTrace(t, dir+"/trace") {
		if runner == "" {
			runner = c.pid
			threads[runner] = true
		}
		if strings.HasPrefix(c.name, "faccessat") && strings.Contains(c.args, hexed(marker)) {
			now = nil
			if strings.Contains(c.args, hexed("begin")) {
				now = &traced{}
				lines++
				if err := next.Decode(now); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		switch {
		case strings.HasPrefix(c.name, "clone") && strings.Contains(c.args, "CLONE_THREAD"):
			if threads[c.pid] {
				threads[c.result] = true
			} else {
				ran[c.result] = true // of a stub
			}
		case now == nil || (c.result[0] == '-' || c.result == "?") && !strings.HasPrefix(c.name, "exec"):
		case strings.HasPrefix(c.name, "exec"):
			if ran[c.pid] || threads[c.pid] {
				t.Fatalf("%q: a program became another: %s", now.Text, c.args)
			}
			if c.result == "0" {
				ran[c.pid] = true
			}
			now.started(t, c)
			starts++
		case c.name == "connect" || c.name == "socket":
			t.Fatalf("%q: %s(%s)", now.Text, c.name, c.args)
		case strings.HasPrefix(c.name, "open") || c.name == "creat":
			if ran[c.pid] || strings.Contains(c.args, "O_PATH") {
				continue
			}
			now.opened(t, c, root)
			opens++
		}
	}
	t.Logf("%d lines: %d programs started, %d files opened", lines, starts, opens)
	if lines != count || starts < count/2 || opens < count/10 {
		t.Errorf("the trace shows %d of %d lines, %d programs and %d files", lines, count, starts, opens)
	}
}

func hexed(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, `\x%02x`, c)
	}
	return b.String()
}

func texts(s string) []string {
	var list []string
	for _, m := range hexText.FindAllStringSubmatch(s, -1) {
		list = append(list, unhex(m[1]))
	}
	return list
}

// started fails where the program is not one of the plan.
func (now *traced) started(t *testing.T, c syscallLine) {
	t.Helper()
	before, after, _ := strings.Cut(c.args, "], [")
	all, env := texts(before), texts(after)
	for _, s := range now.Steps {
		if len(all) == 0 || s.Path != all[0] || !slices.Equal(s.Args, all[1:]) || !slices.Equal(settings(slices.Concat(Unattended(nil), s.Env)), settings(env)) {
			continue
		}
		for _, v := range env {
			name, value, _ := strings.Cut(v, "=")
			if name != "PWD" && !slices.Contains(slices.Concat(gitGuards, unattended), v) && Executes(name) != "" || name == "PATH" && strings.Contains(value, ".:") {
				t.Fatalf("%q: %q was given %s", now.Text, s.Args, v)
			}
		}
		return
	}
	t.Fatalf("%q: started %q with %q, which the plan does not name", now.Text, all, env)
}

// opened fails where the file is not one of the plan.
func (now *traced) opened(t *testing.T, c syscallLine, root string) {
	t.Helper()
	found := texts(c.args)
	if len(found) == 0 {
		t.Fatalf("%q: %s", now.Text, c.args)
	}
	name := found[0]
	if m := handle.FindStringSubmatch(c.args); m != nil && !path.IsAbs(name) {
		name = path.Join(unhex(m[1]), name)
	}
	for _, s := range now.Steps {
		for _, f := range s.Files {
			if f.Path == name || path.Join(root, f.Path) == name && strings.Contains(c.args, "O_NOFOLLOW") {
				return
			}
		}
	}
	t.Fatalf("%q: opened %s, which the plan does not name", now.Text, name)
}
