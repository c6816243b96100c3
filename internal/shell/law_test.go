package shell

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"parley/internal/shell/shelltest"
	"parley/test/need"
)

var lawLines = flag.Int("shell.lines", 0, "lines of the in-process law; 0: 5,000, 100,000 in CI, a million in make long, 2,000 in short tests")

// often is how often something is tried: in short tests, usually, and in CI; ten times that where everything is asked for.
func often(short, usual, all int) int {
	switch {
	case need.Long():
		return 10 * all
	case os.Getenv("CI") == "true":
		return all
	case testing.Short():
		return short
	}
	return usual
}

// effects is what a line did: what started, what was opened, what it printed, and its exit code.
type effects struct {
	mu     sync.Mutex
	starts []string
	opens  []string
	out    string
	code   int
}

func (e *effects) start(args []string, env []string, dir string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.starts = append(e.starts, fmt.Sprintf("%q %q in %s", args, settings(env), dir))
	return codeOf(args)
}

func (e *effects) open(name string, mode Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opens = append(e.opens, fmt.Sprintf("%s %d", name, mode))
}

func (e *effects) String() string {
	slices.Sort(e.starts)
	slices.Sort(e.opens)
	return fmt.Sprintf("starts %s\nopens %s\nprints %q\nexits %d", strings.Join(e.starts, "\n       "), strings.Join(e.opens, ", "), e.out, e.code)
}

// settings are the variables of the table that a command was given.
func settings(env []string) []string {
	var set []string
	for name := range variables {
		if value, ok := lookup(env, name); ok {
			set = append(set, name+"="+value)
		}
	}
	slices.Sort(set)
	return set
}

// codeOf is the exit code that a stub is asked for.
func codeOf(args []string) int {
	for _, a := range args {
		if n, err := strconv.Atoi(strings.TrimPrefix(a, "exit=")); err == nil && strings.HasPrefix(a, "exit=") {
			return n & 0xff
		}
	}
	return 0
}

// stubs is a host whose programs do nothing but end, and whose files are all empty.
func stubs(e *effects, root string) Host {
	return Host{
		Open: func(f File) (*os.File, error) {
			name := f.Path
			if name != NullDevice {
				name = path.Join(root, name)
			}
			e.open(name, f.Mode)
			return os.OpenFile(os.DevNull, os.O_RDWR, 0)
		},
		Start: func(_ context.Context, s Step, env []string, _ Streams) (func() int, error) {
			code := e.start(s.Args, env, path.Join(root, s.Folder))
			return func() int { return code }, nil
		},
	}
}

// runStubs runs a plan with stubs.
func runStubs(t testing.TB, p Plan, root string) *effects {
	t.Helper()
	e := &effects{}
	out, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	e.code, err = p.Run(t.Context(), stubs(e, root), Streams{nil, write, write})
	write.Close()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	e.out = string(content)
	return e
}

// runOther runs the text of a line in an interpreter of bash by others, with the same stubs.
func runOther(t testing.TB, text, root string, env []string) *effects {
	t.Helper()
	e := &effects{}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var out bytes.Buffer
	var mu sync.Mutex
	write := writer(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return out.Write(b)
	})
	runner, err := interp.New(interp.Env(expand.ListEnviron(env...)), interp.Dir(root), interp.StdIO(nil, write, write),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc {
			return func(ctx context.Context, args []string) error {
				h := interp.HandlerCtx(ctx)
				if code := e.start(args, exported(h.Env), h.Dir); code != 0 {
					return interp.ExitStatus(code)
				}
				return nil
			}
		}),
		interp.OpenHandler(func(ctx context.Context, name string, flags int, _ os.FileMode) (io.ReadWriteCloser, error) {
			if !path.IsAbs(name) {
				name = path.Join(interp.HandlerCtx(ctx).Dir, name)
			}
			mode := ModeRead
			if flags&os.O_TRUNC != 0 {
				mode = ModeWrite
			} else if flags&os.O_APPEND != 0 {
				mode = ModeAppend
			}
			e.open(path.Clean(name), mode)
			return os.OpenFile(os.DevNull, os.O_RDWR, 0)
		}))
	if err != nil {
		t.Fatal(err)
	}
	var status interp.ExitStatus
	if err := runner.Run(t.Context(), file); errors.As(err, &status) {
		e.code = int(status)
	} else if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	e.out = out.String()
	return e
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

