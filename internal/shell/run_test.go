package shell

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"parley/test/need"
)

// When the context ends, what runs is ended, what waits for it is let go, and nothing more starts.
func TestRunEnds(t *testing.T) {
	m := newMachine(t)
	big := strings.Repeat("0123456789", 20_000)
	for _, text := range []string{
		"s1 sleep; s2", "s1 sleep && s2 || s3", "s1 | s2 sleep | head; s2", "s1 sleep <<'E'\n" + big + "\nE\ns2", "echo " + big + " | s1 sleep; s2",
		"s1 spew | s2 sleep; s3", "s1 sleep > out/x; echo a > out/y",
	} {
		func() {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			m.reset(t)
			p, err := planned(m.disk.World(m.env, nil), text)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			host, started := m.host(), 0
			start := host.Start
			host.Start = func(ctx context.Context, s Step, env []string, streams Streams) (func() int, error) {
				started++
				if len(s.Args) > 1 && s.Args[1] == "sleep" {
					defer cancel()
				}
				return start(ctx, s, env, streams)
			}
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			before := started
			if _, err := p.Run(ctx, host, Streams{null, null, null}); !errors.Is(err, context.Canceled) {
				t.Errorf("%.40q: %v", text, err)
			}
			if pipes := 1 + strings.Count(text, " | "); started-before > pipes {
				t.Errorf("%.40q: %d programs started, %d could", text, started-before, pipes)
			}
			if _, err := os.Stat(m.root + "/out/y"); err == nil {
				t.Errorf("%.40q: went on", text)
			}
		}()
	}
}

// The zero plan does not run, nor does any plan on the zero host.
func TestRunZero(t *testing.T) {
	m := newMachine(t)
	p, err := planned(m.disk.World(m.env, nil), "echo a")
	if err != nil {
		t.Fatal(err)
	}
	if code, err := (Plan{}).Run(t.Context(), m.host(), Streams{}); err == nil || code == 0 {
		t.Errorf("the zero plan runs: %d, %v", code, err)
	}
	if code, err := p.Run(t.Context(), Host{}, Streams{}); err == nil || code == 0 {
		t.Errorf("a plan runs on the zero host: %d, %v", code, err)
	}
}

// A context that has ended before starts nothing.
func TestRunEndedBefore(t *testing.T) {
	m := newMachine(t)
	p, err := planned(m.disk.World(m.env, nil), "s1 > out/x; echo a > out/y")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(ctx, m.host(), Streams{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if calls, files := m.calls(t), m.files(t); len(calls) > 0 || len(files) != len(m.before) {
		t.Errorf("it did something: %v %v", calls, files)
	}
}

// A program gets three streams and nothing else, and no file stays open here.
func TestRunDescriptors(t *testing.T) {
	m := newMachine(t)
	world := m.disk.World(m.env, nil)
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		need.No(t, err)
		return len(entries)
	}
	for fd := 3; fd < 100; fd++ {
		syscall.CloseOnExec(fd) // what this test was given itself
	}
	extra, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	lines := []string{
		"s1 descriptors | s2 descriptors cat", "s1 descriptors < a.txt > out/x 2> out/y; s2 cat < out/x", "cd src && s1 descriptors <<'E'\nx\nE",
		"s1 < missing; s1 > missing/x; s1 > out/x | s2 < missing | s3",
	}
	before := 0
	for i := range 20 {
		for _, text := range lines {
			m.reset(t)
			p, err := planned(world, text)
			if err != nil {
				t.Fatal(err)
			}
			if o := m.run(t, p); o.Out != "" {
				t.Fatalf("%q: descriptors that were handed on: %q", text, o.Out)
			}
		}
		if i == 0 {
			before = open()
		}
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors were open, then %d", before, after)
	}
}

// Where no pipe can be made, what has started is waited for, and the error says so.
func TestRunWithoutDescriptors(t *testing.T) {
	m := newMachine(t)
	p, err := planned(m.disk.World(m.env, nil), "s1 | s2 | s3")
	if err != nil {
		t.Fatal(err)
	}
	host := m.host()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	waited := false
	host.Start = func(context.Context, Step, []string, Streams) (func() int, error) {
		return func() int { waited = true; return 0 }, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: limit.Max})
	}
	code, err := p.Run(t.Context(), host, Streams{})
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	if err == nil || code == 0 || !waited {
		t.Errorf("code %d, %v, waited %v", code, err, waited)
	}
}

// A program that cannot be started is said, and the line goes on as a shell's would.
func TestRunCannotStart(t *testing.T) {
	m := newMachine(t)
	world := m.disk.World(m.env, nil)
	broken, gone := m.root+"/sub/broken", m.root+"/sub/gone"
	for name, content := range map[string]string{broken: "not a program", gone: "#!/nosuch\n"} {
		if err := os.WriteFile(name, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := "sub/broken; echo $?; sub/gone; echo $?; sub/gone | s1 out=a"
	p, err := planned(world, text)
	if err != nil {
		t.Fatal(err)
	}
	m.before["sub/broken"], m.before["sub/gone"] = "not a program", "#!/nosuch\n"
	if o := m.run(t, p); o.Out != "126\n127\na\n" || o.Code != 0 {
		t.Errorf("%+v", o)
	}
}

// A variable that the line sets takes the place of the person's, and each is given once.
func TestRunVariables(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, "LANG=de", "LANG=fr", "PWD=/x", "CI=0")
	p, err := planned(m.disk.World(m.env, nil), "cd src && CI=1 LANG=C s1")
	if err != nil {
		t.Fatal(err)
	}
	var given []string
	host := Host{Open: m.disk.Open, Start: func(_ context.Context, _ Step, env []string, _ Streams) (func() int, error) {
		given = env
		return func() int { return 0 }, nil
	}}
	if _, err := p.Run(t.Context(), host, Streams{}); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(m.env[:4], unattended, gitGuards, []string{"PWD=" + m.root + "/src", "CI=1", "LANG=C"})
	if !slices.Equal(given, want) {
		t.Errorf("given %q, want %q", given, want)
	}
}