func exported(env expand.Environ) []string {
	var list []string
	env.Each(func(name string, v expand.Variable) bool {
		if v.Exported {
			list = append(list, name+"="+v.Str)
		}
		return true
	})
	return list
}

// named fails where something started, or was opened, that the plan does not name.
func named(t testing.TB, text string, p Plan, e *effects, root string) {
	t.Helper()
	var starts, opens []string
	for _, s := range p.Steps() {
		if s.Path != "" {
			starts = append(starts, fmt.Sprintf("%q %q in %s", s.Args, settings(slices.Concat(Unattended(nil), s.Env)), path.Join(root, s.Folder)))
		}
		for _, f := range s.Files {
			name := f.Path
			if name != NullDevice {
				name = path.Join(root, name)
			}
			opens = append(opens, fmt.Sprintf("%s %d", name, f.Mode))
		}
	}
	for _, s := range e.starts {
		if !slices.Contains(starts, s) {
			t.Fatalf("%q started what its plan does not name: %s", text, s)
		}
	}
	for _, o := range e.opens {
		if !slices.Contains(opens, o) {
			t.Fatalf("%q opened what its plan does not name: %s", text, o)
		}
	}
}

// interprets says that an echo interprets escapes: the other interpreter knows more of them than bash, which [TestBash] compares with.
func interprets(p Plan) bool {
	return slices.ContainsFunc(p.Steps(), func(s Step) bool {
		return s.Args[0] == "echo" && len(s.Args) > 1 && strings.HasPrefix(s.Args[1], "-")
	})
}

// interpreted fails where the other interpreter does something else than the plan did.
func interpreted(t *testing.T, text, root string, env []string, p Plan, e *effects) {
	t.Helper()
	other := runOther(t, text, root, env)
	if interprets(p) {
		e.out, other.out = "", ""
	}
	if other.String() != e.String() {
		t.Fatalf("%q\nplan:  %v\nother: %v", text, e, other)
	}
}

// lawRuns and lawGiven are what generated lines run, and are given.
var (
	lawRuns  = strings.Fields("s1 s2 s3 s1 s2 s3 echo echo pwd true false head grep sort go /ROOT/sub/prog sub/prog")
	lawGiven = strings.Fields("test ./... -n 1 -v exit=0 exit=1 exit=7 foo -k2 a.txt")
)

// For generated lines, what starts and what is opened was named by the plan, and, for one in ten, is what an interpreter of the line by
// others starts and opens: the same programs, words, variables, folders, files, output and exit code. What the grammar refuses has no
// plan. Nothing that is read has a second reading.
func TestLaw(t *testing.T) {
	t.Parallel()
	count := *lawLines
	if count == 0 {
		count = often(2_000, 5_000, 100_000)
	}
	root, programs := fixture(t, "")
	world := openDisk(t, root).World([]string{"PATH=" + programs, "HOME=" + root}, nil)
	const workers = 2
	var total struct {
		sync.Mutex
		read, planned, starts, opens int
	}
	t.Run("lines", func(t *testing.T) {
		for worker := range workers {
			t.Run(strconv.Itoa(worker), func(t *testing.T) {
				t.Parallel()
				g := shelltest.New(uint64(worker+1), append(shelltest.Corpus(), shelltest.Quirks()...), lawRuns, lawGiven)
				for i := range count / workers {
					text := strings.ReplaceAll(g.Line(), "/ROOT", root)
					checkRead(t, text)
					checkGrammar(t, text)
					l, err := Read(text)
					if err != nil {
						continue
					}
					p, err := l.Plan(world)
					total.Lock()
					total.read++
					total.Unlock()
					if err != nil {
						continue
					}
					e := runStubs(t, p, root)
					named(t, text, p, e, root)
					if i%10 == 0 {
						interpreted(t, text, root, Unattended(world.Env), p, e)
					}
					total.Lock()
					total.planned++
					total.starts += len(e.starts)
					total.opens += len(e.opens)
					total.Unlock()
				}
			})
		}
	})
	t.Logf("%d lines: %d read, %d planned and run, %d programs started, %d files opened", count, total.read, total.planned, total.starts, total.opens)
	if total.planned < count/10 {
		t.Errorf("only %d of %d lines had a plan", total.planned, count)
	}
}
